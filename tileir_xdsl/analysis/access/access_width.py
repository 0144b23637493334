"""How many neighbouring elements one thread may move at once, per memory access."""

from dataclasses import dataclass, replace

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.values.divisibility import (
    DivisibilityAnalysis,
    element_bytes,
    power_of_two_divisor,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import (
    LoadThroughPointersOp,
    StoreThroughPointersOp,
)
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, TileShape, tile_shape
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp, StoreTileOp

AccessOp = LoadThroughPointersOp | StoreThroughPointersOp | LoadTileOp | StoreTileOp

MAXIMUM_VECTOR_BYTES = 16
"""The widest global access of one thread that every target has."""


@dataclass(frozen=True)
class AccessWidth:
    """Elements of one vector, and the tile dimension along which they lie."""

    elements: int
    dimension: int


def access_tile(op: AccessOp) -> SSAValue:
    """The tile that an access loads or stores."""
    match op:
        case LoadThroughPointersOp() | LoadTileOp():
            return op.results[0]
        case StoreThroughPointersOp():
            return op.value
        case StoreTileOp():
            return op.tile


@dataclass(frozen=True)
class AccessedAddresses:
    """Where the elements of an accessed tile are in global memory, as far as is known.

    The tile is made of aligned runs of `run` neighbours along `dimension`, each of which starts at
    a multiple of `alignment` bytes. The rows of the object itself start at multiples of
    `object_alignment` bytes, wherever a tile starts in them.
    """

    shape: tuple[int, ...]
    element_bytes: int
    dimension: int
    run: int
    alignment: int
    object_alignment: int = 1

    @property
    def width(self) -> AccessWidth:
        """The widest vector of one thread whose address is provably aligned to its size."""
        if not self.shape:
            return AccessWidth(1, 0)
        aligned = self.alignment // self.element_bytes
        limit = min(self.shape[self.dimension], max(1, MAXIMUM_VECTOR_BYTES // self.element_bytes))
        return AccessWidth(max(1, min(self.run, aligned, limit)), self.dimension)


def accessed_addresses(op: AccessOp, divisibility: DivisibilityAnalysis) -> AccessedAddresses:
    """The known facts about the addresses of a load or store."""
    tile = tile_shape(access_tile(op).type)
    if isinstance(op, LoadThroughPointersOp | StoreThroughPointersOp):
        return addresses_of_pointers(op.pointers, tile, divisibility)
    position = addresses_of_view(op.view, tile, divisibility)
    # Tiles with offsets may start at any element.
    starts_anywhere = len(getattr(op, "offsets", ())) > 0
    return replace(position, alignment=position.element_bytes) if starts_anywhere else position


def addresses_of_pointers(
    pointers: SSAValue, tile: TileShape, divisibility: DivisibilityAnalysis
) -> AccessedAddresses:
    """The known facts about the addresses in a tile of pointers."""
    size = element_bytes(tile.element)
    if not tile.shape:
        return AccessedAddresses((), size, 0, 1, size)
    facts = divisibility.of(pointers)
    # The last dimension wins a tie: it is the fastest in row-major order.
    dimension = max(range(len(facts.contiguity)), key=lambda dim: (facts.contiguity[dim], dim))
    run, aligned = facts.contiguity[dimension], facts.divisibility[dimension]
    return AccessedAddresses(tile.shape, size, dimension, run, aligned)


def addresses_of_view(
    view: SSAValue, tile: TileShape, divisibility: DivisibilityAnalysis
) -> AccessedAddresses:
    """The known facts about a tile of a view; none where the program does not show its origin."""
    shape, size = tile.shape, element_bytes(tile.element)
    unknown = AccessedAddresses(shape, size, max(0, len(shape) - 1), 1, size)
    tiling = view.owner
    if not shape or not isinstance(tiling, nv_tileaa.BlockTileOp):
        return unknown
    memref = tiling.source.owner
    if not isinstance(memref, nv_tileaa.MakeMemRefOp) or memref.offset is not None:
        return unknown
    strides = _stride_divisors(memref, divisibility)
    groups = tiling.get_dim_groups()
    memref_type = memref.result.type
    assert isinstance(memref_type, MemRefType)
    contiguous = [
        i for i, group in enumerate(groups) if [memref_type.get_strides()[d] for d in group] == [1]
    ]
    if not contiguous:
        return unknown
    dimension = contiguous[-1]
    step = power_of_two_divisor(tiling.get_tile_strides()[dimension])
    base = divisibility.of(memref.base).divisibility[0]
    rows = [
        strides[dim] * size
        for other, group in enumerate(groups)
        if other != dimension
        for dim in group
    ]
    aligned = min([base, *rows])
    return AccessedAddresses(
        shape, size, dimension, shape[dimension], min(aligned, step * size), aligned
    )


def _stride_divisors(
    memref: nv_tileaa.MakeMemRefOp, divisibility: DivisibilityAnalysis
) -> tuple[int, ...]:
    """The largest known power of two in every stride, in elements."""
    memref_type = memref.result.type
    assert isinstance(memref_type, MemRefType)
    dynamic = iter(memref.strides)
    return tuple(
        divisibility.of(next(dynamic)).divisibility[0]
        if stride == DYNAMIC_INDEX
        else power_of_two_divisor(stride)
        for stride in memref_type.get_strides()
    )
