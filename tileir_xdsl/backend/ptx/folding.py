"""Integers known at compile time, found without selecting registers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.backend.ptx.registers import INTEGER_CLASSES, Constant, signed

_Fold = Callable[[int, int, int], int | None]
"""A function of unsigned operands and the width in bits; returns the result, None if undefined."""


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


@dataclass
class KnownIntegers:
    """The integers of a function that are constants; each value is visited once."""

    _found: dict[int, Constant | None] = field(default_factory=lambda: {})

    def constant(self, value: SSAValue) -> Constant | None:
        """The constant that an integer scalar equals, if any."""
        found = self._found
        if (key := id(value)) in found:
            return found[key]
        if type(value.owner) not in _FOLDED:
            found[key] = None
            return None
        pending = [value]
        while pending:
            current = pending[-1]
            operands = self._operands(current)
            unknown = next((operand for operand in operands if id(operand) not in found), None)
            if unknown is not None:
                pending.append(unknown)
                continue
            found[id(current)] = self._evaluate(current)
            pending.pop()
        return found[key]

    def _operands(self, value: SSAValue) -> Sequence[SSAValue]:
        """Operands of `value` to fold first; none where `value` cannot be folded."""
        owner = value.owner
        kind = type(owner)
        if kind is llvm.ConstantOp or kind not in _FOLDED:
            return ()
        op = cast(Operation, owner)
        if kind in FOLDS:
            lhs, rhs = op.operands
            # The right operand first: that is where constants stand.
            return (rhs,) if self._found.get(id(rhs), rhs) is None else (rhs, lhs)
        return tuple(op.operands)

    def _evaluate(self, value: SSAValue) -> Constant | None:
        owner, type_ = value.owner, value.type
        if type(owner) not in _FOLDED or not isinstance(type_, IntegerType):
            return None
        width = type_.width.data
        if width not in INTEGER_CLASSES:
            return None
        bits = self._bits(cast(Operation, owner), width)
        return None if bits is None else Constant(bits & (1 << width) - 1, INTEGER_CLASSES[width])

    def _bits(self, op: Operation, width: int) -> int | None:
        kind = type(op)
        if kind is llvm.ConstantOp:
            constant = cast(llvm.ConstantOp, op).value
            return constant.value.data if isinstance(constant, IntegerAttr) else None
        if (fold := FOLDS.get(kind)) is not None:
            lhs, rhs = op.operands
            if (b := self._found[id(rhs)]) is None or (a := self._found[id(lhs)]) is None:
                return None
            return fold(a.bits, b.bits, width)
        (operand,) = op.operands
        if (inner := self._found[id(operand)]) is None:
            return None
        narrow = operand.type
        if kind is llvm.SExtOp and isinstance(narrow, IntegerType):
            return signed(inner.bits, narrow.width.data)
        return inner.bits


_FOLDED: frozenset[type[Operation | Block]] = frozenset(
    (*FOLDS, llvm.ConstantOp, llvm.ZExtOp, llvm.TruncOp, llvm.SExtOp)
)
"""Ops that may define a constant, by class because `isinstance` on operations is slow."""
