"""Floating-point operations of `cuda_tile`.

`approx` and `full` results are those of the exact operation, rounded: inside every bound that the
specification gives them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.dialects.cuda_tile import enums
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.arith import of_format, without_op
from tileir_xdsl.interpreters.element_types import float_format_of
from tileir_xdsl.interpreters.integer_operations import as_signed
from tileir_xdsl.interpreters.math import elementary
from tileir_xdsl.interpreters.numerics import Array, RoundingMode
from tileir_xdsl.interpreters.registration import PureTable

_RoundedOp: TypeAlias = (
    dialect.AddFOp
    | dialect.SubFOp
    | dialect.MulFOp
    | dialect.DivFOp
    | dialect.FmaOp
    | dialect.SqrtOp
)

_APPROXIMATE = (enums.RoundingMode.APPROX, enums.RoundingMode.FULL)


def ieee_mode(rounding: enums.RoundingModeAttr) -> RoundingMode:
    """The IEEE mode that a rounding attribute stands for; approximations round to nearest."""
    if rounding.data in _APPROXIMATE:
        return RoundingMode.NEAREST_EVEN
    return RoundingMode(rounding.data.value)


def _rounded(function: Callable[..., Array]) -> Callable[..., Array]:
    """An operation with a rounding mode and flush-to-zero."""

    def run(op: _RoundedOp, *operands: Array) -> Array:
        return function(
            *operands,
            float_format_of(op.result.type),
            ieee_mode(op.rounding_mode),
            op.flush_to_zero is not None,
        )

    return run


def _divide(op: dialect.DivFOp, lhs: Array, rhs: Array) -> Array:
    quotient = _rounded(floats.divide)(op, lhs, rhs)
    if op.rounding_mode.data is not enums.RoundingMode.APPROX:
        return quotient
    # The reciprocal of such a divisor underflows to zero.
    huge = (np.abs(rhs) > np.float32(2.0**126)) & np.isfinite(rhs)
    zero = np.copysign(np.float32(0), quotient)
    vanished = np.where(np.isinf(lhs), np.float32(np.nan), zero)
    return np.where(huge & ~np.isnan(lhs), vanished, quotient)


def _extremum(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(op: dialect.MaxFOp | dialect.MinFOp, lhs: Array, rhs: Array) -> Array:
        return function(
            lhs,
            rhs,
            float_format_of(op.result.type),
            op.propagate_nan is not None,
            op.flush_to_zero is not None,
        )

    return run


def _flushable(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(op: dialect.Exp2Op | dialect.RsqrtOp, source: Array) -> Array:
        fmt = float_format_of(op.result.type)
        return floats.elementary(function, source, fmt=fmt, flush=op.flush_to_zero is not None)

    return run


def _integer_power(op: dialect.FPowIOp, source: Array, exponent: Array) -> Array:
    fmt = float_format_of(op.result.type)
    return floats.elementary(np.power, source, as_signed(exponent).astype(np.float64), fmt=fmt)


FLOATING_POINT: PureTable = {
    dialect.AbsFOp: without_op(floats.absolute),
    dialect.AddFOp: _rounded(floats.add),
    dialect.ATan2Op: elementary(np.arctan2),
    dialect.CeilOp: elementary(np.ceil),
    dialect.CosHOp: elementary(np.cosh),
    dialect.CosOp: elementary(np.cos),
    dialect.DivFOp: _divide,
    dialect.Exp2Op: _flushable(np.exp2),
    dialect.ExpOp: elementary(np.exp),
    dialect.FloorOp: elementary(np.floor),
    dialect.FmaOp: _rounded(floats.fused_multiply_add),
    dialect.FPowIOp: _integer_power,
    dialect.Log2Op: elementary(np.log2),
    dialect.LogOp: elementary(np.log),
    dialect.MaxFOp: _extremum(floats.maximum),
    dialect.MinFOp: _extremum(floats.minimum),
    dialect.MulFOp: _rounded(floats.multiply),
    dialect.NegFOp: without_op(floats.negate),
    dialect.FPowFOp: elementary(np.power),
    dialect.PowOp: elementary(np.power),
    dialect.RemFOp: of_format(floats.remainder),
    dialect.RsqrtOp: _flushable(floats.reciprocal_square_root),
    dialect.SinHOp: elementary(np.sinh),
    dialect.SinOp: elementary(np.sin),
    dialect.SqrtOp: _rounded(floats.square_root),
    dialect.SubFOp: _rounded(floats.subtract),
    dialect.TanHOp: elementary(np.tanh),
    dialect.TanOp: elementary(np.tan),
}
