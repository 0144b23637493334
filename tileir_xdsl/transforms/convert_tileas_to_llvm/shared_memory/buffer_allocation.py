"""Allocated tiles: buffers at constant offsets, or undefined registers."""

from tileir_xdsl.analysis.buffers.shared_layouts import buffer_layout, is_shared
from tileir_xdsl.analysis.layouts.direct_conversion import is_register_tile
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.llvm.values import PoisonOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_count, register_type
from ..thread.shared_buffers import SharedTile


class LowerAllocTensor(LowerOp[nv_tileas.AllocTensorOp]):
    """Binds the buffer to its allocation in shared or tensor memory, or to undefined registers."""

    def lower(self, op: nv_tileas.AllocTensorOp, rewriter: ThreadRewriter) -> None:
        if op.result in rewriter.function.columns.of:
            rewriter.replace(op.result, ())
            return
        if is_register_tile(op.result.type):
            type = register_type(op, tile_shape(op.result.type).element)
            register = rewriter.builder.insert(PoisonOp(type))
            rewriter.replace(op.result, (register,) * register_count(op, op.result))
            return
        if not is_shared(op.result.type):
            fail(
                op,
                f"'{op.name}' op expects a tile in registers, shared memory or "
                f"tensor memory, but got {op.result.type}",
            )
        base = rewriter.shared_memory(rewriter.function.shared_allocation.offsets[op])
        rewriter.replace(op.result, SharedTile(base, 0, buffer_layout(op)))


PATTERNS: Patterns = {nv_tileas.AllocTensorOp: LowerAllocTensor}
"""Ops that allocate."""
