"""Sinks fragment loads to the warp-level MMAs that use them.

    %x = nv_tileas.convert_layout %a_tile                %b_tile = ..
    %b_tile = ..                                         %x = nv_tileas.convert_layout %a_tile
    %y = nv_tileas.convert_layout %b_tile         ->     %y = nv_tileas.convert_layout %b_tile
    %d = nv_tileas.dot %x, %y, %acc                      %d = nv_tileas.dot %x, %y, %acc

The loads of both tiles may then share a pipeline, and the MMA loads its fragments from the stage
one step along K at a time.
"""

from xdsl.ir import Operation

from tileir_xdsl.analysis.access.fragment_loads import mma_of_fragments
from tileir_xdsl.dialects import nv_tileaa, nv_tileas


def sink_fragment_loads(function: nv_tileaa.FuncOp) -> None:
    """Moves conversions to fragments, and views that only they use, to their MMAs."""
    loads = [op for op in function.walk() if mma_of_fragments(op) is not None]
    for load in loads:
        mma = mma_of_fragments(load)
        block = load.parent
        assert mma is not None and block is not None
        for op in (*reversed(_views_after(load)), load):
            op.detach()
            block.insert_op_before(op, mma)


def _views_after(load: Operation) -> list[Operation]:
    """The views between a tile in shared memory and a conversion, the last one first."""
    views: list[Operation] = []
    value = load.operands[0]
    while (
        isinstance(op := value.owner, nv_tileas.ViewOp | nv_tileaa.PermuteOp)
        and op.parent is load.parent
        and value.has_one_use()
    ):
        views.append(op)
        value = op.operands[0]
    return views
