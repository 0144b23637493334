"""Chooses the groups of loads in a function that get a pipeline, and the number of stages.

Stages get the shared memory that the function does not need otherwise. The functions that later
allocate memory also compute the plan, so that a plan that fits here fits later.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.access.async_loads import AsyncLoad, LoadGroup, load_groups
from tileir_xdsl.analysis.allocation.allocation_requests import (
    AllocationRequest,
    barrier_request,
    buffer_request,
    pipeline_request,
    request_of,
)
from tileir_xdsl.analysis.allocation.lifetimes import BufferLifetimes, Lifetime, Span
from tileir_xdsl.analysis.allocation.scratch_requests import scratch_bytes
from tileir_xdsl.analysis.allocation.shared_memory_allocation import (
    Requirement,
    end_of,
    place,
    scratch_requirement,
)
from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.buffers.shared_layouts import shared_layout, stages_layout
from tileir_xdsl.analysis.mma.tensor_memory_mmas import RENAMINGS, is_tensor_memory_mma
from tileir_xdsl.analysis.threads.block_sharing import expected_blocks
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import LoadThroughPointersOp
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.allocations import SHARED_MEMORY
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.control import ANSWER
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.transforms.tileas_materialize_async.stage_counts import (
    MOST_STAGES,
    stage_counts,
    stages_for,
)
from tileir_xdsl.walking import ops_in

from .program_ids import STAGES as STAGES_OF_ANSWERS
from .program_ids import requests_in_loops

STAGES_ACROSS_ITERATIONS = 2
"""Stages for loads in the body of an outer loop: one is read while the next one is filled."""
MOST_COPIES_OF_MMAS = 4
"""The mbarriers counted for an MMA in a loop, which an expanded schedule copies before and after
the loop.
"""
COPIES_OF_CONVERSIONS = 2
"""The buffers counted for a conversion before an asynchronous MMA, which an expanded schedule also
copies before the loop.
"""
STAGES_TO_SHARE = 2
"""The fewest stages of a pipeline with which blocks share the shared memory of a multiprocessor."""


@dataclass(frozen=True)
class PipelinePlan:
    """A group of loads of one block, and the stages of its pipeline."""

    group: LoadGroup
    stages: int


@dataclass(frozen=True)
class PipelinePlans:
    """The pipelines of a function in program order, or the reason why it has none."""

    pipelines: tuple[PipelinePlan, ...] = ()
    bytes: int = 0
    """The shared memory that the function needs with these pipelines, in bytes."""
    remark: str | None = None


def plan_pipelines(function: nv_tileaa.FuncOp, target: Target, most_stages: int) -> PipelinePlans:
    """The pipelines of a function; none if shared memory cannot hold one stage of each."""
    groups = [
        group
        for op in ops_in(function)
        if isinstance(op, scf.ForOp | scf.WhileOp)
        for group in load_groups(op.regions[-1].block)
        if _is_in_loops_only(op, function)
    ]
    if not groups:
        return PipelinePlans()
    budget, limits = SharedMemoryBudget(function, groups, target), target.limits
    most = [_most_stages(group, most_stages) for group in groups]
    capacity = 0
    # From the most blocks down: they divide the shared memory of a multiprocessor.
    for sharing in range(expected_blocks(function, target), 0, -1):
        share = limits.shared_memory_per_multiprocessor // sharing
        share -= limits.reserved_shared_memory_per_block
        capacity = min(share, limits.shared_memory_per_block)
        found = budget.stages(capacity, most)
        # With a single stage, a load never overlaps with the dot that it is for.
        if found is not None and (sharing == 1 or min(found.counts) >= STAGES_TO_SHARE):
            plans = zip(groups, found.counts, strict=True)
            return PipelinePlans(
                tuple(PipelinePlan(group, count) for group, count in plans), found.bytes
            )
    return PipelinePlans(
        remark=f"a stage of each pipeline needs {sum(budget.stage_bytes)} bytes of shared memory, "
        f"{max(capacity - budget.other_bytes, 0)} are left on {target.name}: loads stay where "
        "they are"
    )


def _most_stages(group: LoadGroup, most: int) -> int:
    """The most stages for the pipeline of a group of loads; `most` is the limit of the function."""
    # More would hold memory that the inner loop's stages use in every iteration.
    if _repeats_inner_loads(group):
        return min(most, STAGES_ACROSS_ITERATIONS)
    if group.latency is None:
        return most
    asked = stages_for(group.latency)
    # The default is what hides the usual latency; whatever else was asked for holds.
    return asked if most == MOST_STAGES else min(most, asked)


@dataclass(frozen=True)
class Stages:
    """The number of stages of each pipeline, and the shared memory that the function needs with
    these.
    """

    counts: tuple[int, ...]
    bytes: int


class SharedMemoryBudget:
    """Computes the shared memory of a function for given stages of its pipelines."""

    def __init__(self, function: nv_tileaa.FuncOp, groups: Sequence[LoadGroup], target: Target):
        self._target, self._groups = target, groups
        lifetimes = BufferLifetimes(function)
        self._loops = [lifetimes.span_of(_outermost_loop(group.block)) for group in groups]
        end = max(loop.last for loop in self._loops)
        # Their buffers go, as stages take their place.
        piped = {part for group in groups for load in group.loads for part in load.parts}
        requests = set(requests_in_loops(function))
        blocks: set[Block | None] = {group.block for group in groups}
        self._others = [_answers(op, Span(0, end)) for op in requests]
        self._after: set[Operation] = set()
        for op in ops_in(function):
            if op in piped or op in requests:
                continue
            # After the loops no stage is live, so their memory is free again.
            if lifetimes.span_of(op).first > end:
                self._after.add(op)
            if (request := _request_of(op)) is not None:
                lifetime = _in_whole_loops(lifetimes.of(op), self._loops)
                copies = COPIES_OF_CONVERSIONS if _may_be_copied(op, blocks) else 1
                self._others += [Requirement(op, SHARED_MEMORY, request, lifetime)] * copies
            if size := scratch_bytes(op, target):
                self._others.append(scratch_requirement(op, size, lifetimes))
        until_end = Lifetime({None: Span(0, end)})
        during = [other for other in self._others if other.lifetime.meets(until_end)]
        # Placed rather than added up: buffers that are never live together share bytes.
        self.other_bytes = end_of(place(during, target, divides=_never))
        """The bytes of all allocations except pipelines, up to the end of the last loop with a
        pipeline.
        """
        self.stage_bytes = [
            sum(request.request.bytes for request in self._pipeline(number, 2))
            - sum(request.request.bytes for request in self._pipeline(number, 1))
            for number in range(len(groups))
        ]
        """The bytes of a further stage, for each pipeline."""

    def stages(self, capacity: int, most: Sequence[int]) -> Stages | None:
        """The stages of each pipeline that fit in `capacity` bytes; None if one stage of each does
        not fit.
        """
        found = stage_counts(self.stage_bytes, capacity - self.other_bytes, most)
        if found is None:
            return None
        counts = list(found)
        # The division was an estimate: alignment and what is placed around stages may take more.
        while (bytes := self.bytes(counts, capacity)) > capacity:
            # The longest pipeline loses least by one stage.
            longest = max(range(len(counts)), key=counts.__getitem__)
            if counts[longest] == 1:
                return None
            counts[longest] -= 1
        return Stages(tuple(counts), bytes)

    def bytes(self, counts: Sequence[int], capacity: int) -> int:
        """The bytes that the function needs with `counts` stages of its pipelines.

        Scratch memory after the loops is reduced if it exceeds the capacity, since no stage is live
        there.
        """
        stages = [
            requirement
            for number, count in enumerate(counts)
            for requirement in self._pipeline(number, count)
        ]
        requirements = [*stages, *self._others]
        placed = place(requirements, self._target, limit=capacity, divides=self._after.__contains__)
        return end_of(placed)

    def _pipeline(self, number: int, count: int) -> list[Requirement]:
        """The allocations of a pipeline with `count` stages, live from the start of the kernel to
        the end of the loops. Another agent may fill stages as soon as the pipeline exists.
        """
        group, lifetime = self._groups[number], Lifetime({None: Span(0, self._loops[number].last)})
        requests = [_stages_request(load, count) for load in group.loads]
        return [
            Requirement(group.loads[0].op, SHARED_MEMORY, request, lifetime)
            for request in (*requests, pipeline_request(count))
        ]


def _never(_op: Operation) -> bool:
    return False


def _stages_request(load: AsyncLoad, count: int) -> AllocationRequest:
    """The allocation request for the buffer of a load's stages."""
    return buffer_request(stages_layout(shared_layout(load.op, load.tile_type), count))


def _request_of(op: Operation) -> AllocationRequest | None:
    """The allocation request of an op, including copies that later passes make."""
    # The schedule that copies it comes later, so the most copies are counted.
    if isinstance(op, MMAOp) and is_tensor_memory_mma(op):
        return barrier_request(MOST_COPIES_OF_MMAS)
    if not isinstance(op, LoadTileOp | LoadThroughPointersOp):
        return request_of(op)
    type = op.results[0].type
    return buffer_request(shared_layout(op, type)) if is_buffer(type) else None


def _may_be_copied(op: Operation, blocks: Container[Block | None]) -> bool:
    """Whether an expanded schedule may copy an op with a buffer to before its loop.

    Only conversions from buffer to buffer qualify, as early MMAs do not depend on tiles in
    registers.
    """
    if not isinstance(op, nv_tileas.ConvertLayoutOp) or op.parent not in blocks:
        return False
    if not isinstance(op.parent_op(), scf.ForOp) or not is_buffer(op.source.type):
        return False
    views: list[SSAValue] = [op.result]
    for view in views:
        users = [use.operation for use in view.uses]
        if any(_is_asynchronous(user) for user in users):
            return True
        views += (user.results[0] for user in users if isinstance(user, RENAMINGS))
    return False


def _is_asynchronous(op: Operation) -> bool:
    """Whether an op is an MMA with an asynchronous instruction."""
    if not isinstance(op, MMAOp) or op.atom is None or op.atom.data not in MMA_ATOMS:
        return False
    return MMA_ATOMS[op.atom.data].kind is not MMAKind.WARP


def _answers(op: nv_tileas.CancelNextProgramIdOp, span: Span) -> Requirement:
    """The allocation for the pipeline with the answers to requests for tile blocks."""
    stages = TensorType(i32, [STAGES_OF_ANSWERS, *ANSWER.get_shape()], MemoryAttr(Residency.SHARED))
    buffer, barriers = (
        buffer_request(shared_layout(op, stages)),
        pipeline_request(STAGES_OF_ANSWERS),
    )
    # Answers arrive asynchronously all through the kernel, so the bytes are never reused.
    request = AllocationRequest(buffer.bytes + barriers.bytes, buffer.alignment, reusable=False)
    return Requirement(op, SHARED_MEMORY, request, Lifetime({None: span}))


def _in_whole_loops(lifetime: Lifetime, loops: Sequence[Span]) -> Lifetime:
    """The lifetime of a buffer, extended to whole loops.

    MMAs and stores may read the buffer until they are waited for an iteration later.
    """
    spans = dict(lifetime.spans)
    for agent, span in spans.items():
        for loop in loops:
            if span.meets(loop):
                spans[agent] = spans[agent].joined(loop)
    return replace(lifetime, spans=spans)


def _repeats_inner_loads(group: LoadGroup) -> bool:
    """Whether the block with a group of loads also contains a loop."""
    return any(isinstance(op, scf.ForOp | scf.WhileOp) for op in group.block.ops)


def _is_in_loops_only(loop: scf.ForOp | scf.WhileOp, function: nv_tileaa.FuncOp) -> bool:
    """Whether all parents of a loop are loops."""
    parent: Operation | None = loop.parent_op()
    # In a branch a stage might be filled in one iteration and not emptied in another.
    while isinstance(parent, scf.ForOp | scf.WhileOp):
        parent = parent.parent_op()
    return parent is function


def _outermost_loop(block: Block) -> Operation:
    """The outermost loop around a block."""
    loop = block.parent_op()
    assert loop is not None
    while isinstance(around := loop.parent_op(), scf.ForOp | scf.WhileOp):
        loop = around
    return loop
