"""Buffers that an op allocates: their offsets are constants, so nothing is emitted."""

from tileir_xdsl.analysis.buffers.shared_layouts import buffer_layout, is_shared
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas

from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram
from ..thread.shared_buffers import SharedTile


class LowerAllocTensor(LowerOp[nv_tileas.AllocTensorOp]):
    """Binds the buffer to its shared-memory or tensor-memory allocation."""

    def lower(self, op: nv_tileas.AllocTensorOp, program: ThreadProgram) -> None:
        if op.result in program.columns.of:
            program.registers[op.result] = ()
            return
        if not is_shared(op.result.type):
            fail(op, f"'{op.name}' op is supported in shared memory only, but got {op.result.type}")
        base = program.shared_memory(program.shared_allocation.offsets[op])
        program.shared_tiles[op.result] = SharedTile(base, 0, buffer_layout(op))


PATTERNS: Patterns = {nv_tileas.AllocTensorOp: LowerAllocTensor}
"""Ops that allocate."""
