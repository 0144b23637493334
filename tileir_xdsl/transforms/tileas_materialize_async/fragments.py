"""Sinks loads of registers from shared memory to the MMAs that use them.

    %x = nv_tileas.convert_layout %a_tile                %b_tile = ..
    %b_tile = ..                                         %x = nv_tileas.convert_layout %a_tile
    %y = nv_tileas.convert_layout %b_tile         ->     %y = nv_tileas.convert_layout %b_tile
    %d = nv_tileas.dot %x, %y, %acc                      %d = nv_tileas.dot %x, %y, %acc

The loads of both operands may then share a pipeline. The MMA loads its fragments from the stage one
step along K at a time.
"""

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.async_loads import changed_for
from tileir_xdsl.analysis.access.fragment_loads import mma_of_fragments
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.rewriting import DispatchWalker


class SinkFragmentLoad(RewritePattern):
    """Moves a conversion to fragments, and views without other users, right before its MMA."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.ConvertLayoutOp, rewriter: PatternRewriter) -> None:
        mma = mma_of_fragments(op)
        if mma is None:
            _sink_changes(op, rewriter)
            return
        views = _views_after(op)
        op.detach()
        # Nothing may come between the conversions that stand at an MMA with scales already.
        first: Operation = mma
        while mma.scales and first.prev_op is not None and mma_of_fragments(first.prev_op) is mma:
            first = first.prev_op
        for view in reversed(views):
            view.detach()
            rewriter.insert(view, InsertPoint.before(first))
        rewriter.insert(op, InsertPoint.before(mma))


def _sink_changes(load: Operation, rewriter: PatternRewriter) -> None:
    """Moves the ops between a load of registers and its MMA right before the MMA."""
    changes, mma = changed_for(load)
    if mma is None:
        return
    # Fragments are loaded right before their MMA.
    first: Operation = mma
    while first.prev_op is not None and mma_of_fragments(first.prev_op) is mma:
        first = first.prev_op
    for change in changes:
        change.detach()
        rewriter.insert(change, InsertPoint.before(first))


def sink_fragment_loads(function: nv_tileaa.FuncOp) -> None:
    """Moves each load of registers that only one MMA uses right before that MMA."""
    DispatchWalker({nv_tileas.ConvertLayoutOp: SinkFragmentLoad()}).rewrite(function)


def _views_after(load: Operation) -> list[Operation]:
    """The views between a tile in shared memory and a conversion, the last one first."""
    views: list[Operation] = []
    value = load.operands[0]
    while (
        isinstance(op := value.owner, BufferViewOpInterface)
        and op.parent is load.parent
        and value.has_one_use()
    ):
        views.append(op)
        value = op.operands[0]
    return views
