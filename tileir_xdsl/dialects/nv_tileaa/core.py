"""Functions, program coordinates, and the ops that build and reshape tiles."""

from typing import ClassVar

from xdsl.dialects.builtin import (
    I32,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    i32,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from .attributes import KernelSpecAttr
from .types import tile_shape

RESERVED_FUNCTION_ATTRIBUTES = ("sym_name", "function_type", "arg_attrs")


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A function; with `nv_tileaa.kernel_spec`, a kernel that a grid of tile blocks runs."""

    name = "nv_tileaa.func"

    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()
    kernel_spec = opt_attr_def(KernelSpecAttr, attr_name="nv_tileaa.kernel_spec")

    traits = traits_def(SymbolOpInterface(), IsolatedFromAbove())

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        body: Region,
        kernel_spec: KernelSpecAttr | None = None,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": function_type,
                "arg_attrs": arg_attrs,
            },
            attributes={"nv_tileaa.kernel_spec": kernel_spec},
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        name, inputs, outputs, region, attributes, arg_attrs, _ = parse_func_op_like(
            parser, reserved_attr_names=RESERVED_FUNCTION_ATTRIBUTES
        )
        op = cls(name, FunctionType.from_lists(inputs, outputs), region, arg_attrs=arg_attrs)
        if attributes is not None:
            op.attributes |= attributes.data
        return op

    def print(self, printer: Printer) -> None:
        print_func_op_like(
            printer,
            self.sym_name,
            self.function_type,
            self.body,
            self.attributes,
            arg_attrs=self.arg_attrs,
            reserved_attr_names=RESERVED_FUNCTION_ATTRIBUTES,
        )

    def verify_(self) -> None:
        if not self.body.blocks:
            return
        arguments = self.body.blocks[0].arg_types
        if tuple(arguments) != tuple(self.function_type.inputs):
            raise VerifyException("expects entry block arguments to match the function type")


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a kernel; kernels return nothing."""

    name = "nv_tileaa.return"

    traits = traits_def(IsTerminator(), HasParent(FuncOp))
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()


class ProgramCoordinateOp(IRDLOperation):
    """Base of the reads of one grid coordinate: `axis` 0, 1, 2 for x, y, z."""

    axis = prop_def(IntegerAttr[I32])
    result = result_def(i32)

    traits = traits_def(Pure())
    assembly_format = "$axis attr-dict `:` type($result)"

    def __init__(self, axis: int):
        super().__init__(properties={"axis": IntegerAttr(axis, i32)}, result_types=[i32])

    def verify_(self) -> None:
        if self.axis.value.data not in (0, 1, 2):
            raise VerifyException(f"expects axis 0, 1 or 2, but got {self.axis.value.data}")


@irdl_op_definition
class GetProgramIdOp(ProgramCoordinateOp):
    """The coordinate of this tile block in the grid, along one axis."""

    name = "nv_tileaa.get_program_id"


@irdl_op_definition
class GetNumProgramsOp(ProgramCoordinateOp):
    """The number of tile blocks in the grid, along one axis."""

    name = "nv_tileaa.get_num_programs"


@irdl_op_definition
class SplatOp(IRDLOperation):
    """A tile of which every element is the scalar operand."""

    name = "nv_tileaa.splat"

    value = operand_def()
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($value) `->` type($result)"

    def __init__(self, value: SSAValue, result_type: Attribute):
        super().__init__(operands=[value], result_types=[result_type])

    def verify_(self) -> None:
        if tile_shape(self.result.type).element != self.value.type:
            raise VerifyException(
                f"expects a tensor of {self.value.type}, but got {self.result.type}"
            )


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """Repeats a tile along its dimensions of extent 1; the rank stays."""

    name = "nv_tileaa.broadcast"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = tile_shape(self.source.type), tile_shape(self.result.type)
        if source.element != result.element or len(source.shape) != len(result.shape):
            raise VerifyException("requires the same rank and element type for source and result")
        for extent, repeated in zip(source.shape, result.shape, strict=True):
            if extent not in (1, repeated):
                raise VerifyException(
                    f"expects extents of 1 or {repeated} in the source, but got {extent}"
                )


@irdl_op_definition
class ViewOp(IRDLOperation):
    """The same elements in the same row-major order, as a tile of another shape."""

    name = "nv_tileaa.view"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isinstance(source, TensorType) and isinstance(result, TensorType)
        if source.element_type != result.element_type:
            raise VerifyException("requires the same element type for source and result")
        if source.element_count() != result.element_count():
            raise VerifyException("requires the same number of elements in source and result")


@irdl_op_definition
class ExtractOp(IRDLOperation):
    """The scalar of a tile that has one element."""

    name = "nv_tileaa.extract"

    source = operand_def(TensorType)
    result = result_def()

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue):
        super().__init__(operands=[source], result_types=[tile_shape(source.type).element])

    def verify_(self) -> None:
        source = self.source.type
        assert isinstance(source, TensorType)
        if source.element_count() != 1:
            raise VerifyException("expects a tensor of one element")
        if source.element_type != self.result.type:
            raise VerifyException("requires the same element type for source and result")


@irdl_op_definition
class MakeRangeOp(IRDLOperation):
    """The 1-D tile `start, start + 1, .., end - 1`."""

    name = "nv_tileaa.make_range"

    T: ClassVar = VarConstraint("T", BaseAttr(IntegerType))

    start = operand_def(T)
    end = operand_def(T)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$start `,` $end attr-dict `:` type($start) `->` type($result)"

    def __init__(self, start: SSAValue, end: SSAValue, result_type: Attribute):
        super().__init__(operands=[start, end], result_types=[result_type])

    def verify_(self) -> None:
        result = tile_shape(self.result.type)
        if len(result.shape) != 1 or result.element != self.start.type:
            raise VerifyException(f"expects a rank-1 tensor of {self.start.type}")


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """The operand, with one fact about it that the compiler may rely on."""

    name = "nv_tileaa.assume"

    T: ClassVar = VarConstraint("T", AnyAttr())

    value = operand_def(T)
    predicate = prop_def(Attribute)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$predicate `,` $value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue, predicate: Attribute):
        super().__init__(
            operands=[value], properties={"predicate": predicate}, result_types=[value.type]
        )
