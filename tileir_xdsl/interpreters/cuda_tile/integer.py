"""Integer operations of `cuda_tile`.

Overflow flags are assumptions, not semantics: results wrap whether or not they are set.
"""

from __future__ import annotations

from collections.abc import Callable

from tileir_xdsl.dialects.cuda_tile import integer
from tileir_xdsl.dialects.cuda_tile.enums import Signedness, SignednessAttr
from tileir_xdsl.interpreters import integer_operations as integers
from tileir_xdsl.interpreters.arith import without_op
from tileir_xdsl.interpreters.integer_operations import Division
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.registration import PureTable


def is_signed(signedness: SignednessAttr) -> bool:
    """Whether operands count as signed."""
    return signedness.data is Signedness.SIGNED


def _by_signedness(function: Callable[..., Array]) -> Callable[..., Array]:
    def run(op: integer.SignednessOperation, lhs: Array, rhs: Array) -> Array:
        return function(lhs, rhs, is_signed(op.signedness))

    return run


def _divide(op: integer.DivIOp, lhs: Array, rhs: Array) -> Array:
    return integers.divide(lhs, rhs, is_signed(op.signedness), Division(op.rounding.data.value))


INTEGER: PureTable = {
    integer.AbsIOp: without_op(integers.absolute),
    integer.AddIOp: without_op(integers.add),
    integer.DivIOp: _divide,
    integer.MaxIOp: _by_signedness(integers.maximum),
    integer.MinIOp: _by_signedness(integers.minimum),
    integer.MulHiIOp: without_op(integers.multiply_high),
    integer.MulIOp: without_op(integers.multiply),
    integer.NegIOp: without_op(integers.negate),
    integer.RemIOp: _by_signedness(integers.remainder),
    integer.ShLIOp: without_op(integers.shift_left),
    integer.ShRIOp: _by_signedness(integers.shift_right),
    integer.SubIOp: without_op(integers.subtract),
}
