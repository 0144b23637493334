"""Loaded operands of dots stay in shared memory while shape ops re-index their elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.access_width import addresses_of_view
from tileir_xdsl.analysis.access.fragment_loads import reads_in_steps
from tileir_xdsl.analysis.access.tma_access import tma_problem
from tileir_xdsl.analysis.layouts.uses import LOOPS, has_async_copies, stored_bits
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.analysis.values.divisibility import DivisibilityAnalysis
from tileir_xdsl.builders.tiles import convert_layout
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMA_ATOMS
from tileir_xdsl.walking import ops_in

from .buffer_shapes import ShapeOp, shape_chain
from .operand_buffers import buffer_type, is_accepted_along, on_buffer, operand_layouts
from .pointer_operands import BARRIER_BYTES

ALONG_K = (-1, -2)
"""The dimension of A and of B along which a dot sums."""


@dataclass
class KeepOperandsInMemory(RewritePattern):
    """Moves the shape ops of operands after a conversion to shared memory."""

    target: Target
    divisibility: DivisibilityAnalysis

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, MMAOp)
        for index in range(len(ALONG_K)):
            self.keep(op, index, rewriter)

    def keep(self, op: MMAOp, index: int, rewriter: PatternRewriter) -> None:
        """Keeps an operand in shared memory, if it is a load followed by shape ops."""
        operand = op.operands[index]
        # A tile that several ops read is kept for all of them at once.
        if not isinstance(operand.owner, ShapeOp) or not operand.has_one_use():
            return
        chain = shape_chain(operand.owner)
        source = chain[0].operands[0]
        load = source.owner
        if not isinstance(load, nv_tileas.TiledLoadOp) or not source.has_one_use():
            return
        shared_layouts = self.layouts(op, index, source, load, chain)
        if shared_layouts is None:
            return
        # The conversion follows the load, so that the load itself can write to shared memory later.
        builder = Builder(InsertPoint.after(load))
        tile = convert_layout(builder, source, buffer_type(source.type, shared_layouts[0]))
        read_from_buffer(op, index, tile, chain, shared_layouts, rewriter)
        for shape_op in reversed(chain):
            rewriter.erase(shape_op)

    def layouts(
        self,
        op: MMAOp,
        index: int,
        source: SSAValue,
        load: nv_tileas.TiledLoadOp,
        chain: Sequence[ShapeOp],
    ) -> list[SharedLayout] | None:
        """The layouts in shared memory of a loaded tile and of the results of shape ops; None if
        the dot cannot read such an operand.

        A dot that reads fragments needs a load that can be prefetched.
        """
        in_fragments = reads_in_steps(op)
        has_atom = op.atom is not None and op.atom.data in MMA_ATOMS
        if not has_atom and not in_fragments:
            return None
        shared_layouts = operand_layouts(source, chain)
        if shared_layouts is None:
            return None
        # Else operands in registers are read once and need no shared memory.
        if in_fragments and not self.pays_for_fragments(op, load):
            return None
        if not is_accepted_along(op, op.operands[index], shared_layouts[-1], ALONG_K[index]):
            return None
        return shared_layouts

    def pays_for_fragments(self, op: MMAOp, load: nv_tileas.TiledLoadOp) -> bool:
        """Whether the fragments of an operand should be loaded from shared memory, step by step
        along K.

        Step-by-step loads pay if the loop of the dot can prefetch the load. An operand loaded
        outside of that loop would occupy registers in all iterations; it needs enough shared memory
        for all loads.
        """
        if not isinstance(op.parent_op(), LOOPS) or not self.is_asynchronous(load):
            return False
        # In the same loop the pipeline has stages for it anyway.
        return load.parent is op.parent or self.has_memory_for_all_loads(op)

    def has_memory_for_all_loads(self, op: MMAOp) -> bool:
        """Whether all loaded tiles of a function fit in shared memory together, each once."""
        limit = self.target.limits.shared_memory_per_block - BARRIER_BYTES
        types = (
            inner.tile.type
            for inner in ops_in(scope_of(op))
            if isinstance(inner, nv_tileas.TiledLoadOp)
        )
        bits = sum(prod(tile_shape(type).shape) * stored_bits(type) for type in types)
        return bits <= 8 * limit

    def is_asynchronous(self, load: nv_tileas.TiledLoadOp) -> bool:
        """Whether a load can be asynchronous: by TMA or by `cp.async`."""
        position = addresses_of_view(load.view, tile_shape(load.tile.type), self.divisibility)
        if has_async_copies(load, position, self.target):
            return True
        return not tma_problem(load, position, self.target)


def read_from_buffer(
    op: MMAOp,
    index: int,
    tile: SSAValue,
    chain: Sequence[ShapeOp],
    shared_layouts: Sequence[SharedLayout],
    rewriter: PatternRewriter,
) -> None:
    """Lets a dot read an operand from a buffer, through the chain of shape ops."""
    operand, before = op.operands[index], Builder(InsertPoint.before(op))
    for shape_op, shared_layout in zip(chain, shared_layouts[1:], strict=True):
        tile = before.insert(on_buffer(shape_op, tile, shared_layout)).results[0]
        tile.name_hint = shape_op.results[0].name_hint
    # A dot of a warp reads fragments in registers, which it loads from the buffer step by step.
    if reads_in_steps(op):
        tile = convert_layout(before, tile, operand.type)
    op.operands[index] = tile
    rewriter.notify_op_modified(op)
