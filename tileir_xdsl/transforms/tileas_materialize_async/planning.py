"""Which groups of loads of a function get a pipeline, and how many stages."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation

from tileir_xdsl.analysis.access.async_loads import LoadGroup, load_groups
from tileir_xdsl.analysis.buffers.lifetimes import BufferLifetimes
from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.threads.block_sharing import expected_blocks
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.attributes import AtomPlan
from tileir_xdsl.targets import Target
from tileir_xdsl.transforms.tileas_materialize_async.stage_counts import stage_counts

from .program_ids import requests_in_loops

ALIGNMENT = 1024
"""The alignment of stage buffers: swizzle patterns repeat after so many bytes."""
STAGES_ACROSS_ITERATIONS = 2
"""Stages for loads once per iteration of an outer loop: one is in use, the next one is filled."""
BARRIER_BYTES = 1024
"""The bytes reserved for the barriers of all pipelines."""
STAGES_TO_SHARE = 2
"""Below this many stages of a pipeline, one block gets the shared memory of the multiprocessor."""


@dataclass(frozen=True)
class PipelinePlan:
    """A group of loads of one block, and the stages of its pipeline."""

    group: LoadGroup
    stages: int


@dataclass(frozen=True)
class PipelinePlans:
    """The pipelines of a function in the order of the program, or why it has none."""

    pipelines: tuple[PipelinePlan, ...] = ()
    remark: str | None = None


def plan_pipelines(function: nv_tileaa.FuncOp, target: Target, most_stages: int) -> PipelinePlans:
    """The pipelines of a function; none if shared memory cannot hold one stage of each."""
    groups = [
        group
        for op in function.walk()
        if isinstance(op, scf.ForOp | scf.WhileOp) and _is_in_loops_only(op, function)
        for group in load_groups(op.regions[-1].block)
    ]
    if not groups:
        return PipelinePlans()
    limits = target.limits
    kept = limits.reserved_shared_memory_per_block + BARRIER_BYTES + _other_bytes(function, groups)
    sizes, capacity = [_aligned(group) for group in groups], 0
    most = [
        min(most_stages, STAGES_ACROSS_ITERATIONS if _repeats_inner_loads(g) else most_stages)
        for g in groups
    ]
    for sharing in range(expected_blocks(function, target), 0, -1):
        capacity = limits.shared_memory_per_multiprocessor // sharing - kept
        counts = stage_counts(sizes, capacity, most)
        if counts is not None and (sharing == 1 or min(counts) >= STAGES_TO_SHARE):
            plans = zip(groups, counts, strict=True)
            return PipelinePlans(tuple(PipelinePlan(group, count) for group, count in plans))
    return PipelinePlans(
        remark=f"a stage of each pipeline needs {sum(sizes)} bytes of shared memory, "
        f"{max(capacity, 0)} are left on {target.name}: loads stay where they are"
    )


def _repeats_inner_loads(group: LoadGroup) -> bool:
    """Whether an iteration with a group of loads also contains another loop."""
    return any(isinstance(op, scf.ForOp | scf.WhileOp) for op in group.block.ops)


def _is_in_loops_only(loop: scf.ForOp | scf.WhileOp, function: nv_tileaa.FuncOp) -> bool:
    """Whether all parents of a loop are loops."""
    parent: Operation | None = loop.parent_op()
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


def _aligned(group: LoadGroup) -> int:
    return sum(-(-load.bytes // ALIGNMENT) * ALIGNMENT for load in group.loads)


def _other_bytes(function: nv_tileaa.FuncOp, groups: list[LoadGroup]) -> int:
    """Shared memory for buffers of other ops, and for tiles that change their layout.

    Buffers live only after the loops reuse stage memory and are not charged.
    """
    piped = {part for group in groups for load in group.loads for part in load.parts}
    lifetimes = BufferLifetimes(function)
    end = max(lifetimes.span_of(_outermost_loop(group.block)).last for group in groups)
    scratch = 0
    buffers = len(requests_in_loops(function)) * ALIGNMENT
    for op in function.walk():
        if op in piped:
            continue
        for size in _sizes(op):
            if isinstance(op, nv_tileas.ConvertLayoutOp) and not is_buffer(op.result.type):
                if lifetimes.span_of(op).first <= end:
                    scratch = max(scratch, size)
            elif any(span.first <= end for span in lifetimes.of(op).spans.values()):
                buffers += -(-size // ALIGNMENT) * ALIGNMENT
    return buffers + scratch


def _sizes(op: Operation) -> Iterator[int]:
    """The bytes of the tiles for which an op needs shared memory."""
    match op:
        case nv_tileas.AllocTensorOp():
            wants = is_buffer(op.result.type)
        case nv_tileas.ConvertLayoutOp():
            by_threads = (
                op.atom_plan is not None and op.atom_plan.data is not AtomPlan.SHARED_MEMORY
            )
            wants = not is_buffer(op.source.type) and not by_threads
        case _:
            wants = bool(op.results) and _is_loaded_to_buffer(op)
    if wants:
        shape = tile_shape(op.results[0].type)
        yield prod(shape.shape) * element_bytes(shape.element)


def _is_loaded_to_buffer(op: Operation) -> bool:
    type = op.results[0].type
    loads = nv_tileas.TiledLoadOp | nv_tileas.LoadOp | nv_tileas.CopyOp
    return isinstance(op, loads) and isinstance(type, TensorType) and is_buffer(type)
