"""Integer operations of `cuda_tile`.

Overflow flags are assumptions, not semantics: results wrap whether or not they are set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.dialects.cuda_tile.enums import SignednessAttr
from tileir_xdsl.dialects.enumerations import Signedness
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.integer_operations import Division
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable


def is_signed(signedness: SignednessAttr) -> bool:
    """Whether operands count as signed."""
    return signedness.data is Signedness.SIGNED


_OpWithSignedness: TypeAlias = dialect.MaxIOp | dialect.MinIOp | dialect.RemIOp | dialect.ShRIOp


def _by_signedness(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(op: _OpWithSignedness, lhs: Array, rhs: Array) -> Array:
        return function(lhs, rhs, is_signed(op.signedness))

    return run


def _divide(op: dialect.DivIOp, lhs: Array, rhs: Array) -> Array:
    return integers.divide(lhs, rhs, is_signed(op.signedness), Division(op.rounding.data.value))


INTEGER: PureTable = {
    dialect.AbsIOp: without_op(integers.absolute),
    dialect.AddIOp: without_op(integers.add),
    dialect.DivIOp: _divide,
    dialect.MaxIOp: _by_signedness(integers.maximum),
    dialect.MinIOp: _by_signedness(integers.minimum),
    dialect.MulHiIOp: without_op(integers.multiply_high),
    dialect.MulIOp: without_op(integers.multiply),
    dialect.NegIOp: without_op(integers.negate),
    dialect.RemIOp: _by_signedness(integers.remainder),
    dialect.ShLIOp: without_op(integers.shift_left),
    dialect.ShRIOp: _by_signedness(integers.shift_right),
    dialect.SubIOp: without_op(integers.subtract),
}
