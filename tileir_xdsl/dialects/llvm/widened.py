"""Comparison, select and pointer casts on vectors, which xDSL defines only for scalars."""

from dataclasses import replace
from functools import cache

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    I1,
    AnyFloatConstr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import FCmpPredicateFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    IRDLOperation,
    OpDef,
    OperandDef,
    ResultDef,
    base,
    irdl_to_attr_constraint,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import stands_in

_BOOLEANS = irdl_to_attr_constraint(I1) | base(VectorType[I1])
_FLOATS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)


def _widen(definition: OpDef, **types: AttrConstraint) -> OpDef:
    """A copy of the definition in which the named operands and results accept other types."""
    return replace(
        definition,
        operands=[
            (name, OperandDef(types[name]) if name in types else operand)
            for name, operand in definition.operands
        ],
        results=[
            (name, ResultDef(types[name]) if name in types else result)
            for name, result in definition.results
        ],
    )


def _shape(type: Attribute) -> tuple[int, ...] | None:
    return type.get_shape() if isinstance(type, VectorType) else None


@stands_in
class FCmpOp(llvm.FCmpOp):
    """`llvm.fcmp "olt" %a, %b : vector<4xf32>`: a comparison of floats or of float vectors."""

    def __init__(
        self,
        lhs: Operation | SSAValue,
        rhs: Operation | SSAValue,
        predicate: str | IntegerAttr[IntegerType],
        attributes: dict[str, Attribute] | None = None,
    ):
        if isinstance(predicate, str):
            predicate = IntegerAttr(FCmpPredicateFlag(predicate).to_int(), i64)
        type = SSAValue.get(lhs).type
        IRDLOperation.__init__(
            self,
            operands=[lhs, rhs],
            result_types=[VectorType(i1, type.shape) if isinstance(type, VectorType) else i1],
            attributes=attributes or {},
            properties={"predicate": predicate},
        )

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _comparison_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        if self.lhs.type != self.rhs.type or _shape(self.lhs.type) != _shape(self.res.type):
            raise VerifyException(
                "expected both operands to have the same type, and the result to have their shape"
            )


@cache
def _comparison_definition() -> OpDef:
    definition = llvm.FCmpOp.get_irdl_definition()
    return _widen(definition, lhs=_FLOATS, rhs=_FLOATS, res=_BOOLEANS)


@stands_in
class SelectOp(llvm.SelectOp):
    """`llvm.select %mask, %a, %b : vector<4xi1>, vector<4xf32>`: selects a scalar, or each lane."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _select_definition()

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        condition = _shape(self.cond.type)
        if condition is not None and condition != _shape(self.res.type):
            raise VerifyException("expected a vector condition to have the shape of the result")


@cache
def _select_definition() -> OpDef:
    return _widen(llvm.SelectOp.get_irdl_definition(), cond=_BOOLEANS)


_POINTERS = base(llvm.LLVMPointerType) | VectorType.constr(base(llvm.LLVMPointerType))
_INTEGERS = base(IntegerType) | VectorType.constr(base(IntegerType))


@stands_in
class IntToPtrOp(llvm.IntToPtrOp):
    """`llvm.inttoptr %a : vector<4xi64> to vector<4x!llvm.ptr>`: addresses as pointers."""

    def __init__(self, input: Operation | SSAValue, result_type: Attribute | None = None):
        type = llvm.LLVMPointerType() if result_type is None else result_type
        IRDLOperation.__init__(self, operands=[input], result_types=[type])

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _cast_definition(llvm.IntToPtrOp, _INTEGERS, _POINTERS)

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_shapes(self)


@stands_in
class PtrToIntOp(llvm.PtrToIntOp):
    """`llvm.ptrtoint %p : vector<4x!llvm.ptr> to vector<4xi64>`: pointers as addresses."""

    def __init__(self, input: Operation | SSAValue, result_type: Attribute = i64):
        IRDLOperation.__init__(self, operands=[input], result_types=[result_type])

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _cast_definition(llvm.PtrToIntOp, _POINTERS, _INTEGERS)

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_shapes(self)


def _verify_shapes(op: Operation) -> None:
    if _shape(op.operands[0].type) != _shape(op.results[0].type):
        raise VerifyException("expected the operand and the result to have the same shape")


@cache
def _cast_definition(
    op: type[llvm.IntToPtrOp | llvm.PtrToIntOp], input: AttrConstraint, output: AttrConstraint
) -> OpDef:
    return _widen(op.get_irdl_definition(), input=input, output=output)
