"""Memory objects, tile views of them, and the accesses of one tile of a view."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I1,
    I32,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from .attributes import MemScopeAttr, MemSemanticAttr, PaddingValueAttr
from .memory import verify_memory_order
from .syntax import MemoryOrder
from .types import MemRefType, MemTokenType, PointerType, TiledViewType, tile_shape


@irdl_op_definition
class MakeMemRefOp(IRDLOperation):
    """A strided memory object behind a pointer; dynamic sizes and strides are operands.

    Sizes and strides count elements, the optional offset counts bytes.
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
        if base.pointee != result.element_type or base.address_space != result.address_space:
            raise VerifyException(f"expects a pointer to the elements of {result}, but got {base}")
        for what, operands, extents in (
            ("sizes", self.sizes, result.get_shape()),
            ("strides", self.strides, result.get_strides()),
        ):
            if len(operands) != extents.count(DYNAMIC_INDEX):
                raise VerifyException(
                    f"expects {extents.count(DYNAMIC_INDEX)} dynamic {what}, "
                    f"but got {len(operands)}"
                )


@irdl_op_definition
class BlockTileOp(IRDLOperation):
    """Cuts a memory object into tiles; dimension i of a tile walks the dimensions in group i."""

    name = "nv_tileaa.block_tile"

    source = operand_def(MemRefType)
    tile_sizes = prop_def(DenseArrayBase.constr(i64), prop_name="tileSizes")
    dim_groups = prop_def(ArrayAttr[ArrayAttr[IntegerAttr]], prop_name="dimGroups")
    result = result_def(TiledViewType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def __init__(
        self, source: SSAValue, tile_sizes: Sequence[int], dim_groups: Sequence[Sequence[int]]
    ):
        memref = source.type
        assert isinstance(memref, MemRefType)
        super().__init__(
            operands=[source],
            properties={
                "tileSizes": DenseArrayBase.from_list(i64, tile_sizes),
                "dimGroups": ArrayAttr(
                    ArrayAttr(IntegerAttr(dim, i64) for dim in group) for group in dim_groups
                ),
            },
            result_types=[TiledViewType(tile_sizes, memref.element_type, memref)],
        )

    def get_tile_sizes(self) -> tuple[int, ...]:
        return tuple(int(size) for size in self.tile_sizes.get_values())

    def get_dim_groups(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(dim.value.data for dim in group) for group in self.dim_groups)

    def verify_(self) -> None:
        sizes, groups = self.get_tile_sizes(), self.get_dim_groups()
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
        source, result = self.source.type, self.result.type
        assert isinstance(source, MemRefType) and isinstance(result, TiledViewType)
        dims = [dim for group in groups for dim in group]
        for dim in dims:
            if dims.count(dim) > 1:
                raise VerifyException(f"expects dim is being tiled only one time, but got {dim}")
            if not 0 <= dim < len(source.shape):
                raise VerifyException(f"expects a dimension of the memref, but got {dim}")
        if result != TiledViewType(sizes, source.element_type, source):
            raise VerifyException(f"expects a view of the tiles of {source}, but got {result}")


class TiledAccessOp(IRDLOperation, ABC):
    """Base of the accesses of one tile of a view.

    A coordinate counts tiles. Elements outside the memory object are not touched; a load gives
    them `padding_value`, or leaves them undefined without it.
    """

    mem_semantic = prop_def(MemSemanticAttr)
    mem_scope = opt_prop_def(MemScopeAttr)
    in_bounds = opt_prop_def(DenseArrayBase.constr(I1(1)))
    padding_value = opt_prop_def(PaddingValueAttr)
    allow_tma = opt_prop_def(IntegerAttr[I1])
    latency = opt_prop_def(IntegerAttr[I32])

    custom_directives = (MemoryOrder,)
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def verify_tile(
        self, view: SSAValue, coords: Sequence[SSAValue], tile: SSAValue, access: str
    ) -> None:
        """Checks that one access moves a whole tile of its view, at one coordinate a dimension."""
        verify_memory_order(access, self.mem_semantic, self.mem_scope)
        view_type = view.type
        assert isinstance(view_type, TiledViewType)
        rank = len(view_type.shape)
        if len(coords) != rank:
            raise VerifyException(f"expects {rank} coordinates, but got {len(coords)}")
        if len({coord.type for coord in coords}) > 1:
            raise VerifyException("expects coordinates of one type")
        if tile_shape(tile.type) != tile_shape(view_type.tile_type):
            raise VerifyException("requires the same shape for tileSize and tensor value")
        if self.in_bounds is not None and len(self.in_bounds) != rank:
            raise VerifyException(
                f"incorrect number of in_bounds elements: expected {rank}, "
                f"but found {len(self.in_bounds)}"
            )


class LoadTileOp(TiledAccessOp, ABC):
    """Base of the tile loads: what they take. Each load defines its results, the tile first."""

    view = operand_def(TiledViewType)
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)

    traits = traits_def(MemoryReadEffect())

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.results[0], "load")


class StoreTileOp(TiledAccessOp, ABC):
    """Base of the tile stores: what they take."""

    view = operand_def(TiledViewType)
    tile = operand_def()
    coords = var_operand_def(IntegerType)
    token = opt_operand_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "store")


@irdl_op_definition
class TiledLoadOp(LoadTileOp):
    """Loads one tile of a view."""

    name = "nv_tileaa.tiled_load"

    tile = result_def()
    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $view `[` $coords `]` "
        "(`token` `=` $token^)? attr-dict `:` type($view) `[` type($coords) `]` "
        "`->` type($tile) `,` type($result_token)"
    )


@irdl_op_definition
class TiledStoreOp(StoreTileOp):
    """Stores one tile of a view."""

    name = "nv_tileaa.tiled_store"

    result_token = result_def(MemTokenType)

    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $tile `,` $view `[` $coords `]` "
        "(`token` `=` $token^)? attr-dict `:` type($tile) `,` type($view) `[` type($coords) `]` "
        "`->` type($result_token)"
    )
