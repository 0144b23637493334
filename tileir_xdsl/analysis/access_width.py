"""How many neighbouring elements one thread may move at once, per memory access."""

from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.divisibility import (
    DivisibilityAnalysis,
    element_bytes,
    power_of_two_divisor,
)
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileaa.memory import LoadThroughPointersOp, StoreThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.types import MemRefType, tile_shape
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


def access_width(op: AccessOp, divisibility: DivisibilityAnalysis) -> AccessWidth:
    """The widest vector whose address is provably aligned to its size."""
    tile = tile_shape(access_tile(op).type)
    if not tile.shape:
        return AccessWidth(1, 0)
    size = element_bytes(tile.element)
    if isinstance(op, LoadThroughPointersOp | StoreThroughPointersOp):
        width = _pointer_width(op.pointers, size, divisibility)
    else:
        width = _view_width(op, size, divisibility)
    limit = min(tile.shape[width.dimension], max(1, MAXIMUM_VECTOR_BYTES // size))
    return AccessWidth(max(1, min(width.elements, limit)), width.dimension)


def _pointer_width(
    pointers: SSAValue, size: int, divisibility: DivisibilityAnalysis
) -> AccessWidth:
    facts = divisibility.of(pointers)
    # The last dimension wins a tie: it is the fastest in row-major order.
    dimension = max(range(len(facts.contiguity)), key=lambda dim: (facts.contiguity[dim], dim))
    aligned = facts.divisibility[dimension] // size
    return AccessWidth(min(facts.contiguity[dimension], aligned), dimension)


def _view_width(
    op: LoadTileOp | StoreTileOp, size: int, divisibility: DivisibilityAnalysis
) -> AccessWidth:
    shape = tile_shape(access_tile(op).type).shape
    rank = len(shape)
    tiling = op.view.owner
    if not isinstance(tiling, nv_tileaa.BlockTileOp):
        return AccessWidth(1, rank - 1)
    memref = tiling.source.owner
    if not isinstance(memref, nv_tileaa.MakeMemRefOp) or memref.offset is not None:
        return AccessWidth(1, rank - 1)
    strides = _stride_divisors(memref, divisibility)
    groups = tiling.get_dim_groups()
    memref_type = memref.result.type
    assert isinstance(memref_type, MemRefType)
    contiguous = [
        i for i, group in enumerate(groups) if [memref_type.get_strides()[d] for d in group] == [1]
    ]
    if not contiguous:
        return AccessWidth(1, rank - 1)
    dimension = contiguous[-1]
    aligned = divisibility.of(memref.base).divisibility[0]
    for other, group in enumerate(groups):
        if other != dimension:
            aligned = min([aligned, *(strides[dim] * size for dim in group)])
    return AccessWidth(min(aligned // size, shape[dimension]), dimension)


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
