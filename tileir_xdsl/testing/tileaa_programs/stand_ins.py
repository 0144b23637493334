"""Replacements for the results of ops that reduction drops."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa import CreateMemTokenOp, MemTokenType
from tileir_xdsl.testing.tileaa_programs.draft import number_attr


def stand_in(op: Operation, result: SSAValue) -> SSAValue | None:
    """A replacement of a result: an operand of its type, a new token, or ones; None if there is
    none.
    """
    for operand in op.operands:
        if operand.type == result.type:
            return operand
    if isinstance(result.type, MemTokenType):
        return None if isinstance(op, CreateMemTokenOp) else CreateMemTokenOp().result
    if isinstance(op, arith.ConstantOp):
        return None
    return _ones(result.type)


def _ones(type_: Attribute) -> SSAValue | None:
    match type_:
        case TensorType(element_type=IntegerType()):
            value: Attribute = DenseIntOrFPElementsAttr.from_list(type_, [1])  # pyright: ignore
        case TensorType(element_type=element) if isinstance(element, AnyFloat):
            value = DenseIntOrFPElementsAttr.from_list(type_, [1.0])  # pyright: ignore
        case IntegerType():
            value = IntegerAttr(1, type_)
        case _ if isinstance(type_, AnyFloat):
            value = number_attr(1.0, type_)
        case _:
            return None
    return arith.ConstantOp(value).result  # pyright: ignore
