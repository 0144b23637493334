"""Floating-point operations on all kinds of numbers: zeros, infinities, NaN."""

from __future__ import annotations

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.dialects.cuda_tile.floating_point import IEEE_ROUNDING, UnaryFloatOperation
from tileir_xdsl.dialects.cuda_tile.floating_point_functions import (
    ApproximableUnaryFloatOperation,
    FlushableUnaryFloatOperation,
)
from tileir_xdsl.dialects.cuda_tile.types import STANDARD_FLOATS
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.elements import element_of, shape_of, tile, type_of
from tileir_xdsl.testing.programs.targets import CPU

_APPROXIMATIONS = (cuda_tile.RoundingMode.APPROX, cuda_tile.RoundingMode.FULL)


def _flush(b: Builder, value: SSAValue) -> tuple[SSAValue, bool]:
    """An operand, and whether to flush subnormals; if so, the operand mostly has some."""
    flush = element_of(value) == "f32" and b.chance(0.3)
    if flush and b.chance(0.7):
        tiny = b.number(2.0 ** -b.integer(125, 135), "f32", shape_of(value))
        value = b.add(cuda_tile.MulFOp(value, tiny)).result
    return value, flush


def _rounding(
    b: Builder, value: SSAValue, approximations: tuple[cuda_tile.RoundingMode, ...] = ()
) -> cuda_tile.RoundingMode:
    """A rounding mode for the element type of `value`; only f32 may have `approximations`."""
    if b.chance(0.4):
        return cuda_tile.RoundingMode.NEAREST_EVEN
    if element_of(value) == "f32" and approximations and not b.draft.exact and b.chance(0.3):
        return b.choose(approximations)
    return cuda_tile.RoundingMode.NEAREST_EVEN if b.draft.target == CPU else b.choose(IEEE_ROUNDING)


def _unary_row(operation: type[UnaryFloatOperation], *, exact: bool) -> Row:
    def emit(b: Builder) -> None:
        b.keep(b.add(operation(b.some_value(STANDARD_FLOATS))).result)

    return Row(0.9, emit, exact=exact)


def _flushable_row(operation: type[FlushableUnaryFloatOperation]) -> Row:
    def emit(b: Builder) -> None:
        b.keep(b.add(operation(*_flush(b, b.some_value(STANDARD_FLOATS)))).result)

    return Row(0.9, emit, exact=False)


def _approximable_row(operation: type[ApproximableUnaryFloatOperation]) -> Row:
    def emit(b: Builder) -> None:
        value = b.some_value(STANDARD_FLOATS)
        approximate = element_of(value) == "f32" and b.chance(0.5)
        mode = cuda_tile.RoundingMode.APPROX if approximate else cuda_tile.RoundingMode.FULL
        b.keep(b.add(operation(value, mode)).result)

    return Row(0.9, emit, exact=False)


def _emit_square_root(b: Builder) -> None:
    value, flush = _flush(b, b.some_value(STANDARD_FLOATS))
    mode = _rounding(b, value, (cuda_tile.RoundingMode.APPROX,))
    b.keep(b.add(cuda_tile.SqrtOp(value, mode, flush)).result)


def _rounded_row(
    operation: type[cuda_tile.AddFOp | cuda_tile.SubFOp | cuda_tile.MulFOp | cuda_tile.DivFOp],
) -> Row:
    approximations = _APPROXIMATIONS if operation is cuda_tile.DivFOp else ()

    def emit(b: Builder) -> None:
        lhs, flush = _flush(b, b.some_value(STANDARD_FLOATS))
        rhs = b.value(type_of(lhs))
        mode = _rounding(b, lhs, approximations)
        b.keep(b.add(operation(lhs, rhs, mode, flush)).result)

    return Row(1.5, emit)


def _emit_multiply_add(b: Builder) -> None:
    lhs = b.some_value(("f32", "f64") if b.draft.target == CPU else STANDARD_FLOATS)
    rhs = b.value(type_of(lhs))
    acc, flush = _flush(b, b.value(type_of(lhs)))
    b.keep(b.add(cuda_tile.FmaOp(lhs, rhs, acc, _rounding(b, lhs), flush)).result)


def _extremum_row(operation: type[cuda_tile.MaxFOp | cuda_tile.MinFOp]) -> Row:
    def emit(b: Builder) -> None:
        lhs = b.some_value(STANDARD_FLOATS)
        rhs, flush = _flush(b, b.value(type_of(lhs)))
        b.keep(b.add(operation(lhs, rhs, b.chance(0.5), flush)).result)

    return Row(1, emit)


def _binary_row(
    operation: type[cuda_tile.RemFOp | cuda_tile.ATan2Op | cuda_tile.PowOp], *, exact: bool
) -> Row:
    def emit(b: Builder) -> None:
        lhs = b.some_value(STANDARD_FLOATS)
        b.keep(b.add(operation(lhs, b.value(type_of(lhs)))).result)

    return Row(0.9, emit, exact=exact)


def _emit_integer_power(b: Builder) -> None:
    source = b.some_value(STANDARD_FLOATS)
    exponent = b.value(tile(b.choose(("i1", "i8", "i16", "i32")), shape_of(source)))
    b.keep(b.add(cuda_tile.FPowIOp(source, exponent)).result)


_EXACT_UNARY = (cuda_tile.AbsFOp, cuda_tile.NegFOp, cuda_tile.CeilOp, cuda_tile.FloorOp)
_ELEMENTARY = (
    cuda_tile.CosOp,
    cuda_tile.CosHOp,
    cuda_tile.SinOp,
    cuda_tile.SinHOp,
    cuda_tile.TanOp,
    cuda_tile.LogOp,
    cuda_tile.Log2Op,
)

ROWS: Rows = {
    **{operation: _unary_row(operation, exact=True) for operation in _EXACT_UNARY},
    **{operation: _unary_row(operation, exact=False) for operation in _ELEMENTARY},
    **{operation: _flushable_row(operation) for operation in (cuda_tile.Exp2Op, cuda_tile.RsqrtOp)},
    **{
        operation: _approximable_row(operation) for operation in (cuda_tile.ExpOp, cuda_tile.TanHOp)
    },
    **{
        operation: _rounded_row(operation)
        for operation in (cuda_tile.AddFOp, cuda_tile.SubFOp, cuda_tile.MulFOp, cuda_tile.DivFOp)
    },
    **{operation: _extremum_row(operation) for operation in (cuda_tile.MaxFOp, cuda_tile.MinFOp)},
    cuda_tile.ATan2Op: _binary_row(cuda_tile.ATan2Op, exact=False),
    cuda_tile.FmaOp: Row(1, _emit_multiply_add),
    cuda_tile.FPowIOp: Row(0.9, _emit_integer_power, exact=False),
    cuda_tile.PowOp: _binary_row(cuda_tile.PowOp, exact=False),
    cuda_tile.RemFOp: _binary_row(cuda_tile.RemFOp, exact=True),
    cuda_tile.SqrtOp: Row(1, _emit_square_root),
}
