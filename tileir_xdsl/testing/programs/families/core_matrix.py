"""Dots of small integers, which are exact in any order of summation."""

from __future__ import annotations

from tileir_xdsl.dialects.cuda_tile import MmaFOp, MmaFScaledOp, MmaIOp
from tileir_xdsl.dialects.cuda_tile.core_matrix import ACCUMULATORS, SCALED_OPERANDS
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import Shape, tile
from tileir_xdsl.testing.programs.values import (
    SIGNEDNESSES,
    powers_of_two,
    small_integers,
    whole_floats,
)


def _shapes(b: Builder, depths: tuple[int, ...]) -> tuple[Shape, Shape, Shape]:
    """The shapes of both operands and the accumulator of a dot; K is one of `depths`."""
    scale = b.draft.scale
    m, n, k = b.choose(scale.rows), b.choose(scale.columns), b.choose(depths)
    batch = (2,) if b.chance(0.25) else ()
    return (*batch, m, k), (*batch, k, n), (*batch, m, n)


def _emit_mmaf(b: Builder) -> None:
    element = b.choose(list(ACCUMULATORS))
    accumulator = b.choose(ACCUMULATORS[element])
    lhs, rhs, acc = _shapes(b, b.draft.scale.depths)
    operands = (
        whole_floats(b, element, lhs),
        whole_floats(b, element, rhs),
        whole_floats(b, accumulator, acc),
    )
    b.keep(b.add(MmaFOp(*operands, b.chance(0.3))).result)


def _emit_mmai(b: Builder) -> None:
    lhs, rhs, acc = _shapes(b, b.draft.scale.depths)
    operands = b.value(tile("i8", lhs)), b.value(tile("i8", rhs)), small_integers(b, acc)
    signedness = b.choose(SIGNEDNESSES), b.choose(SIGNEDNESSES)
    b.keep(b.add(MmaIOp(*operands, *signedness)).result)


def _emit_mmaf_scaled(b: Builder) -> None:
    scale = b.choose(list(SCALED_OPERANDS))
    element = b.choose(SCALED_OPERANDS[scale])
    block = 32
    if element == "f4E2M1FN":
        block = 16 if scale == "f8E4M3FN" else b.choose((16, 32))
    lhs, rhs, acc = _shapes(b, (block, 2 * block))
    scales = lhs[-1] // block
    operands = (
        whole_floats(b, element, lhs),
        whole_floats(b, element, rhs),
        whole_floats(b, "f32", acc),
        powers_of_two(b, scale, (*lhs[:-1], scales)),
        powers_of_two(b, scale, (*rhs[:-2], scales, rhs[-1])),
    )
    b.keep(b.add(MmaFScaledOp(*operands)).result)


ROWS: Rows = {
    MmaFOp: Row(1.2, _emit_mmaf),
    MmaFScaledOp: Row(1, _emit_mmaf_scaled),
    MmaIOp: Row(1, _emit_mmai),
}
