"""From a schedule to IR: accesses within one stage, accesses across stages, and copies of ops.

A schedule gives each op of a loop body a stage; an op of stage n works on the iteration that began
n steps ago. A value that is used in a later stage than its own is carried from iteration to
iteration.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from xdsl.builder import Builder
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import (
    LoadThroughPointersOp,
    StoreThroughPointersOp,
)
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp, StoreTileOp
from tileir_xdsl.dialects.nv_tileas.accesses import AsyncLoadOp, GatherLoadOp, ScatterStoreOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ORDER_KEY, STAGE_KEY, ProduceOp
from tileir_xdsl.dialects.nv_tileas.atoms import AtomAttr
from tileir_xdsl.dialects.nv_tileas.interfaces import BulkLoadOpInterface
from tileir_xdsl.dialects.nv_tileas.tiled_memory import AsyncTiledLoadOp
from tileir_xdsl.walking import ops_in

SERIAL_KEY = "tileas.schedule.constraint.force_serial_execution"
"""The attribute of a loop whose iterations run one after the other, without overlap."""

OFFSET_KEY = "iter_offset"
"""The attribute with the iteration that an op works on, relative to that of the other ops."""

ASYNC_LOADS = (
    AsyncLoadOp,
    AsyncTiledLoadOp,
    BulkLoadOpInterface,
)
"""Ops that fill stages while the loop continues."""

LOADS = (LoadThroughPointersOp, LoadTileOp, GatherLoadOp, ProduceOp)
STORES = (StoreThroughPointersOp, StoreTileOp, ScatterStoreOp)


class Side(Enum):
    """The side of an access that a stage boundary cuts off."""

    READ = LOADS
    WRITE = STORES


Readers = Mapping[Operation, Sequence[Operation]]
"""Readers of an access that do not use its results but wait for its stage."""


@dataclass(frozen=True)
class ScheduleAnalysis:
    """The stage of each op of a loop body, and its position among the ops of an interval."""

    stages: Mapping[Operation, int]
    orders: Mapping[Operation, int] = field(default_factory=dict[Operation, int])
    readers: Readers = field(default_factory=dict[Operation, Sequence[Operation]])

    @staticmethod
    def of(body: Block, readers: Readers | None = None) -> "ScheduleAnalysis":
        """The stages and positions that the ops of a block carry as attributes."""
        stages, orders = (
            {
                op: number.value.data
                for op in body.ops
                if isinstance(number := op.attributes.get(key), IntegerAttr)
            }
            for key in (STAGE_KEY, ORDER_KEY)
        )
        return ScheduleAnalysis(stages, orders, readers or {})

    def distance(self, op: Operation, side: Side) -> int:
        """Stages between a load and its last reader, or between the last operand and a store."""
        own = self.stages[op]
        if side == Side.READ:
            stages = [self.stages[reader] for reader in self._readers(op) if reader in self.stages]
            return max(stages, default=own) - own
        owners = (operand.owner for operand in op.operands)
        made = [self.stages[x] for x in owners if isinstance(x, Operation) and x in self.stages]
        return own - max(made, default=own)

    def iterations(self, op: Operation) -> int:
        """The iterations that a load is ahead of its last reader.

        A partial interval counts as a whole one, because the ops of an iteration keep their order.
        """
        places = [
            (self.stages[reader], self.orders.get(reader, 0) > self.orders.get(op, 0))
            for reader in self._readers(op)
            if reader in self.stages
        ]
        return max((stage - self.stages[op] + later for stage, later in places), default=0)

    def _readers(self, op: Operation) -> Iterable[Operation]:
        if op in self.readers:
            return self.readers[op]
        return (use.operation for result in op.results for use in result.uses)


@dataclass(frozen=True)
class PendingAccess:
    """An access across stages, and the number of iterations for which its value is carried."""

    op: Operation
    steps: int


@dataclass(frozen=True)
class MaterializeOptions:
    """The accesses to perform asynchronously: none, or those that the hardware performs
    asynchronously.
    """

    use_async: bool = True


@dataclass(frozen=True)
class ScheduleMaterialization:
    """Accesses within one stage and across stages, with the asynchronous ones of both."""

    resident_loads: tuple[Operation, ...]
    resident_stores: tuple[Operation, ...]
    pending_loads: tuple[PendingAccess, ...]
    pending_stores: tuple[PendingAccess, ...]
    resident_async: tuple[Operation, ...]
    pending_async: tuple[PendingAccess, ...]


def _resident(analysis: ScheduleAnalysis, side: Side) -> tuple[Operation, ...]:
    return tuple(
        op
        for op in analysis.stages
        if isinstance(op, side.value) and not analysis.distance(op, side)
    )


def expand_iteration_arguments(analysis: ScheduleAnalysis, side: Side) -> tuple[PendingAccess, ...]:
    """The accesses whose values the loop carries as arguments."""
    distances = (
        (op, analysis.distance(op, side)) for op in analysis.stages if isinstance(op, side.value)
    )
    return tuple(PendingAccess(op, steps) for op, steps in distances if steps > 0)


def is_async_eligible(op: Operation, options: MaterializeOptions) -> bool:
    """Whether an access may be asynchronous, because the hardware executes its atom asynchronously.

    An op that fills a stage of a pipeline may be asynchronous if any access in it may.
    """
    if not options.use_async:
        return False
    if isinstance(op, ProduceOp):
        return any(isinstance(inner, ASYNC_LOADS) for inner in ops_in(op.body))
    atom = op.properties.get("atom")
    row = atom.copy_atom if isinstance(atom, AtomAttr) else None
    return row is not None and row.is_async


def materialize_schedule(
    analysis: ScheduleAnalysis, options: MaterializeOptions | None = None
) -> ScheduleMaterialization:
    """Sorts the accesses of a loop body by the ops that must be built for them."""
    options = options or MaterializeOptions()
    resident = _resident(analysis, Side.READ)
    pending = expand_iteration_arguments(analysis, Side.READ)
    return ScheduleMaterialization(
        resident_loads=resident,
        resident_stores=_resident(analysis, Side.WRITE),
        pending_loads=pending,
        pending_stores=expand_iteration_arguments(analysis, Side.WRITE),
        resident_async=tuple(op for op in resident if is_async_eligible(op, options)),
        pending_async=tuple(p for p in pending if is_async_eligible(p.op, options)),
    )


@dataclass(frozen=True)
class StagePair:
    """A value, its producer and a consumer of it, and the stage of the producer."""

    stage: int
    producer: Operation
    consumer: Operation
    value: SSAValue


def build_stages(
    ops: Sequence[Operation], same_stage: Iterable[tuple[Operation, Operation]]
) -> tuple[StagePair, ...]:
    """Producers and consumers among `ops`, in the order of their stages.

    A consumer is one stage after its producers, unless both are in one group: `same_stage` has the
    pairs of ops in one group. The ops are in program order; an op consumes the values that its
    regions use.

    Raises:
        ValueError: ops that must be in one stage depend on each other through another stage.
    """
    groups = {op: op for op in ops}

    def find(op: Operation) -> Operation:
        while groups[op] is not op:
            # Halved on the way, so that long chains of constraints stay cheap.
            groups[op] = op = groups[groups[op]]
        return op

    for first, second in same_stage:
        groups[find(first)] = find(second)
    edges = [
        (producer, op, operand)
        for op in ops
        for inner in ops_in(op)
        for operand in inner.operands
        if isinstance(producer := operand.owner, Operation)
        and producer in groups
        and find(producer) is not find(op)
    ]
    stages = dict.fromkeys((find(op) for op in ops), 0)
    # A longest path visits each group once, so more rounds than groups mean a cycle.
    for _ in range(len(stages) + 1):
        changed = False
        for producer, consumer, _value in edges:
            earliest = stages[find(producer)] + 1
            if stages[find(consumer)] < earliest:
                stages[find(consumer)], changed = earliest, True
        if not changed:
            break
    else:
        raise ValueError("ops of one stage depend on each other through another stage")
    pairs = dict.fromkeys(StagePair(stages[find(p)], p, c, value) for p, c, value in edges)
    order = {op: index for index, op in enumerate(ops)}
    return tuple(
        sorted(pairs, key=lambda pair: (pair.stage, order[pair.producer], order[pair.consumer]))
    )


StageValues = dict[SSAValue, SSAValue]
"""The values of one stage, by the original value: results of copied ops, or arguments of the stage.
Values without an entry are shared by all stages.
"""


def expand_single_tiled_op(
    builder: Builder, op: Operation, stages: Sequence[StageValues]
) -> tuple[Operation, ...]:
    """Copies an op once for each stage; a copy uses the values of its own stage.

    The results of the copy are added to the values of its stage.
    """
    return tuple(builder.insert(op.clone(values)) for values in stages)
