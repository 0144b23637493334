"""Block scales that hardware copies from shared to tensor memory, where MMAs read them."""

from xdsl.ir import Operation

from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout
from tileir_xdsl.analysis.layouts.uses import FIRST_SCALE
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.scale_factors import scale_copies
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind


def reads_tensor_memory_scales(op: MMAOp) -> bool:
    """Whether the instruction of a dot reads block scales from tensor memory."""
    atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
    return atom is not None and atom.kind is MMAKind.TENSOR_MEMORY and bool(atom.scale)


def has_scale_copies(op: Operation, number: int) -> bool:
    """Whether an operand of a dot is a buffer of scales that copies bring to tensor memory."""
    if not isinstance(op, MMAOp) or not reads_tensor_memory_scales(op):
        return False
    tile = op.operands[number]
    if not is_shared(tile.type):
        return False
    try:
        scale_copies(shared_layout(op, tile.type), rows_first=number == FIRST_SCALE)
    except LayoutError:
        return False
    return True
