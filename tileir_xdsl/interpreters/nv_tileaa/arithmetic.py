"""Elementwise arithmetic of `nv_tileaa`."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.dialects import nv_tileaa as dialect
from tileir_xdsl.dialects.nv_tileaa.integer import IntegerOp
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import of_format, without_op
from tileir_xdsl.interpreters.element_types import float_format_of
from tileir_xdsl.interpreters.math import elementary
from tileir_xdsl.interpreters.modifiers import divide, extremum, flushable, integer_power, rounded
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable


def _clamp(op: dialect.ClampFOp, x: Array, low: Array, high: Array) -> Array:
    fmt, propagate_nan = float_format_of(op.result.type), op.propagate_nan is not None
    above = floats.maximum(x, low, fmt, propagate_nan)
    return floats.minimum(above, high, fmt, propagate_nan)


ARITHMETIC: PureTable = {
    dialect.AddFOp: rounded(floats.add),
    **{
        op: without_op(integers.wrapping(op.MEANING))
        for op in dialect.NVTileAA.operations
        if issubclass(op, IntegerOp) and op.MEANING is not None
    },
    dialect.ClampFOp: _clamp,
    dialect.CosOp: elementary(np.cos),
    dialect.DivFOp: divide,
    dialect.Exp2Op: flushable(np.exp2),
    dialect.ExpOp: elementary(np.exp),
    dialect.FmaOp: rounded(floats.fused_multiply_add),
    dialect.FPowIOp: integer_power,
    dialect.Log2Op: elementary(np.log2),
    dialect.MaxFOp: extremum(floats.maximum),
    dialect.MinFOp: extremum(floats.minimum),
    dialect.MulFOp: rounded(floats.multiply),
    dialect.MulHiUIOp: without_op(integers.multiply_high),
    dialect.RemFOp: of_format(floats.remainder),
    dialect.RsqrtOp: flushable(floats.reciprocal_square_root),
    dialect.SinOp: elementary(np.sin),
    dialect.SqrtOp: rounded(floats.square_root),
    dialect.SubFOp: rounded(floats.subtract),
    dialect.TanhOp: elementary(np.tanh),
}
