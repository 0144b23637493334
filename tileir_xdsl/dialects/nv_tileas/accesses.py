"""Loads and stores through tiles of pointers, gathered tiles of views, and copies of buffers.

Until layouts are assigned, an access without an atom has the abstract atom. Source: the TileAS
operation roster, family "tiled memops".
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    BaseAttr,
    IRDLOperation,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    ColumnEffect,
    Effects,
    GlobalEffect,
    GlobalMemoryOpInterface,
    NoScratchOpInterface,
    RegistersOpInterface,
)
from tileir_xdsl.dialects.nv_tileaa.constraints import INTEGERS, TILES
from tileir_xdsl.dialects.nv_tileaa.gather_scatter import SparseAccessOp
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import (
    LoadThroughPointersOp,
    OrderedRead,
    PointerAccessOp,
    StoreThroughPointersOp,
)
from tileir_xdsl.dialects.nv_tileaa.syntax import MemoryOrder
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType, tile_shape
from tileir_xdsl.dialects.scratch import Along, Forwarded, ScratchNeed
from tileir_xdsl.targets.atoms import CopyKind, Memory

from .atoms import AtomAttr
from .buffer_effects import created_buffer, moves
from .interfaces import (
    MemoryConsistencyOpInterface,
    PartOfTile,
    ThreadCopyOpInterface,
    TileMoveOpInterface,
    TilePartOpInterface,
    ViewPartOpInterface,
)
from .layout import LayoutAttr
from .syntax import (
    LAYOUT_KEY,
    BoxCopyAttributes,
    PointerAccessAttributes,
    SparseAccessAttributes,
)
from .tiled_memory import verify_destination
from .types import AsyncTokenType, TiledViewType, memory_of
from .verification import verified_by_signature

ORDER = "custom<MemoryOrder>($mem_semantic, $mem_scope) "
MASK = "(`mask` `=` $mask^ `:` type($mask))? "
OTHER = "(`other` `=` $other^ `:` type($other))? "
POINTER_ATTRIBUTES = (
    "custom<PointerAccessAttributes>($atom, $nv_tileas.layout, $latency) attr-dict "
)


@verified_by_signature
@irdl_op_definition
class LoadOp(LoadThroughPointersOp, RegistersOpInterface):
    """Loads through a tile of pointers; a masked-off element is `other`, or undefined without
    `other`.
    """

    name = "nv_tileas.load"

    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    value = result_def(TILES)
    result_token = opt_result_def(MemTokenType)

    custom_directives = (MemoryOrder, PointerAccessAttributes)
    assembly_format = (
        ORDER
        + "$pointers "
        + MASK
        + OTHER
        + "(`token` `=` $token^)? "
        + POINTER_ATTRIBUTES
        + "`:` type($pointers) `->` type($value) (`,` type($result_token)^)?"
    )

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        is_weak = self.mem_semantic.data is MemoryOrdering.WEAK
        return () if is_weak else (Forwarded(self.value, self.value),)


@verified_by_signature
@irdl_op_definition
class StoreOp(StoreThroughPointersOp, RegistersOpInterface):
    """Stores a tile through a tile of pointers."""

    name = "nv_tileas.store"

    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    result_token = opt_result_def(MemTokenType)

    custom_directives = (MemoryOrder, PointerAccessAttributes)
    assembly_format = (
        ORDER
        + "$pointers `,` $value "
        + MASK
        + "(`token` `=` $token^)? "
        + POINTER_ATTRIBUTES
        + "`:` type($pointers) `,` type($value) (`->` type($result_token)^)?"
    )


@irdl_op_definition
class AsyncLoadOp(
    PointerAccessOp, MemoryConsistencyOpInterface, ThreadCopyOpInterface, GlobalMemoryOpInterface
):
    """Starts to load through a tile of pointers, into a buffer if one is given."""

    name = "nv_tileas.async.load"

    pointers = operand_def(TILES)
    mask = opt_operand_def(TILES)
    other = opt_operand_def(TILES)
    token = opt_operand_def(MemTokenType)
    destination = opt_operand_def(TensorType)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    result = result_def(ValueType)

    custom_directives = (MemoryOrder, PointerAccessAttributes)
    assembly_format = (
        ORDER + "$pointers " + MASK + OTHER + "(`token` `=` $token^)? "
        "(`into` $destination^ `:` type($destination))? "
        + POINTER_ATTRIBUTES
        + "`:` type($pointers) `->` type($result)"
    )

    def verify_(self) -> None:
        assert isinstance(self.result.type, ValueType)
        tile = self.result.type.payload
        self.verify_access(self.pointers, tile, self.mask, "load")
        if self.other is not None and self.other.type != tile:
            raise VerifyException("requires the same type for other and value")
        verify_destination(self.destination, tile)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=False)


@irdl_op_definition
class AsyncStoreOp(
    PointerAccessOp, MemoryConsistencyOpInterface, RegistersOpInterface, GlobalMemoryOpInterface
):
    """Starts to store a tile through a tile of pointers."""

    name = "nv_tileas.async.store"

    pointers = operand_def(TILES)
    value = operand_def(TILES)
    mask = opt_operand_def(TILES)
    token = opt_operand_def(MemTokenType)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    result_token = result_def(AsyncTokenType)

    custom_directives = (MemoryOrder, PointerAccessAttributes)
    assembly_format = (
        ORDER
        + "$pointers `,` $value "
        + MASK
        + "(`token` `=` $token^)? "
        + POINTER_ATTRIBUTES
        + "`:` type($pointers) `,` type($value) `->` type($result_token)"
    )

    def verify_(self) -> None:
        self.verify_access(self.pointers, self.value.type, self.mask, "store")

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True)


SPARSE_ATTRIBUTES = (
    "custom<SparseAccessAttributes>($sparse_dim, $atom, $nv_tileas.layout, $in_bounds, "
    "$padding_value, $allow_tma, $latency, $copy_atom) attr-dict "
)


class SparseTileOp(SparseAccessOp, ViewPartOpInterface, RegistersOpInterface, ABC):
    """Base of the accesses that are gathered along one dimension of a view."""

    view = operand_def(nv_tileaa.TiledViewType)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)

    custom_directives = (MemoryOrder, SparseAccessAttributes)

    @property
    @abstractmethod
    def moved(self) -> SSAValue:
        """The tile in registers."""

    def get_view_type(self) -> nv_tileaa.TiledViewType:
        assert isinstance(self.view.type, nv_tileaa.TiledViewType)
        return self.view.type


@verified_by_signature
@irdl_op_definition
class GatherLoadOp(SparseTileOp, GlobalMemoryOpInterface):
    """Loads a tile whose elements are gathered along `sparse_dim`."""

    name = "nv_tileas.gather_load"

    view = operand_def(nv_tileaa.TiledViewType)
    coords = var_operand_def(INTEGERS)
    token = opt_operand_def(MemTokenType)
    tile = result_def(TILES)
    result_token = opt_result_def(MemTokenType)

    traits = traits_def(OrderedRead())
    assembly_format = (
        ORDER
        + "$view `[` $coords `]` (`token` `=` $token^)? "
        + SPARSE_ATTRIBUTES
        + "`:` type($view) `[` type($coords) `]` `->` type($tile) (`,` type($result_token)^)?"
    )

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "load")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        dimension = self.sparse_dim.value.data
        return (Along(self.coords[dimension], self.tile, dimension),)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=False, follows_scratch=True)

    @property
    def moved(self) -> SSAValue:
        return self.tile


@verified_by_signature
@irdl_op_definition
class ScatterStoreOp(SparseTileOp, GlobalMemoryOpInterface):
    """Stores a tile, scattered along `sparse_dim`; at equal positions, any of the elements is
    stored.
    """

    name = "nv_tileas.scatter_store"

    view = operand_def(nv_tileaa.TiledViewType)
    tile = operand_def(TILES)
    coords = var_operand_def(INTEGERS)
    token = opt_operand_def(MemTokenType)
    result_token = opt_result_def(MemTokenType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        ORDER
        + "$tile `,` $view `[` $coords `]` (`token` `=` $token^)? "
        + SPARSE_ATTRIBUTES
        + "`:` type($tile) `,` type($view) `[` type($coords) `]` (`->` type($result_token)^)?"
    )

    def verify_(self) -> None:
        self.verify_tile(self.view, self.coords, self.tile, "store")

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        dimension = self.sparse_dim.value.data
        return (Along(self.coords[dimension], self.tile, dimension),)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True, follows_scratch=True)

    @property
    def moved(self) -> SSAValue:
        return self.tile


COPY_PAIRS = frozenset(
    {
        (Memory.GLOBAL, Memory.REGISTER),
        (Memory.GLOBAL, Memory.SHARED),
        (Memory.REGISTER, Memory.GLOBAL),
        (Memory.REGISTER, Memory.SHARED),
        (Memory.REGISTER, Memory.TENSOR),
        (Memory.SHARED, Memory.GLOBAL),
        (Memory.SHARED, Memory.REGISTER),
        (Memory.SHARED, Memory.TENSOR),
        (Memory.TENSOR, Memory.REGISTER),
        (Memory.TENSOR, Memory.SHARED),
    }
)
"""The pairs of source and destination memory of tile copies. A copy of the last pair uses
registers.
"""

COPIED = BaseAttr(TensorType) | BaseAttr(MemRefType) | BaseAttr(TiledViewType)


class BoxCopyOp(IRDLOperation, MemoryConsistencyOpInterface, TilePartOpInterface, ABC):
    """Base of the copies of a tile to another memory."""

    source = operand_def(COPIED)
    destination = opt_operand_def(COPIED)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (BoxCopyAttributes,)
    assembly_format = (
        "$source (`into` $destination^)? custom<BoxCopyAttributes>($atom, $nv_tileas.layout) "
        "attr-dict `:` type($source) (`into` type($destination)^)? `->` type($result)"
    )

    def verify_copy(self, result: Attribute) -> None:
        """Checks the tiles and memories of the copy, and its atom."""
        source = self.source.type
        position = result if self.destination is None else self.destination.type
        if _copied_tile(source) != _copied_tile(position):
            raise VerifyException("requires the same shape and element type for source and result")
        given, wanted = memory_of(source), memory_of(position)
        if given is None or wanted is None:
            return
        if (given, wanted) not in COPY_PAIRS:
            raise VerifyException(
                "expects two memories that nv_tileas can copy between, "
                f"but got {given.name.lower()} to {wanted.name.lower()}"
            )
        row = None if self.atom is None else self.atom.copy_atom
        if row is not None and (row.source, row.destination) != (given, wanted):
            raise VerifyException(
                f"expects a copy atom from {given.name.lower()} to {wanted.name.lower()} memory"
            )

    @property
    def accessed_part(self) -> PartOfTile:
        return PartOfTile("source")


def _copied_tile(type: Attribute) -> object:
    if isinstance(type, MemRefType):
        return tile_shape(TensorType(type.get_element_type(), type.get_shape()))
    return tile_shape(type.tile_type if isinstance(type, TiledViewType) else type)


@irdl_op_definition
class CopyOp(BoxCopyOp, TileMoveOpInterface, NoScratchOpInterface):
    """Copies a tile to another memory. `destination`, if given, is the buffer of the result."""

    name = "nv_tileas.copy"

    result = result_def(COPIED)

    def verify_(self) -> None:
        self.verify_copy(self.result.type)
        if self.destination is not None and self.result.type != self.destination.type:
            raise VerifyException("requires the same type for destination and result")

    @property
    def filled(self) -> SSAValue | None:
        return self.destination

    @property
    def effects(self) -> Effects:
        created = created_buffer(self.result) if self.destination is None else None
        moved = moves(self.source, self.destination or self.result)
        return Effects(moved, columns=self._columns(), creates=created)

    def _columns(self) -> ColumnEffect | None:
        if Memory.TENSOR not in (memory_of(self.source.type), memory_of(self.result.type)):
            return None
        atom = None if self.atom is None else self.atom.copy_atom
        if atom is not None and atom.kind is CopyKind.LOAD_TENSOR_MEMORY:
            return ColumnEffect(self.source, self.result, writes=False)
        return self.destination and ColumnEffect(self.destination, self.source, writes=True)


@irdl_op_definition
class AsyncCopyOp(BoxCopyOp, RegistersOpInterface):
    """Starts a copy of a tile; the result is the asynchronous tile, or an async token."""

    name = "nv_tileas.async.copy"

    result = result_def(BaseAttr(ValueType) | BaseAttr(AsyncTokenType))

    def verify_(self) -> None:
        result = self.result.type
        if isinstance(result, ValueType):
            self.verify_copy(result.payload)
        elif self.destination is None:
            raise VerifyException("expects a destination operand where the result is a token")
        else:
            self.verify_copy(self.destination.type)
