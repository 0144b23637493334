"""Block scales that a loop loads stay in shared memory; hardware copies them to tensor memory.

    scf.for .. {                                  scf.for .. {
      %s = nv_tileas.tiled_load ..                  %b = nv_tileas.alloc_tensor : S
      %t = nv_tileas.tiled_load ..           ->     %v = nv_tileas.async.tiled_load .. into %b ..
      %u = nv_tileaa.permute %t ..                  %s = nv_tileas.async.future_wait %v
      %d = async.dot %x, %y, %acc, %s, %u           .. the same for %t, and %u a view of its buffer
                                                    %d = async.dot %x, %y, %acc, %s, %u

`tcgen05.cp` copies scales to tensor memory if they are in the order of its columns
(`layout.scale_factors`). A program may keep scales in that order in global memory, and permute them
to rows by shape ops; TMA then loads the scales unchanged. Row-major scales are rearranged by the
copy to shared memory: `cp.async` writes each word, four bytes of a row, to its position.

`mma.sync` reads scales from registers. Scales that TMA loads unchanged stay in shared memory, too,
and a conversion right before the dot loads them to registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.access_width import addresses_of_view
from tileir_xdsl.analysis.access.fragment_loads import reads_in_steps
from tileir_xdsl.analysis.access.tma_access import tma_problem
from tileir_xdsl.analysis.layouts.uses import FIRST_SCALE, LOOPS
from tileir_xdsl.analysis.mma.scale_copies import reads_tensor_memory_scales
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.builders.tiles import allocate, convert_layout, wait_for
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering, PaddingValue
from tileir_xdsl.dialects.nv_tileaa.attributes import padding_of
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.scale_factors import (
    before_renaming,
    identity,
    renamed,
    scale_buffer,
    scale_copies,
)
from tileir_xdsl.layout.shared import SharedLayout, boxes_of, shared
from tileir_xdsl.layout.tensor_memory import SCALES_PER_WORD
from tileir_xdsl.targets import Feature, Target

from .buffer_shapes import ShapeOp, reshaped_layout, shape_chain
from .operand_buffers import buffer_type, on_buffer
from .pointer_operands import start_copy

SCALE_BITS = 8


@dataclass(frozen=True)
class ScaleOperand:
    """Loaded scales, and the layout of their buffer."""

    load: nv_tileas.TiledLoadOp
    chain: Sequence[ShapeOp]
    layouts: Sequence[SharedLayout]
    """The layouts of the loaded tile, and of the result of each op in the chain."""
    by_threads: bool
    """Whether threads copy the scales, instead of TMA."""


def scale_operand(
    op: MMAOp, number: int, divisibility: DivisibilityAnalysis, target: Target
) -> ScaleOperand | None:
    """How an operand of scales stays in shared memory; None if it must go through registers."""
    operand = op.operands[number]
    if not operand.has_one_use():
        return None
    chain = shape_chain(operand.owner) if isinstance(operand.owner, ShapeOp) else []
    source = chain[0].operands[0] if chain else operand
    load = source.owner
    if not isinstance(load, nv_tileas.TiledLoadOp) or not source.has_one_use():
        return None
    if load.parent is not op.parent or load.atom is not None:
        return None
    rows_first = number == FIRST_SCALE
    position = addresses_of_view(load.view, tile_shape(source.type), divisibility)
    try:
        if not tma_problem(load, position, target):
            dense = shared(tile_shape(source.type).shape, SCALE_BITS)
            if layouts := _as_loaded(chain, dense, rows_first=rows_first):
                return ScaleOperand(load, chain, layouts, by_threads=False)
        if _has_copies(load, target) and position.width.elements >= SCALES_PER_WORD:
            layouts = _rearranged(chain, source, operand, rows_first=rows_first)
            # One copy moves neighbours along the blocks.
            if layouts[0].layout.modes()[position.dimension](1) == 1:
                return ScaleOperand(load, chain, layouts, by_threads=True)
    except LayoutError:
        pass
    return None


def _has_copies(load: nv_tileas.TiledLoadOp, target: Target) -> bool:
    """Whether `cp.async` can load a tile of scales; elements outside of the array must be 0."""
    return (
        Feature.CP_ASYNC in target.features
        and load.mem_semantic.data == MemoryOrdering.WEAK
        and load.mask is None
        and not load.offsets
        and padding_of(load.padding_value) in (None, PaddingValue.ZERO)
    )


def _after(op: ShapeOp, layout: SharedLayout) -> SharedLayout:
    """The layout of the result of a shape op, in the memory of the operand."""
    if isinstance(op, nv_tileaa.PermuteOp):
        return reshaped_layout(op, layout)
    return renamed(layout, tile_shape(op.results[0].type).shape)


def _layouts(chain: Sequence[ShapeOp], layout: SharedLayout) -> list[SharedLayout]:
    layouts = [layout]
    for op in chain:
        layouts.append(_after(op, layouts[-1]))
    return layouts


def _as_loaded(
    chain: Sequence[ShapeOp], dense: SharedLayout, *, rows_first: bool
) -> list[SharedLayout]:
    """The layouts of scales that are in hardware order in global memory; empty for other scales."""
    layouts = _layouts(chain, dense)
    try:
        boxes_of(dense)
        scale_copies(layouts[-1], rows_first=rows_first)
    except LayoutError:
        return []
    return layouts


def _rearranged(
    chain: Sequence[ShapeOp], source: SSAValue, operand: SSAValue, *, rows_first: bool
) -> list[SharedLayout]:
    """The layouts of scales that copies rearrange to hardware order.

    Raises:
        LayoutError: they are not scales of whole columns and words.
    """
    shape, extents = tile_shape(source.type).shape, tile_shape(operand.type).shape
    rows, blocks = extents if rows_first else tuple(reversed(extents))
    wanted = scale_buffer(rows, blocks)
    if not rows_first:
        modes = tuple(reversed(wanted.layout.modes()))
        layout = type(wanted.layout)(
            tuple(mode.shape for mode in modes), tuple(mode.stride for mode in modes)
        )
        wanted = SharedLayout(layout, SCALE_BITS)
    renaming = _layouts(chain, identity(shape))[-1]
    return _layouts(chain, before_renaming(renaming, wanted, shape))


@dataclass(frozen=True)
class KeepScalesInMemory(RewritePattern):
    """Keeps the block scales of both operands of a dot in a loop in shared memory."""

    target: Target
    divisibility: DivisibilityAnalysis

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, MMAOp)
        in_fragments = op.atom is not None and reads_in_steps(op)
        if not (in_fragments or reads_tensor_memory_scales(op)):
            return
        if not isinstance(op.parent_op(), LOOPS):
            return
        found = [
            scale_operand(op, FIRST_SCALE + index, self.divisibility, self.target)
            for index in range(len(op.scales))
        ]
        # Threads that copy words to shared memory might as well load them to their registers.
        if in_fragments and any(scales is not None and scales.by_threads for scales in found):
            return
        # One in registers would need the threads that the others are spared.
        for index, scales in enumerate(found):
            if scales is not None and None not in found:
                _keep(op, FIRST_SCALE + index, scales, in_fragments, rewriter)


def _keep(
    op: MMAOp, number: int, scales: ScaleOperand, in_fragments: bool, rewriter: PatternRewriter
) -> None:
    load = scales.load
    type = buffer_type(load.tile.type, scales.layouts[0])
    assert isinstance(type, TensorType)
    at_load = Builder(InsertPoint.after(load))
    if scales.by_threads:
        buffer = allocate(at_load, type, load.location)
        tile = wait_for(at_load, start_copy(load, buffer, at_load.insert), load.location)
        tile.name_hint = load.tile.name_hint
    else:
        tile = convert_layout(at_load, load.tile, type)
    before = Builder(InsertPoint.before(op))
    for shape_op, layout in zip(scales.chain, scales.layouts[1:], strict=True):
        tile = before.insert(on_buffer(shape_op, tile, layout)).results[0]
        tile.name_hint = shape_op.results[0].name_hint
    # A dot of a warp reads scales in registers, which it loads from the buffer itself.
    if in_fragments:
        tile = convert_layout(before, tile, op.operands[number].type)
    op.operands[number] = tile
    rewriter.notify_op_modified(op)
    for shape_op in reversed(scales.chain):
        rewriter.erase(shape_op)
    if scales.by_threads:
        rewriter.erase(load)
