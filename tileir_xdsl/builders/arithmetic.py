"""Index arithmetic: thin wrappers of `arith` ops, which add no overflow or fast-math flags."""

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.arith import SelectOp

IndexLike = IndexType | IntegerType


def constant(builder: Builder, value: int, type: IndexLike | None = None) -> SSAValue:
    """A constant, of type `index` unless another type is given."""
    return builder.insert(arith.ConstantOp(IntegerAttr(value, type or IndexType()))).result


def boolean(builder: Builder, value: bool) -> SSAValue:
    """A constant of type `i1`."""
    return builder.insert(arith.ConstantOp(IntegerAttr(int(value), i1))).result


def add(builder: Builder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`lhs + rhs`."""
    return builder.insert(arith.AddiOp(lhs, rhs)).result


def subtract(builder: Builder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`lhs - rhs`."""
    return builder.insert(arith.SubiOp(lhs, rhs)).result


def multiply(builder: Builder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`lhs * rhs`."""
    return builder.insert(arith.MuliOp(lhs, rhs)).result


def divide_signed(builder: Builder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`lhs / rhs`, signed, rounded towards zero."""
    return builder.insert(arith.DivSIOp(lhs, rhs)).result


def maximum_signed(builder: Builder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """The larger of two signed numbers."""
    return builder.insert(arith.MaxSIOp(lhs, rhs)).result


def select(builder: Builder, condition: SSAValue, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`lhs` where the condition holds, else `rhs`."""
    return builder.insert(SelectOp(condition, lhs, rhs)).result


def index_expression(
    builder: Builder, base: SSAValue, lane: SSAValue, stride: SSAValue
) -> SSAValue:
    """`base + lane * stride`, without a factor known to be 1 or a base known to be 0."""
    scaled = lane if known_number(stride) == 1 else multiply(builder, lane, stride)
    return scaled if known_number(base) == 0 else add(builder, base, scaled)


def known_number(value: SSAValue) -> int | None:
    """The constant that a value equals, as a signed number; None if unknown."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def as_index(builder: Builder, value: SSAValue) -> SSAValue:
    """The number as an `index`."""
    if isinstance(value.type, IndexType):
        return value
    return builder.insert(arith.IndexCastOp(value, IndexType())).result
