"""Integers known at compile time, found without asking for any register."""

from collections.abc import Callable

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.registers import INTEGER_CLASSES, Constant, signed

_Fold = Callable[[int, int, int], int | None]
"""The unsigned operands and the width in bits to the result's bits, or None where undefined."""


def _shift(apply: Callable[[int, int, int], int]) -> _Fold:
    return lambda a, b, width: apply(a, b, width) if b < width else None


def _signed_division(a: int, b: int, width: int) -> int | None:
    if b == 0:
        return None
    numerator, denominator = signed(a, width), signed(b, width)
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def _signed_remainder(a: int, b: int, width: int) -> int | None:
    quotient = _signed_division(a, b, width)
    if quotient is None:
        return None
    return signed(a, width) - quotient * signed(b, width)


FOLDS: dict[type[Operation], _Fold] = {
    llvm.AddOp: lambda a, b, _: a + b,
    llvm.SubOp: lambda a, b, _: a - b,
    llvm.MulOp: lambda a, b, _: a * b,
    llvm.AndOp: lambda a, b, _: a & b,
    llvm.OrOp: lambda a, b, _: a | b,
    llvm.XOrOp: lambda a, b, _: a ^ b,
    llvm.ShlOp: _shift(lambda a, b, _: a << b),
    llvm.LShrOp: _shift(lambda a, b, _: a >> b),
    llvm.AShrOp: _shift(lambda a, b, width: signed(a, width) >> b),
    llvm.UDivOp: lambda a, b, _: a // b if b else None,
    llvm.URemOp: lambda a, b, _: a % b if b else None,
    llvm.SDivOp: _signed_division,
    llvm.SRemOp: _signed_remainder,
}
"""Two-operand integer ops that fold when both operands are constants."""

_DEPTH = 8


def constant_of(value: SSAValue, depth: int = _DEPTH) -> Constant | None:
    """The constant that an integer scalar is, looking through at most `depth` ops."""
    owner = value.owner
    if not isinstance(owner, Operation) or not isinstance(value.type, IntegerType):
        return None
    width = value.type.width.data
    if width not in INTEGER_CLASSES:
        return None
    bits = _bits(owner, width, depth)
    return None if bits is None else Constant(bits & (1 << width) - 1, INTEGER_CLASSES[width])


def _bits(op: Operation, width: int, depth: int) -> int | None:
    if isinstance(op, llvm.ConstantOp):
        return op.value.value.data if isinstance(op.value, IntegerAttr) else None
    if depth == 0:
        return None
    if (fold := FOLDS.get(type(op))) is not None:
        # The right operand first: that is where constants stand.
        if (b := constant_of(op.operands[1], depth - 1)) is None:
            return None
        if (a := constant_of(op.operands[0], depth - 1)) is None:
            return None
        return fold(a.bits, b.bits, width)
    match op:
        case llvm.ZExtOp() | llvm.TruncOp():
            inner = constant_of(op.arg, depth - 1)
            return None if inner is None else inner.bits
        case llvm.SExtOp():
            inner = constant_of(op.arg, depth - 1)
            if inner is None or not isinstance(op.arg.type, IntegerType):
                return None
            return signed(inner.bits, op.arg.type.width.data)
        case _:
            return None
