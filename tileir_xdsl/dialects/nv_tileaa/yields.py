"""The terminator of regions that yield values, and the check of such regions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import IRDLOperation, traits_def, var_operand_def
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import RegistersOpInterface

from .constraints import VALUES


@irdl_op_definition
class YieldOp(IRDLOperation, RegistersOpInterface):
    """Ends a region and yields its operands."""

    name = "nv_tileaa.yield"

    values = var_operand_def(VALUES)

    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[values])


def verify_yields(
    region: Region, types: Sequence[Attribute], yield_op: type[IRDLOperation] = YieldOp
) -> None:
    """Raises `VerifyException` unless a region yields values of these types."""
    terminator = region.block.last_op
    if not isinstance(terminator, yield_op):
        raise VerifyException(f"expects regions to end with '{yield_op.name}'")
    if list(terminator.operand_types) != list(types):
        raise VerifyException(
            f"expects the body to yield values of types {ArrayAttr(types)}, "
            f"but got {ArrayAttr(terminator.operand_types)}"
        )
