"""How accesses of multicast memory move tiles."""

from dataclasses import dataclass

from xdsl.dialects.builtin import bf16, f16

from tileir_xdsl.analysis.access.access_width import addresses_of_view
from tileir_xdsl.analysis.layouts.tile_layouts import held_layout
from tileir_xdsl.analysis.threads.agent_warps import (
    THREADS_PER_WARP,
)
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileaa.multimem import MultimemTileOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.constructors import blocked, fastest_first
from tileir_xdsl.layout.linear import LinearLayout


@dataclass(frozen=True)
class PackedAccess:
    """How an access of multicast memory divides a tile of 16-bit elements, which it moves in pairs.

    `elements` is the layout of the tile, and `layout` that of the tile of pairs; both are equal
    where elements are wider.
    """

    elements: LinearLayout
    layout: LinearLayout
    packed: int


def packed_access(op: MultimemTileOp, threads: int) -> PackedAccess:
    """The layouts of an access; fails where 16-bit elements are not known to be aligned pairs."""
    tile, held = tile_shape(op.tile.type), held_layout(op, op.tile)
    if tile.element not in (f16, bf16):
        return PackedAccess(held, held, 1)
    # `multimem` has 16-bit floats as `.f16x2` and `.bf16x2` only, at multiples of 4 bytes.
    packed, position = 2, addresses_of_view(op.view, tile, DivisibilityAnalysis())
    if position.width.elements < packed:
        fail(
            op,
            f"'{op.name}' op expects pairs of {tile.element} that are known to be "
            "contiguous and aligned to 4 bytes",
        )
    order = fastest_first(len(tile.shape), position.dimension)
    halves = [
        extent // packed if dim == position.dimension else extent
        for dim, extent in enumerate(tile.shape)
    ]
    warps = threads // THREADS_PER_WARP
    elements = blocked(tile.shape, packed, warps, order=order)
    return PackedAccess(elements, blocked(halves, 1, warps, order=order), packed)
