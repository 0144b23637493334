"""Adds constant offsets to pointers last, so that neighbouring accesses share an address.

For example, neighbouring taps of a stencil load `p + x` and `p + (x + 1)`. With `(p + x) + 1`, both
have the same base, and the access instruction adds the constant for free.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i64
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.dialects.arith import ExtSIOp
from tileir_xdsl.dialects.nv_tileaa.constraints import element_type
from tileir_xdsl.dialects.nv_tileaa.integer import AddIOp
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import AddPtrOp
from tileir_xdsl.dialects.nv_tileaa.shapes import (
    BroadcastOp,
    ExpandDimsOp,
    PermuteOp,
    SplatOp,
    ViewOp,
)

from .nv_tileaa_values import bits_of, constant_of, constant_tile

_SHAPES = (BroadcastOp, ExpandDimsOp, PermuteOp, SplatOp, ViewOp)
"""Shape ops: each result element is an element of the operand."""

_DEPTH = 8
"""The maximal depth of the search for constants: a sum for each dimension, and shape ops."""


@dataclass(frozen=True)
class _Sum:
    """A value plus a constant; the ops that compute the value are not yet inserted."""

    value: SSAValue
    constant: int
    ops: Sequence[Operation] = ()

    def then(self, op: Operation, scale: int = 1) -> "_Sum":
        """The sum after an op applied to both terms; the op multiplies the constant by `scale`."""
        return _Sum(op.results[0], self.constant * scale, (*self.ops, op))


@dataclass(frozen=True)
class _Splitter:
    """Removes constants from sums; narrow sums must be known not to wrap."""

    ranges: UnsignedRanges = field(default_factory=UnsignedRanges)

    def split(self, value: SSAValue, depth: int = _DEPTH) -> _Sum | None:
        """Splits off a value's constant terms; None if it has none."""
        op = value.owner
        if not depth or not isinstance(op, Operation) or constant_of(value) is not None:
            return None
        if isinstance(op, _SHAPES):
            inner = self.split(op.operands[0], depth - 1)
            return None if inner is None else inner.then(_with_operands(op, inner.value))
        if isinstance(op, ExtSIOp):
            # Only sums that cannot wrap are taken apart below 64 bits.
            inner = self.split(op.operands[0], depth - 1)
            return None if inner is None else inner.then(ExtSIOp(inner.value, op.results[0].type))
        if isinstance(op, AddIOp | arith.SubiOp):
            return self._split_sum(op, depth)
        if isinstance(op, arith.MuliOp) and element_type(value) == i64:
            factor = _signed(op.rhs)
            inner = self.split(op.lhs, depth - 1) if factor is not None else None
            if inner is not None and factor is not None:
                return inner.then(arith.MuliOp(inner.value, op.rhs), factor)
        return None

    def _split_sum(self, op: AddIOp | arith.SubiOp, depth: int) -> _Sum | None:
        lhs, rhs = op.operands
        sign = -1 if isinstance(op, arith.SubiOp) else 1
        if (known := _signed(rhs)) is not None:
            return _Sum(lhs, sign * known) if self._is_exact(lhs, sign * known) else None
        if sign > 0 and (known := _signed(lhs)) is not None:
            return _Sum(rhs, known) if self._is_exact(rhs, known) else None
        if element_type(lhs) != i64:
            return None
        left, right = (self.split(each, depth - 1) for each in (lhs, rhs))
        if left is None and right is None:
            return None
        left, right = left or _Sum(lhs, 0), right or _Sum(rhs, 0)
        total = _Sum(left.value, left.constant + sign * right.constant, (*left.ops, *right.ops))
        return total.then(_with_operands(op, left.value, right.value))

    def _is_exact(self, value: SSAValue, constant: int) -> bool:
        """Whether adding the constant after the sign extension gives the same result."""
        type = element_type(value)
        # Addresses wrap around as 64 bits do.
        if type == i64:
            return True
        assert isinstance(type, IntegerType)
        half, largest = 1 << (type.width.data - 1), self.ranges.of(value)
        return largest < half and -half <= constant < half - largest


def _signed(value: SSAValue) -> int | None:
    """The signed number that every element equals; None if unknown."""
    constant = constant_of(value)
    if not isinstance(constant, IntegerAttr) or not isinstance(constant.type, IntegerType):
        return None
    bits, width = bits_of(constant), constant.type.width.data
    return bits - (bits >> width - 1 << width)


def _with_operands(op: Operation, *operands: SSAValue) -> Operation:
    """An op of the same kind on other operands of the same types."""
    return type(op).create(
        operands=operands,
        result_types=op.result_types,
        properties=op.properties,
        attributes=op.attributes,
    )


def split_offset(op: AddPtrOp) -> list[Operation] | None:
    """Ops that compute the result of `op` but add a constant last; None if there is no constant.

    A sum of fewer than 64 bits is split only if it cannot wrap.
    """
    total = _Splitter().split(op.offset)
    if total is None:
        return None
    base = AddPtrOp(op.pointer, total.value)
    constant = _wrapped(total.constant)
    if not constant:
        return [*total.ops, base]
    type = element_type(op.offset)
    assert isinstance(type, IntegerType)
    tile = constant_tile(IntegerAttr(constant, type), op.offset.type)
    return [*total.ops, base, *tile, AddPtrOp(base.result, tile[-1].results[0])]


def _wrapped(number: int) -> int:
    """A number modulo 2**64, as addresses wrap."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
