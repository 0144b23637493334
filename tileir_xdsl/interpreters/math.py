"""`math` on numpy values, evaluated in double precision and rounded once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation

from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import of_format, without_op
from tileir_xdsl.interpreters.element_types import float_format_of
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable


def elementary(function: Callable[..., Array]) -> Callable[..., Array]:
    """A real function in double precision, as a function of op and operands."""

    def run(op: Operation, *operands: Array) -> Array:
        return floats.elementary(function, *operands, fmt=float_format_of(op.results[0].type))

    return run


def _bits_of(values: Array) -> tuple[Array, int]:
    """Unsigned integers as rows of bits, lowest first; and how many bits there are."""
    width = 1 if values.dtype == np.bool_ else 8 * values.dtype.itemsize
    numbers = integers.as_unsigned(values).astype(np.uint64)[..., None]
    return numbers >> np.arange(width, dtype=np.uint64) & np.uint64(1), width


def _count_ones(values: Array) -> Array:
    bits, _ = _bits_of(values)
    return integers.wrap(bits.sum(axis=-1), values.dtype)


def _count_zeros(*, leading: bool) -> Callable[[Array], Array]:
    """How many zeros stand before the first one."""

    def count(values: Array) -> Array:
        bits, width = _bits_of(values)
        ordered = bits[..., ::-1] if leading else bits
        first = np.where(ordered.any(axis=-1), ordered.argmax(axis=-1), width)
        return integers.wrap(first, values.dtype)

    return count


MATH: PureTable = {
    math.AbsFOp: without_op(floats.absolute),
    math.AbsIOp: without_op(integers.absolute),
    math.Atan2Op: elementary(np.arctan2),
    math.AtanOp: elementary(np.arctan),
    math.CeilOp: elementary(np.ceil),
    math.CosOp: elementary(np.cos),
    math.CoshOp: elementary(np.cosh),
    math.CountLeadingZerosOp: without_op(_count_zeros(leading=True)),
    math.CountTrailingZerosOp: without_op(_count_zeros(leading=False)),
    math.CtPopOp: without_op(_count_ones),
    math.Exp2Op: elementary(np.exp2),
    math.ExpOp: elementary(np.exp),
    math.FloorOp: elementary(np.floor),
    math.FmaOp: of_format(floats.fused_multiply_add),
    math.Log2Op: elementary(np.log2),
    math.LogOp: elementary(np.log),
    math.PowFOp: elementary(np.power),
    math.RsqrtOp: elementary(floats.reciprocal_square_root),
    math.SinOp: elementary(np.sin),
    math.SinhOp: elementary(np.sinh),
    math.SqrtOp: of_format(floats.square_root),
    math.TanOp: elementary(np.tan),
    math.TanhOp: elementary(np.tanh),
    math.TruncOp: elementary(np.trunc),
}
"""The ops of `math` that tile programs use."""
