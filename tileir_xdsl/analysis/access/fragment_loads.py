"""Conversions that only load fragments from shared memory for a warp-level MMA.

    %a = nv_tileas.convert_layout %tile : A in shared memory -> fragments of A
    %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>}

`mma.sync` wants few of the fragments at a time. So such a conversion belongs to its dot: it may
stand right before it, and bring the fragments of one step after the other.
"""

from xdsl.ir import Block, Operation

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind


def mma_of_fragments(op: Operation | Block) -> MMAOp | None:
    """The MMA in the same block that is the only user of an op's fragments from shared memory."""
    if not isinstance(op, nv_tileas.ConvertLayoutOp):
        return None
    if not is_buffer(op.source.type) or is_buffer(op.result.type):
        return None
    user = op.result.get_user_of_unique_use()
    if not isinstance(user, MMAOp) or user.parent is not op.parent or user.scales:
        return None
    atom = None if user.atom is None else MMA_ATOMS.get(user.atom.data)
    is_operand = op.result in (user.a, user.b)
    return user if atom is not None and atom.kind is MMAKind.WARP and is_operand else None


def stands_at_mma(op: Operation) -> bool:
    """Whether only such conversions for the same MMA are between the op and the MMA."""
    mma = mma_of_fragments(op)
    following = op.next_op
    while following is not mma and following is not None:
        if mma_of_fragments(following) is not mma:
            return False
        following = following.next_op
    return mma is not None
