"""Which values live across an op that pins memory order, so that their layouts stay as they are.

An *epoch* is a stretch of a function without a fence, a wait, or a handshake of a pipeline with
several stages. A value that is made in one epoch and used in another is transferred in the layout
that it has. Source: the TileAS layout notes, "Failure Modes" of removing layout conversions.
"""

from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.interfaces import StageTokenOpInterface
from tileir_xdsl.walking import ops_in

FENCES = (nv_tileas.FenceOp, nv_tileas.WaitOp)
"""Ops across which no value changes its layout."""


def pins_layouts(op: Operation) -> bool:
    """Whether an op ends an epoch.

    Handshakes of a pipeline do, unless it is known to have a single stage.
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
    """The epochs of a function; epoch 0 is that of ops and blocks which are not listed."""

    of_uses: dict[Operation, int] = field(default_factory=dict[Operation, int])
    of_results: dict[Operation, int] = field(default_factory=dict[Operation, int])
    of_blocks: dict[Block, int] = field(default_factory=dict[Block, int])

    def of_use(self, op: Operation) -> int:
        """The epoch in which an op takes its operands."""
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
    """The epochs of a function, numbered in the order of its text.

    A region with such an op inside begins a new epoch, and another one begins after it. A loop
    comes back to its start after the fences of its end.
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
    """Numbers an op and what is in it; returns the epoch after it."""
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
