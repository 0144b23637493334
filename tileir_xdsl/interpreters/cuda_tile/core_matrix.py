"""The mma ops of `cuda_tile`."""

from __future__ import annotations

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.arith import of_format
from tileir_xdsl.interpreters.cuda_tile.integer import is_signed
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable
from tileir_xdsl.interpreters.tile_operations import (
    mma_floats,
    mma_integers,
    mma_scaled,
)


def _mma_integers(op: dialect.MmaIOp, lhs: Array, rhs: Array, acc: Array) -> Array:
    signs = is_signed(op.signedness_lhs), is_signed(op.signedness_rhs)
    return mma_integers(lhs, rhs, acc, *signs)


CORE_MATRIX: PureTable = {
    dialect.MmaFOp: of_format(mma_floats),
    dialect.MmaFScaledOp: of_format(mma_scaled),
    dialect.MmaIOp: _mma_integers,
}
