"""Finds the queue endpoint of each handshake, and the agent groups at each endpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import AnyFloat, IntegerType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import PointerType, tile_shape
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.walking import ancestors, ops_in

FAILURE = "failed to convert nv_tileaa to nv_tileas"

Handshake = nv_tileaa.QueueGetOp | nv_tileaa.QueuePutOp

STORED_ELEMENTS = (AnyFloat, IntegerType, PointerType)
"""Element types that can be stored in shared memory."""


@dataclass(frozen=True)
class End:
    """One endpoint of a queue: its producing agent, or one consumer."""

    queue: nv_tileaa.CreateQueueOp
    consumer: int | None = None


@dataclass(frozen=True)
class QueueEndpoints:
    """The endpoints of all queues of one function."""

    origins: Mapping[SSAValue, nv_tileaa.CreateQueueOp]
    """The `create_queue` op of each queue value."""
    of_queue: dict[Operation, dict[End, int]] = field(
        default_factory=dict[Operation, dict[End, int]]
    )
    """The endpoints of each queue, with the agent group at each."""
    inside: dict[Operation, dict[End, Operation]] = field(
        default_factory=dict[Operation, dict[End, Operation]]
    )
    """The endpoints used inside each op, each with the first op that uses it."""

    def of(self, op: Handshake) -> End:
        """The endpoint of a handshake."""
        queue = self.origins[op.queue]
        if isinstance(op, nv_tileaa.QueuePutOp):
            return End(queue)
        # Without numbers all gets are of one consumer.
        return End(queue, 0 if op.consumer_idx is None else op.consumer_idx.value.data)

    def group(self, queue: Operation, *, consumers: bool) -> int:
        """The group of the producing or consuming agents; the first group if there are none."""
        groups = {
            group
            for end, group in self.of_queue.get(queue, {}).items()
            if (end.consumer is not None) == consumers
        }
        # A pipeline has one group of producers and one of consumers.
        if len(groups) > 1:
            fail(queue, FAILURE)
        return next(iter(groups), 0)


def find_queue_endpoints(function: Operation) -> QueueEndpoints:
    """Finds all ends.

    Raises `PassFailedException` if a queue's use does not fit a pipeline, or its consumers are
    indistinguishable.
    """
    ends = QueueEndpoints(trace_queues(function))
    numbered: dict[Operation, bool] = {}
    for op in ops_in(function):
        if not isinstance(op, Handshake):
            continue
        if op.queue not in ends.origins:
            fail(op, FAILURE)
        end = ends.of(op)
        if isinstance(op, nv_tileaa.QueueGetOp):
            has_number = op.consumer_idx is not None
            # Mixed, it would be open whether a get without a number is of consumer 0.
            if numbered.setdefault(end.queue, has_number) != has_number:
                fail(op, FAILURE)
        group, agents = agent_group(op)
        if end.consumer is not None and agents is not None and end.consumer >= agents:
            fail(op, "consumer_idx out of range for consumer group")
        ends.of_queue.setdefault(end.queue, {}).setdefault(end, group)
        for parent in ancestors(op):
            ends.inside.setdefault(parent, {}).setdefault(end, op)
    return ends


def agent_group(op: Operation) -> tuple[int, int | None]:
    """The group of the innermost agent that contains an op, and the number of agents in the
    group.
    """
    inner = op
    for parent in ancestors(op):
        if isinstance(parent, nv_tileaa.ExecuteOp):
            number = next(
                i for i, body in enumerate(parent.bodies) if inner.parent_region() is body
            )
            return number // parent.agents_per_group, parent.agents_per_group
        inner = parent
    return 0, None


def trace_queues(function: Operation) -> dict[SSAValue, nv_tileaa.CreateQueueOp]:
    """The `create_queue` op of each queue value, traced through the inputs of agents.

    Raises `PassFailedException` for a use other than a handshake, an agent's input or a mark for
    reuse.
    """
    origins = {op.result: op for op in ops_in(function) if isinstance(op, nv_tileaa.CreateQueueOp)}
    pending: list[SSAValue] = list(origins)
    traced: dict[SSAValue, nv_tileaa.CreateQueueOp] = {**origins}
    while pending:
        queue = pending.pop()
        for use in queue.uses:
            match use.operation:
                case nv_tileaa.ExecuteOp() as execute:
                    for body in execute.bodies:
                        argument = body.block.args[use.index]
                        traced[argument] = traced[queue]
                        pending.append(argument)
                case nv_tileaa.QueueGetOp() | nv_tileaa.QueuePutOp() | nv_tileaa.MarkForReuseOp():
                    pass
                # A queue through a loop or select is one of several; a pipeline is known for good.
                case other:
                    fail(other, FAILURE)
    return traced


def storage_types(payload: Sequence[Attribute], stages: int) -> list[TensorType[Attribute]] | None:
    """The types of the shared-memory buffers for a queue's stages, one for each of its values.

    A buffer with the tile's own element type can be the target of a copy and the operand of an MMA.
    Returns None if a value cannot be stored.
    """
    tiles = [tile_shape(type) for type in payload]
    if not tiles or not all(isinstance(tile.element, STORED_ELEMENTS) for tile in tiles):
        return None
    memory = nv_tileas.MemoryAttr(Residency.SHARED)
    return [TensorType(tile.element, (stages, *tile.shape), memory) for tile in tiles]
