"""Finds values that live across an op that pins memory order, whose layouts must not change.

An *epoch* is a stretch of a function without a fence, a wait, or a handshake of a pipeline with
several stages. A value that is made in one epoch and used in another keeps its layout. Source: the
TileAS layout notes, "Failure Modes" of removing layout conversions.
"""

from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.interfaces import StageTokenOpInterface
from tileir_xdsl.walking import ops_in

FENCES = (nv_tileas.FenceOp, nv_tileas.WaitOp)
"""Ops that end an epoch: no value that lives across one changes its layout."""


def pins_layouts(op: Operation) -> bool:
    """Whether an op ends an epoch.

    Handshakes end an epoch, unless the pipeline is known to have a single stage.
    """
    if isinstance(op, FENCES):
        return True
    if not isinstance(op, StageTokenOpInterface):
        return False
    pipeline = pipeline_of(op.token)
    # A single stage is transferred at once, with nothing in flight in between.
    return pipeline is None or pipeline.num_stages.value.data > 1


@dataclass
class Epochs:
    """The epochs of a function; unlisted ops and blocks are in epoch 0."""

    of_uses: dict[Operation, int] = field(default_factory=dict[Operation, int])
    of_results: dict[Operation, int] = field(default_factory=dict[Operation, int])
    of_blocks: dict[Block, int] = field(default_factory=dict[Block, int])

    def of_use(self, op: Operation) -> int:
        """The epoch in which an op reads its operands."""
        return self.of_uses.get(op, 0)

    def of_value(self, value: SSAValue) -> int:
        """The epoch in which a value is made."""
        match value:
            case OpResult(op=op):
                return self.of_results.get(op, 0)
            case BlockArgument(block=block):
                return self.of_blocks.get(block, 0)
            case _:
                return 0


def number_epochs(function: Operation) -> Epochs:
    """The epochs of a function, numbered in program order.

    A region with an op that pins layouts begins a new epoch, and another one begins after it, since
    loops return to their start.
    """
    around: set[Operation] = set()
    for op in ops_in(function):
        if pins_layouts(op):
            current: Operation | None = op
            # All ops around it, too: a value may live across the loop that has the fence.
            while current is not None and current not in around:
                around.add(current)
                current = current.parent_op()
    epochs = Epochs()
    if around:
        _number(function, around, epochs, 0)
    return epochs


def _number(op: Operation, around: set[Operation], epochs: Epochs, epoch: int) -> int:
    """Numbers an op and its nested ops; returns the epoch after the op."""
    epochs.of_uses[op] = epoch
    pinning = op in around
    for region in op.regions:
        for block in region.blocks:
            epoch += pinning
            epochs.of_blocks[block] = epoch
            for inner in block.ops:
                epoch = _number(inner, around, epochs, epoch)
    epoch += pinning
    epochs.of_results[op] = epoch
    return epoch
