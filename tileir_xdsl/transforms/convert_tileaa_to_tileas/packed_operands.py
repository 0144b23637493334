"""Converts four-bit operands to bytes that pack two elements each, for dots that read bytes.

    %u = nv_tileas.reinterpret %x : tensor<8192xi8> -> tensor<16384xf4E2M1FN>
    %a = nv_tileas.view %u : tensor<16384xf4E2M1FN> to tensor<128x128xf4E2M1FN>
    ->
    %a = nv_tileas.view %x : tensor<8192xi8> to tensor<128x64xi8>

If an operand was unpacked from bytes, the dot reads these bytes, whose load can then be pipelined
through shared memory. Other operands are packed.
"""

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import TensorType, i8
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

VIEWS = (nv_tileas.ViewOp, nv_tileaa.ViewOp)
BYTES = (nv_tileas.ReinterpretOp, nv_tileaa.UnpackOp)


def packed_operands(
    a: SSAValue, b: SSAValue, rewriter: PatternRewriter
) -> tuple[SSAValue, SSAValue]:
    """The packed bytes of A and B; elements that share a byte are neighbours along K.

    Args:
        a: M x K, after the extents of a batch.
        b: K x N, after the extents of a batch.
        rewriter: inserts the ops before the dot.
    """
    packed = _pack(_transposed(b, rewriter), rewriter)
    return _pack(a, rewriter), _transposed(packed, rewriter)


def erase_unpacked(tile: SSAValue, rewriter: PatternRewriter) -> None:
    """Erases unused ops that unpacked or reshaped a dot's operand."""
    while isinstance(tile.owner, (nv_tileaa.PermuteOp, *VIEWS, *BYTES)) and not tile.uses:
        source = tile.owner.source
        rewriter.erase(tile.owner)
        tile = source


def _transposed(tile: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """Exchanges the last two dimensions of a tile."""
    rank = len(tile_shape(tile.type).shape)
    order = (*range(rank - 2), rank - 1, rank - 2)
    if isinstance(tile.owner, nv_tileaa.PermuteOp) and tile.owner.get_permutation() == order:
        return tile.owner.source
    return rewriter.insert(nv_tileaa.PermuteOp(tile, order)).result


def _pack(tile: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """Packs each two neighbouring elements of a row into a byte."""
    *outer, columns = tile_shape(tile.type).shape
    octets = _octets_of(tile)
    if octets is None:
        size = columns * prod(outer)
        row = _view(tile, (size,), rewriter)
        octets = nv_tileas.ReinterpretOp(row, TensorType(i8, [size // 2])).result
        rewriter.insert(octets.owner)
    return _view(octets, (*outer, columns // 2), rewriter)


def _octets_of(tile: SSAValue) -> SSAValue | None:
    """The bytes from which a tile was unpacked; None for other tiles."""
    while isinstance(tile.owner, VIEWS) and _is_whole(tile.owner):
        tile = tile.owner.source
    unpacked = tile.owner
    if not isinstance(unpacked, BYTES) or tile_shape(unpacked.source.type).element != i8:
        return None
    octets = unpacked.source
    # Where a view of another shape would only be undone.
    while isinstance(octets.owner, VIEWS) and _is_whole(octets.owner):
        octets = octets.owner.source
    return octets


def _is_whole(op: nv_tileas.ViewOp | nv_tileaa.ViewOp) -> bool:
    """Whether a view only changes the shape, without an offset."""
    return isinstance(op, nv_tileaa.ViewOp) or (len(op.operands) == 1 and op.offset is None)


def _view(tile: SSAValue, shape: Sequence[int], rewriter: PatternRewriter) -> SSAValue:
    """Reshapes a tile, unless it already has the shape."""
    row = tile_shape(tile.type)
    if row.shape == tuple(shape):
        return tile
    return rewriter.insert(nv_tileas.ViewOp(tile, TensorType(row.element, shape))).result
