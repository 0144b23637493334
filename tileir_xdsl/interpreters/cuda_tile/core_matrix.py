"""Matrix products of `cuda_tile`.

Sums are formed in double precision and rounded once to the type of the accumulator: more exact
than any hardware, so that a result is judged by its distance from the true one.
"""

from __future__ import annotations

import numpy as np

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.cuda_tile.integer import is_signed
from tileir_xdsl.interpreters.element_types import float_format_of
from tileir_xdsl.interpreters.integer_operations import as_signed, as_unsigned, wrap
from tileir_xdsl.interpreters.numerics import F64, Array, to_double
from tileir_xdsl.interpreters.registration import PureTable


def multiply_float(op: dialect.MmaFOp, lhs: Array, rhs: Array, acc: Array) -> Array:
    """`lhs @ rhs + acc` for each matrix of the batch."""
    total = to_double(lhs) @ to_double(rhs) + to_double(acc)
    return floats.convert(total, F64, float_format_of(op.result.type))


def _multiply_integer(op: dialect.MmaIOp, lhs: Array, rhs: Array, acc: Array) -> Array:
    a = as_signed(lhs) if is_signed(op.signedness_lhs) else as_unsigned(lhs)
    b = as_signed(rhs) if is_signed(op.signedness_rhs) else as_unsigned(rhs)
    # Products of 8-bit integers sum up exactly in double precision.
    product = a.astype(np.float64) @ b.astype(np.float64)
    return wrap(product.astype(np.int64) + acc, acc.dtype)


def _multiply_scaled(
    op: dialect.MmaFScaledOp, lhs: Array, rhs: Array, acc: Array, lhs_scale: Array, rhs_scale: Array
) -> Array:
    """Each block of consecutive elements along K has one factor: of `lhs` per row, of `rhs` per
    column."""
    block = lhs.shape[-1] // lhs_scale.shape[-1]
    a = to_double(lhs) * np.repeat(to_double(lhs_scale), block, axis=-1)
    b = to_double(rhs) * np.repeat(to_double(rhs_scale), block, axis=-2)
    return floats.convert(a @ b + to_double(acc), F64, float_format_of(op.result.type))


CORE_MATRIX: PureTable = {
    dialect.MmaFOp: multiply_float,
    dialect.MmaFScaledOp: _multiply_scaled,
    dialect.MmaIOp: _multiply_integer,
}
