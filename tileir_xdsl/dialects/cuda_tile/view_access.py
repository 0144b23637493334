"""Loads and stores of the tiles of a view.

Source: Tile IR specification, section 8.11 (views).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import pointer_accesses, syntax
from tileir_xdsl.dialects.cuda_tile.attributes import OptimizationHintsAttr
from tileir_xdsl.dialects.cuda_tile.enums import MemoryScope, enum_to_integer_attr
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    INTEGER_TILE,
    TILE,
    TILE_VIEW,
    TOKEN,
    CudaTileOperation,
    attribute_of,
    cuda_tile_operation,
    tile_type,
)
from tileir_xdsl.dialects.cuda_tile.parsing import expect
from tileir_xdsl.dialects.cuda_tile.types import (
    TileType,
    dense_booleans,
    is_multicast,
    parse_type,
    print_type,
)
from tileir_xdsl.dialects.cuda_tile.view_types import (
    GatherScatterViewType,
    TileView,
)
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemoryOrderingSemantics

INBOUNDS_PROPERTY = attribute_of("i1 dense array attribute", DenseArrayBase)


class ViewOrdering(syntax.Directive):
    """Syntax of `weak`, or of semantics and scope, in operations on views."""

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        position = parser.pos
        word = parser.parse_optional_identifier() or ""
        if word not in list(MemoryOrderingSemantics):
            syntax.custom_error(
                parser,
                state.name,
                f'invalid memory_ordering_semantics attribute specification. Got "{word}" '
                f"but expect one of: {', '.join(MemoryOrderingSemantics)}",
                position,
            )
        semantics = MemoryOrderingSemantics(word)
        state.properties["memory_ordering_semantics"] = enum_to_integer_attr(semantics)
        position = parser.pos
        scope = parser.parse_optional_identifier()
        if semantics is MemoryOrderingSemantics.WEAK:
            if scope is not None:
                syntax.custom_error(
                    parser,
                    state.name,
                    "operation specifies weak memory ordering semantics, but then provides "
                    f'"{scope}" scope, expected no memory scope.',
                    position,
                )
            return
        if scope not in list(MemoryScope):
            syntax.custom_error(
                parser,
                state.name,
                f'invalid memory_scope attribute specification. Got "{scope or ""}" '
                f"but expect one of: {', '.join(MemoryScope)}",
                position,
            )
        state.properties["memory_scope"] = enum_to_integer_attr(MemoryScope(scope))

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, pointer_accesses.MemoryOperation)
        printer.print_string(f" {operation.memory_ordering_semantics.value}")
        if operation.memory_scope is not None:
            printer.print_string(f" {operation.memory_scope.value}")

    def describe(self) -> str:
        return "SEMANTICS (SCOPE)?"


class IndexTypes(syntax.Directive):
    """`, T` if all indices have one type, otherwise `, T, U, ..`; nothing without indices.

    With `token`, `, token` follows if the operation has a token operand.
    """

    def __init__(self, *, token: bool = False):
        self.token = token

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        count = len(state.operands["indices"])
        if count == 0:
            return
        if not parser.parse_optional_punctuation(","):
            syntax.custom_error(
                parser, state.name, "index types must be specified when indices are present"
            )
        types = [parse_type(parser)]
        while parser.parse_optional_punctuation(","):
            if parser.lexer.input.content.startswith("->", parser.pos):
                syntax.custom_error(parser, state.name, "expected index type after comma")
            types.append(parse_type(parser))
        if (
            self.token
            and state.operands.get("token")
            and types.pop() != pointer_accesses.TOKEN_TYPE
        ):
            parser.raise_error("expected 'token'")
        if len(types) == 1:
            types *= count
        if len(types) != count:
            syntax.custom_error(
                parser, state.name, f"expected {count} index types, got {len(types)}"
            )
        state.types["indices"] = types

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, CudaTileOperation)
        types = [index.type for index in operation.variadic_operand("indices")]
        for type_ in types[:1] if len(set(types)) == 1 else types:
            printer.print_string(", ")
            print_type(printer, type_)
        if self.token and operation.optional_operand("token") is not None:
            printer.print_string(", token")

    def describe(self) -> str:
        return "(, type(%indices), ..)?(, token)?" if self.token else "(, type(%indices), ..)?"


class Inbounds(syntax.Directive):
    """` inbounds = [true, false]` if any element is true; if not, the text `otherwise`."""

    def __init__(self, otherwise: str = ""):
        self.otherwise = otherwise

    def parse(self, parser: Parser, state: syntax.ParsedOperation) -> None:
        if parser.parse_optional_keyword("inbounds"):
            expect(parser, "=")
            flags = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_boolean)
            state.properties["inbounds"] = DenseArrayBase.from_list(i1, [int(f) for f in flags])

    def print(self, printer: Printer, operation: Operation) -> None:
        inbounds = operation.properties.get("inbounds")
        if isinstance(inbounds, DenseArrayBase) and any(flags := dense_booleans(inbounds)):
            words = ", ".join("true" if flag else "false" for flag in flags)
            printer.print_string(f" inbounds = [{words}]")
        else:
            printer.print_string(self.otherwise)

    def describe(self) -> str:
        return "(inbounds = [true|false, ..])?"


_ACCESS_OPTIONS = (
    pointer_accesses.OptionalToken(blanks=True),
    pointer_accesses.OptionalHints(),
    Inbounds(),
    syntax.AttributeDictionary(keyword=True),
    syntax.COLON,
)


def _verify_scalar_indices(types: Sequence[TileType]) -> None:
    for type_ in types:
        if type_.get_shape():
            raise VerifyException(f"expected index type to be a scalar tile, got '{type_}'")
    for index, type_ in enumerate(types):
        if type_ != types[0]:
            raise VerifyException(
                f"expected index type {index} to be the same as other index types "
                f"('{types[0]}'), got '{type_}'"
            )


def _verify_sparse_indices(view: GatherScatterViewType, types: Sequence[TileType]) -> None:
    sparse = view.sparse_dim.data
    scalar: TileType | None = None
    for index, type_ in enumerate(types):
        if index == sparse:
            if type_.get_num_dims() != 1:
                raise VerifyException(
                    f"expected index at sparse_dim position {sparse} to be a 1D tensor for "
                    f"GatherScatterView, got rank {type_.get_num_dims()}"
                )
            size, extent = type_.get_shape()[0], view.get_tile_shape()[sparse]
            if size != extent:
                raise VerifyException(
                    f"expected gather/scatter index size ({size}) to match tile shape at "
                    f"gather/scatter dimension {sparse} ({extent})"
                )
            continue
        if type_.get_shape():
            raise VerifyException(
                f"expected index {index} to be a scalar tile for GatherScatterView"
            )
        if scalar is None:
            scalar = type_
        elif type_ != scalar:
            raise VerifyException(
                f"expected scalar index {index} to have the same type as other scalar indices "
                f"('{scalar}'), got '{type_}'"
            )


class ViewOperation(pointer_accesses.MemoryOperation):
    """An operation on the tile of a view that `indices` select.

    `inbounds` (since 13.4) tells, per index dimension, that the tile is inside of the tensor.
    """

    inbounds = opt_prop_def(INBOUNDS_PROPERTY)

    def verify_access(self, view: Attribute, indices: Sequence[SSAValue], tile: SSAValue) -> None:
        """Checks tile type, indices and `inbounds` against the view."""
        assert isinstance(view, TileView)
        types = [tile_type(index) for index in indices]
        rank = view.get_index_rank()
        if len(types) != rank:
            self.fail(f"expected {rank} index operands (based on view type), got {len(types)}")
        expected = view.get_tile_type()
        if tile.type != expected:
            self.fail(
                f"expected tile type to be '{expected}' (based on view type), got '{tile.type}'"
            )
        try:
            if isinstance(view, GatherScatterViewType):
                _verify_sparse_indices(view, types)
            else:
                _verify_scalar_indices(types)
        except VerifyException as error:
            self.fail(str(error))
        if self.inbounds is not None and len(self.inbounds) != rank:
            self.fail(
                f"inbounds size ({len(self.inbounds)}) must match the number of index dimensions "
                f"({rank})"
            )


def verify_no_multicast(operation: CudaTileOperation, view: Attribute) -> None:
    """Raises `VerifyException` for a view of multicast memory, which needs multimem operations."""
    assert isinstance(view, TileView)
    if is_multicast(view.get_tensor_view()):
        operation.fail("multicast ptr_attr is not allowed")


@cuda_tile_operation
class LoadViewTkoOp(ViewOperation):
    """Loads a tile of a view. Section 8.11.3.

    Elements outside of the tensor are the view's padding value (without it: unspecified).
    """

    name = "cuda_tile.load_view_tko"

    optimization_hints = opt_prop_def(pointer_accesses.HINTS_PROPERTY)
    view = operand_def(TILE_VIEW)
    indices = var_operand_def(INTEGER_TILE)
    token = opt_operand_def(TOKEN)
    tile = result_def(TILE)
    result_token = result_def(TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SYNTAX: ClassVar = (
        ViewOrdering(),
        syntax.Operand("view"),
        syntax.Indices("indices"),
        *_ACCESS_OPTIONS,
        syntax.Type("view"),
        IndexTypes(),
        syntax.ARROW,
        syntax.Type("tile"),
        syntax.COMMA,
        pointer_accesses.TOKEN_RESULT,
    )
    RESULT_NAMES: ClassVar = ("tile", "result_token")

    def __init__(
        self,
        view: SSAValue,
        indices: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        semantics: MemoryOrderingSemantics = MemoryOrderingSemantics.WEAK,
        scope: MemoryScope | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        assert isinstance(view.type, TileView)
        super().__init__(
            operands=[view, indices, token],
            properties=pointer_accesses.memory_properties(semantics, scope, hints),
            result_types=[view.type.get_tile_type(), pointer_accesses.TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        self.verify_ordering(pointer_accesses.LOAD_SEMANTICS, "weak, relaxed, or acquire", "load")
        self.verify_access(self.view.type, self.indices, self.tile)
        verify_no_multicast(self, self.view.type)


@cuda_tile_operation
class StoreViewTkoOp(ViewOperation):
    """Stores a tile of a view; elements outside of the tensor are not written. Section 8.11.6."""

    name = "cuda_tile.store_view_tko"

    optimization_hints = opt_prop_def(pointer_accesses.HINTS_PROPERTY)
    tile = operand_def(TILE)
    view = operand_def(TILE_VIEW)
    indices = var_operand_def(INTEGER_TILE)
    token = opt_operand_def(TOKEN)
    result_token = result_def(TOKEN)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    SYNTAX: ClassVar = (
        ViewOrdering(),
        syntax.Operand("tile"),
        syntax.COMMA,
        syntax.Operand("view"),
        syntax.Indices("indices"),
        *_ACCESS_OPTIONS,
        syntax.Type("tile"),
        syntax.COMMA,
        syntax.Type("view"),
        IndexTypes(),
        syntax.ARROW,
        pointer_accesses.TOKEN_RESULT,
    )

    def __init__(
        self,
        tile: SSAValue,
        view: SSAValue,
        indices: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        semantics: MemoryOrderingSemantics = MemoryOrderingSemantics.WEAK,
        scope: MemoryScope | None = None,
        hints: OptimizationHintsAttr | None = None,
    ):
        super().__init__(
            operands=[tile, view, indices, token],
            properties=pointer_accesses.memory_properties(semantics, scope, hints),
            result_types=[pointer_accesses.TOKEN_TYPE],
        )

    def verify_operation(self) -> None:
        self.verify_ordering(pointer_accesses.STORE_SEMANTICS, "weak, relaxed, or release", "store")
        self.verify_access(self.view.type, self.indices, self.tile)
        verify_no_multicast(self, self.view.type)
