"""Memory objects, tile views of them, and the accesses of one tile of a view."""

from abc import ABC
from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I1,
    I32,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    GlobalEffect,
    GlobalMemoryOpInterface,
    RegistersOpInterface,
    TileOfView,
)

from .attributes import PADDING, MemScopeAttr, MemSemanticAttr, verify_padding_type
from .constraints import TILES, verify_axis
from .interfaces import CopyAtomAttrInterface
from .pointer_accesses import OrderedRead, verify_memory_order
from .syntax import MemoryOrder
from .types import (
    MemRefType,
    MemTokenType,
    PointerType,
    TiledViewType,
    TileShape,
    tile_shape,
)


@irdl_op_definition
class MakeMemRefOp(IRDLOperation, RegistersOpInterface):
    """A strided memory object at a pointer; dynamic sizes and strides are operands.

    Sizes and strides are in elements, the optional offset is in bytes.
    """

    name = "nv_tileaa.make_memref"

    base = operand_def(PointerType)
    offset = opt_operand_def(IntegerType)
    sizes = var_operand_def(IntegerType)
    strides = var_operand_def(IntegerType)
    alias_scope = opt_prop_def(IntegerAttr[I32])
    result = result_def(MemRefType)

    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())
    traits = traits_def(Pure())
    assembly_format = (
        "$base (`offset` `=` $offset^ `:` type($offset))? "
        "(`sizes` `=` `[` $sizes^ `:` type($sizes) `]`)? "
        "(`strides` `=` `[` $strides^ `:` type($strides) `]`)? "
        "attr-dict `:` type($base) `->` type($result)"
    )

    def __init__(
        self,
        base: SSAValue,
        sizes: Sequence[SSAValue],
        strides: Sequence[SSAValue],
        result_type: MemRefType,
        offset: SSAValue | None = None,
    ):
        super().__init__(operands=[base, offset, sizes, strides], result_types=[result_type])

    def verify_(self) -> None:
        base, result = self.base.type, self.result.type
        assert isinstance(base, PointerType) and isinstance(result, MemRefType)
        memory = (base.pointee, base.address_space, base.kind)
        if memory != (result.element_type, result.address_space, result.kind):
            raise VerifyException(
                "expects a pointer with the element type, address space and kind "
                f"of {result}, but got {base}"
            )
        for what, operands, extents in (
            ("sizes", self.sizes, result.get_shape()),
            ("strides", self.strides, result.get_strides()),
        ):
            if len(operands) != extents.count(DYNAMIC_INDEX):
                raise VerifyException(
                    f"expects {extents.count(DYNAMIC_INDEX)} dynamic {what}, "
                    f"but got {len(operands)}"
                )


def dim_groups_attr(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """Lists of dimensions as an attribute."""
    return ArrayAttr(ArrayAttr(IntegerAttr(dim, i64) for dim in group) for group in groups)


def dim_groups_of(
    groups: ArrayAttr[ArrayAttr[IntegerAttr]],
) -> tuple[tuple[int, ...], ...]:
    """The lists of dimensions in an attribute."""
    return tuple(tuple(dim.value.data for dim in group) for group in groups)


def verify_tile_sizes(sizes: Sequence[int], groups: Sequence[Sequence[int]]) -> None:
    """Raises `VerifyException` unless there is one positive tile size for each dimension group."""
    if not sizes:
        raise VerifyException("expects non-empty tileSizes")
    if not groups:
        raise VerifyException("expects non-empty dimGroups")
    if len(sizes) != len(groups):
        raise VerifyException(
            "expects rank of tileSizes be equal to rank of dimGroups, but got "
            f"{len(sizes)} and {len(groups)}"
        )
    if any(size <= 0 for size in sizes):
        raise VerifyException("expects all tile size bigger than zero")


def verify_dim_groups(groups: Sequence[Sequence[int]], rank: int) -> None:
    """Raises `VerifyException` unless the groups hold dimensions below `rank`, without
    repetition.
    """
    dims = [dim for group in groups for dim in group]
    for dim in dims:
        if dims.count(dim) > 1:
            raise VerifyException(f"expects dim is being tiled only one time, but got {dim}")
        if not 0 <= dim < rank:
            raise VerifyException(f"expects dimensions of the memref in dimGroups, but got {dim}")


def verify_view_type(result: Attribute, sizes: Sequence[int], source: MemRefType) -> None:
    """Raises `VerifyException` unless `result` views tiles of these sizes of `source`."""
    if result != TiledViewType(sizes, source.element_type, source):
        raise VerifyException(
            f"expects a view of tiles of shape {list(sizes)} of {source}, but got {result}"
        )


@irdl_op_definition
class BlockTileOp(IRDLOperation, RegistersOpInterface):
    """Cuts a memory object into tiles; dimension i of a tile covers the dimensions in group i.

    The dimensions of a group count as one, row-major. Adjacent tiles start `tileStrides` elements
    apart, by default the size of a tile.
    """

    name = "nv_tileaa.block_tile"

    source = operand_def(MemRefType)
    tile_sizes = prop_def(DenseArrayBase.constr(i64), prop_name="tileSizes")
    tile_strides = opt_prop_def(DenseArrayBase.constr(i64), prop_name="tileStrides")
    dim_groups = prop_def(ArrayAttr[ArrayAttr[IntegerAttr]], prop_name="dimGroups")
    result = result_def(TiledViewType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(
        self,
        source: SSAValue,
        tile_sizes: Sequence[int],
        dim_groups: Sequence[Sequence[int]],
        tile_strides: Sequence[int] | None = None,
    ):
        memref = source.type
        assert isinstance(memref, MemRefType)
        strides = None if tile_strides is None else DenseArrayBase.from_list(i64, tile_strides)
        super().__init__(
            operands=[source],
            properties={
                "tileSizes": DenseArrayBase.from_list(i64, tile_sizes),
                "tileStrides": strides,
                "dimGroups": dim_groups_attr(dim_groups),
            },
            result_types=[TiledViewType(tile_sizes, memref.element_type, memref)],
        )

    def get_tile_sizes(self) -> tuple[int, ...]:
        return tuple(int(size) for size in self.tile_sizes.get_values())

    def get_tile_strides(self) -> tuple[int, ...]:
        """The distance between the starts of adjacent tiles, in elements, for each dimension of a
        tile.
        """
        strides = self.tile_sizes if self.tile_strides is None else self.tile_strides
        return tuple(int(stride) for stride in strides.get_values())

    def get_dim_groups(self) -> tuple[tuple[int, ...], ...]:
        return dim_groups_of(self.dim_groups)

    def with_smaller_tiles(self, sizes: Sequence[int]) -> "BlockTileOp":
        """The same memory object, cut into smaller tiles.

        Along dimensions with smaller tiles, the tiles of this op must be adjacent, and the new
        tiles are. Along other dimensions the strides do not change.
        """
        strides = None
        if self.tile_strides is not None:
            pairs = zip(self.get_tile_sizes(), self.get_tile_strides(), sizes, strict=True)
            strides = [stride if size == now else now for size, stride, now in pairs]
        return BlockTileOp(self.source, sizes, self.get_dim_groups(), strides)

    def verify_(self) -> None:
        sizes, groups = self.get_tile_sizes(), self.get_dim_groups()
        verify_tile_sizes(sizes, groups)
        source = self.source.type
        assert isinstance(source, MemRefType)
        verify_dim_groups(groups, len(source.shape))
        strides = self.get_tile_strides()
        if len(strides) != len(sizes):
            raise VerifyException(f"expects {len(sizes)} tileStrides, but got {len(strides)}")
        if any(stride <= 0 for stride in strides):
            raise VerifyException("expects all tile strides bigger than zero")
        verify_view_type(self.result.type, sizes, source)


@irdl_op_definition
class GetDimSizeOp(IRDLOperation, RegistersOpInterface):
    """The size of a memory object along one dimension, in elements."""

    name = "nv_tileaa.get_dim_size"

    source = operand_def(MemRefType)
    axis = prop_def(IntegerAttr[I32])
    result = result_def(IntegerType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(self, source: SSAValue, axis: int, result_type: Attribute):
        super().__init__(
            operands=[source],
            properties={"axis": IntegerAttr(axis, i32)},
            result_types=[result_type],
        )

    def verify_(self) -> None:
        source = self.source.type
        assert isinstance(source, MemRefType)
        verify_axis(self.axis.value.data, len(source.shape))


MAX_TILE_ELEMENTS = 0x1000000


def verify_moved_tile(tile: TileShape, expected: TileShape) -> None:
    """Raises `VerifyException` unless a tile has the shape and element type of a view's tiles, and
    is valid.
    """
    if prod(tile.shape) != prod(expected.shape):
        raise VerifyException("requires the same size for tileSize and tensor")
    if tile.shape != expected.shape:
        raise VerifyException("requires the same shape for tileSize and tensor value")
    if tile.element != expected.element:
        raise VerifyException(
            "view elementType not equal with tensor element type: "
            f"{expected.element} != {tile.element}"
        )
    if any(extent <= 0 for extent in tile.shape):
        raise VerifyException(f"all dimensions must be positive constants, got {list(tile.shape)}")
    if any(extent & (extent - 1) for extent in tile.shape):
        raise VerifyException(f"all dimensions must be powers of two, got {list(tile.shape)}")
    if prod(tile.shape) >= MAX_TILE_ELEMENTS:
        raise VerifyException(f"tile would exceed the maximum of {MAX_TILE_ELEMENTS} elements")


class TiledAccessOp(IRDLOperation, ABC):
    """Base of the accesses of one tile of a view.

    A coordinate counts tiles. Loaded elements outside the memory object are `padding_value`, a word
    or a scalar of their type, or undefined without `padding_value`. A store does not write elements
    outside.
    """

    mem_semantic = prop_def(MemSemanticAttr)
    mem_scope = opt_prop_def(MemScopeAttr)
    in_bounds = opt_prop_def(DenseArrayBase.constr(I1(1)))
    padding_value = opt_prop_def(PADDING)
    allow_tma = opt_prop_def(IntegerAttr[I1])
    latency = opt_prop_def(IntegerAttr[I32])

    custom_directives = (MemoryOrder,)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def verify_tile(
        self, view: SSAValue, coords: Sequence[SSAValue], tile: SSAValue, access: str
    ) -> None:
        """Checks that an access moves a whole tile of its view, with one coordinate per
        dimension.
        """
        verify_memory_order(access, self.mem_semantic, self.mem_scope)
        view_type = view.type
        assert isinstance(view_type, TiledViewType)
        rank = len(view_type.shape)
        if len(coords) != rank:
            raise VerifyException(f"expects {rank} coordinates, but got {len(coords)}")
        self.verify_coords(coords)
        verify_moved_tile(tile_shape(tile.type), tile_shape(view_type.tile_type))
        verify_padding_type(self.padding_value, view_type.element_type)
        if self.in_bounds is not None and len(self.in_bounds) != rank:
            raise VerifyException(
                f"incorrect number of in_bounds elements: expected {rank}, "
                f"but found {len(self.in_bounds)}"
            )

    def verify_coords(self, coords: Sequence[SSAValue]) -> None:
        """Checks the types of the coordinates."""
        if len({coord.type for coord in coords}) > 1:
            raise VerifyException("expects all coordinates to have the same type")


class LoadTileOp(TiledAccessOp, GlobalMemoryOpInterface, ABC):
    """Base of the tile loads with their operands. Each subclass defines results, the tile first."""

    view = operand_def(TiledViewType)
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)

    traits = traits_def(OrderedRead())

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.results[0], "load")

    @property
    def global_effect(self) -> GlobalEffect | None:
        tile = TileOfView(self.view, self.coords, self.results[0])
        return GlobalEffect(self.token, writes=False, tile=tile)


class StoreTileOp(TiledAccessOp, GlobalMemoryOpInterface, ABC):
    """Base of the tile stores, with their operands."""

    view = operand_def(TiledViewType)
    tile = operand_def(TILES)
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "store")

    @property
    def global_effect(self) -> GlobalEffect | None:
        tile = TileOfView(self.view, self.coords, self.tile)
        return GlobalEffect(self.token, writes=True, tile=tile)


@irdl_op_definition
class TiledLoadOp(LoadTileOp, RegistersOpInterface):
    """Loads one tile of a view."""

    name = "nv_tileaa.tiled_load"

    copy_atom = opt_prop_def(CopyAtomAttrInterface)
    tile = result_def(TILES)
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $view `[` $coords `]` "
        "(`token` `=` $token^)? attr-dict `:` type($view) `[` type($coords) `]` "
        "`->` type($tile) `,` type($result_token)"
    )


@irdl_op_definition
class TiledStoreOp(StoreTileOp, RegistersOpInterface):
    """Stores one tile of a view."""

    name = "nv_tileaa.tiled_store"

    copy_atom = opt_prop_def(CopyAtomAttrInterface)
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $tile `,` $view `[` $coords `]` "
        "(`token` `=` $token^)? attr-dict `:` type($tile) `,` type($view) `[` type($coords) `]` "
        "`->` type($result_token)"
    )
