"""Functions, program coordinates, ranges and assumptions."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I32,
    ArrayAttr,
    DenseArrayBase,
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
    operand_def,
    opt_attr_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.element_interfaces import (
    OrderedElementsOpInterface,
    SameRegistersOpInterface,
)
from tileir_xdsl.dialects.launch_attributes import CLUSTER_ATTRIBUTE
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface

from .attributes import KernelSpecAttr
from .constraints import VALUES
from .predicates import AssumePredicateAttr
from .types import ProgramIdType, tile_shape

RESERVED_FUNCTION_ATTRIBUTES = ("sym_name", "function_type", "arg_attrs")


@irdl_op_definition
class FuncOp(IRDLOperation, RegistersOpInterface):
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
            raise VerifyException(
                "expects the entry block arguments to have the input types of the function type"
            )
        if self.kernel_spec is not None and self.function_type.outputs.data:
            raise VerifyException("expects a kernel to have no results")
        if CLUSTER_ATTRIBUTE in self.attributes:
            self._verify_cluster()

    def _verify_cluster(self) -> None:
        rows, columns = cluster_shape(self)
        if self.kernel_spec is None or rows * columns != self.kernel_spec.num_ctas.data:
            raise VerifyException(
                "expects a kernel_spec whose num_ctas is the number of CTAs in "
                f"{CLUSTER_ATTRIBUTE}, "
                f"but got {rows} x {columns}"
            )


@irdl_op_definition
class ReturnOp(IRDLOperation, RegistersOpInterface):
    """Ends a function with its results; kernels have none."""

    name = "nv_tileaa.return"

    values = var_operand_def(VALUES)

    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        function = self.parent_op()
        if not isinstance(function, FuncOp):
            raise VerifyException("expects parent op 'nv_tileaa.func'")
        # A function is verified after its body, so that its type may be missing.
        function_type = function.properties.get("function_type")
        if not isinstance(function_type, FunctionType):
            return
        results = list(function_type.outputs)
        if list(self.operand_types) != results:
            raise VerifyException(
                f"expects operands of the function's result types, {ArrayAttr(results)}, "
                f"but got {ArrayAttr(self.operand_types)}"
            )


class ProgramCoordinateOp(IRDLOperation, RegistersOpInterface):
    """Base of the reads of one grid coordinate; `axis` is 0, 1, 2 for x, y, z."""

    axis = prop_def(IntegerAttr[I32])
    result = result_def(i32)

    traits = traits_def(Pure())
    assembly_format = "$axis attr-dict `:` type($result)"

    def verify_(self) -> None:
        if self.axis.value.data not in (0, 1, 2):
            raise VerifyException(f"expects axis 0, 1 or 2, but got {self.axis.value.data}")


@irdl_op_definition
class GetProgramIdOp(ProgramCoordinateOp):
    """The grid coordinate of this tile block, or of `program`, along one axis."""

    name = "nv_tileaa.get_program_id"

    program = opt_operand_def(ProgramIdType)

    assembly_format = "$axis (`of` $program^)? attr-dict `:` type($result)"

    def __init__(self, axis: int, program: SSAValue | None = None):
        super().__init__(
            operands=[program],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[i32],
        )


@irdl_op_definition
class GetNumProgramsOp(ProgramCoordinateOp):
    """The number of tile blocks in the grid, along one axis."""

    name = "nv_tileaa.get_num_programs"

    def __init__(self, axis: int):
        super().__init__(properties={"axis": IntegerAttr(axis, i32)}, result_types=[i32])


CTA_AXES = 2
"""The number of axes, rows and columns of dots, that the CTAs of a cluster divide."""


def cluster_shape(function: FuncOp) -> tuple[int, int]:
    """The numbers of thread blocks that execute a tile block: along rows, along columns."""
    shape = function.attributes.get(CLUSTER_ATTRIBUTE)
    if not isinstance(shape, DenseArrayBase):
        return 1, 1
    rows, columns = (int(count) for count in shape.iter_values())
    return rows, columns


def clusters_asked_for(function: FuncOp) -> int:
    """The CTAs among which a tile block must still be divided; 1 if there is nothing to divide."""
    spec = function.kernel_spec
    if spec is None or CLUSTER_ATTRIBUTE in function.attributes:
        return 1
    return spec.num_ctas.data


@irdl_op_definition
class GetCtaIdOp(IRDLOperation, RegistersOpInterface):
    """The index of this thread block (CTA) among those that execute its tile block.

    `axis` is 0 for the index along the rows of dots, and 1 for the index along the columns. The
    kernel's attribute `nv_tileaa.cluster_shape` has the number of CTAs; without it, both indices
    are 0.
    """

    name = "nv_tileaa.get_cta_id"

    axis = prop_def(IntegerAttr[I32])
    result = result_def(i32)

    traits = traits_def(Pure())
    assembly_format = "$axis attr-dict `:` type($result)"

    def __init__(self, axis: int):
        super().__init__(properties={"axis": IntegerAttr(axis, i32)}, result_types=[i32])

    def verify_(self) -> None:
        if self.axis.value.data not in range(CTA_AXES):
            raise VerifyException(f"expects axis 0 or 1, but got {self.axis.value.data}")


@irdl_op_definition
class MakeRangeOp(IRDLOperation, RegistersOpInterface):
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
class AssumeOp(
    IRDLOperation, OrderedElementsOpInterface, SameRegistersOpInterface, RegistersOpInterface
):
    """Returns the operand, about which the compiler may rely on the stated fact."""

    name = "nv_tileaa.assume"

    T: ClassVar = VarConstraint("T", AnyAttr())

    value = operand_def(T)
    predicate = prop_def(AssumePredicateAttr)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$predicate `,` $value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue, predicate: Attribute):
        super().__init__(
            operands=[value], properties={"predicate": predicate}, result_types=[value.type]
        )

    def verify_(self) -> None:
        self.predicate.verify_value_type(self.value.type)
