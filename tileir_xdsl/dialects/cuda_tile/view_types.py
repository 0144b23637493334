"""The view types of `cuda_tile`: how the tiles of a tensor are indexed.

Source: Tile IR specification, type system; `strided_view` and `gather_scatter_view` since 13.3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.cuda_tile import types
from tileir_xdsl.dialects.cuda_tile.enums import PaddingValueAttr
from tileir_xdsl.dialects.cuda_tile.parsing import expect, expect_keyword
from tileir_xdsl.dialects.enumerations import PaddingValue

_INT32_MAX = 2**31 - 1


class TileView(ParametrizedAttribute, TypeAttribute, ABC):
    """A view that cuts a tensor into tiles; its index space has one dimension per tile dimension.

    `tile_shape` is the shape of every tile; elements outside of the tensor load as `padding_value`
    (None: unspecified).
    """

    @abstractmethod
    def get_tile_shape(self) -> tuple[int, ...]:
        """Shape of the tile that one index selects."""

    @abstractmethod
    def get_tensor_view(self) -> types.TensorViewType:
        """Type of the tensor below."""

    @abstractmethod
    def get_padding_value(self) -> PaddingValue | None:
        """Value of elements outside of the tensor."""

    def get_tile_type(self) -> types.TileType:
        """Type of a loaded or stored tile."""
        return types.TileType(self.get_tile_shape(), self.get_tensor_view().element_type)

    def get_index_rank(self) -> int:
        """Number of indices of a load or store."""
        return len(self.get_tile_shape())


def _verify_view_tile(shape: Sequence[int]) -> None:
    if any(dim <= 0 for dim in shape):
        raise VerifyException(
            f"tile shape dimensions must have positive length but got {types.bracketed(shape)}"
        )
    if not all(map(types.is_power_of_two, shape)):
        raise VerifyException(
            f"tile shape dimensions must have power of two length but got {types.bracketed(shape)}"
        )


def _verify_view_ranks(shape: Sequence[int], tensor_rank: int) -> None:
    if not shape:
        raise VerifyException("0-dimension tile shape is not supported")
    if tensor_rank != len(shape):
        raise VerifyException(
            "expected tensor_view rank and tile rank to match, got tensor_view of rank "
            f"{tensor_rank} and tiles of rank {len(shape)}"
        )


def _verify_dim_map(dim_map: Sequence[int], tensor_rank: int) -> None:
    mapped: dict[int, int] = {}
    for tile_dim, target in enumerate(dim_map):
        if target < 0:
            raise VerifyException(f"target dimension must not be negative, got {target}")
        if target >= tensor_rank:
            raise VerifyException(
                "target dimension is outside of tensor view dimensions, "
                f"expected strictly less than {tensor_rank}, got {target}"
            )
        if target in mapped:
            raise VerifyException(
                f"target dimension {target} mapped at least twice "
                f"(for tile dimensions {mapped[target]} and {tile_dim})"
            )
        mapped[target] = tile_dim


def _verify_padding(padding: Attribute, element_type: Attribute) -> None:
    if not isinstance(padding, PaddingValueAttr) or padding.data is PaddingValue.ZERO:
        return
    if not types.is_float_element(element_type):
        raise VerifyException(
            f"padding_value {padding.data.value} can only be used with floating point element "
            f"types, got '{element_type}'"
        )


def _verify_mapped_view(
    tile_shape: Sequence[int], tensor_view: types.TensorViewType, dim_map: Sequence[int]
) -> None:
    _verify_view_ranks(tile_shape, tensor_view.get_num_dims())
    if len(dim_map) != len(tile_shape):
        raise VerifyException(
            f"expected dim_map to map exactly all {len(tile_shape)} dimensions of the tile, "
            f"got {len(dim_map)} mappings"
        )
    _verify_view_tile(tile_shape)
    _verify_dim_map(dim_map, tensor_view.get_num_dims())


def _padding_attr(padding: PaddingValue | None) -> PaddingValueAttr | NoneAttr:
    return NoneAttr() if padding is None else PaddingValueAttr(padding)


def _padding_value(padding: Attribute) -> PaddingValue | None:
    return padding.data if isinstance(padding, PaddingValueAttr) else None


@irdl_attr_definition
class PartitionViewType(TileView):
    """`partition_view<tile=(4x8), [padding_value = zero, ]TENSOR_VIEW[, dim_map=[1, 0]]>`.

    Tiles are adjacent: along dimension i of the index space there are ceil(size of tensor dimension
    dim_map[i] / tile_shape[i]) tiles.
    """

    name = "cuda_tile.partition_view"

    tile_shape: ArrayAttr[IntAttr]
    tensor_view: types.TensorViewType
    dim_map: ArrayAttr[IntAttr]
    padding_value: PaddingValueAttr | NoneAttr

    def __init__(
        self,
        tile_shape: Sequence[int],
        tensor_view: types.TensorViewType,
        dim_map: Sequence[int] | None = None,
        padding_value: PaddingValue | None = None,
    ):
        dims = range(len(tile_shape)) if dim_map is None else dim_map
        super().__init__(
            types.int_array(tile_shape),
            tensor_view,
            types.int_array(dims),
            _padding_attr(padding_value),
        )

    def get_tile_shape(self) -> tuple[int, ...]:
        return types.ints(self.tile_shape)

    def get_tensor_view(self) -> types.TensorViewType:
        return self.tensor_view

    def get_dim_map(self) -> tuple[int, ...]:
        """Tensor dimension of every tile dimension."""
        return types.ints(self.dim_map)

    def get_padding_value(self) -> PaddingValue | None:
        return _padding_value(self.padding_value)

    def verify(self) -> None:
        _verify_mapped_view(self.get_tile_shape(), self.tensor_view, self.get_dim_map())
        types.verify_tile_shape(self.get_tile_shape(), self.tensor_view.element_type)
        _verify_padding(self.padding_value, self.tensor_view.element_type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_short(parser).parameters

    @classmethod
    def parse_short(cls, parser: AttrParser) -> PartitionViewType:
        """Parses what follows the mnemonic."""
        position = parser.pos
        expect(parser, "<")
        tile_shape = _parse_tile_shape(parser)
        expect(parser, ",")
        padding = _parse_optional_padding(parser)
        tensor_view = _parse_tensor_view(parser)
        dim_map = _parse_optional_dim_map(parser)
        expect(parser, ">")
        return types.checked(
            parser, position, lambda: cls(tile_shape, tensor_view, dim_map, padding)
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"tile=({'x'.join(map(str, self.get_tile_shape()))}), ")
            _print_padding(printer, self.padding_value)
            types.print_type(printer, self.tensor_view)
            _print_dim_map(printer, self.get_dim_map())


@irdl_attr_definition
class StridedViewType(TileView):
    """`strided_view<tile=(4x8), traversal_strides=[4,3], [padding_value = .., ]TENSOR_VIEW[, ..]>`.

    Neighbouring tiles start `traversal_strides[i]` elements apart along tile dimension i: they
    overlap or leave gaps. Along this dimension there are ceil(size / traversal stride) tiles.
    """

    name = "cuda_tile.strided_view"

    tile_shape: ArrayAttr[IntAttr]
    traversal_strides: ArrayAttr[IntAttr]
    tensor_view: types.TensorViewType
    dim_map: ArrayAttr[IntAttr]
    padding_value: PaddingValueAttr | NoneAttr

    def __init__(
        self,
        tile_shape: Sequence[int],
        traversal_strides: Sequence[int],
        tensor_view: types.TensorViewType,
        dim_map: Sequence[int] | None = None,
        padding_value: PaddingValue | None = None,
    ):
        dims = range(len(tile_shape)) if dim_map is None else dim_map
        super().__init__(
            types.int_array(tile_shape),
            types.int_array(traversal_strides),
            tensor_view,
            types.int_array(dims),
            _padding_attr(padding_value),
        )

    def get_tile_shape(self) -> tuple[int, ...]:
        return types.ints(self.tile_shape)

    def get_traversal_strides(self) -> tuple[int, ...]:
        """Elements between the starts of neighbouring tiles, one per tile dimension."""
        return types.ints(self.traversal_strides)

    def get_tensor_view(self) -> types.TensorViewType:
        return self.tensor_view

    def get_dim_map(self) -> tuple[int, ...]:
        """Tensor dimension of every tile dimension."""
        return types.ints(self.dim_map)

    def get_padding_value(self) -> PaddingValue | None:
        return _padding_value(self.padding_value)

    def verify(self) -> None:
        tile_shape, strides = self.get_tile_shape(), self.get_traversal_strides()
        _verify_mapped_view(tile_shape, self.tensor_view, self.get_dim_map())
        if len(strides) != len(tile_shape):
            raise VerifyException(
                f"expected {len(tile_shape)} traversal strides, got {len(strides)}"
            )
        if any(stride <= 0 for stride in strides):
            raise VerifyException(
                f"traversal strides must be strictly positive but got {types.bracketed(strides)}"
            )
        types.verify_tile_shape(tile_shape, self.tensor_view.element_type)
        _verify_padding(self.padding_value, self.tensor_view.element_type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_short(parser).parameters

    @classmethod
    def parse_short(cls, parser: AttrParser) -> StridedViewType:
        """Parses what follows the mnemonic."""
        position = parser.pos
        expect(parser, "<")
        tile_shape = _parse_tile_shape(parser)
        expect(parser, ",")
        expect_keyword(parser, "traversal_strides")
        expect(parser, "=")
        strides = _parse_int_list(parser)
        expect(parser, ",")
        padding = _parse_optional_padding(parser)
        tensor_view = _parse_tensor_view(parser)
        dim_map = _parse_optional_dim_map(parser)
        expect(parser, ">")
        return types.checked(
            parser, position, lambda: cls(tile_shape, strides, tensor_view, dim_map, padding)
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            strides = ",".join(map(str, self.get_traversal_strides()))
            printer.print_string(
                f"tile=({'x'.join(map(str, self.get_tile_shape()))}), "
                f"traversal_strides=[{strides}], "
            )
            _print_padding(printer, self.padding_value)
            types.print_type(printer, self.tensor_view)
            _print_dim_map(printer, self.get_dim_map())


@irdl_attr_definition
class GatherScatterViewType(TileView):
    """`gather_scatter_view<tile=(8x8), [padding_value = .., ]TENSOR_VIEW, sparse_dim=0>`.

    Along `sparse_dim`, the index is a tile of rank 1: an index per row. The other indices are
    scalars.
    """

    name = "cuda_tile.gather_scatter_view"

    tile_shape: ArrayAttr[IntAttr]
    tensor_view: types.TensorViewType
    sparse_dim: IntAttr
    padding_value: PaddingValueAttr | NoneAttr

    def __init__(
        self,
        tile_shape: Sequence[int],
        tensor_view: types.TensorViewType,
        sparse_dim: int,
        padding_value: PaddingValue | None = None,
    ):
        super().__init__(
            types.int_array(tile_shape),
            tensor_view,
            IntAttr(sparse_dim),
            _padding_attr(padding_value),
        )

    def get_tile_shape(self) -> tuple[int, ...]:
        return types.ints(self.tile_shape)

    def get_tensor_view(self) -> types.TensorViewType:
        return self.tensor_view

    def get_padding_value(self) -> PaddingValue | None:
        return _padding_value(self.padding_value)

    def verify(self) -> None:
        tile_shape, rank = self.get_tile_shape(), self.tensor_view.get_num_dims()
        _verify_view_ranks(tile_shape, rank)
        _verify_view_tile(tile_shape)
        if self.sparse_dim.data >= rank:
            raise VerifyException(
                "gather dimension is outside of tensor view dimensions, "
                f"expected strictly less than {rank}, got {self.sparse_dim.data}"
            )
        types.verify_tile_shape(tile_shape, self.tensor_view.element_type)
        _verify_padding(self.padding_value, self.tensor_view.element_type)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_short(parser).parameters

    @classmethod
    def parse_short(cls, parser: AttrParser) -> GatherScatterViewType:
        """Parses what follows the mnemonic."""
        position = parser.pos
        expect(parser, "<")
        tile_shape = _parse_tile_shape(parser)
        expect(parser, ",")
        padding = _parse_optional_padding(parser)
        tensor_view = _parse_tensor_view(parser)
        expect(parser, ",")
        expect_keyword(parser, "sparse_dim")
        expect(parser, "=")
        sparse_dim = parser.parse_integer(allow_boolean=False, allow_negative=False)
        expect(parser, ">")
        return types.checked(
            parser, position, lambda: cls(tile_shape, tensor_view, sparse_dim, padding)
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"tile=({'x'.join(map(str, self.get_tile_shape()))}), ")
            _print_padding(printer, self.padding_value)
            types.print_type(printer, self.tensor_view)
            printer.print_string(f", sparse_dim={self.sparse_dim.data}")


def _parse_tile_shape(parser: AttrParser) -> list[int]:
    expect_keyword(parser, "tile")
    expect(parser, "=")
    expect(parser, "(")
    position = parser.pos
    shape = parser.parse_dimension_list()
    for index, dim in enumerate(shape):
        if not 0 < dim <= _INT32_MAX:
            parser.raise_error(
                f"tile dimension {index} exceeds i32 limitations (got {dim}, expected strictly "
                f"positive and less than or equal to {_INT32_MAX})",
                position,
            )
    expect(parser, ")")
    return shape


def _parse_optional_padding(parser: AttrParser) -> PaddingValue | None:
    if not parser.parse_optional_keyword("padding_value"):
        return None
    expect(parser, "=")
    position = parser.pos
    name = parser.parse_optional_identifier() or ""
    if name not in list(PaddingValue):
        parser.raise_error(
            f'invalid padding_value attribute specification. Got "{name}" but expect one of: '
            f"{', '.join(PaddingValue)}",
            position,
        )
    expect(parser, ",")
    return PaddingValue(name)


def _parse_tensor_view(parser: AttrParser) -> types.TensorViewType:
    position = parser.pos
    type_ = types.parse_type(parser)
    if not isinstance(type_, types.TensorViewType):
        parser.raise_error(f"expected 'tensor_view' type, but got '{type_}'", position)
    return type_


def _parse_int_list(parser: AttrParser) -> list[int]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
    )


def _parse_optional_dim_map(parser: AttrParser) -> list[int] | None:
    if not parser.parse_optional_punctuation(","):
        return None
    expect_keyword(parser, "dim_map")
    expect(parser, "=")
    return _parse_int_list(parser)


def _print_padding(printer: Printer, padding: Attribute) -> None:
    if isinstance(padding, PaddingValueAttr):
        printer.print_string(f"padding_value = {padding.data.value}, ")


def _print_dim_map(printer: Printer, dim_map: Sequence[int]) -> None:
    if tuple(dim_map) != tuple(range(len(dim_map))):
        printer.print_string(f", dim_map={types.bracketed(dim_map)}")


types.SHORT_TYPES["partition_view"] = PartitionViewType.parse_short
types.SHORT_TYPES["strided_view"] = StridedViewType.parse_short
types.SHORT_TYPES["gather_scatter_view"] = GatherScatterViewType.parse_short
