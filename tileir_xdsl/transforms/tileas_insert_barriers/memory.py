"""The bytes of shared memory, and columns of tensor memory, that the values of a function name.

Buffers are followed through views, asynchronous values, carried values and the stages of pipelines
back to the ops that have the allocations.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.analysis.allocation.tensor_memory_allocation import (
    TensorMemoryAllocation,
    read_tensor_memory,
)
from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.buffers.shared_layouts import shared_layout, size_in_bytes
from tileir_xdsl.analysis.regions.region_flow import forwarded_values
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.memory_effects import Buffer, SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileas.accesses import BoxCopyOp
from tileir_xdsl.dialects.nv_tileas.allocations import SCRATCH, SHARED_MEMORY, allocation_of
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface, TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.types import is_handle
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class Extent:
    """A range of shared or tensor memory in the allocation of an op."""

    memory: Memory
    owner: Operation
    start: int
    """The start in bytes of shared memory, or in columns of tensor memory."""
    stop: int

    def overlaps(self, other: "Extent") -> bool:
        """Whether two ranges have a byte or column in common."""
        is_same = self.memory is other.memory
        return is_same and self.start < other.stop and other.start < self.stop

    def common(self, other: "Extent") -> tuple[int, int]:
        """The intersection of two ranges."""
        return max(self.start, other.start), min(self.stop, other.stop)


@dataclass(frozen=True)
class Part:
    """A range of columns that one warpgroup of an agent accesses."""

    start: int
    stop: int
    warpgroup: int


@dataclass(frozen=True)
class WarpgroupColumns:
    """The columns that each warpgroup accesses, and the agent of the warpgroups, if they are in
    one.
    """

    agent: Region | None
    parts: tuple[Part, ...]

    def has_same_warps(self, other: "WarpgroupColumns") -> bool:
        """Whether each column in both is accessed by the same warps."""
        return self.agent is other.agent and all(
            mine.warpgroup == theirs.warpgroup
            for mine in self.parts
            for theirs in other.parts
            if mine.start < theirs.stop and theirs.start < mine.stop
        )


@dataclass(frozen=True)
class NamedMemory:
    """Memory that a value may name: an allocation, and for a stage its pipeline."""

    owner: Operation
    pipeline: Operation | None = None


@dataclass
class Allocations:
    """The memory that the ops of one function use."""

    function: Operation
    columns: TensorMemoryAllocation
    named: dict[SSAValue, frozenset[NamedMemory]] = field(
        default_factory=dict[SSAValue, frozenset[NamedMemory]]
    )

    @staticmethod
    def of(function: Operation) -> "Allocations":
        """The allocations of a function.

        Raises `PassFailedException` if an accumulator has no columns.
        """
        return Allocations(function, read_tensor_memory(function), _follow(function))

    def buffers(self, value: SSAValue) -> Iterator[tuple[Extent, Operation | None]]:
        """The extents that a value may name, each with its pipeline if it is a stage."""
        for named in self.named.get(value, ()):
            extent = shared_extent(named.owner, SHARED_MEMORY)
            if extent is not None:
                yield _viewed(value, extent), named.pipeline

    def accumulator(self, value: SSAValue) -> Extent | None:
        """The columns of an accumulator in tensor memory; None for other values."""
        columns = self.columns.of.get(value)
        if columns is None:
            return None
        owner = value.owner if isinstance(value.owner, Operation) else self.function
        stop = columns.column + columns.columns
        return Extent(Memory.TENSOR, columns.mma or owner, columns.column, stop)


def shared_extent(op: Operation, name: str) -> Extent | None:
    """The extent of an op's buffer or scratch memory, by the attribute `name`; None without that
    attribute.
    """
    allocation = allocation_of(op, name)
    if allocation is None:
        return None
    return Extent(Memory.SHARED, op, allocation.offset.data, allocation.end)


def _viewed(value: SSAValue, extent: Extent) -> Extent:
    """The part of a buffer that a view with a constant offset names; the whole buffer for other
    values.
    """
    view = value.owner
    # An offset that is only known at run time may be any: all of the buffer.
    if not isinstance(view, nv_tileas.ViewOp) or view.offset is None:
        return extent
    # The offset is from the start of what is viewed, which only for an allocation is known.
    if not isinstance(view.source.owner, AllocationOpInterface):
        return extent
    layout = shared_layout(view, view.result.type)
    start = extent.start + view.offset.value.data * layout.element_bits // 8
    return replace(extent, start=start, stop=min(start + size_in_bytes(layout), extent.stop))


def scratch_extent(op: Operation) -> Extent | None:
    """The scratch memory of an op; None if it has none."""
    return shared_extent(op, SCRATCH)


def _follow(function: Operation) -> dict[SSAValue, frozenset[NamedMemory]]:
    """The memory that each value of a function may name, as a fixed point over carried values."""
    named: dict[SSAValue, frozenset[NamedMemory]] = {}
    following: dict[SSAValue, list[SSAValue]] = {}
    waiting: list[SSAValue] = []
    for op in ops_in(function):
        for source, target in _forwarded(op):
            following.setdefault(source, []).append(target)
        for value, origin in _origins(op):
            named[value] = named.get(value, frozenset()) | {origin}
            waiting.append(value)
    while waiting:
        value = waiting.pop()
        for target in following.get(value, ()):
            known = named.get(target, frozenset())
            # Only what is new goes on, so that carried values come to an end.
            if not named[value] <= known:
                named[target] = known | named[value]
                waiting.append(target)
    return named


def _origins(op: Operation) -> Iterator[tuple[SSAValue, NamedMemory]]:
    """The results of an op that name its own memory, or the stages of a pipeline."""
    if not isinstance(op, SharedMemoryOpInterface):
        return
    effects = op.effects
    if isinstance(effects.creates, Buffer):
        yield effects.creates.result, NamedMemory(op)
    stage = effects.stage
    if stage is not None and not stage.writes:
        yield from zip(stage.values, stage_buffers(stage.token), strict=False)


def stage_buffers(token: SSAValue) -> list[NamedMemory]:
    """The buffers of the stages of a token's pipeline."""
    pipeline = pipeline_of(token)
    views = () if pipeline is None else pipeline.buffer_views
    return [
        NamedMemory(view.owner, pipeline) for view in views if isinstance(view.owner, Operation)
    ]


def _forwarded(op: Operation) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The pairs of an operand and the value it is forwarded to, which names the same memory."""
    match op:
        case scf.ForOp():
            yield from forwarded_values(op)
            yield from zip(op.iter_args, op.results, strict=True)
        case scf.IfOp() | scf.WhileOp() | nv_tileaa.AgentLikeOpInterface():
            yield from forwarded_values(op)
        case BoxCopyOp():
            if op.destination is not None:
                yield from ((op.destination, result) for result in op.results)
        # A conversion into a buffer names its own allocation, not the source's.
        case TileMoveOpInterface():
            pass
        # Either may be chosen: both are named.
        case SelectOp() | arith.SelectOp():
            yield from ((value, op.results[0]) for value in op.operands[1:])
        case _ if not op.regions:
            for result in op.results:
                if is_handle(result.type):
                    yield from ((value, result) for value in op.operands if is_handle(value.type))
        case _:
            for region in op.regions:
                last = region.block.last_op if region.blocks else None
                if last is not None:
                    yield from (
                        (value, result)
                        for value in last.operands
                        for result in op.results
                        if value.type == result.type and is_handle(value.type)
                    )
