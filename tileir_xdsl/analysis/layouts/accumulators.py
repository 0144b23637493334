"""Whether a tile is the accumulator of an MMA."""

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, OpResult, SSAValue

from tileir_xdsl.analysis.layouts.transfer import is_elementwise
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp


def is_mma_accumulator(tile: SSAValue) -> bool:
    """Whether the elements of a tile are computed from the result of an MMA instruction.

    Each thread of a block holds short pieces of rows of such a tile.
    """
    waiting, seen = [tile], {tile}
    while waiting:
        value = waiting.pop()
        owner = value.owner
        if not isinstance(owner, Operation):
            continue
        if isinstance(owner, MMAOp):
            return owner.atom is not None
        for source in _sources(owner, value):
            if source not in seen:
                seen.add(source)
                waiting.append(source)
    return False


def _sources(op: Operation, value: SSAValue) -> list[SSAValue]:
    """The tiles from which a value is computed element by element."""
    if isinstance(op, nv_tileas.FutureWaitOp | nv_tileas.ViewOp) or is_elementwise(op):
        return [v for v in op.operands if not isinstance(v.type, TensorType) or v.type.get_shape()]
    if isinstance(op, scf.ForOp):
        assert isinstance(value, OpResult)
        terminator = op.body.block.last_op
        return [] if terminator is None else [terminator.operands[value.index]]
    return []
