"""Operands loaded through pointers: copied where 16 bytes are known to be together, else loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.zoo import lower, run
from tests.unit.transforms.tileas_assign_dot_layouts.tools import after, atoms, changed
from tileir_xdsl.analysis.access.async_loads import load_groups
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, Problem
from tileir_xdsl.testing.kernels.divisible import with_pitch
from tileir_xdsl.testing.kernels.written import WRITTEN

CASE = WRITTEN["product_by_pointers"]
GPUS = ("sm_80", "sm_90a", "sm_100a")


def text(*changes: tuple[str, str]) -> str:
    """The text of the kernel with some of it replaced."""
    return changed(CASE, *changes)


def with_layouts(program: str, gpu: str) -> ModuleOp:
    """A kernel after layout assignment."""
    return after("tileas-assign-load-store-layouts", program, gpu)


@pytest.mark.parametrize("gpu", GPUS)
def test_both_operands_are_copied_16_bytes_at_once(gpu: str):
    module = with_layouts(text(), gpu)
    assert atoms(module) == ["ldgsts_128"] * 2
    assert not any(isinstance(op, nv_tileas.LoadOp) for op in module.walk())
    (loop,) = (op for op in module.walk() if op.name == "scf.for")
    # Both are wanted at the dot, and share the stages of one pipeline.
    (group,) = load_groups(loop.regions[0].block)
    assert [len(load.parts) for load in group.loads] == [3, 3]


ALIGNED_A = ("%a_base = assume div_by<16>, %a", "%a_base = assume div_by<8>, %a")
ALIGNED_ROWS = ("%b_step = assume div_by<16>", "%b_step = assume div_by<4>")
DEPTH = ("%depth = assume div_by<16>", "%depth = assume div_by<4>")
OTHER = ("%none = constant <f16: 0.0>", "%none = constant <f16: 1.0>")
ORDERED = (
    "load_ptr_tko weak %a_at, %a_mask, %none",
    "load_ptr_tko relaxed device %a_at, %a_mask, %none",
)
TWICE = (
    "%next = mmaf %x, %y, %acc",
    "%square = addf %x, %x : tile<64x64xf16>\n      %next = mmaf %square, %y, %acc",
)


@pytest.mark.parametrize(
    ("change", "copied"),
    [(ALIGNED_A, 1), (ALIGNED_ROWS, 1), (DEPTH, 1), (OTHER, 0), (ORDERED, 1), (TWICE, 1)],
)
def test_other_loads_stay(change: tuple[str, str], copied: int):
    module = with_layouts(text(change), "sm_80")
    loads = [op for op in module.walk() if isinstance(op, nv_tileas.LoadOp)]
    assert (len(atoms(module)), len(loads)) == (copied, 2 - copied)


DOWN = (
    (
        "%depth = assume div_by<16>, %a_columns : tile<i32>",
        "%depth = assume div_by<16>, %a_rows : tile<i32>\n"
        "    %tall = assume div_by<16>, %a_columns : tile<i32>",
    ),
    ("%height_2 = reshape %a_rows", "%height_2 = reshape %tall"),
    (
        "%a_offset = addi %a_start, %a_depth : tile<64x64xi32>",
        "%a_row = muli %a_depth, %a_steps : tile<64x64xi32>\n"
        "      %a_offset = addi %a_row, %rows : tile<64x64xi32>",
    ),
)
"""A lies in memory column by column: neighbours are along M."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", GPUS)
def test_an_operand_along_m_is_copied_along_m(gpu: str):
    program = text(*DOWN)
    assert atoms(with_layouts(program, gpu)) == ["ldgsts_128"] * 2

    def arguments(problem: Problem, rng: np.random.Generator) -> Sequence[Argument]:
        a, *others = CASE.arguments(problem, rng)
        assert isinstance(a, np.ndarray)
        return [with_pitch(np.ascontiguousarray(a.T)), *others]

    def reference(a: Array, *others: Array) -> Sequence[Expected]:
        return CASE.reference(a.T, *others)

    case = replace(CASE, arguments=arguments, reference=reference)
    problem = (80, 144, 80)
    run(case, lower(tools.parse(program), gpu), problem, case.grid(problem), late=True, races=True)


@pytest.mark.parametrize("change", [ALIGNED_A, DEPTH])
def test_one_operand_is_copied_next_to_a_load(change: tuple[str, str]):
    kernel = lower(tools.parse(text(change)), "sm_80")
    run(CASE, kernel, CASE.typical, CASE.grid(CASE.typical), late=True, races=True)
