"""Pipeline alias groups: all ops that access one value in the stages of a pipeline.

The value that `produce_one` writes to a stage and `consume_one` reads from it is one allocation,
under several names. Every op that accesses the value supports some memories; the group needs a
memory that all of the ops support.

| op | candidates |
|---|---|
| without the value | none: it is passed over |
| `produce_one`, `producer_write` | the memories that what it puts there can be written to |
| `consume_one`, `consumer_read`, dot, other op | the memories that the op takes the value from |
| `view` | none: the value goes on under another name |
| `convert_layout` | the memories with a copy to the encoding that it is given |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.layouts.candidates import TileLayout
from tileir_xdsl.analysis.layouts.dot_layouts import Axis
from tileir_xdsl.analysis.layouts.groups import forwarded
from tileir_xdsl.analysis.layouts.uses import shared_layout_of, stored_bits, strategies_of
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import ContractionOpInterface
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.dialects.nv_tileas.types import PipelineIteratorType, memory_of
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.atoms import Memory, copy_atoms
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.walking import ops_in

# Shared memory first: bulk copies write it, and all units read it.
STORAGE = (Memory.SHARED, Memory.TENSOR)
"""The memories that can hold a stage, the preferred one first."""

RegionOp = ProduceOp | ConsumeOp
StageOp = RegionOp | nv_tileas.ConsumerReadOp | nv_tileas.ProducerWriteOp


@dataclass(frozen=True)
class MemoryCandidates:
    """The memories that one op supports for the value, and the shared layouts from which it
    reads.
    """

    op: Operation
    memories: frozenset[Memory]
    layouts: tuple[SharedLayout, ...] = ()


@dataclass
class AliasGroup:
    """One value of the stages of a pipeline."""

    pipeline: nv_tileas.CreatePipelineOp
    position: int
    """The index of the value among those of a stage."""
    type: Attribute
    arguments: list[SSAValue] = field(default_factory=list[SSAValue])
    """The SSA values that name the value in regions, including views."""
    yielded: list[tuple[PipelineYieldOp, int]] = field(
        default_factory=list[tuple[PipelineYieldOp, int]]
    )
    """The terminators of regions that yield the value, each with the operand number."""
    writes: list[nv_tileas.ProducerWriteOp] = field(default_factory=list[nv_tileas.ProducerWriteOp])
    """The ops that write the value between acquire and commit."""


def collect_alias_groups(function: Operation) -> list[AliasGroup]:
    """The alias groups of all tiles that go through pipelines, in the order of the program."""
    groups: dict[tuple[Operation, int], AliasGroup] = {}
    for op in ops_in(function):
        if not isinstance(op, StageOp) or (pipeline := pipeline_of(op.token)) is None:
            continue
        for position, type in enumerate(_payload(op)):
            # Iterators have no memory, and tiles with an encoding have been decided.
            if not _is_stage_tile(type):
                continue
            key = (pipeline, position)
            group = groups.setdefault(key, AliasGroup(pipeline, position, type))
            if isinstance(op, nv_tileas.ProducerWriteOp):
                group.writes.append(op)
                continue
            group.arguments += _names(stage_values(op)[position])
            if isinstance(op, RegionOp) and not yields_values(op):
                terminator = op.body.block.last_op
                assert isinstance(terminator, PipelineYieldOp)
                group.yielded.append((terminator, position))
    return list(groups.values())


def stage_values(op: RegionOp | nv_tileas.ConsumerReadOp) -> Sequence[SSAValue]:
    """The SSA values by which an op names the values of a stage."""
    return op.body.block.args if isinstance(op, RegionOp) else op.values


def _payload(op: StageOp) -> Sequence[Attribute]:
    """The types of the values of a stage, from an op on the stage."""
    if isinstance(op, nv_tileas.ProducerWriteOp):
        # The values may have layouts in registers already, unlike the stage.
        acquire = op.token.owner
        if not isinstance(acquire, nv_tileas.ProducerAcquireOp):
            return ()
        assert isinstance(acquire.iterator.type, PipelineIteratorType)
        return acquire.iterator.type.payload.data
    return [value.type for value in stage_values(op)]


def _is_stage_tile(type: Attribute) -> bool:
    return isinstance(type, TensorType) and not isinstance(
        type.encoding, nv_tileas.MemoryAttr | LayoutAttr
    )


def yields_values(op: RegionOp) -> bool:
    """Whether the region yields values for the program instead of the stage's values."""
    return len(op.results) > len(op.TOKENS)


def _names(value: SSAValue) -> Iterator[SSAValue]:
    """A value and the views of it."""
    yield value
    for use in value.uses:
        if isinstance(use.operation, nv_tileas.ViewOp):
            yield from _names(use.operation.result)


def memory_candidates(group: AliasGroup, target: Target, warps: int) -> list[MemoryCandidates]:
    """The memories that each op of a group supports, starting with the pipeline itself."""
    found = [MemoryCandidates(group.pipeline, _storage(group.pipeline, group.position, target))]
    for terminator, number in group.yielded:
        op = terminator.parent_op()
        if isinstance(op, ProduceOp):
            found.append(_produced(op, terminator.operands[number], group, target))
    for write in group.writes:
        found.append(MemoryCandidates(write, _reachable(target, Memory.REGISTER)))
    for argument in group.arguments:
        for use in argument.uses:
            candidates = _consumed(use.operation, use.index, target, warps)
            if candidates is not None:
                found.append(candidates)
    return found


def common_memories(candidates: Iterable[MemoryCandidates]) -> tuple[Memory, ...]:
    """The memories that all ops support, the preferred one first."""
    offered = [candidate.memories for candidate in candidates]
    return tuple(memory for memory in STORAGE if all(memory in some for some in offered))


def _storage(
    pipeline: nv_tileas.CreatePipelineOp, position: int, target: Target
) -> frozenset[Memory]:
    """The memory of the pipeline's buffer if it is decided, otherwise every memory of the
    target.
    """
    views = pipeline.buffer_views
    memory = memory_of(views[min(position, len(views) - 1)].type)
    if memory is not None:
        return frozenset({memory})
    # Queues of the user say so.
    if pipeline.shared_mem is not None and pipeline.shared_mem.value.data:
        return frozenset({Memory.SHARED})
    return _reachable(target, Memory.REGISTER)


def _reachable(target: Target, source: Memory) -> frozenset[Memory]:
    """The memories to which a target can copy a tile from `source`."""
    there = {memory for memory in STORAGE if copy_atoms(target, source, memory)}
    return frozenset(there | ({source} & set(STORAGE)))


def _readable(target: Target, destination: Memory) -> frozenset[Memory]:
    """The memories from which a target can copy a tile to `destination`."""
    there = {memory for memory in STORAGE if copy_atoms(target, memory, destination)}
    return frozenset(there | ({destination} & set(STORAGE)))


def _produced(
    op: ProduceOp, value: SSAValue, group: AliasGroup, target: Target
) -> MemoryCandidates:
    """The memories in which an op can fill a stage: in place, or by a copy of the yielded tile."""
    if value in group.arguments:
        loads = (nv_tileas.AsyncTiledTmaLoadOp, nv_tileas.AsyncGatherTmaLoadOp)
        # Bulk copies write shared memory alone (PTX ISA, "cp.async.bulk.tensor").
        by_tma = any(isinstance(inner, loads) for inner in op.body.block.ops)
        return MemoryCandidates(op, frozenset({Memory.SHARED} if by_tma else STORAGE))
    owner = value.owner
    if isinstance(owner, nv_tileas.ConvertLayoutOp):
        memory = memory_of(value.type)
        if memory in STORAGE:
            return MemoryCandidates(owner, frozenset({memory}))
    return MemoryCandidates(op, _reachable(target, Memory.REGISTER))


def _consumed(op: Operation, number: int, target: Target, warps: int) -> MemoryCandidates | None:
    match op:
        case PipelineYieldOp() | nv_tileas.ViewOp():
            return None
        case nv_tileas.ConvertLayoutOp():
            # A result without encoding will be in registers.
            memory = memory_of(op.result.type) or Memory.REGISTER
            return MemoryCandidates(op, _readable(target, memory))
        case ContractionOpInterface() if number < len(_AXES):
            return _operand(op, _AXES[number], target, warps)
        case _:
            return MemoryCandidates(op, _readable(target, Memory.REGISTER))


_AXES = (Axis.A, Axis.B)


def _operand(
    op: ContractionOpInterface, axis: Axis, target: Target, warps: int
) -> MemoryCandidates:
    """The memories from which a dot reads an operand, directly or after a copy to registers."""
    accepted = operand_layouts(op, axis, target, warps)
    layouts = tuple(layout for layout in accepted if isinstance(layout, SharedLayout))
    memories = {Memory.SHARED} if layouts else set[Memory]()
    # Some strategy takes registers: then whatever they can be loaded from will do.
    if len(layouts) < len(accepted):
        memories |= _readable(target, Memory.REGISTER)
    atom = MMA_ATOMS.get(op.atom.data) if isinstance(op, MMAOp) and op.atom else None
    # `tcgen05.mma` takes A from tensor memory too, B from shared memory alone (PTX ISA).
    if axis is Axis.A and atom is not None and atom.kind is MMAKind.TENSOR_MEMORY:
        memories.add(Memory.TENSOR)
    return MemoryCandidates(op, frozenset(memories), layouts)


def operand_layouts(
    op: ContractionOpInterface, axis: Axis, target: Target, warps: int
) -> tuple[TileLayout, ...]:
    """The layouts in which a dot accepts an operand; all strategies accept the same memories."""
    return strategies_of(op, target, warps)[0].accepted(axis)


def stage_layout(group: AliasGroup, candidates: Sequence[MemoryCandidates]) -> SharedLayout:
    """The shared layout of a stage: that of the first dot that reads it from shared memory."""
    layouts = (layout for candidate in candidates for layout in candidate.layouts)
    shape = tile_shape(group.type).shape
    return next(layouts, None) or shared_layout_of(group.type, shape, stored_bits(group.type))


def iterator_pipelines(function: Operation) -> dict[SSAValue, Operation]:
    """The pipeline of every iterator whose creation is visible in the function."""
    found: dict[SSAValue, Operation] = {}
    neighbours: dict[SSAValue, list[SSAValue]] = {}

    def tie(first: SSAValue, second: SSAValue) -> None:
        if isinstance(first.type, PipelineIteratorType):
            neighbours.setdefault(first, []).append(second)
            neighbours.setdefault(second, []).append(first)

    for op in ops_in(function):
        for source, target in forwarded(op):
            tie(source, target)
        match op:
            case nv_tileas.CreateIteratorOp():
                _note(found, op.result, op.token)
            case nv_tileas.IncIterOp():
                tie(op.iterator, op.result)
            case ProduceOp() | ConsumeOp():
                _note(found, op.iterator, op.token)
            case _:
                pass
    pending = list(found)
    while pending:
        value = pending.pop()
        for neighbour in neighbours.get(value, ()):
            # Iterators of loops are tied in cycles.
            if neighbour not in found:
                found[neighbour] = found[value]
                pending.append(neighbour)
    return found


def _note(found: dict[SSAValue, Operation], iterator: SSAValue, token: SSAValue) -> None:
    pipeline = pipeline_of(token)
    if pipeline is not None:
        found[iterator] = pipeline
