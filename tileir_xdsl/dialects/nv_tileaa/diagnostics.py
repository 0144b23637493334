"""Ops for assertions, for printing at run time, and for messages to the compiler's user.

Source: Tile IR specification, sections "Control Flow" (assert) and "Miscellaneous" (print_tko).
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    GlobalEffect,
    GlobalMemoryOpInterface,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.scratch import ScratchNeed, Whole

from .constraints import BOOLEANS, TILES
from .types import MemTokenType

CONVERSIONS = frozenset("diuoxXeEfFgGaAcsSpn%")
"""Characters that end a format expression, as in C."""


@irdl_op_definition
class AssertOp(IRDLOperation, RegistersOpInterface):
    """Ends the kernel with a message if an element is false."""

    name = "nv_tileaa.assert"

    condition = operand_def(BOOLEANS)
    message = prop_def(StringAttr)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$condition `,` $message attr-dict `:` type($condition)"

    def __init__(self, condition: SSAValue, message: str):
        super().__init__(operands=[condition], properties={"message": StringAttr(message)})


def count_format_expressions(text: str) -> int | None:
    """How many operands a format string takes; None if an expression does not end."""
    count, position = 0, text.find("%")
    while position >= 0:
        end = next((i for i in range(position + 1, len(text)) if text[i] in CONVERSIONS), None)
        if end is None:
            return None
        count += text[end] != "%"
        position = text.find("%", end + 1)
    return count


@irdl_op_definition
class PrintOp(IRDLOperation, RegistersOpInterface, GlobalMemoryOpInterface):
    """Prints its operands by a C format string, after the operations that the token represents."""

    name = "nv_tileaa.print"

    format = prop_def(StringAttr)
    args = var_operand_def(TILES)
    token = opt_operand_def(MemTokenType)
    result_token = result_def(MemTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$format (`,` $args^ `:` type($args))? (`token` `=` $token^)? attr-dict "
        "`->` type($result_token)"
    )

    def __init__(self, format: str, args: Sequence[SSAValue], token: SSAValue | None = None):
        super().__init__(
            operands=[args, token],
            properties={"format": StringAttr(format)},
            result_types=[MemTokenType()],
        )

    def verify_(self) -> None:
        expected = count_format_expressions(self.format.data)
        if expected is None:
            raise VerifyException("found unterminated format expression")
        if expected != len(self.args):
            raise VerifyException(
                f"incorrect number of operands: expected {expected}, found {len(self.args)}"
            )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return tuple(map(Whole, self.args))

    @property
    def global_effect(self) -> GlobalEffect:
        # Later accesses need not wait for it: what is printed is in registers.
        return GlobalEffect(self.token, writes=False, is_followed=False)


@irdl_op_definition
class MessageOp(IRDLOperation, RegistersOpInterface):
    """A remark that the compiler keeps in the program and otherwise ignores."""

    name = "nv_tileaa.message"

    text = prop_def(StringAttr)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$text attr-dict"

    def __init__(self, text: str):
        super().__init__(properties={"text": StringAttr(text)})
