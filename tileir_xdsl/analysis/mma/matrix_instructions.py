"""Which dots matrix instructions compute."""

from tileir_xdsl.analysis.buffers.shared_layouts import is_shared
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind


def multiplies_elements(op: MMAOp) -> bool:
    """Whether a dot is computed element by element, without a matrix instruction."""
    atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
    if atom is not None and atom.kind is MMAKind.WARPGROUP and is_shared(op.b.type):
        return False
    if atom is not None and is_tensor_memory_mma(op):
        return False
    return atom is None or atom.kind is not MMAKind.WARP
