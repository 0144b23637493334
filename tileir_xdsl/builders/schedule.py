"""From an analysis of a schedule to IR: what is resident, what is pending, and replicas of ops.

A schedule gives each op of a loop body a stage; an op of stage n works on the iteration that began
n steps ago. A value that is used in a later stage than its own is carried from step to step.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.builder import Builder
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, OpResult, SSAValue

from tileir_xdsl.dialects.nv_tileas.accesses import GatherLoadOp, LoadOp, ScatterStoreOp, StoreOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import STAGE_KEY
from tileir_xdsl.dialects.nv_tileas.atoms import AtomAttr
from tileir_xdsl.dialects.nv_tileas.tiled_memory import TiledLoadOp, TiledStoreOp

SERIAL_KEY = "tileas.schedule.constraint.force_serial_execution"
"""The attribute of a loop whose iterations follow one another."""

OFFSET_KEY = "iter_offset"
"""The attribute that says which iteration an op works on, seen from that of the others."""

LOADS = (LoadOp, TiledLoadOp, GatherLoadOp)
STORES = (StoreOp, TiledStoreOp, ScatterStoreOp)


class Side(Enum):
    """The side of an access that a stage boundary cuts off."""

    READ = LOADS
    WRITE = STORES


@dataclass(frozen=True)
class ScheduleAnalysis:
    """The stage of each op of a loop body."""

    stages: Mapping[Operation, int]

    @staticmethod
    def of(body: Block) -> "ScheduleAnalysis":
        """The stages that the ops of a block carry as attributes."""
        stages: dict[Operation, int] = {}
        for op in body.ops:
            stage = op.attributes.get(STAGE_KEY)
            if isinstance(stage, IntegerAttr):
                stages[op] = stage.value.data
        return ScheduleAnalysis(stages)

    def distance(self, op: Operation, side: Side) -> int:
        """Stages between a load and its last user, or between the last operand and a store."""
        own = self.stages[op]
        if side == Side.READ:
            users = (use.operation for result in op.results for use in result.uses)
            return max(
                (self.stages[user] - own for user in users if user in self.stages), default=0
            )
        owners = (operand.owner for operand in op.operands)
        made = [self.stages[x] for x in owners if isinstance(x, Operation) and x in self.stages]
        return own - max(made, default=own)


@dataclass(frozen=True)
class PendingAccess:
    """An access across stages, and how many steps of the loop its value is carried for."""

    op: Operation
    steps: int


@dataclass(frozen=True)
class MaterializeOptions:
    """What is done asynchronously: nothing, or accesses whose atom is asynchronous."""

    use_async: bool = True


@dataclass(frozen=True)
class ScheduleMaterialization:
    """Accesses within one stage, accesses across stages, and those of both done asynchronously."""

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
    """The accesses whose values are carried from step to step, as loop arguments."""
    distances = (
        (op, analysis.distance(op, side)) for op in analysis.stages if isinstance(op, side.value)
    )
    return tuple(PendingAccess(op, steps) for op, steps in distances if steps > 0)


def is_async_eligible(op: Operation, options: MaterializeOptions) -> bool:
    """Whether an access may be done asynchronously: hardware does, by its atom."""
    atom = op.properties.get("atom")
    row = atom.copy_atom if isinstance(atom, AtomAttr) else None
    return options.use_async and row is not None and row.is_async


def materialize_schedule(
    analysis: ScheduleAnalysis, options: MaterializeOptions | None = None
) -> ScheduleMaterialization:
    """Sorts the accesses of a loop body by what has to be built for them."""
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
    """A producer and a consumer of its values, and the stage of the producer."""

    stage: int
    producer: Operation
    consumer: Operation


def build_stages(
    ops: Sequence[Operation], same_stage: Iterable[tuple[Operation, Operation]]
) -> tuple[StagePair, ...]:
    """Producers and consumers among `ops`, in the order of their stages.

    A consumer is one stage after its producers, unless both are in one group: `same_stage` says
    which ops are.

    Raises:
        ValueError: ops that must be in one stage depend on each other through another stage.
    """
    groups = {op: op for op in ops}

    def find(op: Operation) -> Operation:
        while groups[op] is not op:
            op = groups[op]
        return op

    for first, second in same_stage:
        groups[find(first)] = find(second)
    edges = [
        (producer, op)
        for op in ops
        for operand in op.operands
        if isinstance(producer := operand.owner, Operation) and producer in groups
    ]
    stages = dict.fromkeys((find(op) for op in ops), 0)
    # A longest path visits each group once, so more rounds than groups mean a cycle.
    for _ in range(len(stages) + 1):
        late = [
            (find(consumer), stages[find(producer)] + 1)
            for producer, consumer in edges
            if find(producer) is not find(consumer)
            and stages[find(consumer)] <= stages[find(producer)]
        ]
        if not late:
            break
        for group, stage in late:
            stages[group] = max(stages[group], stage)
    else:
        raise ValueError("ops of one stage depend on each other through another stage")
    order = {op: index for index, op in enumerate(ops)}
    pairs = {StagePair(stages[find(p)], p, c) for p, c in edges if find(p) is not find(c)}
    return tuple(
        sorted(pairs, key=lambda pair: (pair.stage, order[pair.producer], order[pair.consumer]))
    )


OperandSources = dict[SSAValue, Operation]
"""The op that each operand comes from."""

Replicas = dict[Operation, dict[int, Operation]]
"""The copy of each op in each stage."""


def collect_operand_sources(op: Operation) -> OperandSources:
    """The ops that the operands of `op` come from; block arguments come from none."""
    return {value: value.owner for value in op.operands if isinstance(value.owner, Operation)}


def expand_single_tiled_op(
    builder: Builder, op: Operation, stages: Iterable[int], replicas: Replicas
) -> dict[int, Operation]:
    """Copies an op once for each stage; a copy uses the copies of its own stage.

    `replicas` has the copies of the ops before this one, and gets those of this one. An operand
    without a copy in a stage is shared by all stages.
    """
    sources = collect_operand_sources(op)
    copies: dict[int, Operation] = {}
    for stage in stages:
        copy = builder.insert(op.clone())
        for position, operand in enumerate(op.operands):
            source = sources.get(operand)
            replica = None if source is None else replicas.get(source, {}).get(stage)
            if replica is not None:
                assert isinstance(operand, OpResult)
                copy.operands[position] = replica.results[operand.index]
        copies[stage] = copy
    replicas[op] = copies
    return copies
