"""Padding of tiles that extend beyond their object, by a select per element; other tiles skip it.

For example:

    %p = nv_tileas.pad %t of %v[%i, %j]  ->  llvm.cond_br %inside ..
                                             ^rim: selections; of a buffer loads, stores, a fence
                                                   and a barrier around them
"""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from tileir_xdsl.analysis.layouts.buffer_accesses import vectors_of
from tileir_xdsl.analysis.threads.replication import replicating_threads
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nvvm.attributes import ProxyKind, SharedSpace
from tileir_xdsl.dialects.nvvm.fences import FenceProxyOp

from ..shared_memory.buffer_copies import read_tile, write_tile
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.register_branches import Arm, either
from ..thread.shared_buffers import SharedTile
from .convolution_addresses import ConvolutionAccess
from .element_addresses import ElementAccess
from .tile_addresses import TileAccess, tile_access
from .view_accesses import padding_constant


class LowerPad(LowerOp[nv_tileas.PadOp]):
    """Selects registers, or rewrites vectors of a buffer, if one test finds the tile partly
    outside.
    """

    def lower(self, op: nv_tileas.PadOp, rewriter: ThreadRewriter) -> None:
        buffer = rewriter.buffer(op.tile)
        if buffer is None:
            access = tile_access(op, op.tile, rewriter)
            tile = rewriter.registers(op.tile)
            padded = _on_rim(access, tile, lambda: _select(op, access, tile, rewriter), rewriter)
            rewriter.replace(op.result, tuple(padded))
            return
        layout = vectors_of(buffer.layout, rewriter.region.threads)
        access = tile_access(op, op.tile, rewriter, layout)
        _on_rim(access, (), lambda: _pad_buffer(op, access, buffer, rewriter), rewriter)
        rewriter.replace(op.result, buffer)


PaddedAccess = TileAccess | ElementAccess | ConvolutionAccess


def _on_rim(
    access: PaddedAccess, tile: Sequence[SSAValue], padded: Arm, rewriter: ThreadRewriter
) -> Sequence[SSAValue]:
    """The registers of a tile: padded if the tile extends beyond its object, otherwise
    unchanged.
    """
    if not isinstance(access, TileAccess):
        return padded()
    if not access.tested:
        return tile
    inside = access.inside()
    assert inside is not None
    return either(rewriter.builder, inside, lambda: tile, padded)


def _select(
    op: nv_tileas.PadOp, access: PaddedAccess, tile: Sequence[SSAValue], rewriter: ThreadRewriter
) -> list[SSAValue]:
    element, builder = tile_shape(op.tile.type).element, rewriter.builder
    padding = padding_constant(op, op.padding_value, element, builder)
    return [
        value if inside is None else builder.select(inside, value, padding)
        for value, inside in zip(tile, access.masks(), strict=True)
    ]


def _pad_buffer(
    op: nv_tileas.PadOp, access: PaddedAccess, buffer: SharedTile, rewriter: ThreadRewriter
) -> tuple[()]:
    """Makes each thread pad the vectors that it wrote, so that most tiles need no barrier first."""
    tile = read_tile(op, buffer, access.layout, op.tile, rewriter)
    padded = _select(op, access, tile, rewriter)
    if replicating_threads(access.layout, rewriter.region.threads):
        # Of several threads with the same vectors one stores them.
        rewriter.barrier()
    write_tile(op, padded, access.layout, buffer, rewriter, number=1)
    # A matrix unit may read it, or the next bulk copy overwrite it, by the async proxy.
    fence = FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA)
    rewriter.builder.insert_without_result(fence)
    rewriter.barrier()
    return ()


PATTERNS: Patterns = {nv_tileas.PadOp: LowerPad}
