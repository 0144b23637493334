"""The tensor forms that xDSL's `arith` lacks, under the upstream names.

MLIR's conversions, comparisons and select work elementwise on tensors; xDSL's take scalars only.
Each op here is a subclass of xDSL's with wider operand and result types. `extend` replaces the xDSL
op of the same name by this subclass; passes that match the xDSL class still match the subclass.
"""

from dataclasses import replace
from typing import ClassVar, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloatConstr, IntegerType, TensorType, i1
from xdsl.ir import Attribute, Dialect, Operation, OpResult, SSAValue
from xdsl.ir.core import SSAValues
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    AttrConstraint,
    IRDLOperation,
    OpDef,
    OperandDef,
    ParamAttrConstraint,
    ResultDef,
    base,
    eq,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

OperationT = TypeVar("OperationT", bound=Operation)

OPERATIONS: list[type[Operation]] = []
"""The ops that replace the xDSL ops of the same name."""


def stands_in(op: type[OperationT]) -> type[OperationT]:
    """Registers an op that replaces the xDSL op of the same name."""
    OPERATIONS.append(op)
    return op


def scalar_or_tensor(element: AttrConstraint) -> AttrConstraint:
    """A scalar, or a tensor of such scalars with any shape and encoding."""
    return AnyOf((element, ParamAttrConstraint(TensorType, (AnyAttr(), element, AnyAttr()))))


NO_FASTMATH = FastMathFlagsAttr("none")

INTEGERS = scalar_or_tensor(base(IntegerType))
FLOATS = scalar_or_tensor(AnyFloatConstr)
BOOLEANS = scalar_or_tensor(eq(i1))


def widen(definition: OpDef, **types: AttrConstraint) -> OpDef:
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


def like(type: Attribute, element: Attribute) -> Attribute:
    """The type with the shape and encoding of `type`, and elements of type `element`."""
    if isinstance(type, TensorType):
        return TensorType(element, type.get_shape(), type.encoding)
    return element


def _shape(type: Attribute) -> tuple[int, ...]:
    return type.get_shape() if isinstance(type, TensorType) else ()


def _element(type: Attribute) -> Attribute:
    return type.element_type if isinstance(type, TensorType) else type


def _verify_width(op: Operation, *, wider: bool) -> None:
    source, result = _element(op.operands[0].type), _element(op.results[0].type)
    assert isinstance(source, IntegerType) and isinstance(result, IntegerType)
    if wider and result.width.data <= source.width.data:
        raise VerifyException("Destination bit-width must be larger than the input bit-width")
    if not wider and result.width.data >= source.width.data:
        raise VerifyException("Destination bit-width must be smaller than the input bit-width")


class ConversionOp(IRDLOperation):
    """Mixin of the elementwise conversions: scalars or tensors; operand and result shapes are
    equal.
    """

    WIDENED: ClassVar[OpDef]
    # Some of xDSL's conversions have no traits; all of MLIR's are pure.
    traits = arith.SIToFPOp.traits

    def __init__(self, source: SSAValue, target_type: Attribute):
        IRDLOperation.__init__(self, operands=[source], result_types=[target_type])

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return cls.WIDENED

    def verify_(self) -> None:
        self.WIDENED.verify(self)
        source, result = self.operands[0].type, self.results[0].type
        if _shape(source) != _shape(result):
            raise VerifyException("requires the same shape for all operands and results")


@stands_in
class ExtSIOp(ConversionOp, arith.ExtSIOp):
    """`arith.extsi %a : tensor<4xi8> to tensor<4xi32>`: sign extension."""

    WIDENED = widen(arith.ExtSIOp.get_irdl_definition(), input=INTEGERS, result=INTEGERS)

    def verify_(self) -> None:
        super().verify_()
        _verify_width(self, wider=True)


@stands_in
class ExtUIOp(ConversionOp, arith.ExtUIOp):
    """`arith.extui %a : tensor<4xi8> to tensor<4xi32>`: zero extension."""

    WIDENED = widen(arith.ExtUIOp.get_irdl_definition(), input=INTEGERS, result=INTEGERS)

    def verify_(self) -> None:
        super().verify_()
        _verify_width(self, wider=True)


@stands_in
class TruncIOp(ConversionOp, arith.TruncIOp):
    """`arith.trunci %a : tensor<4xi32> to tensor<4xi8>`: the low bits."""

    WIDENED = widen(arith.TruncIOp.get_irdl_definition(), input=INTEGERS, result=INTEGERS)

    def verify_(self) -> None:
        super().verify_()
        _verify_width(self, wider=False)


@stands_in
class SIToFPOp(ConversionOp, arith.SIToFPOp):
    """`arith.sitofp %a : tensor<4xi32> to tensor<4xf32>`: signed integers, rounded to nearest
    even.
    """

    WIDENED = widen(arith.SIToFPOp.get_irdl_definition(), input=INTEGERS, result=FLOATS)


@stands_in
class UIToFPOp(ConversionOp, arith.UIToFPOp):
    """`arith.uitofp %a : tensor<4xi32> to tensor<4xf32>`: unsigned integers, rounded to nearest
    even.
    """

    WIDENED = widen(arith.UIToFPOp.get_irdl_definition(), input=INTEGERS, result=FLOATS)


@stands_in
class FPToSIOp(ConversionOp, arith.FPToSIOp):
    """`arith.fptosi %a : tensor<4xf32> to tensor<4xi32>`: rounded toward zero."""

    WIDENED = widen(arith.FPToSIOp.get_irdl_definition(), input=FLOATS, result=INTEGERS)


@stands_in
class FPToUIOp(ConversionOp, arith.FPToUIOp):
    """`arith.fptoui %a : tensor<4xf32> to tensor<4xi32>`: rounded toward zero."""

    WIDENED = widen(arith.FPToUIOp.get_irdl_definition(), input=FLOATS, result=INTEGERS)


@stands_in
class CmpIOp(arith.CmpiOp):
    """`arith.cmpi slt, %a, %b : tensor<4xi32>`: i1 elements of the operands' shape."""

    WIDENED: ClassVar[OpDef] = widen(arith.CmpiOp.get_irdl_definition(), result=BOOLEANS)
    # Without xDSL's fold of equal operands, which gives a scalar whatever the operands are.
    traits = traits_def(Pure())

    def __init__(self, operand1: SSAValue, operand2: SSAValue, arg: int | str):
        super().__init__(operand1, operand2, arg)
        self.results = SSAValues((OpResult(like(operand1.type, i1), self, 0),))

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return cls.WIDENED

    def verify_(self) -> None:
        self.WIDENED.verify(self)
        _verify_comparison(self)


@stands_in
class CmpFOp(arith.CmpfOp):
    """`arith.cmpf olt, %a, %b : tensor<4xf32>`: i1 elements of the operands' shape."""

    WIDENED: ClassVar[OpDef] = widen(arith.CmpfOp.get_irdl_definition(), result=BOOLEANS)

    def __init__(
        self,
        operand1: SSAValue,
        operand2: SSAValue,
        arg: int | str,
        fastmath: FastMathFlagsAttr = NO_FASTMATH,
    ):
        super().__init__(operand1, operand2, arg, fastmath)
        self.results = SSAValues((OpResult(like(operand1.type, i1), self, 0),))

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return cls.WIDENED

    def verify_(self) -> None:
        self.WIDENED.verify(self)
        _verify_comparison(self)


def _verify_comparison(op: arith.CmpiOp | arith.CmpfOp) -> None:
    if op.lhs.type != op.rhs.type or op.result.type != like(op.lhs.type, i1):
        raise VerifyException("Result type has i1 element type and same shape as operands")


@stands_in
class SelectOp(arith.SelectOp):
    """`arith.select %c, %a, %b : tensor<4xi1>, tensor<4xf32>`; a scalar i1 chooses for all."""

    WIDENED: ClassVar[OpDef] = widen(arith.SelectOp.get_irdl_definition(), cond=BOOLEANS)

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return cls.WIDENED

    def verify_(self) -> None:
        self.WIDENED.verify(self)
        if _shape(self.cond.type) not in ((), _shape(self.result.type)):
            raise VerifyException("expected condition type to have the same shape as the result")

    @classmethod
    def parse(cls, parser: Parser) -> "SelectOp":
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition_type, value_type = i1, parser.parse_type()
        if parser.parse_optional_punctuation(","):
            condition_type, value_type = value_type, parser.parse_type()
        types = [condition_type, value_type, value_type]
        op = cls(*parser.resolve_operands(operands, types, parser.pos))
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.result.type)


def extend(dialect: Dialect) -> Dialect:
    """The `arith` dialect, in which `OPERATIONS` replace the xDSL ops of the same names."""
    names = {op.name for op in OPERATIONS}
    kept = [op for op in dialect.operations if op.name not in names]
    return replace(dialect, _operations=[*kept, *OPERATIONS])
