"""Tiles that an op allocates: buffers at constant offsets, or registers without values yet."""

from tileir_xdsl.analysis.buffers.shared_layouts import buffer_layout, is_shared
from tileir_xdsl.analysis.layouts.direct_conversion import is_register_tile
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.llvm.values import PoisonOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape

from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram, register_count, register_type
from ..thread.shared_buffers import SharedTile


class LowerAllocTensor(LowerOp[nv_tileas.AllocTensorOp]):
    """Binds the buffer to its shared-memory or tensor-memory allocation, or undefined registers."""

    def lower(self, op: nv_tileas.AllocTensorOp, program: ThreadProgram) -> None:
        if op.result in program.function.columns.of:
            program.values[op.result] = ()
            return
        if is_register_tile(op.result.type):
            type = register_type(op, tile_shape(op.result.type).element)
            register = program.builder.insert(PoisonOp(type))
            program.values[op.result] = (register,) * register_count(op, op.result)
            return
        if not is_shared(op.result.type):
            fail(op, f"'{op.name}' op has no allocation in the memory of {op.result.type}")
        base = program.shared_memory(program.function.shared_allocation.offsets[op])
        program.values[op.result] = SharedTile(base, 0, buffer_layout(op))


PATTERNS: Patterns = {nv_tileas.AllocTensorOp: LowerAllocTensor}
"""Ops that allocate."""
