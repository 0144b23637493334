"""Conversions that only load registers from shared memory for an MMA that takes them step by step.

    %a = nv_tileas.convert_layout %tile : A in shared memory -> fragments of A
    %d = nv_tileas.dot %a, %b, %c {atom = #nv_tileas<atom mma_f16_f16_f32>}

`mma.sync` needs few of the fragments at a time, and a dot of multiply-adds few of the elements of
its rows and columns. The conversion may be directly before its dot, and then each step along K
loads only the registers that it needs.
"""

from xdsl.ir import Block, Operation

from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind


def mma_of_fragments(op: Operation | Block) -> MMAOp | None:
    """The MMA in the same block that is the only user of an op's registers from shared memory."""
    if not isinstance(op, nv_tileas.ConvertLayoutOp):
        return None
    if not is_buffer(op.source.type) or is_buffer(op.result.type):
        return None
    user = op.result.get_user_of_unique_use()
    if not isinstance(user, MMAOp) or user.parent is not op.parent:
        return None
    return user if reads_in_steps(user) and op.result in (user.a, user.b, *user.scales) else None


def reads_in_steps(op: MMAOp) -> bool:
    """Whether an MMA takes A and B in registers and can load them from memory during its steps."""
    atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
    # Multiply-adds take operands that were scaled before.
    return not op.scales if atom is None else atom.kind is MMAKind.WARP


def stands_at_mma(op: Operation) -> bool:
    """Whether all ops between an op and its MMA are conversions of this kind for that MMA."""
    mma = mma_of_fragments(op)
    # Asked of ops before every MMA: without this, the rest of the block would be walked.
    if mma is None:
        return False
    following = op.next_op
    while following is not mma and following is not None:
        if mma_of_fragments(following) is not mma:
            return False
        following = following.next_op
    return True
