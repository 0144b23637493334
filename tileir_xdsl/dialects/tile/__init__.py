"""`tile`: selection between two tiles or buffers."""

from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition


@irdl_op_definition
class SelectOp(IRDLOperation):
    """Selects `a` if the flag is set, otherwise `b`.

        %r = tile.select %flag, %a, %b : T

    Unlike `arith.select`, the op may select between two buffers: the result then refers to the
    selected buffer. Source: the TileAS layout and buffer notes, "Select-on-Condition Aliases".
    """

    name = "tile.select"

    T: ClassVar = VarConstraint("T", AnyAttr())

    condition = operand_def(i1)
    true_value = operand_def(T)
    false_value = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$condition `,` $true_value `,` $false_value attr-dict `:` type($result)"

    def __init__(self, condition: SSAValue, true_value: SSAValue, false_value: SSAValue):
        super().__init__(
            operands=[condition, true_value, false_value], result_types=[true_value.type]
        )


Tile = Dialect("tile", [SelectOp], [])
