"""Assumptions and printing.

Source: Tile IR specification, section 8.12 (miscellaneous).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.irdl import operand_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile.attributes import PREDICATES, AssumePredicateAttr
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    ANY_TYPE,
    CudaTileOperation,
    all_types_match,
    attribute_of,
    cuda_tile_operation,
)
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    COMMA,
    Directive,
    Operand,
    ParsedOperation,
    Type,
    custom_error,
)


class _Predicate(Directive):
    """`div_by<..>`, `same_elements<..>` or `bounded<..>`, with or without `#cuda_tile.`."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        position = parser.pos
        word = parser.parse_optional_identifier()
        if word is None:
            predicate = parser.parse_optional_attribute()
            if predicate is None:
                custom_error(parser, state.name, "expected attribute name")
            if not isinstance(predicate, AssumePredicateAttr):
                custom_error(parser, state.name, "expected assume predicate attribute", position)
        elif word in PREDICATES:
            predicate = PREDICATES[word].new(PREDICATES[word].parse_parameters(parser))
        else:
            custom_error(
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
class AssumeOp(CudaTileOperation):
    """The value itself, of which `predicate` holds; if it does not, behaviour is undefined. Section 8.12.1."""

    name = "cuda_tile.assume"

    value = operand_def(ANY_TYPE)
    predicate = prop_def(attribute_of("assume predicate", AssumePredicateAttr))
    result = result_def(ANY_TYPE)

    RELATIONS: ClassVar = (all_types_match("value", "result"),)
    SYNTAX: ClassVar = (
        _Predicate(),
        COMMA,
        Operand("value"),
        ATTRIBUTES,
        COLON,
        Type("value", "result"),
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

    def result_names(self) -> Sequence[str]:
        owner = self.value.owner
        if (
            isinstance(self.value, OpResult)
            and isinstance(owner, CudaTileOperation)
            and (names := owner.result_names())
        ):
            return (f"assume_{names[self.value.index]}",)
        return ("assume",)
