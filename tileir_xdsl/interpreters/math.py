"""`math` ops on numpy values, evaluated in double precision and rounded once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation

from tileir_xdsl.interpreters import bit_operations as bits
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import of_format, without_op
from tileir_xdsl.interpreters.element_types import float_format_of
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable


def elementary(function: Callable[..., Array]) -> Callable[..., Array]:
    """Adapts a real function in double precision to a function of op and operands."""

    def run(op: Operation, *operands: Array) -> Array:
        return floats.elementary(function, *operands, fmt=float_format_of(op.results[0].type))

    return run


MATH: PureTable = {
    math.AbsFOp: without_op(floats.absolute),
    math.AbsIOp: without_op(integers.absolute),
    math.Atan2Op: elementary(np.arctan2),
    math.AtanOp: elementary(np.arctan),
    math.CeilOp: elementary(np.ceil),
    math.CosOp: elementary(np.cos),
    math.CoshOp: elementary(np.cosh),
    math.CountLeadingZerosOp: without_op(bits.leading_zeros),
    math.CountTrailingZerosOp: without_op(bits.trailing_zeros),
    math.CtPopOp: without_op(bits.count_ones),
    math.Exp2Op: elementary(np.exp2),
    math.ExpOp: elementary(np.exp),
    math.FloorOp: elementary(np.floor),
    math.FmaOp: of_format(floats.fused_multiply_add),
    math.Log2Op: elementary(np.log2),
    math.LogOp: elementary(np.log),
    math.PowFOp: elementary(floats.power),
    math.RsqrtOp: elementary(floats.reciprocal_square_root),
    math.SinOp: elementary(np.sin),
    math.SinhOp: elementary(np.sinh),
    math.SqrtOp: of_format(floats.square_root),
    math.TanOp: elementary(np.tan),
    math.TanhOp: elementary(np.tanh),
    math.TruncOp: elementary(np.trunc),
}
"""The ops of `math` that tile programs use."""
