"""Integer arithmetic, logic, shifts, comparison and select.

Overflow flags are dropped, which is always correct. PTX has no `i1` divisions or shifts: they are
computed in 32 bits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import IntegerType, i1, i8, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.values.uniform_constants import uniform_integer
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.llvm import AbsOp, SMaxOp, SMinOp, UMaxOp, UMinOp
from tileir_xdsl.dialects.llvm.intrinsics import CountLeadingZerosOp, CountTrailingZerosOp, CtPopOp
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy, decided_strategy

from ..thread.builder import LLVMBuilder
from ..thread.elementwise import Emitter, apply, call_intrinsic, directly, element_of, patterns_of
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type
from .integer_comparisons import LowerCompare
from .integer_division import MULTIPLY_HIGH, Division, KnownDivisor

BinaryOp = Callable[[SSAValue, SSAValue], Operation]
I4 = IntegerType(4)


def integer_type(op: Operation, value: SSAValue) -> IntegerType:
    """The type of the registers that hold an integer or an index."""
    type = register_type(op, element_of(value))
    assert isinstance(type, IntegerType)
    return type


def _in_32_bits(
    op: Operation,
    builder: LLVMBuilder,
    values: Sequence[SSAValue],
    extend: type[Operation],
    compute: Callable[[SSAValue, SSAValue, IntegerType], SSAValue],
) -> SSAValue:
    """Emits a division or a shift, in 32 bits for an `i1`."""
    type = integer_type(op, op.results[0])
    # An i1 is a predicate register, which no instruction divides.
    if type != i1:
        return compute(values[0], values[1], type)
    wide = [builder.compute(extend, value, i32) for value in values]
    return builder.insert(llvm.TruncOp(compute(wide[0], wide[1], i32), i1))


def _shifting(emitted: BinaryOp) -> Emitter:
    def emitter(op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
        def shift(value: SSAValue, amount: SSAValue, _type: IntegerType) -> SSAValue:
            return rewriter.builder.insert(emitted(value, amount))

        return _in_32_bits(op, rewriter.builder, values, llvm.ZExtOp, shift)

    return emitter


def _shift_right_signed(
    op: Operation, rewriter: ThreadRewriter, value: SSAValue, amount: SSAValue
) -> SSAValue:
    """Emits an arithmetic shift by an unsigned amount; an i1 does not change."""
    if element_of(op.results[0]) == i1:
        return value
    return rewriter.builder.insert(llvm.AShrOp(value, amount))


def multiply_high(
    builder: LLVMBuilder, lhs: SSAValue, rhs: SSAValue, type: IntegerType, *, signed: bool
) -> SSAValue:
    """The high half of a product: one instruction for 32 and 64 bits; narrower types multiply in 32
    bits.
    """
    width = type.width.data
    # `mul.hi` has no form of 8 bits, and one of 16 saves nothing over the product of a word.
    if (intrinsic := MULTIPLY_HIGH.get((width, signed))) is not None:
        return call_intrinsic(builder, intrinsic, type, lhs, rhs)
    extend = llvm.SExtOp if signed else llvm.ZExtOp
    wide = [builder.compute(extend, value, i32) for value in (lhs, rhs)]
    product = builder.insert(llvm.MulOp(wide[0], wide[1]))
    high = builder.insert(llvm.LShrOp(product, builder.integer(width, i32)))
    return builder.insert(llvm.TruncOp(high, type))


def _multiply_high_unsigned(
    op: nv_tileaa.MulHiUIOp, rewriter: ThreadRewriter, lhs: SSAValue, rhs: SSAValue
) -> SSAValue:
    return multiply_high(rewriter.builder, lhs, rhs, integer_type(op, op.result), signed=False)


def _absolute(op: Operation, rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
    """The magnitude; for an `i1`, the number itself, as -1 wraps."""
    if element_of(op.results[0]) == i1:
        return value
    return rewriter.builder.insert(AbsOp(value))


def _select(
    _op: arith.SelectOp,
    rewriter: ThreadRewriter,
    condition: SSAValue,
    lhs: SSAValue,
    rhs: SSAValue,
) -> SSAValue:
    return lhs if lhs is rhs else rewriter.builder.select(condition, lhs, rhs)


# Changes of width. An i4 is the low half of a byte whose high half is zero.


def _resize(
    builder: LLVMBuilder, value: SSAValue, type: IntegerType, extend: type[Operation]
) -> SSAValue:
    """Converts an integer to another width."""
    held = value.type
    assert isinstance(held, IntegerType)
    if held == type:
        return value
    is_wider = type.width.data > held.width.data
    return builder.compute(extend if is_wider else llvm.TruncOp, value, type)


def _resizing(extend: type[Operation]) -> Emitter:
    """Emits a change of width; `extend` is the op for wider results."""
    is_signed = extend is llvm.SExtOp

    def emitter(op: Operation, rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
        builder = rewriter.builder
        # Up and down again copies bit 3, the sign of an i4, into the upper half.
        if element_of(op.operands[0]) == I4 and is_signed:
            four = builder.integer(4, i8)
            raised = builder.compute(llvm.ShlOp, value, four)
            value = builder.compute(llvm.AShrOp, raised, four)
        value = _resize(builder, value, integer_type(op, op.results[0]), extend)
        # Keeps the upper half of the byte zero, as all other ops on i4 expect.
        if element_of(op.results[0]) == I4:
            value = builder.compute(llvm.AndOp, value, builder.integer(15, i8))
        return value

    return emitter


def counting(count: Callable[[SSAValue], Operation]) -> Emitter:
    """Emits a count of one bits, or of leading or trailing zeros."""

    def emitter(op: Operation, rewriter: ThreadRewriter, value: SSAValue) -> SSAValue:
        builder, type = rewriter.builder, integer_type(op, op.results[0])
        above = 32 - type.width.data
        if above <= 0:
            return builder.insert(count(value))
        wide = builder.compute(llvm.ZExtOp, value, i32)
        if count is CountTrailingZerosOp:
            # A bit above the number ends the count where the number is zero.
            end = builder.integer(1 << type.width.data, i32)
            wide = builder.insert(llvm.OrOp(wide, end))
        counted = builder.insert(count(wide))
        if count is CountLeadingZerosOp:
            # Zeros that the wider register adds are none of the number.
            counted = builder.insert(llvm.SubOp(counted, builder.integer(above, i32)))
        return builder.insert(llvm.TruncOp(counted, type))

    return emitter


EMITTERS: dict[type[Operation], Emitter] = {
    arith.AddiOp: directly(llvm.AddOp),
    arith.AndIOp: directly(llvm.AndOp),
    arith.IndexCastOp: _resizing(llvm.SExtOp),
    arith.MaxSIOp: directly(SMaxOp),
    arith.MaxUIOp: directly(UMaxOp),
    arith.MinSIOp: directly(SMinOp),
    arith.MinUIOp: directly(UMinOp),
    arith.MuliOp: directly(llvm.MulOp),
    arith.OrIOp: directly(llvm.OrOp),
    arith.ShLIOp: _shifting(llvm.ShlOp),
    arith.ShRSIOp: _shift_right_signed,
    arith.ShRUIOp: _shifting(llvm.LShrOp),
    arith.SubiOp: directly(llvm.SubOp),
    arith.XOrIOp: directly(llvm.XOrOp),
    arith.ExtSIOp: _resizing(llvm.SExtOp),
    arith.ExtUIOp: _resizing(llvm.ZExtOp),
    arith.SelectOp: _select,
    arith.TruncIOp: _resizing(llvm.ZExtOp),
    math.AbsIOp: _absolute,
    math.CountLeadingZerosOp: counting(CountLeadingZerosOp),
    math.CountTrailingZerosOp: counting(CountTrailingZerosOp),
    math.CtPopOp: counting(CtPopOp),
    nv_tileaa.AddIOp: directly(llvm.AddOp),
    nv_tileaa.MulHiUIOp: _multiply_high_unsigned,
    nv_tileaa.TruncIOp: _resizing(llvm.ZExtOp),
}
"""The function that lowers each integer op."""


@dataclass
class LowerDivision(LowerOp[Operation]):
    """Lowers a division or remainder by the op's strategy."""

    divide: Callable[[Division], SSAValue]
    signed: bool

    def lower(self, op: Operation, rewriter: ThreadRewriter) -> None:
        builder, known = rewriter.builder, _known_divisor(op)
        compute = self.divide
        if known is not None and known.is_shifted and _is_natural(op):
            compute = NATURAL.get(type(op), compute)
        extend = llvm.SExtOp if self.signed else llvm.ZExtOp

        def divide(lhs: SSAValue, rhs: SSAValue, type: IntegerType) -> SSAValue:
            return compute(Division(builder, lhs, rhs, type, known))

        def emitter(op: Operation, rewriter: ThreadRewriter, *values: SSAValue) -> SSAValue:
            return _in_32_bits(op, builder, values, extend, divide)

        apply(op, rewriter, emitter)


def _known_divisor(op: Operation) -> KnownDivisor | None:
    """The constant divisor of an op with a strategy for it; None for the division instruction."""
    strategy = decided_strategy(op)
    if strategy is Strategy.INSTRUCTION:
        return None
    divisor = uniform_integer(op.operands[1])
    # A divisor that is not known, or 0, leaves the instruction alone.
    if not divisor:
        fail(
            op,
            f"'{op.name}' op can be computed by strategy {strategy.value} only for a "
            "known divisor other than 0",
        )
    return KnownDivisor(divisor, strategy)


def _is_natural(op: Operation) -> bool:
    """Whether every dividend is known to be non-negative and the divisor positive."""
    dividend, divisor = op.operands
    known, width = uniform_integer(divisor), integer_type(op, dividend).width.data
    return known is not None and known > 0 and UnsignedRanges().of(dividend) < 1 << width - 1


NATURAL: Mapping[type[Operation], Callable[[Division], SSAValue]] = {
    arith.DivSIOp: Division.unsigned_quotient,
    arith.RemSIOp: Division.unsigned_remainder,
}
"""Division of non-negative signed numbers by a power of two: a shift, or a mask."""

DIVISIONS: Mapping[type[Operation], tuple[Callable[[Division], SSAValue], bool]] = {
    arith.CeilDivSIOp: (Division.signed_ceiling, True),
    arith.CeilDivUIOp: (Division.unsigned_ceiling, False),
    arith.DivSIOp: (Division.signed_quotient, True),
    arith.DivUIOp: (Division.unsigned_quotient, False),
    arith.FloorDivSIOp: (Division.floor, True),
    arith.RemSIOp: (Division.signed_remainder, True),
    arith.RemUIOp: (Division.unsigned_remainder, False),
}
"""The function for each division op, and whether the integers are signed."""


class LowerExtendedMultiplication(LowerOp[arith.MulUIExtendedOp | arith.MulSIExtendedOp]):
    """Lowers a multiplication that returns both halves of the product."""

    def lower(
        self, op: arith.MulUIExtendedOp | arith.MulSIExtendedOp, rewriter: ThreadRewriter
    ) -> None:
        builder, signed = rewriter.builder, isinstance(op, arith.MulSIExtendedOp)
        type = integer_type(op, op.low)
        pairs = list(zip(*(rewriter.registers(value) for value in op.operands), strict=True))
        rewriter.replace(op.low, tuple(builder.compute(llvm.MulOp, lhs, rhs) for lhs, rhs in pairs))
        rewriter.replace(
            op.high,
            tuple(multiply_high(builder, lhs, rhs, type, signed=signed) for lhs, rhs in pairs),
        )


class LowerExtendedAddition(LowerOp[arith.AddUIExtendedOp]):
    """Lowers an addition that also returns whether it has wrapped."""

    def lower(self, op: arith.AddUIExtendedOp, rewriter: ThreadRewriter) -> None:
        builder = rewriter.builder
        pairs = zip(*(rewriter.registers(value) for value in op.operands), strict=True)
        sums = [(builder.compute(llvm.AddOp, lhs, rhs), lhs) for lhs, rhs in pairs]
        rewriter.replace(op.sum, tuple(total for total, _ in sums))
        # A sum has wrapped exactly if it is less than either term; PTX has no carry as a value.
        wrapped = tuple(builder.compare("ult", total, lhs) for total, lhs in sums)
        rewriter.replace(op.overflow, wrapped)


PATTERNS: Patterns = {
    **patterns_of(EMITTERS),
    **{
        op: partial(LowerDivision, divide=divide, signed=signed)
        for op, (divide, signed) in DIVISIONS.items()
    },
    arith.CmpiOp: LowerCompare,
    arith.AddUIExtendedOp: LowerExtendedAddition,
    arith.MulSIExtendedOp: LowerExtendedMultiplication,
    arith.MulUIExtendedOp: LowerExtendedMultiplication,
}
