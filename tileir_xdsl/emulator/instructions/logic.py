"""Logic, shift and permutation instructions (PTX ISA, "Logic and Shift Instructions")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.instructions.elementwise import Function, elementwise
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import PREDICATE
from tileir_xdsl.emulator.types import TYPES, Array

_BITS = "pred|b16|b32|b64"


def _logical_not(x: Array) -> Array:
    """`cnot`: 1 for zero, otherwise 0."""
    return (x == 0).astype(x.dtype)


def _shift(ufunc: np.ufunc) -> Callable[[Match], Function]:
    """Shifts by an unsigned 32-bit amount; amounts above the width shift all bits out."""

    def chosen(match: Match) -> Function:
        bits = match.type().bits
        amount = match.immediate("b")
        if amount is not None and 0 <= amount < bits:

            def shift_by_constant(a: Array, _: Array) -> Array:
                return ufunc(a, a.dtype.type(amount))

            return shift_by_constant

        def shift(a: Array, b: Array) -> Array:
            moved = ufunc(a, np.minimum(b, bits - 1).astype(a.dtype))
            if a.dtype.kind == "i":
                return moved
            return np.where(b >= bits, a.dtype.type(0), moved)

        return shift

    return chosen


def _funnel_shift(match: Match) -> Function:
    """`shf`: one word of the pair `b:a`, shifted left or right."""
    left = match["direction"] == "l"
    clamp = match["mode"] == "clamp"

    def shift(a: Array, b: Array, c: Array) -> Array:
        amount = (np.minimum(c, 32) if clamp else c & np.uint32(31)).astype(np.uint64)
        both = (b.astype(np.uint64) << np.uint64(32)) | a
        if left:
            return ((both << amount) >> np.uint64(32)).astype(np.uint32)
        return (both >> amount).astype(np.uint32)

    return shift


# The sixteen functions of two bits, by truth table: bit `2 * b + c` is the value for `(b, c)`.
_TWO_INPUT: tuple[Callable[[Any, Any], Any], ...] = (
    lambda b, c: np.zeros_like(b),
    lambda b, c: ~(b | c),
    lambda b, c: ~b & c,
    lambda b, c: ~b,
    lambda b, c: b & ~c,
    lambda b, c: ~c,
    lambda b, c: b ^ c,
    lambda b, c: ~(b & c),
    lambda b, c: b & c,
    lambda b, c: ~(b ^ c),
    lambda b, c: c,
    lambda b, c: ~b | c,
    lambda b, c: b,
    lambda b, c: b | ~c,
    lambda b, c: b | c,
    lambda b, c: ~np.zeros_like(b),
)


def _three_input_logic(match: Match) -> Function:
    """`lop3`: bit `4 * a + 2 * b + c` of the table is the value for `(a, b, c)`."""
    table = match.immediate("table")
    if table is None or not 0 <= table <= 255:
        raise match.fail("the table of lop3 must be a constant from 0 to 255")
    where_set, where_clear = _TWO_INPUT[table >> 4], _TWO_INPUT[table & 15]

    def logic(a: Array, b: Array, c: Array, _: object) -> Array:
        return (a & where_set(b, c)) | (~a & where_clear(b, c))

    return logic


def _emit_logic_and_test(builder: BlockBuilder, match: Match) -> None:
    """`lop3` with a second result: whether the first is nonzero, combined with a predicate."""
    word = TYPES["b32"]
    result, tested = builder.pair(match.operands["d"])
    arguments = [builder.source(match.operands[name], word) for name in "abc"]
    other = builder.predicate(match.operands["q"])
    operator = {"or": "|", "and": "&"}[match["combine"]]
    builder.line(f"r = {builder.bind(_three_input_logic(match))}({', '.join(arguments)}, None)")
    builder.line(f"t = (r != 0) {operator} {other}")
    builder.assign(result, word, "r")
    builder.assign(tested, PREDICATE, "t")


# The byte selectors of the modes of prmt, for values 0 to 3 of the low bits of `c`.
_PERMUTE_MODES: dict[str, tuple[int, int, int, int]] = {
    "f4e": (0x3210, 0x4321, 0x5432, 0x6543),
    "b4e": (0x5670, 0x6701, 0x7012, 0x0123),
    "rc8": (0x0000, 0x1111, 0x2222, 0x3333),
    "ecl": (0x3210, 0x3211, 0x3222, 0x3333),
    "ecr": (0x0000, 0x1110, 0x2210, 0x3210),
    "rc16": (0x1010, 0x3232, 0x1010, 0x3232),
}


def _permute_by_constant(selectors: list[int]) -> Function:
    def permute(a: Array, b: Array, _: Array) -> Array:
        both = (b.astype(np.uint64) << np.uint64(32)) | a
        chosen = both[..., None].view(np.uint8).take(selectors, axis=-1)
        return chosen.view(np.uint32)[..., 0]

    return permute


def _permute(match: Match) -> Function:
    """`prmt`: each selector picks one of the eight bytes of `b:a`, or repeats its sign bit."""
    mode = match["mode"]
    table = np.array(_PERMUTE_MODES[mode], np.uint32) if mode else None
    constant = match.immediate("c")
    if constant is not None and not mode and not constant & 0x8888:
        return _permute_by_constant([constant >> 4 * position & 7 for position in range(4)])

    def permute(a: Array, b: Array, c: Array) -> Array:
        selectors = c if table is None else table[c & np.uint32(3)]
        both = (b.astype(np.uint64) << np.uint64(32)) | a
        result = np.zeros(np.broadcast_shapes(both.shape, selectors.shape), np.uint32)
        for position in range(4):
            selector = (selectors >> np.uint32(4 * position)) & np.uint32(15)
            picked = (both >> ((selector & np.uint32(7)) * np.uint32(8))).astype(np.uint32)
            byte = picked & np.uint32(0xFF)
            sign = np.where(byte & np.uint32(0x80), np.uint32(0xFF), np.uint32(0))
            byte = np.where(selector & np.uint32(8), sign, byte)
            result |= byte << np.uint32(8 * position)
        return result

    return permute


FORMS: tuple[Form, ...] = (
    elementwise(f"and.<type:{_BITS}> d, a, b", "type <- type, type", np.bitwise_and),
    elementwise(f"or.<type:{_BITS}> d, a, b", "type <- type, type", np.bitwise_or),
    elementwise(f"xor.<type:{_BITS}> d, a, b", "type <- type, type", np.bitwise_xor),
    elementwise(f"not.<type:{_BITS}> d, a", "type <- type", np.invert),
    elementwise("cnot.<type:b16|b32|b64> d, a", "type <- type", _logical_not),
    elementwise("shl.<type:b16|b32|b64> d, a, b", "type <- type, u32", by=_shift(np.left_shift)),
    elementwise(
        "shr.<type:b16|b32|b64|u16|u32|u64|s16|s32|s64> d, a, b",
        "type <- type, u32",
        by=_shift(np.right_shift),
    ),
    elementwise(
        "shf.<direction:l|r>.<mode:clamp|wrap>.b32 d, a, b, c",
        "b32 <- b32, b32, u32",
        by=_funnel_shift,
    ),
    elementwise("lop3.b32 d, a, b, c, table", "b32 <- b32, b32, b32, b32", by=_three_input_logic),
    Form("lop3.<combine:or|and>.b32 d, a, b, c, table, q", Compute(_emit_logic_and_test)),
    elementwise(
        "prmt.b32{.<mode:f4e|b4e|rc8|ecl|ecr|rc16>} d, a, b, c",
        "b32 <- b32, b32, b32",
        by=_permute,
    ),
)
