"""Random programs: they are legal and well defined, and made of everything there is."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.checking.observation import find_difference
from tileir_xdsl.dialects.cuda_tile import DivFOp, RoundingMode, SqrtOp
from tileir_xdsl.dialects.cuda_tile.types import FLOATS, INTEGERS, POINTER
from tileir_xdsl.interpreters.memory_order import RandomOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import coverage, generate
from tileir_xdsl.testing.programs.comparison import observe
from tileir_xdsl.testing.programs.program import AliasParameter, WholeArrayParameter
from tileir_xdsl.testing.programs.scale import ASYNCHRONOUS, SMALL
from tileir_xdsl.testing.programs.table import TABLE
from tileir_xdsl.testing.programs.targets import MISSING_ELEMENTS, NEWEST, TARGETS

BATCHES = [range(first, first + 10) for first in range(0, 100, 10)]
"""Programs that are read back and run."""


def test_every_operation_and_element_type_occurs() -> None:
    assert coverage.missing(generate(seed).module for seed in range(200)) == []


def test_every_element_type_is_one_that_a_target_has() -> None:
    assert set(coverage.ELEMENTS) == {*INTEGERS, "i4", *FLOATS, POINTER}
    assert MISSING_ELEMENTS[NEWEST] == frozenset()
    assert all("fnv8E5M3FNU" in MISSING_ELEMENTS[target] for target in TARGETS)


def test_what_does_not_occur_is_told() -> None:
    told = coverage.missing([generate(0, size=0, scale=SMALL).module])
    assert {"cuda_tile.addf", "cuda_tile.loop", "f8E4M3FN"} <= set(told)
    assert {"cuda_tile.entry", "cuda_tile.return"}.isdisjoint(told)


def test_arrays_of_operands_hold_whole_numbers() -> None:
    """Also those that the loop stores into: an iteration that is left out stores nothing."""
    rewritten = 0
    for seed in range(40):
        program = generate(seed, size=0, exact=True, target="sm_90a", scale=ASYNCHRONOUS)
        for position, parameter in enumerate(program.parameters):
            if isinstance(parameter, AliasParameter):
                assert isinstance(program.parameters[parameter.of], WholeArrayParameter)
            rewritten += isinstance(parameter, WholeArrayParameter) and position in program.outputs
    assert rewritten


def test_operations_without_an_emitter_come_with_others() -> None:
    without = set(coverage.OPERATIONS) - set(TABLE)
    assert {op.name.removeprefix("cuda_tile.") for op in without} == {
        "break",
        "continue",
        "entry",
        "global",
        "make_gather_scatter_view",
        "make_partition_view",
        "make_strided_view",
        "make_tensor_view",
        "make_token",
        "module",
        "return",
        "yield",
    }


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_programs_verify_run_and_read_back(seeds: range) -> None:
    for seed in seeds:
        program = generate(seed)
        program.module.verify()
        text = tools.to_text(program.module)
        assert tools.to_text(tools.parse(text)) == text, f"seed {seed}"
        observe(program, program.module)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seeds", BATCHES[:4], ids=str)
def test_the_order_that_tokens_leave_open_does_not_matter(seeds: range) -> None:
    for seed in seeds:
        program = generate(seed)
        expected = observe(program, program.module)
        actual = observe(program, program.module, RandomOrder(seed))
        assert find_difference(expected, actual, exact=True) is None, f"seed {seed}"


def test_the_seed_decides_the_program() -> None:
    script = (
        "from tileir_xdsl.testing.programs import generate\n"
        "from tileir_xdsl.testing import tools\n"
        "print(tools.to_text(generate(7).module))"
    )
    command = [sys.executable, "-c", script]
    text = tools.to_text(generate(7).module)
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=REPOSITORY)
    assert printed.stdout == text + "\n"
    assert text != tools.to_text(generate(8).module)


def test_the_generator_decides_the_arguments() -> None:
    program = generate(3)
    first, second, other = (program.arguments(np.random.default_rng(s)) for s in (1, 1, 2))
    assert len(first) == len(program.parameters)
    assert repr(first) == repr(second) != repr(other)


def test_a_larger_size_gives_more_operations() -> None:
    counts = [
        sum(1 for _ in generate(5, size, scale=SMALL).module.walk()) for size in (0, 5, 20, 60)
    ]
    assert counts == sorted(set(counts))


def test_exact_programs_have_no_approximations() -> None:
    bounded = {operation for operation, row in TABLE.items() if not row.exact}
    approximations = (RoundingMode.APPROX, RoundingMode.FULL)
    for seed in range(60):
        for operation in generate(seed, exact=True).module.walk():
            assert type(operation) not in bounded
            if isinstance(operation, DivFOp | SqrtOp):
                assert operation.rounding_mode.data not in approximations
