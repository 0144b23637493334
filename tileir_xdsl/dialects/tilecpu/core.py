"""Functions of `tilecpu`."""

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, StringAttr
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Region
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition

RESERVED_FUNCTION_ATTRIBUTES = ("sym_name", "function_type", "arg_attrs")

ARENA_BYTES = "tilecpu.arena_bytes"
"""The function attribute for the arena's size in bytes, after buffers have offsets."""

BLOCKS_PER_TASK = "tilecpu.blocks_per_task"
"""The function attribute for the most tile blocks that a thread fetches at once."""

DISTINCT = "tilecpu.distinct"
"""The function attribute for tiles that a nest loads and stores: extents, sizes and strides of the
dimensions. The code is valid for launches where each element has its own address.
"""


@irdl_op_definition
class FuncOp(IRDLOperation):
    """A kernel; its body runs once for each tile block. Its arguments are scalars and pointers."""

    name = "tilecpu.func"

    sym_name = prop_def(StringAttr)
    function_type = prop_def(FunctionType)
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])
    body = region_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        body: Region,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "function_type": function_type,
                "arg_attrs": arg_attrs,
            },
            regions=[body],
        )

    @classmethod
    def parse(cls, parser: Parser) -> "FuncOp":
        name, inputs, outputs, region, attributes, arg_attrs, _ = parse_func_op_like(
            parser, reserved_attr_names=RESERVED_FUNCTION_ATTRIBUTES
        )
        op = cls(name, FunctionType.from_lists(inputs, outputs), region, arg_attrs)
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
        if self.function_type.outputs.data:
            raise VerifyException("expects a kernel to have no results")
        blocks = self.body.blocks
        if blocks and tuple(blocks[0].arg_types) != tuple(self.function_type.inputs):
            raise VerifyException(
                "expects the entry block arguments to have the input types of the function type"
            )


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a kernel."""

    name = "tilecpu.return"

    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__()

    def verify_(self) -> None:
        if not isinstance(self.parent_op(), FuncOp):
            raise VerifyException("expects parent op 'tilecpu.func'")
