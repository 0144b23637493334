"""Assumptions and printing.

Source: Tile IR specification, section 8.12 (miscellaneous).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import syntax
from tileir_xdsl.dialects.cuda_tile.attributes import PREDICATES, AssumePredicateAttr
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    ANY_TYPE,
    TILE,
    TOKEN,
    CudaTileOperation,
    all_types_match,
    attribute_of,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.pointer_accesses import OPTIONAL_TOKEN, TOKEN_RESULT, TOKEN_TYPE


class _Predicate(syntax.Directive):
    """`div_by<..>`, `same_elements<..>` or `bounded<..>`, with or without `#cuda_tile.`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        position = parser.pos
        word = parser.parse_optional_identifier()
        if word is None:
            predicate = parser.parse_optional_attribute()
            if predicate is None:
                syntax.custom_error(parser, state.name, "expected attribute name")
            if not isinstance(predicate, AssumePredicateAttr):
                syntax.custom_error(
                    parser, state.name, "expected assume predicate attribute", position
                )
        elif word in PREDICATES:
            predicate = PREDICATES[word].new(PREDICATES[word].parse_parameters(parser))
        else:
            syntax.custom_error(
                parser,
                state.name,
                f"unknown assume predicate attribute: {word} "
                "(expected 'div_by', 'same_elements', or 'bounded')",
                position,
            )
        state.properties["predicate"] = predicate

    def print(self, printer: Printer, operation: Operation) -> None:
        predicate = operation.properties["predicate"]
        assert isinstance(predicate, AssumePredicateAttr)
        printer.print_string(f" {predicate.name.removeprefix('cuda_tile.')}")
        predicate.print_parameters(printer)

    def describe(self) -> str:
        return "PREDICATE"


@cuda_tile_operation
class AssumeOp(CudaTileOperation, HasFolderInterface):
    """Returns its operand; behaviour is undefined unless `predicate` holds for it. Section
    8.12.1.
    """

    name = "cuda_tile.assume"

    value = operand_def(ANY_TYPE)
    predicate = prop_def(attribute_of("assume predicate", AssumePredicateAttr))
    result = result_def(ANY_TYPE)

    RELATIONS: ClassVar = (all_types_match("value", "result"),)
    SYNTAX: ClassVar = (
        _Predicate(),
        syntax.COMMA,
        syntax.Operand("value"),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("value", "result"),
    )

    def __init__(self, value: SSAValue, predicate: AssumePredicateAttr):
        super().__init__(
            operands=[value], properties={"predicate": predicate}, result_types=[value.type]
        )

    def verify_operation(self) -> None:
        try:
            self.predicate.verify_value_type(self.value.type)
        except VerifyException as error:
            self.fail(str(error))

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The operand itself if it is already assumed to satisfy the same predicate."""
        inner = self.value.owner
        if isinstance(inner, AssumeOp) and inner.predicate == self.predicate:
            return (self.value,)
        return None

    def result_names(self) -> Sequence[str]:
        owner = self.value.owner
        if isinstance(self.value, OpResult) and isinstance(owner, CudaTileOperation):
            if names := owner.result_names()[self.value.index :]:
                return (f"assume_{names[0]}",)
            if owner.regions:
                # The results of `if`, `loop` and `scan`, and those of `for` and `reduce` after the
                # first one, have the empty name.
                return ("assume_",)
        return ("assume",)


FORMAT_CONVERSIONS = frozenset("diuoxXeEfFgGaAcsSpn%")
"""Characters that end a format expression of `print_tko`."""


def count_format_expressions(text: str) -> int | None:
    """How many operands the format string `text` takes; None if an expression does not end."""
    count = 0
    position = text.find("%")
    while position >= 0:
        end = position + 1
        while end < len(text) and text[end] not in FORMAT_CONVERSIONS:
            end += 1
        if end == len(text):
            return None
        count += text[end] != "%"
        position = text.find("%", end + 1)
    return count


class _PrintOperands(syntax.Directive):
    """`[, args][ token=%t] [{..}][ : T, ..]`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        operands: list[UnresolvedOperand] = []
        while syntax.parse_optional_comma(parser):
            operands.append(syntax.parse_operand(parser))
        state.operands["args"] = operands
        OPTIONAL_TOKEN.parse(parser, state)
        state.attributes.update(parser.parse_optional_attr_dict())
        if parser.parse_optional_punctuation(":"):
            state.types["args"] = syntax.parse_types(parser)

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, PrintTkoOp)
        for value in operation.args:
            printer.print_string(", ")
            printer.print_ssa_value(value)
        OPTIONAL_TOKEN.print(printer, operation)
        printer.print_op_attributes(operation.attributes)
        if operation.args:
            printer.print_string(" : ")
            syntax.print_types(printer, [value.type for value in operation.args])

    def describe(self) -> str:
        return "(, %args, ..)? ((,)? token=%token)? ({..})? (: type(%args), ..)?"


@cuda_tile_operation
class PrintTkoOp(CudaTileOperation):
    """Prints its operands by the C format string `str`, for debugging.

    Section 8.12.2. Before bytecode 13.2 this op was called `print` and had no tokens.
    """

    name = "cuda_tile.print_tko"

    str_ = prop_def(attribute_of("string attribute", StringAttr), prop_name="str")
    args = var_operand_def(TILE)
    token = opt_operand_def(TOKEN)
    result_token = result_def(TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SYNTAX: ClassVar = (syntax.StringLiteral("str"), _PrintOperands(), syntax.ARROW, TOKEN_RESULT)

    def __init__(self, text: str, args: Sequence[SSAValue], token: SSAValue | None = None):
        super().__init__(
            operands=[args, token],
            properties={"str": StringAttr(text)},
            result_types=[TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        expected = count_format_expressions(self.str_.data)
        if expected is None:
            self.fail("found unterminated format expression")
        if expected != len(self.args):
            self.fail(f"incorrect number of operands: expected {expected}, found {len(self.args)}")
