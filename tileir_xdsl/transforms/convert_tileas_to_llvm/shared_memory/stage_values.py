"""The values of a pipeline's stage: tiles in shared memory, and scalars.

A tile of a stage is bound to its shared memory, without a copy. Every thread that uses a scalar
loads it, and one thread stores it.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ..thread.builder import Index
from ..thread.elected_thread import one_thread
from ..thread.packed_registers import from_moved, moved_type, to_moved
from ..thread.pipeline_values import Pipeline
from ..thread.program import ThreadRewriter, register_type
from ..thread.shared_buffers import SharedTile
from .buffer_copies import registers_of, write_tile


def bind_stage(
    op: Operation,
    values: Sequence[SSAValue],
    pipeline: Pipeline,
    stage: Index,
    rewriter: ThreadRewriter,
) -> None:
    """Binds values to the contents of a stage: tiles to their memory, scalars to loaded
    registers.
    """
    tiles = pipeline.stage_tiles(rewriter.builder, stage)
    for value, tile in zip(values, tiles, strict=True):
        if isinstance(value.type, TensorType):
            rewriter.replace(value, tile)
        elif value.uses:
            rewriter.replace(value, (_load_scalar(op, value, tile, rewriter),))


def _load_scalar(
    op: Operation, value: SSAValue, tile: SharedTile, rewriter: ThreadRewriter
) -> SSAValue:
    builder, type = rewriter.builder, register_type(op, value.type)
    pointer, bytes = tile.pointer(builder), tile.layout.element_bits // 8
    (loaded,) = builder.load(pointer, moved_type(type), bytes, [None], None)
    return from_moved(builder, loaded, type)


def store_tile_values(
    op: Operation,
    values: Sequence[SSAValue],
    pipeline: Pipeline,
    stage: Index,
    rewriter: ThreadRewriter,
) -> None:
    """Stores the tiles among the values to a stage that nobody reads yet."""
    number = 0
    for value, tile in zip(values, pipeline.stage_tiles(rewriter.builder, stage), strict=True):
        if isinstance(value.type, TensorType):
            layout, registers = registers_of(op, value, rewriter, number)
            number += rewriter.buffer(value) is not None
            write_tile(op, registers, layout, tile, rewriter, number)
            number += 1


def store_scalars(
    op: Operation,
    values: Sequence[SSAValue],
    pipeline: Pipeline,
    stage: Index,
    rewriter: ThreadRewriter,
) -> None:
    """Stores the scalars among the values of an op to a stage that nobody reads yet."""
    builder = rewriter.builder
    tiles = pipeline.stage_tiles(builder, stage)
    scalars = [
        (to_moved(builder, rewriter.scalar(value)), tile)
        for value, tile in zip(values, tiles, strict=True)
        if not isinstance(value.type, TensorType)
    ]
    if not scalars:
        return
    # One store: all threads have the same value, and would write the same bytes.
    with one_thread(op, rewriter):
        for value, tile in scalars:
            builder.store(tile.pointer(builder), [value], tile.layout.element_bits // 8, [None])
