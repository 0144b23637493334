"""Tensor views and the tile views on them; their loads and stores are in `view_access`.

Source: Tile IR specification, section 8.11 (views).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure

from tileir_xdsl.dialects.cuda_tile.enums import PointerKindAttr
from tileir_xdsl.dialects.cuda_tile.interfaces import (
    INTEGER_SCALAR,
    POINTER_SCALAR,
    TENSOR_VIEW,
    TILE_VIEW,
    CudaTileOperation,
    cuda_tile_operation,
    type_of,
)
from tileir_xdsl.dialects.cuda_tile.parsing import expect, expect_keyword
from tileir_xdsl.dialects.cuda_tile.syntax import (
    ATTRIBUTES,
    COLON,
    Directive,
    Operand,
    ParsedOperation,
    custom_error,
    parse_types,
    print_types,
)
from tileir_xdsl.dialects.cuda_tile.types import (
    DYNAMIC,
    PointerType,
    TensorViewType,
    TileType,
    parse_type,
    print_type,
)
from tileir_xdsl.dialects.cuda_tile.view_types import (
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TileView,
)


def _is_pointer_tile(type_: Attribute) -> bool:
    return isinstance(type_, TileType) and isinstance(type_.element_type, PointerType)


class _Extents(Directive):
    """The extents of a tensor view, and the types.

    , shape = [32, %n], strides = [%s, 1] : [tile<iN> -> ]tensor_view<..>
    """

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        expect(parser, ",")
        shape = self._parse_list(parser, state.name, "shape")
        expect(parser, ",")
        strides = self._parse_list(parser, state.name, "strides")
        state.attributes.update(parser.parse_optional_attr_dict())
        expect(parser, ":")
        position = parser.pos
        prefix = parse_types(parser)
        view = parse_type(parser) if parser.parse_optional_punctuation("->") else prefix.pop()
        if not isinstance(view, TensorViewType):
            custom_error(parser, state.name, f"expected tensor_view, got '{view}'", position)
        base: Attribute = TileType([], PointerType(view.element_type))
        if prefix and _is_pointer_tile(prefix[0]):
            base = prefix.pop(0)
        dynamic_shape = self._dynamic(parser, state.name, "shape", shape, view.get_shape())
        dynamic_strides = self._dynamic(parser, state.name, "stride", strides, view.get_strides())
        index_type = prefix[0] if len(prefix) == 1 else None
        if index_type is None and (prefix or dynamic_shape or dynamic_strides):
            parser.raise_error("expected '->'", position)
        state.types["base"] = (base,)
        state.operands["dynamic_shape"] = dynamic_shape
        state.operands["dynamic_strides"] = dynamic_strides
        if index_type is not None:
            state.types["dynamic_shape"] = (index_type,) * len(dynamic_shape)
            state.types["dynamic_strides"] = (index_type,) * len(dynamic_strides)
        state.types["result"] = (view,)

    @staticmethod
    def _parse_list(parser: Parser, name: str, keyword: str) -> list[UnresolvedOperand | int]:
        expect_keyword(parser, keyword, name)
        expect(parser, "=")

        def element() -> UnresolvedOperand | int:
            value = parser.parse_optional_integer(allow_boolean=False)
            if value is not None:
                return value
            operand = parser.parse_optional_unresolved_operand()
            if operand is None:
                custom_error(parser, name, "expected either integer or SSA value")
            return operand

        return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, element)

    @staticmethod
    def _dynamic(
        parser: Parser,
        name: str,
        what: str,
        given: Sequence[UnresolvedOperand | int],
        expected: Sequence[int],
    ) -> list[UnresolvedOperand]:
        """The SSA values among `given`, which must agree with the extents of the view type."""
        if len(given) != len(expected):
            custom_error(
                parser,
                name,
                f"expected {what} declaration to contain {len(expected)} elements due to "
                f"tensor_view type, but {len(given)} were provided",
            )
        for index, (value, extent) in enumerate(zip(given, expected, strict=True)):
            got = value if isinstance(value, int) else DYNAMIC
            if got != extent:
                words = ["dynamic" if v == DYNAMIC else str(v) for v in (extent, got)]
                custom_error(
                    parser,
                    name,
                    f"input {what} dimension {index} does not match tensor_view type "
                    f"(expected {words[0]}, got {words[1]})",
                )
        return [value for value in given if not isinstance(value, int)]

    def print(self, printer: Printer, operation: Operation) -> None:
        assert isinstance(operation, MakeTensorViewOp)
        view = operation.view_type
        for keyword, extents, values in (
            ("shape", view.get_shape(), operation.dynamic_shape),
            ("strides", view.get_strides(), operation.dynamic_strides),
        ):
            printer.print_string(f", {keyword} = [")
            dynamic = iter(values)

            def print_extent(extent: int, dynamic: Iterator[SSAValue] = dynamic) -> None:
                if extent == DYNAMIC:
                    printer.print_ssa_value(next(dynamic))
                else:
                    printer.print_string(str(extent))

            printer.print_list(extents, print_extent)
            printer.print_string("]")
        printer.print_op_attributes(operation.attributes)
        printer.print_string(" : ")
        prefix = [operation.base.type] if isinstance(view.kind, PointerKindAttr) else []
        if dynamic := [*operation.dynamic_shape, *operation.dynamic_strides]:
            prefix.append(dynamic[0].type)
        if prefix:
            print_types(printer, prefix)
            printer.print_string(" -> ")
        print_type(printer, view)

    def describe(self) -> str:
        return (
            ", shape = [N|%dynamic_shape, ..], strides = [N|%dynamic_strides, ..] ({..})? "
            ": (tile<iN> ->)? type(%result)"
        )


@cuda_tile_operation
class MakeTensorViewOp(CudaTileOperation):
    """A tensor view from a base pointer, its sizes, and its strides in elements. Section 8.11.5.

    Sizes and strides that the type does not fix are operands, read as unsigned.
    """

    name = "cuda_tile.make_tensor_view"

    base = operand_def(POINTER_SCALAR)
    dynamic_shape = var_operand_def(INTEGER_SCALAR)
    dynamic_strides = var_operand_def(INTEGER_SCALAR)
    result = result_def(TENSOR_VIEW)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(NoMemoryEffect())
    SYNTAX: ClassVar = (Operand("base"), _Extents())
    RESULT_NAMES: ClassVar = ("tview",)

    def __init__(
        self,
        base: SSAValue,
        dynamic_shape: Sequence[SSAValue],
        dynamic_strides: Sequence[SSAValue],
        result_type: TensorViewType,
    ):
        super().__init__(
            operands=[base, dynamic_shape, dynamic_strides], result_types=[result_type]
        )

    @property
    def view_type(self) -> TensorViewType:
        """Type of the view."""
        assert isinstance(self.result.type, TensorViewType)
        return self.result.type

    def verify_operation(self) -> None:
        view = self.view_type
        assert isinstance(self.base.type, TileType)
        pointer = self.base.type.element_type
        assert isinstance(pointer, PointerType)
        if pointer.pointee_type != view.element_type:
            self.fail(
                f"expected pointer to '{view.element_type}' to build tensor_view of this type, "
                f"got '{pointer.pointee_type}'"
            )
        for what, extents, values in (
            ("shape", view.get_shape(), self.dynamic_shape),
            ("stride", view.get_strides(), self.dynamic_strides),
        ):
            if (count := extents.count(DYNAMIC)) != len(values):
                self.fail(f"expected {count} dynamic {what} operands, got {len(values)}")
        first = [value.type for value in (*self.dynamic_shape, *self.dynamic_strides)][:1]
        for what, values in (("shape", self.dynamic_shape), ("stride", self.dynamic_strides)):
            for index, value in enumerate(values):
                if value.type != first[0]:
                    self.fail(
                        f"expected dynamic {what} index {index} to be of the same type as the "
                        f"other dynamic values ('{first[0]}'), got '{value.type}'"
                    )


@dataclass(frozen=True)
class _ViewType(Directive):
    """Syntax of the result type, an instance of `view`, from which the type of the tensor view
    follows.
    """

    view: type[TileView]

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        position = parser.pos
        type_ = parse_type(parser)
        if not isinstance(type_, self.view):
            expected = self.view.name.removeprefix("cuda_tile.")
            custom_error(
                parser, state.name, f"expected '{expected}' type, but got '{type_}'", position
            )
        state.types["result"] = (type_,)
        state.types["tensor_view"] = (type_.get_tensor_view(),)

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(" ")
        print_type(printer, operation.results[0].type)

    def describe(self) -> str:
        return "type(%result)"


class MakeViewOperation(CudaTileOperation):
    """A view that cuts a tensor view into tiles."""

    tensor_view = operand_def(TENSOR_VIEW)
    result = result_def(TILE_VIEW)

    traits = traits_def(Pure())

    def __init__(self, tensor_view: SSAValue, result_type: TileView):
        super().__init__(operands=[tensor_view], result_types=[result_type])

    def verify_operation(self) -> None:
        view = self.result.type
        assert isinstance(view, TileView)
        if self.tensor_view.type != view.get_tensor_view():
            self.fail(
                "expected the type of the provided tensor_view value "
                f"('{self.tensor_view.type}') to be the same as the view's tensor_view type "
                f"('{view.get_tensor_view()}')"
            )


@cuda_tile_operation
class MakePartitionViewOp(MakeViewOperation):
    """A view of adjacent tiles. Section 8.11.4."""

    name = "cuda_tile.make_partition_view"

    result = result_def(type_of("partition view type", PartitionViewType))

    SYNTAX: ClassVar = (Operand("tensor_view"), ATTRIBUTES, COLON, _ViewType(PartitionViewType))
    RESULT_NAMES: ClassVar = ("pview",)


@cuda_tile_operation
class MakeStridedViewOp(MakeViewOperation):
    """A view of tiles whose distance may differ from their size."""

    name = "cuda_tile.make_strided_view"

    result = result_def(type_of("strided view type", StridedViewType))

    SYNTAX: ClassVar = (Operand("tensor_view"), ATTRIBUTES, COLON, _ViewType(StridedViewType))
    RESULT_NAMES: ClassVar = ("sview",)
    SINCE: ClassVar = "13.3"


@cuda_tile_operation
class MakeGatherScatterViewOp(MakeViewOperation):
    """A view of tiles whose rows along one dimension have individual indices."""

    name = "cuda_tile.make_gather_scatter_view"

    result = result_def(type_of("gather/scatter view type", GatherScatterViewType))

    SYNTAX: ClassVar = (Operand("tensor_view"), ATTRIBUTES, COLON, _ViewType(GatherScatterViewType))
    RESULT_NAMES: ClassVar = ("gsview",)
    SINCE: ClassVar = "13.3"


class _ShapeTypes(Directive):
    """`T(src) -> tile<iN>`: one type for all results; the source type determines their number."""

    def parse(self, parser: Parser, state: ParsedOperation) -> None:
        position = parser.pos
        source = parse_type(parser)
        if state.name == GetTensorShapeOp.name:
            if not isinstance(source, TensorViewType):
                custom_error(parser, state.name, f"expected tensor_view, got '{source}'", position)
            rank = source.get_num_dims()
        else:
            if not isinstance(source, TileView):
                custom_error(parser, state.name, f"expected tile view, got '{source}'", position)
            rank = source.get_index_rank()
        expect(parser, "->")
        state.types["src"] = (source,)
        state.types["result"] = (parse_type(parser),) * rank

    def print(self, printer: Printer, operation: Operation) -> None:
        printer.print_string(" ")
        print_type(printer, operation.operands[0].type)
        if operation.results:
            printer.print_string(" -> ")
            print_type(printer, operation.results[0].type)

    def describe(self) -> str:
        return "type(%src) -> type(%result)"


@cuda_tile_operation
class GetTensorShapeOp(CudaTileOperation):
    """The sizes of a tensor, read as unsigned. Section 8.11.2."""

    name = "cuda_tile.get_tensor_shape"

    src = operand_def(TENSOR_VIEW)
    result = var_result_def(INTEGER_SCALAR)

    traits = traits_def(NoMemoryEffect())
    SYNTAX: ClassVar = (Operand("src"), COLON, _ShapeTypes())

    def __init__(self, src: SSAValue, result_type: TileType):
        assert isinstance(src.type, TensorViewType)
        super().__init__(operands=[src], result_types=[[result_type] * src.type.get_num_dims()])

    def verify_operation(self) -> None:
        assert isinstance(self.src.type, TensorViewType)
        rank = self.src.type.get_num_dims()
        if len(self.results) != rank:
            self.fail(f"expected {rank} results due to tensor rank, but got {len(self.results)}")


@cuda_tile_operation
class GetIndexSpaceShapeOp(CudaTileOperation):
    """The number of tiles along every dimension of a view, read as unsigned. Section 8.11.1."""

    name = "cuda_tile.get_index_space_shape"

    src = operand_def(TILE_VIEW)
    result = var_result_def(INTEGER_SCALAR)

    traits = traits_def(NoMemoryEffect())
    SYNTAX: ClassVar = (Operand("src"), COLON, _ShapeTypes())

    def __init__(self, src: SSAValue, result_type: TileType):
        assert isinstance(src.type, TileView)
        super().__init__(operands=[src], result_types=[[result_type] * src.type.get_index_rank()])

    def verify_operation(self) -> None:
        assert isinstance(self.src.type, TileView)
        rank = self.src.type.get_index_rank()
        if len(self.results) != rank:
            self.fail(
                f"expected {rank} results due to view index space rank, but got {len(self.results)}"
            )
