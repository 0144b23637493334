"""Changes of where the elements of a tile live."""

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.nv_tileaa.types import tile_shape


@irdl_op_definition
class ConvertLayoutOp(IRDLOperation):
    """The same tile in another layout: other registers, lanes and warps hold its elements."""

    name = "nv_tileas.convert_layout"

    source = operand_def(TensorType)
    result = result_def(TensorType)

    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, result_type: Attribute):
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        if tile_shape(self.source.type) != tile_shape(self.result.type):
            raise VerifyException("requires the same shape and element type for source and result")
