"""A loaded tile that several ops read stays in shared memory for all of them.

    %t = nv_tileas.tiled_load .. -> tensor<64x64xbf16>
    %b = nv_tileaa.permute %t {permutation = array<i32: 1, 0>} : ..
    %d = nv_tileas.async.dot %a, %b, %c {..}
    %e = nv_tileas.async.dot %t, %f, %g {..}
    %s = nv_tileaa.mulf %t, %h
    ->
    %t = nv_tileas.tiled_load .. -> tensor<64x64xbf16>
    %m = nv_tileas.convert_layout %t : .. -> tensor<64x64xbf16, #nv_tileas.memory<smem, ..>>
    %b = nv_tileaa.permute %m {permutation = array<i32: 1, 0>} : ..
    %d = nv_tileas.async.dot %a, %b, %c {..}
    %e = nv_tileas.async.dot %m, %f, %g {..}
    %r = nv_tileas.convert_layout %m : .. -> tensor<64x64xbf16>
    %s = nv_tileaa.mulf %r, %h

One load fills the buffer, and shape ops view its elements for each reader. Ops that compute on
registers load these from the buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.layouts.uses import LOOPS
from tileir_xdsl.builders.tiles import convert_layout
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.shared import SharedLayout

from .buffer_shapes import ShapeOp
from .kept_operands import ALONG_K, KeepOperandsInMemory, read_from_buffer
from .operand_buffers import buffer_type


@dataclass(frozen=True)
class Reader:
    """An operand that is a loaded tile, possibly after a chain of shape ops."""

    op: Operation
    index: int
    chain: tuple[ShapeOp, ...]


def readers_of(tile: SSAValue, chain: tuple[ShapeOp, ...] = ()) -> Iterator[Reader]:
    """The operands that are a tile, or the result of shape ops on the tile."""
    for use in tile.uses:
        op = use.operation
        if isinstance(op, ShapeOp):
            yield from readers_of(op.results[0], (*chain, op))
        else:
            yield Reader(op, use.index, chain)


@dataclass(frozen=True)
class KeepTileForReaders(RewritePattern):
    """Keeps a loaded tile in shared memory if a dot reads it there, also for its other readers."""

    ROOT: ClassVar = nv_tileas.TiledLoadOp
    operands: KeepOperandsInMemory

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, self.ROOT)
        # A tile that one op reads is kept without this.
        if op.tile.has_one_use() and not isinstance(next(iter(op.tile.uses)).operation, ShapeOp):
            return
        readers = () if is_buffer(op.tile.type) else tuple(readers_of(op.tile))
        if len(readers) < 2:
            return
        kept = {
            reader: layouts
            for reader in readers
            if (layouts := self.layouts(op, reader)) is not None
        }
        others = [reader for reader in readers if reader not in kept]
        # Dots that read a tile as it comes share its layout anyway.
        if not others and not any(reader.chain for reader in readers):
            return
        if kept and (not others or self.runs_ahead(op)):
            _read_from_memory(op, kept, others, rewriter)

    def layouts(self, load: nv_tileas.TiledLoadOp, reader: Reader) -> list[SharedLayout] | None:
        """The layouts of the tile and of the results of shape ops, if a dot reads shared memory;
        otherwise None.
        """
        if not isinstance(reader.op, MMAOp) or reader.index >= len(ALONG_K):
            return None
        return self.operands.layouts(reader.op, reader.index, load.tile, load, reader.chain)

    def runs_ahead(self, load: nv_tileas.TiledLoadOp) -> bool:
        """Whether the load is in a loop and can be prefetched asynchronously."""
        return isinstance(load.parent_op(), LOOPS) and self.operands.is_asynchronous(load)


def _read_from_memory(
    load: nv_tileas.TiledLoadOp,
    kept: Mapping[Reader, Sequence[SharedLayout]],
    others: Sequence[Reader],
    rewriter: PatternRewriter,
) -> None:
    """Converts a loaded tile to a buffer, which replaces the tile in all readers."""
    # All readers name the elements of one layout, which is that of the load's own shape.
    first, *_ = kept.values()
    tile = load.tile
    buffer = convert_layout(
        Builder(InsertPoint.after(load)), tile, buffer_type(tile.type, first[0])
    )
    for reader, layouts in kept.items():
        assert isinstance(reader.op, MMAOp)
        read_from_buffer(reader.op, reader.index, buffer, reader.chain, layouts, rewriter)
    for reader in kept:
        for shape_op in reversed(reader.chain):
            # Chains begin alike: the last one to be read takes the common part with it.
            if shape_op.parent is not None and not shape_op.results[0].uses:
                rewriter.erase(shape_op)
    if others:
        _load_registers(load, buffer, rewriter)


def _load_registers(
    load: nv_tileas.TiledLoadOp, buffer: SSAValue, rewriter: PatternRewriter
) -> None:
    """Loads registers from a buffer for the remaining users of a tile, before the first of them."""
    block = load.parent
    assert block is not None
    remaining = [use for use in load.tile.uses if use.operation is not buffer.owner]
    users = {block.find_ancestor_op_in_block(use.operation) for use in remaining}
    first = next(op for op in block.ops if op in users)
    registers = convert_layout(Builder(InsertPoint.before(first)), buffer, load.tile.type)
    for use in remaining:
        use.operation.operands[use.index] = registers
        rewriter.notify_op_modified(use.operation)
