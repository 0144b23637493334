"""Values that `cuda_tile` patterns match and create."""

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.cuda_tile import (
    BroadcastOp,
    ConstantOp,
    DenseConstantAttr,
    ReshapeOp,
    TileType,
    XOrIOp,
)
from tileir_xdsl.dialects.cuda_tile.folding import splat_of


def at_location(source: Operation, *operations: Operation) -> Sequence[Operation]:
    """Sets the location of operations to that of the operation that they replace."""
    for operation in operations:
        operation.location = source.location
    return operations


def negated(value: SSAValue) -> SSAValue | None:
    """The operand of a negation, or None: `xori %x, true` negates `%x`."""
    operation = value.owner
    if not isinstance(operation, XOrIOp):
        return None
    for operand, other in ((operation.lhs, operation.rhs), (operation.rhs, operation.lhs)):
        if splat_of(other) is True:
            return operand
    return None


def negation(condition: SSAValue) -> tuple[ConstantOp, XOrIOp]:
    """Operations that negate an i1 tile; the last one has the result."""
    assert isinstance(condition.type, TileType)
    true = ConstantOp(DenseConstantAttr.splat(condition.type, True))
    return true, XOrIOp(condition, true.result)


def spread(condition: SSAValue, shape: Sequence[int]) -> tuple[ReshapeOp, BroadcastOp]:
    """Operations that broadcast a scalar i1 to a shape; the last one has the result."""
    ones = ReshapeOp(condition, TileType([1] * len(shape), i1))
    return ones, BroadcastOp(ones.result, TileType(shape, i1))
