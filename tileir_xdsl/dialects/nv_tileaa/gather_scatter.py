"""Accesses of tiles whose elements are gathered along one dimension.

The ops accept any view of a memory object; a tile has the shape of the view's tiles. Source: Tile
IR specification, type `gather_scatter_view`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import I32, IntegerAttr, IntegerType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.enumerations import PaddingValue
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    GlobalEffect,
    GlobalMemoryOpInterface,
    RegistersOpInterface,
)

from .attributes import MemScope, PaddingValueAttr
from .constraints import INTEGERS, TILES, verify_axis
from .interfaces import CopyAtomAttrInterface
from .pointer_accesses import OrderedRead, memory_order_properties
from .types import MemTokenType, TiledViewType, tile_shape
from .views import TiledAccessOp


class SparseAccessOp(TiledAccessOp, ABC):
    """Base of the accesses with an individual position for each index of one dimension.

    All coordinates count elements of the memory object, unsigned. Along `sparse_dim` the coordinate
    is a tile of rank 1, with one position for each index of the tile. Along other dimensions the
    coordinate is a scalar, the position of the tile's first element.
    """

    sparse_dim = prop_def(IntegerAttr[I32])
    copy_atom = opt_prop_def(CopyAtomAttrInterface)

    @abstractmethod
    def get_view_type(self) -> TiledViewType:
        """The type of the view that is accessed."""

    def verify_coords(self, coords: Sequence[SSAValue]) -> None:
        view, sparse = self.get_view_type(), self.sparse_dim.value.data
        verify_axis(sparse, len(coords))
        scalars = {coord.type for dim, coord in enumerate(coords) if dim != sparse}
        if len(scalars) > 1 or not all(isinstance(type, IntegerType) for type in scalars):
            raise VerifyException(
                "expects all coordinates but that of sparse_dim to have the same integer type"
            )
        positions, extent = tile_shape(coords[sparse].type), view.get_shape()[sparse]
        if positions.shape != (extent,):
            raise VerifyException(
                f"expects a rank-1 tile of {extent} positions as coordinate of dimension {sparse}, "
                f"but got {coords[sparse].type}"
            )


def _properties(
    sparse_dim: int,
    semantic: MemSemantic,
    scope: MemScope | None,
    padding_value: PaddingValue | None,
) -> dict[str, Attribute | None]:
    return {
        **memory_order_properties(semantic, scope),
        "sparse_dim": IntegerAttr(sparse_dim, i32),
        "padding_value": None if padding_value is None else PaddingValueAttr(padding_value),
    }


@irdl_op_definition
class GatherLoadOp(SparseAccessOp, RegistersOpInterface, GlobalMemoryOpInterface):
    """Loads a tile whose elements are gathered along `sparse_dim`."""

    name = "nv_tileaa.gather_load"

    view = operand_def(TiledViewType)
    coords = var_operand_def(INTEGERS)
    token = opt_operand_def(MemTokenType)
    tile = result_def(TILES)
    result_token = result_def(MemTokenType)

    traits = traits_def(OrderedRead())
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $view `[` $coords `]` "
        "(`token` `=` $token^)? attr-dict `:` type($view) `[` type($coords) `]` "
        "`->` type($tile) `,` type($result_token)"
    )

    def __init__(
        self,
        view: SSAValue,
        coords: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        sparse_dim: int,
        mem_semantic: MemSemantic = MemSemantic.WEAK,
        mem_scope: MemScope | None = None,
        padding_value: PaddingValue | None = None,
        result_type: Attribute | None = None,
    ):
        assert isinstance(view.type, TiledViewType)
        super().__init__(
            operands=[view, coords, token],
            properties=_properties(sparse_dim, mem_semantic, mem_scope, padding_value),
            result_types=[result_type or view.type.tile_type, MemTokenType()],
        )

    def get_view_type(self) -> TiledViewType:
        assert isinstance(self.view.type, TiledViewType)
        return self.view.type

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "load")

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=False, follows_scratch=True)


@irdl_op_definition
class ScatterStoreOp(SparseAccessOp, RegistersOpInterface, GlobalMemoryOpInterface):
    """Stores a tile, scattered along `sparse_dim`; at equal positions, any of the elements is
    stored.
    """

    name = "nv_tileaa.scatter_store"

    view = operand_def(TiledViewType)
    tile = operand_def(TILES)
    coords = var_operand_def(INTEGERS)
    token = opt_operand_def(MemTokenType)
    result_token = result_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "custom<MemoryOrder>($mem_semantic, $mem_scope) $tile `,` $view `[` $coords `]` "
        "(`token` `=` $token^)? attr-dict `:` type($tile) `,` type($view) `[` type($coords) `]` "
        "`->` type($result_token)"
    )

    def __init__(
        self,
        view: SSAValue,
        tile: SSAValue,
        coords: Sequence[SSAValue],
        token: SSAValue | None = None,
        *,
        sparse_dim: int,
        mem_semantic: MemSemantic = MemSemantic.WEAK,
        mem_scope: MemScope | None = None,
    ):
        super().__init__(
            operands=[view, tile, coords, token],
            properties=_properties(sparse_dim, mem_semantic, mem_scope, None),
            result_types=[MemTokenType()],
        )

    def get_view_type(self) -> TiledViewType:
        assert isinstance(self.view.type, TiledViewType)
        return self.view.type

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "store")

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True, follows_scratch=True)
