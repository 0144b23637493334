"""The integers of a straight line of `llvm` ops, computed by Python."""

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import KnownValues, LLVMBuilder

RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    "eq": int.__eq__,
    "ne": int.__ne__,
    "lt": int.__lt__,
    "le": int.__le__,
    "gt": int.__gt__,
    "ge": int.__ge__,
}

PREDICATES = ("eq", "ne", *(f"{sign}{name}" for sign in "su" for name in ("lt", "le", "gt", "ge")))
"""The predicates of `llvm.icmp` in the order of the LLVM dialect."""


def started(types: Iterable[Attribute]) -> tuple[LLVMBuilder, Block]:
    """A builder at the end of a block with arguments of these types."""
    block = Block(arg_types=types)
    Region(block)
    return LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block)), block


def signed(value: int, width: int) -> int:
    """The number of two's complement that the lowest bits of a value are."""
    return (value + (1 << width - 1)) % (1 << width) - (1 << width - 1)


def holds(predicate: str, lhs: int, rhs: int, width: int) -> bool:
    """Whether two signed numbers of a width compare as a predicate of `llvm.icmp` says."""
    if predicate.startswith("u"):
        lhs, rhs = lhs % (1 << width), rhs % (1 << width)
    return RELATIONS[predicate[-2:]](lhs, rhs)


def value_of(value: SSAValue, known: MutableMapping[SSAValue, int]) -> int:
    """A value as a signed number, by the values that are known, which it joins.

    Raises `KeyError` for an argument that is not known.
    """
    if value in known or not isinstance(value.owner, Operation):
        return known[value]
    operands = [value_of(operand, known) for operand in value.owner.operands]
    known[value] = signed(_result(value.owner, operands), width_of(value))
    return known[value]


def _result(op: Operation, operands: Sequence[int]) -> int:
    match op:
        case llvm.ConstantOp(value=IntegerAttr() as number):
            return number.value.data
        case llvm.ICmpOp():
            predicate = PREDICATES[op.predicate.value.data]
            return int(holds(predicate, operands[0], operands[1], width_of(op.lhs)))
        case llvm.AddOp():
            return operands[0] + operands[1]
        case llvm.XOrOp():
            return operands[0] ^ operands[1]
        case llvm.AndOp():
            return operands[0] & operands[1]
        case llvm.OrOp():
            return operands[0] | operands[1]
        case llvm.ShlOp():
            return operands[0] << operands[1]
        case llvm.LShrOp():
            return operands[0] % (1 << width_of(op.lhs)) >> operands[1]
        case llvm.SelectOp():
            return operands[1] if operands[0] % 2 else operands[2]
        case llvm.SExtOp():
            return operands[0]
        case llvm.ZExtOp():
            return operands[0] % (1 << width_of(op.arg))
        case _:
            raise AssertionError(op.name)


def width_of(value: SSAValue) -> int:
    """The width of an integer."""
    assert isinstance(value.type, IntegerType)
    return value.type.width.data
