"""Loads and stores through tiles of pointers, and tokens.

Source: Tile IR specification, section 8.6 (memory). Memory operations are ordered by their tokens
alone, never by their order in the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from tileir_xdsl.dialects.cuda_tile import interfaces, syntax
from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.enums import MemoryScope, enum_from_number, enum_to_integer_attr
from tileir_xdsl.dialects.cuda_tile.parsing import expect, expect_keyword
from tileir_xdsl.dialects.cuda_tile.types import (
    PointerType,
    TileType,
    TokenType,
    element_bit_width,
    is_multicast,
    is_power_of_two,
)
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemoryOrderingSemantics

LOAD_SEMANTICS = (
    MemoryOrderingSemantics.WEAK,
    MemoryOrderingSemantics.RELAXED,
    MemoryOrderingSemantics.ACQUIRE,
)
STORE_SEMANTICS = (
    MemoryOrderingSemantics.WEAK,
    MemoryOrderingSemantics.RELAXED,
    MemoryOrderingSemantics.RELEASE,
)
SEMANTICS_PROPERTY = interfaces.enumerated("memory ordering semantics", MemoryOrderingSemantics)
SCOPE_PROPERTY = interfaces.enumerated("memory scope", MemoryScope)
HINTS_PROPERTY = interfaces.attribute_of("optimization hints", OptimizationHintsAttr)
TOKEN_TYPE = TokenType()


class MemoryOperation(interfaces.CudaTileOperation):
    """An operation on global memory with ordering semantics and, unless weak, a scope."""

    semantics_attr = prop_def(SEMANTICS_PROPERTY, prop_name="memory_ordering_semantics")
    scope_attr = opt_prop_def(SCOPE_PROPERTY, prop_name="memory_scope")

    @property
    def memory_ordering_semantics(self) -> MemoryOrderingSemantics:
        """The memory ordering semantics of the operation."""
        return enum_from_number(MemoryOrderingSemantics, self.semantics_attr.value.data)

    @property
    def memory_scope(self) -> MemoryScope | None:
        """The threads with which the operation is ordered; None for a weak operation."""
        scope = self.scope_attr
        return None if scope is None else enum_from_number(MemoryScope, scope.value.data)

    def verify_ordering(
        self, allowed: Sequence[MemoryOrderingSemantics], expected: str, what: str
    ) -> None:
        """Checks that the semantics are in `allowed`, and that only non-weak semantics have a
        scope.
        """
        semantics = self.memory_ordering_semantics
        if semantics not in allowed:
            self.fail(f"expect one of: {expected}, but got: {semantics.value}")
        if semantics is MemoryOrderingSemantics.WEAK:
            if self.memory_scope is not None:
                self.fail(f"weak {what} must not have memory scope")
        elif self.memory_scope is None:
            self.fail(f"memory scope is required for {semantics.value} {what}")


def memory_properties(
    semantics: MemoryOrderingSemantics,
    scope: MemoryScope | None,
    hints: OptimizationHintsAttr | None = None,
) -> dict[str, Attribute | None]:
    """The properties of a memory operation."""
    return {
        "memory_ordering_semantics": enum_to_integer_attr(semantics),
        "memory_scope": None if scope is None else enum_to_integer_attr(scope),
        "optimization_hints": hints,
    }


class Ordering(syntax.Directive):
    """Syntax of `weak`, or of semantics and scope, in operations on tiles of pointers."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        position = parser.pos
        word = parser.parse_optional_keyword_in(list(MemoryOrderingSemantics))
        if word is None:
            syntax.custom_error(
                parser,
                state.name,
                "expected string or keyword containing one of the following enum values for "
                "attribute 'memory_ordering_semantics' "
                f"[{', '.join(MemoryOrderingSemantics)}]",
                position,
            )
        semantics = MemoryOrderingSemantics(word)
        state.properties["memory_ordering_semantics"] = enum_to_integer_attr(semantics)
        if scope := parser.parse_optional_keyword_in(list(MemoryScope)):
            state.properties["memory_scope"] = enum_to_integer_attr(MemoryScope(scope))

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, MemoryOperation)
        printer.print_string(f" {operation.memory_ordering_semantics.value}")
        if operation.memory_scope is not None:
            printer.print_string(f" {operation.memory_scope.value}")

    def describe(self) -> str:
        return "SEMANTICS (SCOPE)?"


class OptionalToken(syntax.Directive):
    """` token=%t`; in operations on views ` token = %t`. The text may have a comma before it."""

    def __init__(self, *, blanks: bool):
        self.text = " token = " if blanks else " token="

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        if syntax.is_comma_before_token(parser):
            parser.parse_punctuation(",")
        if parser.parse_optional_keyword("token"):
            expect(parser, "=")
            state.operands["token"] = [syntax.parse_operand(parser)]
            state.types["token"] = (TOKEN_TYPE,)

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, interfaces.CudaTileOperation)
        if (token := operation.optional_operand("token")) is not None:
            printer.print_string(self.text)
            printer.print_ssa_value(token)

    def describe(self) -> str:
        return f"((,)? {self.text.lstrip()}%token)?"


OPTIONAL_TOKEN = OptionalToken(blanks=False)


class OptionalHints(syntax.Directive):
    """` optimization_hints = <..>`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        if parser.parse_optional_keyword("optimization_hints"):
            expect(parser, "=")
            state.properties["optimization_hints"] = OptimizationHintsAttr.new(
                OptimizationHintsAttr.parse_parameters(parser)
            )

    def print(self, printer: Printer, operation: Operation) -> None:
        hints = operation.properties.get("optimization_hints")
        if isinstance(hints, OptimizationHintsAttr):
            printer.print_string(" optimization_hints = ")
            hints.print_parameters(printer)

    def describe(self) -> str:
        return "(optimization_hints = <..>)?"


class TokenResult(syntax.Directive):
    """` token`, or `!cuda_tile.token`, the type of the result `result_token`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        position = parser.pos
        short = parser.parse_optional_keyword("token") is not None
        if not short and parser.parse_optional_type() != TOKEN_TYPE:
            parser.raise_error("expected 'token'", position)
        state.types["result_token"] = (TOKEN_TYPE,)

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(" token")

    def describe(self) -> str:
        return "token"


TOKEN_RESULT = TokenResult()


def _points_to(pointers: SSAValue, values: SSAValue) -> bool:
    pointer, value = interfaces.tile_type(pointers), interfaces.tile_type(values)
    element = pointer.element_type
    return (
        isinstance(element, PointerType)
        and element.pointee_type == value.element_type
        and pointer.get_shape() == value.get_shape()
    )


def _same_shape(first: SSAValue, second: SSAValue | None) -> bool:
    return (
        second is None
        or interfaces.tile_type(first).get_shape() == interfaces.tile_type(second).get_shape()
    )


def _same_type(first: SSAValue, second: SSAValue | None) -> bool:
    return second is None or first.type == second.type


def _verify_no_multicast(operation: interfaces.CudaTileOperation, pointers: SSAValue) -> None:
    """Raises `VerifyException` for pointers into multicast memory, which need multimem
    operations.
    """
    pointer = interfaces.tile_type(pointers).element_type
    assert isinstance(pointer, PointerType)
    if is_multicast(pointer):
        operation.fail("multicast pointer is not allowed")


class _PaddingOfMasked(syntax.OptionalOperandAfterComma):
    """Prints a padding value only if there is a mask; otherwise the text would be parsed as a mask.

    Source: section 8.6.2, which has a padding value only "when mask is present". cuTile also writes
    one without a mask, for accesses without bounds checks.
    """

    def print(self, printer: Printer, operation: Operation) -> None:
        if cast(LoadPtrTkoOp, operation).mask is not None:
            super().print(printer, operation)


class _PaddingTypeOfMasked(syntax.OptionalTypeAfterComma):
    """Prints the type of a padding value only if there is a mask."""

    def print(self, printer: Printer, operation: Operation) -> None:
        if cast(LoadPtrTkoOp, operation).mask is not None:
            super().print(printer, operation)


@interfaces.cuda_tile_operation
class LoadPtrTkoOp(MemoryOperation):
    """Loads one element per pointer. Section 8.6.2.

    Where `mask` is false nothing is read and the result is `paddingValue` (without it:
    unspecified).
    """

    name = "cuda_tile.load_ptr_tko"

    optimization_hints = opt_prop_def(HINTS_PROPERTY)
    source = operand_def(interfaces.POINTER_TILE)
    mask = opt_operand_def(interfaces.BOOLEAN_TILE)
    padding_value = opt_operand_def(interfaces.TILE)
    token = opt_operand_def(interfaces.TOKEN)
    result = result_def(interfaces.TILE)
    result_token = result_def(interfaces.TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RELATIONS: ClassVar = (
        interfaces.Requires(
            "`source` type is expected a pointer type of `result` type",
            lambda op: _points_to(op.operands[0], op.results[0]),
        ),
        interfaces.Requires(
            "shape of 'mask' must match the shape of 'source'",
            lambda op: _same_shape(op.operands[0], op.optional_operand("mask")),
        ),
        interfaces.Requires(
            "type of 'paddingValue' must match the type of 'result'",
            lambda op: _same_type(op.results[0], op.optional_operand("padding_value")),
        ),
    )
    SYNTAX: ClassVar = (
        Ordering(),
        syntax.Operand("source"),
        syntax.OptionalOperandAfterComma("mask"),
        _PaddingOfMasked("padding_value"),
        OPTIONAL_TOKEN,
        OptionalHints(),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("source"),
        syntax.OptionalTypeAfterComma("mask"),
        _PaddingTypeOfMasked("padding_value"),
        syntax.ARROW,
        syntax.Type("result"),
        syntax.COMMA,
        TOKEN_RESULT,
    )
    RESULT_NAMES: ClassVar = ("result", "result_token")

    def __init__(
        self,
        source: SSAValue,
        mask: SSAValue | None = None,
        padding_value: SSAValue | None = None,
        token: SSAValue | None = None,
        *,
        semantics: MemoryOrderingSemantics = MemoryOrderingSemantics.WEAK,
        scope: MemoryScope | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        pointers = interfaces.tile_type(source)
        assert isinstance(pointers.element_type, PointerType)
        result = TileType(pointers.get_shape(), pointers.element_type.pointee_type)
        super().__init__(
            operands=[source, mask, padding_value, token],
            properties=memory_properties(semantics, scope, hints),
            result_types=[result, TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        self.verify_ordering(LOAD_SEMANTICS, "weak, relaxed, or acquire", "load")
        _verify_no_multicast(self, self.source)


@interfaces.cuda_tile_operation
class StorePtrTkoOp(MemoryOperation):
    """Stores one element per pointer where `mask` (if given) is true. Section 8.6.4."""

    name = "cuda_tile.store_ptr_tko"

    optimization_hints = opt_prop_def(HINTS_PROPERTY)
    destination = operand_def(interfaces.POINTER_TILE)
    value = operand_def(interfaces.TILE)
    mask = opt_operand_def(interfaces.BOOLEAN_TILE)
    token = opt_operand_def(interfaces.TOKEN)
    result_token = result_def(interfaces.TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    RELATIONS: ClassVar = (
        interfaces.Requires(
            "`destination` type is expected a pointer type of `value` type",
            lambda op: _points_to(op.operands[0], op.operands[1]),
        ),
        interfaces.Requires(
            "shape of 'destination' must match the shape of 'mask'",
            lambda op: _same_shape(op.operands[0], op.optional_operand("mask")),
        ),
    )
    SYNTAX: ClassVar = (
        Ordering(),
        syntax.Operand("destination"),
        syntax.COMMA,
        syntax.Operand("value"),
        syntax.OptionalOperandAfterComma("mask"),
        OPTIONAL_TOKEN,
        OptionalHints(),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("destination"),
        syntax.COMMA,
        syntax.Type("value"),
        syntax.OptionalTypeAfterComma("mask"),
        syntax.ARROW,
        TOKEN_RESULT,
    )

    def __init__(
        self,
        destination: SSAValue,
        value: SSAValue,
        mask: SSAValue | None = None,
        token: SSAValue | None = None,
        *,
        semantics: MemoryOrderingSemantics = MemoryOrderingSemantics.WEAK,
        scope: MemoryScope | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(
            operands=[destination, value, mask, token],
            properties=memory_properties(semantics, scope, hints),
            result_types=[TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        self.verify_ordering(STORE_SEMANTICS, "weak, relaxed, or release", "store")
        _verify_no_multicast(self, self.destination)


@interfaces.cuda_tile_operation
class MakeTokenOp(interfaces.CudaTileOperation):
    """A token that depends on no operation. Section 8.6.3."""

    name = "cuda_tile.make_token"

    result = result_def(interfaces.TOKEN)

    traits = traits_def(Pure())
    SYNTAX: ClassVar = (syntax.ATTRIBUTES, syntax.COLON, syntax.Type("result"))

    def __init__(self):
        super().__init__(result_types=[TOKEN_TYPE])


class _Tokens(syntax.Directive):
    """`%a, %b, ..` or nothing, all of type token."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        tokens = syntax.parse_optional_operands(parser)
        state.operands["tokens"] = tokens
        state.types["tokens"] = (TOKEN_TYPE,) * len(tokens)

    def print(self, printer: Printer, operation: Operation) -> None:
        if operation.operands:
            printer.print_string(" ")
            printer.print_list(operation.operands, printer.print_ssa_value)

    def describe(self) -> str:
        return "(%tokens, ..)?"


@interfaces.cuda_tile_operation
class JoinTokensOp(interfaces.CudaTileOperation):
    """A token that depends on all of `tokens`. Section 8.6.1."""

    name = "cuda_tile.join_tokens"

    tokens = var_operand_def(interfaces.TOKEN)
    result = result_def(interfaces.TOKEN)

    traits = traits_def(Pure())
    SYNTAX: ClassVar = (_Tokens(), syntax.ATTRIBUTES, syntax.COLON, syntax.Type("result"))

    def __init__(self, tokens: Sequence[SSAValue]):
        super().__init__(operands=[tokens], result_types=[TOKEN_TYPE])


class _ListedTokens(_Tokens):
    """`[%a, %b, ..]`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        expect(parser, "[")
        super().parse(parser, state)
        expect(parser, "]")

    def describe(self) -> str:
        return "[%tokens, ..]"


@interfaces.cuda_tile_operation
class TokenJoinOp(interfaces.CudaTileOperation):
    """The spelling `token.join [%a, %b]` of `join_tokens`: parsing it returns a `JoinTokensOp`."""

    name = "cuda_tile.token.join"

    SYNTAX: ClassVar = (_ListedTokens(), syntax.ATTRIBUTES, syntax.COLON, syntax.Type("result"))

    @classmethod
    def parse(cls, parser: Parser) -> interfaces.CudaTileOperation:
        state = syntax.ParsedOperation(cls.name, JoinTokensOp.DEFINITION)
        for directive in cls.SYNTAX:
            directive.parse(parser, state)
        return state.build(parser, JoinTokensOp)

    @classmethod
    def create(cls, **arguments: Any) -> JoinTokensOp:
        return JoinTokensOp.create(**arguments)


class _Allocation(syntax.Directive):
    """`num_elem = N, alignment = N [global]`."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        for index, name in enumerate(("num_elem", "alignment")):
            if index:
                expect(parser, ",")
            expect_keyword(parser, name, state.name)
            expect(parser, "=")
            state.properties[name] = IntegerAttr(syntax.parse_integer(parser), i64)

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, AllocaOp)
        printer.print_string(
            f" num_elem = {operation.num_elem.value.data}, "
            f"alignment = {operation.alignment.value.data}"
        )

    def describe(self) -> str:
        return "num_elem = N, alignment = N"


@interfaces.cuda_tile_operation
class AllocaOp(interfaces.CudaTileOperation):
    """Uninitialised memory for `num_elem` elements that lives as long as its block runs.

    `alignment` is in bytes. The memory is private to the tile block's thread unless `global`.
    """

    name = "cuda_tile.alloca"

    num_elem = prop_def(interfaces.NON_NEGATIVE_I64)
    alignment = prop_def(interfaces.NON_NEGATIVE_I64)
    is_global = opt_prop_def(interfaces.UNIT, prop_name="global")
    result = result_def(interfaces.POINTER_SCALAR)

    SYNTAX: ClassVar = (
        _Allocation(),
        syntax.Flag("global"),
        syntax.ATTRIBUTES,
        syntax.COLON,
        syntax.Type("result"),
    )
    SINCE: ClassVar = "13.3"

    def __init__(
        self, num_elem: int, alignment: int, result_type: TileType, *, is_global: bool = False
    ):
        super().__init__(
            properties={
                "num_elem": IntegerAttr(num_elem, i64),
                "alignment": IntegerAttr(alignment, i64),
                "global": UnitAttr() if is_global else None,
            },
            result_types=[result_type],
        )

    def verify_operation(self) -> None:
        alignment = self.alignment.value.data
        if alignment <= 0 or not is_power_of_two(alignment):
            self.fail("'alignment' must be power of two")
        pointer = interfaces.tile_type(self.result).element_type
        assert isinstance(pointer, PointerType)
        element = pointer.pointee_type
        size = 1 if element == i1 else element_bit_width(element) // 8
        if alignment < size:
            self.fail(
                f"'alignment' ({alignment}) must be at least the natural size ({size} bytes) for "
                f"element type '{element}'"
            )
