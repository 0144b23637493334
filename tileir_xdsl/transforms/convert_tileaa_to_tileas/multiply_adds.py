"""Decides which dots use fused multiply-adds instead of an instruction that ptxas pads.

If ptxas inserts empty instructions between matrix instructions, multiply-adds need only a fifth of
the machine code. Operands of multiply-adds must not spill to local memory: each thread needs whole
rows of A and whole columns of B. Within the limits below, no measured matmul spills
(docs/performance.md).
"""

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.layouts.dot_layouts import DotShape, layouts_of_dot
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMAAtom

LOOPS = (scf.ForOp, scf.WhileOp)
SHAPE_OPS = (nv_tileaa.ViewOp, nv_tileas.ViewOp, nv_tileaa.PermuteOp)
LOADS = (nv_tileaa.TiledLoadOp, nv_tileas.TiledLoadOp)

REGISTER_BITS = 32
# Measured on sm_120a: 32x64x32 and 32x128x16 of f64, with 528 and 448, spill in some forms.
MOST_REGISTERS = 400
"""The most registers of a thread for A, B and C without prefetched loads."""
# Measured on sm_120a: tiles with fewer rows have their operands in registers; of the others
# 64x128x32 and 128x32x16 spill if an epilogue loads.
LEAST_ROWS, MOST_COLUMNS, LEAST_DEPTH = 64, 64, 32
# Two of these fit in the shared memory of sm_120.
MOST_STAGE_BYTES = 48 * 1024
"""The most bytes of A and B with prefetched loads, whose tiles multiply-adds read from shared
memory step by step.
"""
# 256x32x128 spills.
NARROW_COLUMNS, NARROW_DEPTH = 32, 64
"""The most columns and steps along K of tiles whose loads are prefetched regardless of their
bytes.
"""


def takes_multiply_adds(op: nv_tileaa.DotOp, atom: MMAAtom, target: Target, warps: int) -> bool:
    """Whether a dot uses multiply-adds although the target has the atom."""
    if not atom.is_padded(target) or not _reads_what_its_loop_loads(op):
        return False
    *batch, m, k = tile_shape(op.a.type).shape
    n = tile_shape(op.b.type).shape[-1]
    shape = DotShape(tuple(batch), m, n, k)
    if _registers(shape, atom, target, warps) <= MOST_REGISTERS:
        return True
    if batch or m < LEAST_ROWS or n > MOST_COLUMNS or k < LEAST_DEPTH:
        return False
    is_narrow = n <= NARROW_COLUMNS and k <= NARROW_DEPTH
    return is_narrow or (m + n) * k * atom.operand_bits <= 8 * MOST_STAGE_BYTES


def _registers(shape: DotShape, atom: MMAAtom, target: Target, warps: int) -> int:
    """The registers of a thread for A, B and C."""
    (layouts,) = layouts_of_dot(shape, None, target, warps, atom.operand_bits)
    held = (*layouts.a, *layouts.b, layouts.accumulator)
    elements = sum(layout.registers for layout in held if isinstance(layout, LinearLayout))
    return elements * atom.operand_bits // REGISTER_BITS


def _reads_what_its_loop_loads(op: nv_tileaa.DotOp) -> bool:
    """Whether the dot's own loop loads A and B; other operands occupy registers already."""
    if not isinstance(op.parent_op(), LOOPS):
        return False
    loads = (_loaded_by(operand) for operand in (op.a, op.b))
    return all(load is not None and load.parent is op.parent for load in loads)


def _loaded_by(tile: SSAValue) -> Operation | None:
    """The load of a tile, through shape ops; None for other tiles."""
    owner = tile.owner
    while isinstance(owner, SHAPE_OPS):
        owner = owner.operands[0].owner
    return owner if isinstance(owner, LOADS) else None
