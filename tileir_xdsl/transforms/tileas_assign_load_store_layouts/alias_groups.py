"""Pipeline alias groups: all ops that see one value of the stages of a pipeline.

The value that `produce_one` puts into a stage and `consume_one` takes out of it is one allocation,
under several names. Every op that has to do with it offers candidates, each in a memory; the group
needs a memory that all of them offer.

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
"""The memories that a stage can be in, the preferred one first."""

RegionOp = ProduceOp | ConsumeOp
StageOp = RegionOp | nv_tileas.ConsumerReadOp | nv_tileas.ProducerWriteOp


@dataclass(frozen=True)
class MemoryCandidates:
    """The memories that one op offers for the value, and the layouts that it takes it from."""

    op: Operation
    memories: frozenset[Memory]
    layouts: tuple[SharedLayout, ...] = ()


@dataclass
class AliasGroup:
    """One value of the stages of a pipeline."""

    pipeline: nv_tileas.CreatePipelineOp
    position: int
    """Its number in what a stage holds."""
    type: Attribute
    arguments: list[SSAValue] = field(default_factory=list[SSAValue])
    """The names that it has in regions, views included."""
    yielded: list[tuple[PipelineYieldOp, int]] = field(
        default_factory=list[tuple[PipelineYieldOp, int]]
    )
    """Where regions give it back, or put it there: terminators and numbers of operands."""
    writes: list[nv_tileas.ProducerWriteOp] = field(default_factory=list[nv_tileas.ProducerWriteOp])
    """The ops that write it between acquire and commit."""


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
    """The names that an op gives to what a stage holds."""
    return op.body.block.args if isinstance(op, RegionOp) else op.values


def _payload(op: StageOp) -> Sequence[Attribute]:
    """The types of what a stage holds, as an op on one has them."""
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
    """Whether the region yields values for the program instead of what the stage holds."""
    return len(op.results) > len(op.TOKENS)


def _names(value: SSAValue) -> Iterator[SSAValue]:
    """A value and the views of it."""
    yield value
    for use in value.uses:
        if isinstance(use.operation, nv_tileas.ViewOp):
            yield from _names(use.operation.result)


def memory_candidates(group: AliasGroup, target: Target, warps: int) -> list[MemoryCandidates]:
    """The memories that every op of a group offers, the pipeline's own storage first."""
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
    """The memories that all ops offer, the preferred one first."""
    offered = [candidate.memories for candidate in candidates]
    return tuple(memory for memory in STORAGE if all(memory in some for some in offered))


def _storage(
    pipeline: nv_tileas.CreatePipelineOp, position: int, target: Target
) -> frozenset[Memory]:
    """Where the stages are: as the buffer says, else in any memory that the target has."""
    views = pipeline.buffer_views
    memory = memory_of(views[min(position, len(views) - 1)].type)
    if memory is not None:
        return frozenset({memory})
    # Queues of the user say so.
    if pipeline.shared_mem is not None and pipeline.shared_mem.value.data:
        return frozenset({Memory.SHARED})
    return _reachable(target, Memory.REGISTER)


def _reachable(target: Target, source: Memory) -> frozenset[Memory]:
    """The memories that a target can copy a tile to from one."""
    there = {memory for memory in STORAGE if copy_atoms(target, source, memory)}
    return frozenset(there | ({source} & set(STORAGE)))


def _readable(target: Target, destination: Memory) -> frozenset[Memory]:
    """The memories that a target can copy a tile from to one."""
    there = {memory for memory in STORAGE if copy_atoms(target, memory, destination)}
    return frozenset(there | ({destination} & set(STORAGE)))


def _produced(
    op: ProduceOp, value: SSAValue, group: AliasGroup, target: Target
) -> MemoryCandidates:
    """A stage is filled in place, or by a copy of what the region yields."""
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
    """The layouts in which a dot reads an operand; all strategies agree in their memories."""
    return strategies_of(op, target, warps)[0].accepted(axis)


def stage_layout(group: AliasGroup, candidates: Sequence[MemoryCandidates]) -> SharedLayout:
    """The shared layout of a stage: that of the first dot that reads it from shared memory."""
    layouts = (layout for candidate in candidates for layout in candidate.layouts)
    shape = tile_shape(group.type).shape
    return next(layouts, None) or shared_layout_of(group.type, shape, stored_bits(group.type))


def iterator_pipelines(function: Operation) -> dict[SSAValue, Operation]:
    """The pipeline of every iterator, as far as the program shows it."""
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
