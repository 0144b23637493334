"""Values that replace the results of dropped ops, at every level."""

from __future__ import annotations

import math

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import IsolatedFromAbove

from tileir_xdsl.dialects.cuda_tile import ConstantOp, DenseConstantAttr, MakeTokenOp, TileType
from tileir_xdsl.dialects.cuda_tile.literals import NUMERIC_ELEMENTS
from tileir_xdsl.dialects.cuda_tile.types import TokenType, element_name
from tileir_xdsl.dialects.nv_tileaa import CreateMemTokenOp, MemTokenType
from tileir_xdsl.dialects.nv_tileas import MemoryAttr
from tileir_xdsl.testing.programs.reduction import StandIn

CONSTANTS = (ConstantOp, arith.ConstantOp, llvm.ConstantOp)
FAR = 1000
"""An index that is outside small arrays."""

TOKENS = (MakeTokenOp, CreateMemTokenOp)


def operand_of_type(op: Operation, result: SSAValue) -> SSAValue | None:
    """An operand with the result's type, so that later ops use the dropped op's input."""
    return next((operand for operand in op.operands if operand.type == result.type), None)


def earlier_value(op: Operation, result: SSAValue) -> SSAValue | None:
    """The nearest value with the result's type that is defined before the op."""
    while (block := op.parent) is not None:
        before = op.prev_op
        while before is not None:
            for value in before.results:
                if value.type == result.type:
                    return value
            before = before.prev_op
        for argument in block.args:
            if argument.type == result.type:
                return argument
        around = block.parent_op()
        if around is None or around.has_trait(IsolatedFromAbove):
            return None
        op = around
    return None


def number(value: int) -> StandIn:
    """A stand-in: this constant, or for non-numeric results an operand of the same type."""

    def stand_in(op: Operation, result: SSAValue) -> SSAValue | None:
        if isinstance(op, (*CONSTANTS, *TOKENS)):
            return None
        made = constant(result.type, value, is_llvm=_is_llvm(op))
        return operand_of_type(op, result) if made is None else made.results[0]

    return stand_in


def _is_llvm(op: Operation) -> bool:
    return op.name.partition(".")[0] in ("llvm", "nvvm")


def not_a_number(op: Operation, result: SSAValue) -> SSAValue | None:
    """NaN, for a tile or scalar of a float type that has NaN."""
    type_ = result.type
    match type_:
        case TileType() | TensorType() | VectorType():
            element = type_.element_type
        case _:
            element = type_
    if element not in (f16, bf16, f32, f64) or isinstance(op, CONSTANTS):
        return None
    made = constant(type_, math.nan, is_llvm=_is_llvm(op))
    return None if made is None else made.results[0]


def counted(op: Operation, result: SSAValue) -> SSAValue | None:
    """A constant that differs from those of neighbouring ops, so that their order matters."""
    block = op.parent
    place = 0 if block is None else block.get_operation_index(op)
    return number(1 + place % 5)(op, result)


STAND_INS: tuple[StandIn, ...] = (
    operand_of_type,
    counted,
    number(0),
    number(1),
    number(FAR),
    earlier_value,
    not_a_number,
)
"""The stand-ins in the order of attempts; each may allow drops that others do not."""


def constant(type_: Attribute, value: float, *, is_llvm: bool = False) -> Operation | None:
    """An op that defines a constant with equal elements; None for types without numbers."""
    match type_:
        case TileType() if element_name(type_.element_type) in NUMERIC_ELEMENTS:
            limited = value % 2 if element_name(type_.element_type) == "i1" else value
            return ConstantOp(DenseConstantAttr.splat(type_, limited))
        case TokenType():
            return MakeTokenOp()
        case MemTokenType():
            return CreateMemTokenOp()
        case TensorType(encoding=MemoryAttr()):
            return None
        case TensorType() | VectorType():
            attribute = _splat(type_, value)
        case _:
            attribute = _scalar(type_, value)
    if attribute is None:
        return None
    return llvm.ConstantOp(attribute, type_) if is_llvm else arith.ConstantOp(attribute)


def _fitting(value: float, type_: IntegerType) -> int:
    """A number wrapped to an integer type's range; for i1, whether it is odd."""
    width = type_.width.data
    return int(value) % 2 if width == 1 else min(int(value), (1 << (width - 1)) - 1)


def _scalar(type_: Attribute, value: float) -> IntegerAttr | FloatAttr | None:
    match type_:
        case IntegerType():
            return IntegerAttr(_fitting(value, type_), type_)
        case IndexType():
            return IntegerAttr(int(value), type_)
        case _ if isinstance(type_, AnyFloat):
            return FloatAttr(float(value), type_)
        case _:
            return None


def _splat(
    type_: TensorType[Attribute] | VectorType[Attribute], value: float
) -> DenseIntOrFPElementsAttr | None:
    match element := type_.element_type:
        case IntegerType():
            fitting = _fitting(value, element)
            numbers: list[int] | list[float] = [-fitting if element.width.data == 1 else fitting]
        case _ if isinstance(element, AnyFloat):
            numbers = [float(value)]
        case _:
            return None
    return DenseIntOrFPElementsAttr.from_list(type_, numbers)  # pyright: ignore
