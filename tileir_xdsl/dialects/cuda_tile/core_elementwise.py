"""Core operations that work element by element: comparison, selection, pointer arithmetic.

Source: Tile IR specification, section 8.3 (core).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile import interfaces, syntax
from tileir_xdsl.dialects.cuda_tile.enums import (
    ComparisonOrdering,
    ComparisonOrderingAttr,
    ComparisonPredicate,
    ComparisonPredicateAttr,
    EnumAttribute,
    SignednessAttr,
)
from tileir_xdsl.dialects.cuda_tile.folding import splat_of
from tileir_xdsl.dialects.cuda_tile.types import (
    TileType,
    element_name,
)
from tileir_xdsl.dialects.enumerations import Signedness

_SAME_TYPE_LHS_RHS = interfaces.all_types_match("lhs", "rhs")


def _word_list(words: Sequence[str]) -> str:
    return "{" + ", ".join(f"'{word}'" for word in words) + "}"


class _Predicate(syntax.Directive):
    """The relation that a comparison tests."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        words = _word_list(list(ComparisonPredicate))
        message = f"expected 'comparison_predicate' to be one of: {words}"
        predicate = syntax.parse_keyword_of(parser, state.name, ComparisonPredicate, message)
        state.properties["comparison_predicate"] = ComparisonPredicateAttr(predicate)

    def print(self, printer: Printer, operation: Operation) -> None:
        attribute = operation.properties["comparison_predicate"]
        assert isinstance(attribute, EnumAttribute)
        printer.print_string(f" {attribute.data.value}")

    def describe(self) -> str:
        return "|".join(ComparisonPredicate)


class _Ordering(syntax.Directive):
    """`ordered` or `unordered`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        words = _word_list(["ordered", "unordered"])
        message = f"expected 'comparison_ordering' to be one of: {words}"
        ordering = syntax.parse_keyword_of(parser, state.name, ComparisonOrdering, message)
        state.properties["comparison_ordering"] = ComparisonOrderingAttr(ordering)

    def print(self, printer: Printer, operation: Operation) -> None:
        attribute = operation.properties["comparison_ordering"]
        assert isinstance(attribute, EnumAttribute)
        printer.print_string(f" {attribute.data.value}")

    def describe(self) -> str:
        return "|".join(ComparisonOrdering)


def _boolean_like_operands(operation: interfaces.CudaTileOperation) -> bool:
    result, operand = (
        interfaces.tile_type(operation.results[0]),
        interfaces.tile_type(operation.operands[0]),
    )
    return result.element_type == i1 and result.get_shape() == operand.get_shape()


_BOOLEAN_RESULT = interfaces.Requires(
    "Result type has i1 element type and same shape as operands", _boolean_like_operands
)
_PREDICATE = interfaces.attribute_of("cmp_predicate", ComparisonPredicateAttr)


def boolean_tile_like(type_: Attribute) -> TileType:
    """The tile of i1 with the shape of `type_`."""
    assert isinstance(type_, TileType)
    return TileType(type_.get_shape(), i1)


@interfaces.cuda_tile_operation
class CmpFOp(interfaces.CudaTileOperation):
    """Comparison of floats; with a NaN operand, `unordered` returns true, `ordered` false. Section
    8.3.3.
    """

    name = "cuda_tile.cmpf"

    comparison_predicate = prop_def(_PREDICATE)
    comparison_ordering = prop_def(
        interfaces.attribute_of("comparison_ordering", ComparisonOrderingAttr)
    )
    lhs = operand_def(interfaces.FLOAT_TILE)
    rhs = operand_def(interfaces.FLOAT_TILE)
    result = result_def(interfaces.BOOLEAN_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (_SAME_TYPE_LHS_RHS, _BOOLEAN_RESULT)
    SYNTAX: ClassVar = (
        _Predicate(),
        _Ordering(),
        syntax.Operand("lhs"),
        syntax.COMMA,
        syntax.Operand("rhs"),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("lhs", "rhs"),
        syntax.ARROW,
        syntax.Type("result"),
    )

    def __init__(
        self,
        predicate: ComparisonPredicate,
        ordering: ComparisonOrdering,
        lhs: SSAValue,
        rhs: SSAValue,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "comparison_predicate": ComparisonPredicateAttr(predicate),
                "comparison_ordering": ComparisonOrderingAttr(ordering),
            },
            result_types=[boolean_tile_like(lhs.type)],
        )


@interfaces.cuda_tile_operation
class CmpIOp(interfaces.CudaTileOperation):
    """Comparison of integers. Section 8.3.4."""

    name = "cuda_tile.cmpi"

    comparison_predicate = prop_def(_PREDICATE)
    lhs = operand_def(interfaces.INTEGER_TILE)
    rhs = operand_def(interfaces.INTEGER_TILE)
    signedness = prop_def(interfaces.SIGNEDNESS)
    result = result_def(interfaces.BOOLEAN_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (_SAME_TYPE_LHS_RHS, _BOOLEAN_RESULT)
    SYNTAX: ClassVar = (
        _Predicate(),
        syntax.Operand("lhs"),
        syntax.COMMA,
        syntax.Operand("rhs"),
        syntax.COMMA,
        syntax.SIGNEDNESS_KEYWORD,
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("lhs", "rhs"),
        syntax.ARROW,
        syntax.Type("result"),
    )

    def __init__(
        self,
        predicate: ComparisonPredicate,
        lhs: SSAValue,
        rhs: SSAValue,
        signedness: Signedness,
    ):
        super().__init__(
            operands=[lhs, rhs],
            properties={
                "comparison_predicate": ComparisonPredicateAttr(predicate),
                "signedness": SignednessAttr(signedness),
            },
            result_types=[boolean_tile_like(lhs.type)],
        )


@interfaces.cuda_tile_operation
class SelectOp(interfaces.CudaTileOperation, HasFolderInterface):
    """Elements of `val_if_true` where `cond` is true, otherwise of `val_if_false`. Section
    8.3.22.
    """

    name = "cuda_tile.select"

    cond = operand_def(interfaces.BOOLEAN_TILE)
    val_if_true = operand_def(interfaces.TILE)
    val_if_false = operand_def(interfaces.TILE)
    result = result_def(interfaces.TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        interfaces.all_types_match("val_if_true", "val_if_false", "result"),
        interfaces.all_shapes_match("cond", "val_if_true", "val_if_false", "result"),
    )
    SYNTAX: ClassVar = (
        syntax.Operand("cond"),
        syntax.COMMA,
        syntax.Operand("val_if_true"),
        syntax.COMMA,
        syntax.Operand("val_if_false"),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("cond"),
        syntax.COMMA,
        syntax.Type("val_if_true", "val_if_false", "result"),
    )

    def __init__(self, cond: SSAValue, val_if_true: SSAValue, val_if_false: SSAValue):
        super().__init__(
            operands=[cond, val_if_true, val_if_false], result_types=[val_if_true.type]
        )

    def verify_operation(self) -> None:
        if element_name(interfaces.tile_type(self.result).element_type) == "f4E2M1FN":
            self.fail("cannot operate on sub-byte type F4E2M1FN")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The operand that the condition selects for all elements, if this is known."""
        arms = (self.val_if_true, self.val_if_false)
        if arms[0] is arms[1]:
            return (arms[0],)
        if (truth := splat_of(self.cond)) is not None:
            return (arms[0 if truth else 1],)
        if (splat_of(arms[0]), splat_of(arms[1])) == (True, False) and (
            self.cond.type == self.result.type
        ):
            return (self.cond,)
        comparison = self.cond.owner
        if isinstance(comparison, CmpIOp) and arms in (
            (comparison.lhs, comparison.rhs),
            (comparison.rhs, comparison.lhs),
        ):
            match comparison.comparison_predicate.data:
                case ComparisonPredicate.EQUAL:
                    return (arms[1],)
                case ComparisonPredicate.NOT_EQUAL:
                    return (arms[0],)
                case _:
                    pass
        return None


@interfaces.cuda_tile_operation
class OffsetOp(interfaces.CudaTileOperation):
    """Pointers moved by signed numbers of elements of the pointee type. Section 8.3.16."""

    name = "cuda_tile.offset"

    ptr = operand_def(interfaces.POINTER_TILE)
    offset = operand_def(interfaces.INTEGER_TILE)
    result = result_def(interfaces.POINTER_TILE)

    traits = traits_def(Pure())
    RELATIONS: ClassVar = (
        interfaces.all_types_match("result", "ptr"),
        interfaces.SAME_SHAPE,
    )
    SYNTAX: ClassVar = (
        syntax.Operand("ptr"),
        syntax.COMMA,
        syntax.Operand("offset"),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("ptr"),
        syntax.COMMA,
        syntax.Type("offset"),
        syntax.ARROW,
        syntax.Type("result"),
    )

    def __init__(self, ptr: SSAValue, offset: SSAValue):
        super().__init__(operands=[ptr, offset], result_types=[ptr.type])
