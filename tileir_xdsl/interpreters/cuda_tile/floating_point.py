"""Floating-point operations of `cuda_tile`."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.arith import of_format, without_op
from tileir_xdsl.interpreters.math import elementary
from tileir_xdsl.interpreters.modifiers import divide, extremum, flushable, integer_power, rounded
from tileir_xdsl.interpreters.registration import PureTable

FLOATING_POINT: PureTable = {
    dialect.AbsFOp: without_op(floats.absolute),
    dialect.AddFOp: rounded(floats.add),
    dialect.ATan2Op: elementary(np.arctan2),
    dialect.CeilOp: elementary(np.ceil),
    dialect.CosHOp: elementary(np.cosh),
    dialect.CosOp: elementary(np.cos),
    dialect.DivFOp: divide,
    dialect.Exp2Op: flushable(np.exp2),
    dialect.ExpOp: elementary(np.exp),
    dialect.FloorOp: elementary(np.floor),
    dialect.FmaOp: rounded(floats.fused_multiply_add),
    dialect.FPowIOp: integer_power,
    dialect.Log2Op: elementary(np.log2),
    dialect.LogOp: elementary(np.log),
    dialect.MaxFOp: extremum(floats.maximum),
    dialect.MinFOp: extremum(floats.minimum),
    dialect.MulFOp: rounded(floats.multiply),
    dialect.NegFOp: without_op(floats.negate),
    dialect.FPowFOp: elementary(floats.power),
    dialect.PowOp: elementary(floats.power),
    dialect.RemFOp: of_format(floats.remainder),
    dialect.RsqrtOp: flushable(floats.reciprocal_square_root),
    dialect.SinHOp: elementary(np.sinh),
    dialect.SinOp: elementary(np.sin),
    dialect.SqrtOp: rounded(floats.square_root),
    dialect.SubFOp: rounded(floats.subtract),
    dialect.TanHOp: elementary(np.tanh),
    dialect.TanOp: elementary(np.tan),
}
