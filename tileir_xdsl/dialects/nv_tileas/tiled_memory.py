"""Accesses of one tile of a view, with a copy atom and a layout.

    %a, %t1 = nv_tileas.tiled_load weak %v[%i, %j] token = %t {atom = #nv_tileas<atom ldg_128>}
              : V[index, index] -> tensor<128x64xf16>, !nv_tileaa.mem_token

Until layouts are assigned, an access without an atom has the abstract atom. A buffer is accessed as
a whole, without coordinates. A load or store of a view may have a mask: masked-off elements are not
accessed. Source: the TileAS operation roster, "Tiled Memop Operand/Result Tables".
"""

from abc import ABC
from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    TensorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    BaseAttr,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.lazy_definition import irdl_op_definition
from tileir_xdsl.dialects.memory_effects import (
    Effects,
    GlobalEffect,
    GlobalMemoryOpInterface,
    NoScratchOpInterface,
    RegistersOpInterface,
    SharedMemoryOpInterface,
    TileOfView,
)
from tileir_xdsl.dialects.nv_tileaa.atomics import (
    FLOAT_ELEMENTS,
    INTEGER_ELEMENTS,
    WORD_ELEMENTS,
)
from tileir_xdsl.dialects.nv_tileaa.attributes import verify_padding_type
from tileir_xdsl.dialects.nv_tileaa.constraints import TILES
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import verify_memory_order
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType, TileShape, tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import (
    LoadTileOp,
    StoreTileOp,
    TiledAccessOp,
    verify_moved_tile,
)
from tileir_xdsl.dialects.scratch import Forwarded, ScratchNeed
from tileir_xdsl.targets.atoms import CopyKind, Memory

from .atoms import LOAD_KINDS, REDUCE_KINDS, STORE_KINDS, AtomAttr, verify_access_atom
from .attributes import RMWMode, RMWModeAttr
from .buffer_effects import buffer_reads, moves
from .interfaces import (
    MemoryConsistencyOpInterface,
    ThreadCopyOpInterface,
    ThreadMovesOpInterface,
    ViewPartOpInterface,
)
from .layout import LayoutAttr, verify_access_layout, verify_register_layout
from .syntax import (
    LAYOUT_KEY,
    AtomicAttributes,
    TiledAccessAttributes,
    TiledMemoryOrder,
    TokenOperand,
)
from .types import AsyncTokenType, TiledViewType, is_handle, memory_of
from .verification import verified_by_signature

VIEW = (
    BaseAttr(nv_tileaa.TiledViewType)
    | BaseAttr(TiledViewType)
    | BaseAttr(MemRefType)
    | BaseAttr(TensorType)
)
"""The accessed object: a view, or a buffer as a whole."""

MASKABLE_KINDS = (CopyKind.LOAD_GLOBAL, CopyKind.STORE_GLOBAL)
"""The kinds of atoms that can omit single elements."""

COORDINATE = BaseAttr(IntegerType) | BaseAttr(IndexType)
TOKEN = BaseAttr(MemTokenType) | BaseAttr(AsyncTokenType)

ATTRIBUTES = (
    "custom<TiledAccessAttributes>"
    "($atom, $nv_tileas.layout, $in_bounds, $padding_value, $allow_tma, $latency) attr-dict "
)
PLACE = (
    "(`[` $coords^ `]`)? (`offset` `[` $offsets^ `]`)? custom<TokenOperand>($token, type($token)) "
)
MASK = "(`mask` `=` $mask^ `:` type($mask))? "
PLACE_TYPES = "(`[` type($coords)^ `]`)? "
ORDER = "custom<TiledMemoryOrder>($mem_semantic, $mem_scope) "


class TiledMemoryOp(TiledAccessOp, ViewPartOpInterface, ABC):
    """Base of the tiled accesses, with their common checks."""

    def operand_groups(self) -> list[tuple[SSAValue, ...]]:
        """The operands of each definition, in order."""
        sizes = self.properties["operandSegmentSizes"]
        assert isinstance(sizes, DenseArrayBase)
        operands = iter(self.operands)
        return [tuple(islice(operands, int(size))) for size in sizes.iter_values()]

    def verify_tiled_access(
        self,
        view: Attribute,
        coords: Sequence[SSAValue],
        offsets: Sequence[SSAValue],
        tile: Attribute,
    ) -> None:
        """Checks the coordinates, the tile, the atom, bounds and padding of one access."""
        if memory_of(view) is Memory.REGISTER:
            raise VerifyException(
                f"expects a view or a buffer in memory, but got {view}, which is in registers"
            )
        viewed = viewed_tile(view)
        rank = len(viewed.shape)
        wanted = 0 if isinstance(view, MemRefType | TensorType) else rank
        if len(coords) != wanted:
            raise VerifyException(f"expects {wanted} coordinates, but got {len(coords)}")
        self.verify_coords(coords)
        if offsets and len(offsets) != rank:
            raise VerifyException(f"expects {rank} offsets or none, but got {len(offsets)}")
        verify_moved_tile(tile_shape(tile), viewed)
        verify_register_layout(tile)
        verify_access_layout(self.properties.get(LAYOUT_KEY), rank)
        verify_atom_rank(self.properties.get("atom"), rank)
        self._verify_bounds(rank, viewed.element)

    def _verify_bounds(self, rank: int, element: Attribute) -> None:
        in_bounds, padding = self.in_bounds, self.padding_value
        inside = None if in_bounds is None else in_bounds.get_values()
        if inside is not None and len(inside) != rank:
            raise VerifyException(
                f"incorrect number of in_bounds elements: expected {rank}, but found {len(inside)}"
            )
        if padding is None:
            return
        if inside is not None and all(inside) and rank:
            raise VerifyException("inbounds must be false when paddingValue is set")
        verify_padding_type(padding, element)


EMPTY: Mapping[str, Attribute] = MappingProxyType({})


class MaskedAccessOp(TiledMemoryOp, ABC):
    """Base of the accesses that may have a mask, as the last operand."""

    WITHOUT_MASK: ClassVar[int]
    """The number of operand segments without that of the mask."""

    def __init__(
        self, *, operands: Sequence[SSAValue | Sequence[SSAValue] | None], **parts: Any
    ) -> None:
        unmasked = len(operands) == self.WITHOUT_MASK
        super().__init__(operands=[*operands, None] if unmasked else operands, **parts)

    @classmethod
    def create(cls, *, properties: Mapping[str, Attribute] = EMPTY, **parts: Any) -> Self:
        """Creates an op; `operandSegmentSizes` may lack the segment of the mask."""
        sizes = properties.get("operandSegmentSizes")
        if isinstance(sizes, DenseArrayBase) and len(sizes) == cls.WITHOUT_MASK:
            complete = DenseArrayBase.from_list(i32, [*sizes.get_values(), 0])
            properties = {**properties, "operandSegmentSizes": complete}
        return super().create(properties=properties, **parts)

    def verify_mask(self, view: Attribute, tile: Attribute, masks: Sequence[SSAValue]) -> None:
        """Checks that a mask has a bit for each element, and that the access supports masks."""
        for mask in masks:
            if not isinstance(view, nv_tileaa.TiledViewType | TiledViewType):
                raise VerifyException(f"expects a masked access to be of a view, but got {view}")
            if tile_shape(mask.type) != TileShape(tile_shape(tile).shape, i1):
                raise VerifyException(f"expects a mask of i1 elements with the shape of {tile}")
            if memory_of(view) not in (None, Memory.GLOBAL):
                raise VerifyException("expects a masked access to be of global memory")
            atom = self.properties.get("atom")
            row = atom.copy_atom if isinstance(atom, AtomAttr) else None
            if row is not None and row.kind not in MASKABLE_KINDS:
                raise VerifyException(
                    "expects an atom that can omit single elements (a plain load or "
                    f"store of global memory), but got {row.kind.value}"
                )


def viewed_tile(view: Attribute) -> TileShape:
    """Shape and element type of a tile of a view, or of a whole buffer."""
    match view:
        case nv_tileaa.TiledViewType() | TiledViewType():
            return TileShape(view.get_shape(), view.element_type)
        case MemRefType() | TensorType():
            return TileShape(view.get_shape(), view.get_element_type())
        case _:
            return tile_shape(view)


def verify_atom_rank(atom: Attribute | None, rank: int) -> None:
    """Raises `VerifyException` if an atom moves boxes of a rank other than `rank`."""
    row = atom.copy_atom if isinstance(atom, AtomAttr) else None
    if row is not None and row.box_rank and row.box_rank != rank:
        raise VerifyException("tmaBoxDim and atomBoxDim length mismatch")


def verify_tokens(tokens: Sequence[SSAValue], results: Sequence[SSAValue]) -> None:
    """Raises `VerifyException` unless each token operand has a result token of the same type."""
    if len(tokens) != len(results):
        raise VerifyException(
            "requires a result token if and only if a token is given, "
            f"but got {len(tokens)} tokens "
            f"and {len(results)} result tokens"
        )
    if any(token.type != result.type for token, result in zip(tokens, results, strict=False)):
        raise VerifyException("requires the same type for token and result token")


@verified_by_signature
@irdl_op_definition
class TiledLoadOp(MaskedAccessOp, LoadTileOp, ThreadMovesOpInterface, SharedMemoryOpInterface):
    """Loads one tile of a view, or a whole buffer.

    Coordinates count tiles; offsets are added, and count elements. A masked-off element, like an
    element out of bounds, is the padding value, or unspecified.
    """

    name = "nv_tileas.tiled_load"

    WITHOUT_MASK: ClassVar[int] = 4

    view = operand_def(VIEW)
    coords = var_operand_def(COORDINATE)
    offsets = var_operand_def(IndexType)
    token = opt_operand_def(TOKEN)
    mask = opt_operand_def(TILES)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    tile = result_def(TILES)
    result_token = opt_result_def(TOKEN)

    custom_directives = (TiledMemoryOrder, TokenOperand, TiledAccessAttributes)
    assembly_format = (
        ORDER
        + "$view "
        + PLACE
        + MASK
        + ATTRIBUTES
        + "`:` type($view) "
        + PLACE_TYPES
        + "`->` type($tile) (`,` type($result_token)^)?"
    )

    def verify_(self) -> None:
        verify_memory_order("load", self.mem_semantic, self.mem_scope)
        (view,), coords, offsets, tokens, masks = self.operand_groups()
        tile, *result_tokens = self.results
        self.verify_tiled_access(view.type, coords, offsets, tile.type)
        self.verify_mask(view.type, tile.type, masks)
        verify_tokens(tokens, result_tokens)
        verify_access_atom(self.atom, memory_of(view.type), LOAD_KINDS)

    @property
    def effects(self) -> Effects:
        return Effects(buffer_reads(self.view))

    @property
    def moved_tiles(self) -> Sequence[tuple[SSAValue, SSAValue | None]]:
        return ((self.view, self.tile),)

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        is_alone = self.mem_semantic.data is MemSemantic.WEAK or is_handle(self.view.type)
        return () if is_alone else (Forwarded(self.tile, self.tile),)

    @property
    def global_effect(self) -> GlobalEffect | None:
        if is_handle(self.view.type):
            return None
        tile = TileOfView(self.view, self.coords, self.tile, self.offsets)
        return GlobalEffect(self.token, writes=False, tile=tile)


@verified_by_signature
@irdl_op_definition
class TiledStoreOp(MaskedAccessOp, StoreTileOp, NoScratchOpInterface):
    """Stores one tile of a view, or a whole buffer. Coordinates and offsets as in `tiled_load`.

    A masked-off element is not written.
    """

    name = "nv_tileas.tiled_store"

    WITHOUT_MASK: ClassVar[int] = 5

    view = operand_def(VIEW)
    tile = operand_def(TILES)
    coords = var_operand_def(COORDINATE)
    offsets = var_operand_def(IndexType)
    token = opt_operand_def(TOKEN)
    mask = opt_operand_def(TILES)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    result_token = opt_result_def(TOKEN)

    custom_directives = (TiledMemoryOrder, TokenOperand, TiledAccessAttributes)
    assembly_format = (
        ORDER
        + "$tile `,` $view "
        + PLACE
        + MASK
        + ATTRIBUTES
        + "`:` type($tile) `,` type($view) "
        + PLACE_TYPES
        + "(`->` type($result_token)^)?"
    )

    def verify_(self) -> None:
        verify_memory_order("store", self.mem_semantic, self.mem_scope)
        (view,), (tile,), coords, offsets, tokens, masks = self.operand_groups()
        self.verify_tiled_access(view.type, coords, offsets, tile.type)
        self.verify_mask(view.type, tile.type, masks)
        verify_tokens(tokens, self.results)
        verify_access_atom(self.atom, memory_of(view.type), STORE_KINDS)

    @property
    def effects(self) -> Effects:
        return Effects(moves(self.tile, self.view))

    @property
    def global_effect(self) -> GlobalEffect | None:
        if is_handle(self.view.type):
            return None
        tile = TileOfView(self.view, self.coords, self.tile, self.offsets)
        return GlobalEffect(self.token, writes=True, tile=tile)


@irdl_op_definition
class AsyncTiledLoadOp(
    TiledMemoryOp, MemoryConsistencyOpInterface, ThreadCopyOpInterface, GlobalMemoryOpInterface
):
    """Starts to load one tile of a view, into a buffer if one is given."""

    name = "nv_tileas.async.tiled_load"

    view = operand_def(VIEW)
    coords = var_operand_def(COORDINATE)
    offsets = var_operand_def(IndexType)
    token = opt_operand_def(TOKEN)
    destination = opt_operand_def(TensorType)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)
    result = result_def(ValueType)

    custom_directives = (TiledMemoryOrder, TokenOperand, TiledAccessAttributes)
    assembly_format = (
        ORDER
        + "$view "
        + PLACE
        + "(`into` $destination^ `:` type($destination))? "
        + ATTRIBUTES
        + "`:` type($view) "
        + PLACE_TYPES
        + "`->` type($result)"
    )

    def verify_(self) -> None:
        assert isinstance(self.result.type, ValueType)
        verify_memory_order("load", self.mem_semantic, self.mem_scope)
        tile = self.result.type.payload
        (view,), coords, offsets, _, destinations = self.operand_groups()
        self.verify_tiled_access(view.type, coords, offsets, tile)
        verify_access_atom(self.atom, memory_of(view.type), LOAD_KINDS)
        for destination in destinations:
            verify_destination(destination, tile)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=False)


def verify_destination(destination: SSAValue | None, tile: Attribute) -> None:
    """Raises `VerifyException` unless a destination buffer has the shape of the tile."""
    if destination is not None and tile_shape(destination.type) != tile_shape(tile):
        raise VerifyException(
            f"expects a destination buffer with the shape and elements of {tile}, but got "
            f"{destination.type}"
        )


class TiledAtomicOp(TiledMemoryOp, RegistersOpInterface, GlobalMemoryOpInterface, ABC):
    """Base of the atomic accesses: each element x becomes `rmw_mode(x, value)`."""

    view = operand_def(VIEW)
    value = operand_def(TILES)
    coords = var_operand_def(COORDINATE)
    token = opt_operand_def(MemTokenType)
    rmw_mode = prop_def(RMWModeAttr)
    atom = opt_prop_def(AtomAttr)
    layout = opt_prop_def(LayoutAttr, prop_name=LAYOUT_KEY)

    custom_directives = (TiledMemoryOrder, TokenOperand, AtomicAttributes)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_atomic(self, old: Attribute) -> None:
        """Checks the order, the tiles and the modification of the access."""
        weak = self.mem_semantic.data == MemSemantic.WEAK
        if weak and self.mem_scope is not None:
            raise VerifyException("memScope not supported when memSemantic is weak")
        if not weak and self.mem_scope is None:
            raise VerifyException("memScope required when memSemantic is not weak")
        (view,), (value,), coords, _ = self.operand_groups()
        self.verify_tiled_access(view.type, coords, (), value.type)
        if memory_of(view.type) not in (None, Memory.GLOBAL):
            raise VerifyException(f"expects a view of global memory, but got {view.type}")
        if tile_shape(old) != tile_shape(value.type):
            raise VerifyException("requires the same shape and element type for value and result")
        verify_modification(self.rmw_mode.data, tile_shape(old).element)
        verify_access_atom(self.atom, memory_of(view.type), REDUCE_KINDS)

    @property
    def global_effect(self) -> GlobalEffect:
        return GlobalEffect(self.token, writes=True)


ATOMIC = (
    ORDER + "$value `,` $view (`[` $coords^ `]`)? custom<TokenOperand>($token, type($token)) "
    "custom<AtomicAttributes>($rmw_mode, $atom, $nv_tileas.layout, $in_bounds, $padding_value, "
    "$allow_tma, $latency) attr-dict `:` type($value) `,` type($view) "
) + PLACE_TYPES


ELEMENTS = (*INTEGER_ELEMENTS, *FLOAT_ELEMENTS)
MODIFIED: dict[RMWMode, tuple[Attribute, ...]] = {
    **dict.fromkeys(RMWMode, INTEGER_ELEMENTS),
    **dict.fromkeys((RMWMode.ADD, RMWMode.MIN, RMWMode.MAX), ELEMENTS),
    RMWMode.ADDF: FLOAT_ELEMENTS,
    **dict.fromkeys((RMWMode.XCHG, RMWMode.CMPXCHG), WORD_ELEMENTS),
}
"""The element types that each modification supports."""


def verify_modification(mode: RMWMode, element: Attribute) -> None:
    """Raises `VerifyException` unless the modification supports this element type."""
    if isinstance(element, IntegerType):
        bits = element.width.data
    else:
        bits = element.bitwidth if isinstance(element, AnyFloat) else 0
    if bits == 8:
        raise VerifyException("tiled_atomic_rmw not supported for 8-bit types")
    if bits == 16 and isinstance(element, IntegerType):
        raise VerifyException("tiled_atomic_rmw not supported for 16-bit integer")
    if bits == 16 and mode not in (RMWMode.ADD, RMWMode.MAX, RMWMode.MIN):
        raise VerifyException(
            "tiled_atomic_rmw for 16-bit float only supports add, max, min operations"
        )
    if element not in ELEMENTS:
        raise VerifyException(f"tiled_atomic_rmw not supported for {element}")
    if element not in MODIFIED[mode]:
        raise VerifyException(f"tiled_atomic_rmw op cannot use {mode} operation on {element}")


@verified_by_signature
@irdl_op_definition
class TiledAtomicRMWOp(TiledAtomicOp):
    """Modifies one tile of a view, each element atomically; the result is the old tile."""

    name = "nv_tileas.tiled_atomic_rmw"

    old = result_def(TILES)
    result_token = opt_result_def(MemTokenType)

    assembly_format = ATOMIC + "`->` type($old) (`,` type($result_token)^)?"

    def verify_(self) -> None:
        self.verify_atomic(self.old.type)

    @property
    def scratch(self) -> Sequence[ScratchNeed]:
        return (Forwarded(self.value, self.old),)


@irdl_op_definition
class AsyncTiledAtomicRMWOp(TiledAtomicOp, MemoryConsistencyOpInterface):
    """Starts to modify one tile of a view."""

    name = "nv_tileas.async.tiled_atomic_rmw"

    result = result_def(ValueType)

    assembly_format = ATOMIC + "`->` type($result)"

    def verify_(self) -> None:
        assert isinstance(self.result.type, ValueType)
        self.verify_atomic(self.result.type.payload)
