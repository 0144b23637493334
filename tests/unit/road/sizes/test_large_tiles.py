"""Tiles beyond the registers and the shared memory of a block compile, and compute the same."""

import itertools

import numpy as np
import pytest

from tests.unit.road.agreement import assert_equal, run_at_both_levels
from tests.unit.road.sizes.large_tiles import CASES, GPUS, resources, with_warps
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_slice_and_fuse import TileASSliceAndFusePass

SAMPLE = [
    "chain 65536 i1",
    "chain 65536 i8",
    "chain 65536 f32",
    "chain 65536 f64",
    "gather 131072 i8",
    "reduce 256 f32 axis None",
    "reduce 256 f32 i32 axis None",
    "reduce 128 i16 f64 i8 axis 1",
    "reduce 256 f32 i32 axis 0",
    "scan 128 f32 i32 axis 0",
    "scan 128 i16 f64 i8 axis 1",
]
"""Of every family; each on one target and with one number of warps."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("number", range(len(SAMPLE)))
def test_the_assembler_takes_it(number: int):
    case = CASES[SAMPLE[number]]()
    resources(case, GPUS[number % len(GPUS)], (8, 4)[number // 2 % 2])


def test_addresses_of_gathers_are_computed_where_they_are_used():
    case, gpu = CASES["gather 131072 f32"](), "sm_90a"
    module = tools.parse(with_warps(case.text, 8))
    for module_pass in passes(gpu):
        if not isinstance(module_pass, TileASSliceAndFusePass):
            module_pass.apply(tools.context(), module)
    lines = emit(module, gpu).splitlines()
    ops = [line.split()[0] for line in lines if line.startswith("\t")]
    runs = [len(list(run)) for op, run in itertools.groupby(ops) if op.startswith("mad.wide")]
    assert sum(runs) >= 512
    assert max(runs) < 16


RUN = [
    ("chain 65536 f32", "sm_80", 8),
    ("gather 16384 f32", "sm_90a", 4),
    ("reduce 128 f32 i32 axis None", "sm_120a", 4),
    ("reduce 256 f32 i32 axis None", "sm_120a", 8),
    ("scan 128 f32 i32 axis 0", "sm_120a", 4),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("name", "gpu", "warps"), RUN, ids=str)
def test_it_computes_the_same_without_races(name: str, gpu: str, warps: int):
    case = CASES[name]()
    count = case.text.split("{")[1].count("%p") - len(case.inputs)
    like = case.inputs[:1] if case.expected else case.inputs[:count]
    outputs = [np.zeros(case.inputs[0].size, array.dtype) for array in like]
    arguments = [*(array.ravel() for array in case.inputs), *outputs]
    first, last = run_at_both_levels(with_warps(case.text, warps), arguments, gpu)
    assert_equal(first, last)
    for wanted, found in zip(case.expected, last[len(case.inputs) :], strict=bool(case.expected)):
        np.testing.assert_array_equal(found, wanted)
