"""Integer operations without undefined behaviour, such as division by zero, wide shifts or false
flags.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.types import INTEGERS
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import (
    WIDE_INTEGERS,
    element_of,
    shape_of,
    type_of,
    width,
)
from tileir_xdsl.testing.programs.values import SIGNEDNESSES, divisor

_Pair = tuple[SSAValue, SSAValue]
_SIGNED, _UNSIGNED = cuda_tile.Signedness.SIGNED, cuda_tile.Signedness.UNSIGNED


def _pair(b: Builder, elements: tuple[str, ...] = INTEGERS) -> _Pair:
    lhs = b.some_value(elements)
    return lhs, b.value(type_of(lhs))


def shifted(b: Builder, value: SSAValue, bits: int, signedness: cuda_tile.Signedness) -> SSAValue:
    """Integers shifted right by `bits`, and so in a smaller range."""
    amount = b.number(bits, element_of(value), shape_of(value))
    return b.add(cuda_tile.ShRIOp(value, amount, signedness)).result


def _shifted_pair(b: Builder, pair: _Pair, bits: int, signedness: cuda_tile.Signedness) -> _Pair:
    return shifted(b, pair[0], bits, signedness), shifted(b, pair[1], bits, signedness)


def _ordered(b: Builder, pair: _Pair) -> _Pair:
    larger = b.add(cuda_tile.MaxIOp(*pair, _UNSIGNED)).result
    return larger, b.add(cuda_tile.MinIOp(*pair, _UNSIGNED)).result


def _operands_of_muli(
    b: Builder, pair: _Pair, signedness: cuda_tile.Signedness, spare: int
) -> _Pair:
    half = width(element_of(pair[0])) // 2
    return _shifted_pair(b, pair, half + spare, signedness)


_Operands = Callable[[Builder, _Pair], _Pair]

_KEEPING: dict[
    type[cuda_tile.AddIOp | cuda_tile.SubIOp | cuda_tile.MulIOp],
    dict[cuda_tile.IntegerOverflow, _Operands],
] = {
    cuda_tile.AddIOp: {
        cuda_tile.IntegerOverflow.NO_SIGNED_WRAP: lambda b, p: _shifted_pair(b, p, 1, _SIGNED),
        cuda_tile.IntegerOverflow.NO_UNSIGNED_WRAP: lambda b, p: _shifted_pair(b, p, 1, _UNSIGNED),
        cuda_tile.IntegerOverflow.NO_WRAP: lambda b, p: _shifted_pair(b, p, 2, _UNSIGNED),
    },
    cuda_tile.SubIOp: {
        cuda_tile.IntegerOverflow.NO_SIGNED_WRAP: lambda b, p: _shifted_pair(b, p, 1, _SIGNED),
        cuda_tile.IntegerOverflow.NO_UNSIGNED_WRAP: _ordered,
        cuda_tile.IntegerOverflow.NO_WRAP: lambda b, p: _ordered(
            b, _shifted_pair(b, p, 1, _UNSIGNED)
        ),
    },
    cuda_tile.MulIOp: {
        cuda_tile.IntegerOverflow.NO_SIGNED_WRAP: lambda b, p: _operands_of_muli(b, p, _SIGNED, 0),
        cuda_tile.IntegerOverflow.NO_UNSIGNED_WRAP: lambda b, p: _operands_of_muli(
            b, p, _UNSIGNED, 0
        ),
        cuda_tile.IntegerOverflow.NO_WRAP: lambda b, p: _operands_of_muli(b, p, _UNSIGNED, 1),
    },
}
"""Operands for which an operation does not overflow, by its overflow flag."""


def _overflow_row(operation: type[cuda_tile.AddIOp | cuda_tile.SubIOp | cuda_tile.MulIOp]) -> Row:
    def emit(b: Builder) -> None:
        if b.chance(0.5):
            b.keep(b.add(operation(*_pair(b))).result)
            return
        flag = b.choose(list(_KEEPING[operation]))
        operands = _KEEPING[operation][flag](b, _pair(b, WIDE_INTEGERS))
        b.keep(b.add(operation(*operands, flag)).result)

    return Row(1.5, emit)


def _shift_amount(b: Builder, value: SSAValue) -> SSAValue:
    element, shape = element_of(value), shape_of(value)
    limit = b.number(width(element) - 1, element, shape)
    return b.add(cuda_tile.AndIOp(b.value(type_of(value)), limit)).result


def _emit_shift_left(b: Builder) -> None:
    if b.chance(0.6):
        value = b.some_value(INTEGERS)
        b.keep(b.add(cuda_tile.ShLIOp(value, _shift_amount(b, value))).result)
        return
    value = b.some_value(WIDE_INTEGERS)
    flag, signedness, spare = b.choose(
        (
            (cuda_tile.IntegerOverflow.NO_SIGNED_WRAP, _SIGNED, 0),
            (cuda_tile.IntegerOverflow.NO_UNSIGNED_WRAP, _UNSIGNED, 0),
            (cuda_tile.IntegerOverflow.NO_WRAP, _UNSIGNED, 1),
        )
    )
    bits = b.integer(0, width(element_of(value)) - 2)
    small = shifted(b, value, bits + spare, signedness)
    amount = b.number(bits, element_of(value), shape_of(value))
    b.keep(b.add(cuda_tile.ShLIOp(small, amount, flag)).result)


def _emit_shift_right(b: Builder) -> None:
    value = b.some_value(INTEGERS)
    b.keep(b.add(cuda_tile.ShRIOp(value, _shift_amount(b, value), b.choose(SIGNEDNESSES))).result)


def _extremum_row(operation: type[cuda_tile.MaxIOp | cuda_tile.MinIOp]) -> Row:
    def emit(b: Builder) -> None:
        b.keep(b.add(operation(*_pair(b), b.choose(SIGNEDNESSES))).result)

    return Row(1, emit)


def _division_operands(b: Builder) -> tuple[SSAValue, SSAValue, cuda_tile.Signedness]:
    lhs, rhs = _pair(b)
    # A signed i1 is 0 or -1: nothing is left to divide by.
    signedness = _UNSIGNED if element_of(lhs) == "i1" else b.choose(SIGNEDNESSES)
    return lhs, divisor(b, rhs, signedness), signedness


def _emit_division(b: Builder) -> None:
    lhs, rhs, signedness = _division_operands(b)
    roundings = [cuda_tile.RoundingMode.ZERO, cuda_tile.RoundingMode.POSITIVE_INF]
    if signedness is _SIGNED:
        roundings.append(cuda_tile.RoundingMode.NEGATIVE_INF)
    b.keep(b.add(cuda_tile.DivIOp(lhs, rhs, signedness, b.choose(roundings))).result)


def _emit_remainder(b: Builder) -> None:
    b.keep(b.add(cuda_tile.RemIOp(*_division_operands(b))).result)


def _emit_multiply_high(b: Builder) -> None:
    b.keep(b.add(cuda_tile.MulHiIOp(*_pair(b))).result)


def _emit_absolute(b: Builder) -> None:
    b.keep(b.add(cuda_tile.AbsIOp(b.some_value(INTEGERS))).result)


def _emit_negation(b: Builder) -> None:
    if b.chance(0.6):
        b.keep(b.add(cuda_tile.NegIOp(b.some_value(INTEGERS))).result)
        return
    small = shifted(b, b.some_value(WIDE_INTEGERS), 1, _SIGNED)
    b.keep(b.add(cuda_tile.NegIOp(small, cuda_tile.IntegerOverflow.NO_SIGNED_WRAP)).result)


ROWS: Rows = {
    cuda_tile.AbsIOp: Row(1, _emit_absolute),
    cuda_tile.AddIOp: _overflow_row(cuda_tile.AddIOp),
    cuda_tile.DivIOp: Row(1, _emit_division),
    cuda_tile.MaxIOp: _extremum_row(cuda_tile.MaxIOp),
    cuda_tile.MinIOp: _extremum_row(cuda_tile.MinIOp),
    cuda_tile.MulHiIOp: Row(1, _emit_multiply_high),
    cuda_tile.MulIOp: _overflow_row(cuda_tile.MulIOp),
    cuda_tile.NegIOp: Row(1, _emit_negation),
    cuda_tile.RemIOp: Row(1, _emit_remainder),
    cuda_tile.ShLIOp: Row(1, _emit_shift_left),
    cuda_tile.ShRIOp: Row(1, _emit_shift_right),
    cuda_tile.SubIOp: _overflow_row(cuda_tile.SubIOp),
}
