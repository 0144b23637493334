"""`tileas-assign-dot-layouts`: keeps operands of dots in shared memory across shape changes.

    %t = nv_tileas.tiled_load .. -> tensor<1x128x64xbf16>
    %k = nv_tileas.view %t : tensor<1x128x64xbf16> to tensor<128x64xbf16>
    %b = nv_tileaa.permute %k {permutation = array<i32: 1, 0>} : .. -> tensor<64x128xbf16>
    %d = nv_tileas.async.dot %a, %b, %c {atom = #nv_tileas<atom wgmma_bf16_bf16_f32>}
    ->
    %t = nv_tileas.tiled_load .. -> tensor<1x128x64xbf16>
    %m = nv_tileas.convert_layout %t : .. -> tensor<1x128x64xbf16, #nv_tileas.memory<smem, ..>>
    %k = nv_tileas.view %m : .. to tensor<128x64xbf16, #nv_tileas.memory<smem, ..>>
    %b = nv_tileaa.permute %k {..} : .. -> tensor<64x128xbf16, #nv_tileas.memory<smem, ..>>
    %d = nv_tileas.async.dot %a, %b, %c {..}

Warpgroups and tensor memory multiply what lies in shared memory, in swizzled rows along K, or along
M or N. So a load may put a tile there as it comes, and what names its elements otherwise costs
nothing. Dots of warps in loops, and those of multiply-adds, read registers from there, a few at a
time.
Operands that a loop loads through pointers are copied there (`pointer_operands.py`),
and so are those that either branch of an `if` loads (`branch_operands.py`).
An asynchronous dot that no asynchronous instruction does is done where it stands
(`synchronous_dots.py`). Block scales stay in memory where hardware brings them to tensor memory
(`scale_operands.py`).
Operands that come from elsewhere, and loads without ops after them, are left to
`tileas-assign-load-store-layouts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
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
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.rewriting import DispatchWalker, PatternTable
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMA_ATOMS
from tileir_xdsl.transforms.function_pass import FunctionPass
from tileir_xdsl.walking import ops_in

from .branch_operands import CopyBranchOperands
from .buffer_shapes import ShapeOp, shape_chain
from .operand_buffers import buffer_type, is_accepted_along, on_buffer, operand_layouts
from .pointer_operands import BARRIER_BYTES, CopyPointerOperands
from .scale_operands import KeepScalesInMemory
from .synchronous_dots import CompleteDot


@dataclass
class KeepOperandsInMemory(RewritePattern):
    """Moves the shape ops of operands after a conversion to shared memory."""

    target: Target
    divisibility: DivisibilityAnalysis

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, MMAOp)
        atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
        in_fragments = reads_in_steps(op)
        if atom is None and not in_fragments:
            return
        for index, k in ((0, -1), (1, -2)):
            self.keep(op, index, k, in_fragments, rewriter)

    def keep(
        self, op: MMAOp, index: int, k: int, in_fragments: bool, rewriter: PatternRewriter
    ) -> None:
        """Keeps one operand in memory, if it was loaded and only changed its shape.

        One that is wanted in fragments is read from there, if its load can run ahead of the loop.
        """
        operand = op.operands[index]
        # For another user the tile would have to be in registers too.
        if not isinstance(operand.owner, ShapeOp) or not operand.has_one_use():
            return
        chain = shape_chain(operand.owner)
        source = chain[0].operands[0]
        load = source.owner
        if not isinstance(load, nv_tileas.TiledLoadOp) or not source.has_one_use():
            return
        shared_layouts = operand_layouts(source, chain)
        if shared_layouts is None:
            return
        # Else operands in registers are read once and need no shared memory.
        if in_fragments and not self.pays_for_fragments(op, load):
            return
        if not is_accepted_along(op, operand, shared_layouts[-1], k):
            return
        # The conversion follows the load, so that the load itself can write to shared memory later.
        builder = Builder(InsertPoint.after(load))
        builder_after = Builder(InsertPoint.before(op))
        tile = convert_layout(builder, source, buffer_type(source.type, shared_layouts[0]))
        for shape_op, shared_layout in zip(chain, shared_layouts[1:], strict=True):
            tile = builder_after.insert(on_buffer(shape_op, tile, shared_layout)).results[0]
            tile.name_hint = shape_op.results[0].name_hint
        # A dot of a warp reads fragments in registers, which it loads from the buffer step by step.
        if in_fragments:
            tile = convert_layout(builder_after, tile, operand.type)
        op.operands[index] = tile
        rewriter.notify_op_modified(op)
        for shape_op in reversed(chain):
            rewriter.erase(shape_op)

    def pays_for_fragments(self, op: MMAOp, load: nv_tileas.TiledLoadOp) -> bool:
        """Whether the fragments of an operand should be loaded from memory, step by step.

        Either its load can run ahead of the loop around both, or the operand is the same in all
        iterations. In that case it would keep its registers during the whole loop. Then there must
        be shared memory for it alongside all that is loaded.
        """
        if not isinstance(op.parent_op(), LOOPS) or not self.is_asynchronous(load):
            return False
        # In the same loop the pipeline has stages for it anyway.
        return load.parent is op.parent or self.has_memory_for_all_loads(op)

    def has_memory_for_all_loads(self, op: MMAOp) -> bool:
        """Whether everything that a function loads fits in shared memory, each tile once."""
        limit = self.target.limits.shared_memory_per_block - BARRIER_BYTES
        types = (
            inner.tile.type
            for inner in ops_in(scope_of(op))
            if isinstance(inner, nv_tileas.TiledLoadOp)
        )
        bits = sum(prod(tile_shape(type).shape) * stored_bits(type) for type in types)
        return bits <= 8 * limit

    def is_asynchronous(self, load: nv_tileas.TiledLoadOp) -> bool:
        """Whether a load can be started before its tile is wanted: by TMA or by `cp.async`."""
        position = addresses_of_view(load.view, tile_shape(load.tile.type), self.divisibility)
        if has_async_copies(load, position, self.target):
            return True
        return not tma_problem(load, position, self.target)


@dataclass(frozen=True)
class TileASAssignDotLayoutsPass(FunctionPass):
    """Keeps operands of dots in shared memory across shape changes."""

    name = "tileas-assign-dot-layouts"

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        target, divisibility = target_or_default(module), DivisibilityAnalysis()
        keep = KeepOperandsInMemory(target, divisibility)
        scales = KeepScalesInMemory(target, divisibility)
        copy = CopyPointerOperands(divisibility, target)
        fill = CopyBranchOperands(divisibility, target)
        walks: tuple[PatternTable, ...] = (
            {nv_tileas.AsyncDotOp: CompleteDot()},
            {nv_tileas.AsyncDotOp: scales, nv_tileas.DotOp: scales},
            {nv_tileas.AsyncDotOp: keep, nv_tileas.DotOp: keep},
            {nv_tileas.AsyncDotOp: copy, nv_tileas.DotOp: copy},
            {nv_tileas.AsyncDotOp: fill, nv_tileas.DotOp: fill},
        )
        for scope in scopes:
            for patterns in walks:
                DispatchWalker(patterns).rewrite(scope)
