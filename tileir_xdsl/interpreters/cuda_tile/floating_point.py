"""Floating-point operations of `cuda_tile`.

`approx` and `full` results are those of the exact operation, rounded: inside every bound that the
specification gives them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tileir_xdsl.dialects.cuda_tile import enums, floating_point
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.arith import of_format, without_op
from tileir_xdsl.interpreters.element_types import float_format_of
from tileir_xdsl.interpreters.integer_operations import as_signed
from tileir_xdsl.interpreters.math import elementary
from tileir_xdsl.interpreters.numerics import Array, RoundingMode
from tileir_xdsl.interpreters.registration import PureTable

_APPROXIMATE = (enums.RoundingMode.APPROX, enums.RoundingMode.FULL)


def ieee_mode(rounding: enums.RoundingModeAttr) -> RoundingMode:
    """The IEEE mode that a rounding attribute stands for; approximations round to nearest."""
    if rounding.data in _APPROXIMATE:
        return RoundingMode.NEAREST_EVEN
    return RoundingMode(rounding.data.value)


def _rounded(function: Callable[..., Array]) -> Callable[..., Array]:
    """An operation with a rounding mode and flush-to-zero."""

    def run(
        op: floating_point.BinaryFloatOperation | floating_point.FmaOp | floating_point.SqrtOp,
        *operands: Array,
    ) -> Array:
        return function(
            *operands,
            float_format_of(op.result.type),
            ieee_mode(op.rounding_mode),
            op.flush_to_zero is not None,
        )

    return run


def _divide(op: floating_point.DivFOp, lhs: Array, rhs: Array) -> Array:
    quotient = _rounded(floats.divide)(op, lhs, rhs)
    if op.rounding_mode.data is not enums.RoundingMode.APPROX:
        return quotient
    # The reciprocal of such a divisor underflows to zero.
    huge = (np.abs(rhs) > np.float32(2.0**126)) & np.isfinite(rhs)
    zero = np.copysign(np.float32(0), quotient)
    vanished = np.where(np.isinf(lhs), np.float32(np.nan), zero)
    return np.where(huge & ~np.isnan(lhs), vanished, quotient)


def _extremum(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(op: floating_point.ExtremumOperation, lhs: Array, rhs: Array) -> Array:
        return function(
            lhs,
            rhs,
            float_format_of(op.result.type),
            op.propagate_nan is not None,
            op.flush_to_zero is not None,
        )

    return run


def _flushable(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(op: floating_point.FlushableUnaryFloatOperation, source: Array) -> Array:
        fmt = float_format_of(op.result.type)
        return floats.elementary(function, source, fmt=fmt, flush=op.flush_to_zero is not None)

    return run


def _integer_power(op: floating_point.FPowIOp, source: Array, exponent: Array) -> Array:
    fmt = float_format_of(op.result.type)
    return floats.elementary(np.power, source, as_signed(exponent).astype(np.float64), fmt=fmt)


FLOATING_POINT: PureTable = {
    floating_point.AbsFOp: without_op(floats.absolute),
    floating_point.AddFOp: _rounded(floats.add),
    floating_point.ATan2Op: elementary(np.arctan2),
    floating_point.CeilOp: elementary(np.ceil),
    floating_point.CosHOp: elementary(np.cosh),
    floating_point.CosOp: elementary(np.cos),
    floating_point.DivFOp: _divide,
    floating_point.Exp2Op: _flushable(np.exp2),
    floating_point.ExpOp: elementary(np.exp),
    floating_point.FloorOp: elementary(np.floor),
    floating_point.FmaOp: _rounded(floats.fused_multiply_add),
    floating_point.FPowIOp: _integer_power,
    floating_point.Log2Op: elementary(np.log2),
    floating_point.LogOp: elementary(np.log),
    floating_point.MaxFOp: _extremum(floats.maximum),
    floating_point.MinFOp: _extremum(floats.minimum),
    floating_point.MulFOp: _rounded(floats.multiply),
    floating_point.NegFOp: without_op(floats.negate),
    floating_point.PowOp: elementary(np.power),
    floating_point.RemFOp: of_format(floats.remainder),
    floating_point.RsqrtOp: _flushable(floats.reciprocal_square_root),
    floating_point.SinHOp: elementary(np.sinh),
    floating_point.SinOp: elementary(np.sin),
    floating_point.SqrtOp: _rounded(floats.square_root),
    floating_point.SubFOp: _rounded(floats.subtract),
    floating_point.TanHOp: elementary(np.tanh),
    floating_point.TanOp: elementary(np.tan),
}
