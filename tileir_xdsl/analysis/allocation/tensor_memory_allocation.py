"""Tensor-memory (TMEM) allocation: the columns of a function's accumulators.

Values forwarded into each other share columns, and so do those with disjoint lifetimes. A tile that
`alloc_tensor` creates in tensor memory has columns, too. Each stage of a pipeline has its own
columns, one after the other. A value written to a stage uses the columns of the stage from its
start, once the stage is acquired.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.allocation.lifetimes import BufferLifetimes, Lifetime
from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators, pipeline_of
from tileir_xdsl.analysis.mma.accumulators import Accumulator, accumulators_of, same_accumulator
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.analysis.mma.tensor_memory_mmas import (
    operand_a_columns,
    stage_of,
)
from tileir_xdsl.diagnostics import Excess, Resource, exceed, fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.allocations import (
    TENSOR_MEMORY,
    TENSOR_MEMORY_COLUMNS,
    AllocationAttr,
    allocation_of,
    check_total,
    total,
    total_of,
)
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.tensor_memory import COLUMNS, ScaleColumns, tile_columns
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.walking import ops_in

PASS_NAME = "tileas-allocate-tensor-memory"


@dataclass(frozen=True)
class AccumulatorAllocation:
    """The tensor-memory allocation of an accumulator."""

    column: int
    columns: int
    mma: Operation | None
    """The first MMA that adds to the accumulator; waits use the barrier of this MMA."""
    may_be_missing: bool
    """Whether the accumulator may start as zero: columns are uninitialised until an MMA writes."""
    is_overtaken: bool
    """Whether the accumulator is waited for while MMAs issued later may be in flight."""
    scales: Mapping[MMAOp, tuple[int, ...]] = field(default_factory=dict[MMAOp, tuple[int, ...]])
    """The first columns of the block scales of A and of B, by the MMA that reads them."""
    operand_a: int | None = None
    """The first column of A, where threads store it for the MMAs."""
    stage_columns: int = 0
    """The columns of one stage of accumulators; 0 for an accumulator that is not in a stage."""


@dataclass
class TensorMemoryAllocation:
    """The allocations of all accumulators, and the total number of columns."""

    of: dict[SSAValue, AccumulatorAllocation] = field(
        default_factory=dict[SSAValue, AccumulatorAllocation]
    )
    """The allocation of every value that is an accumulator in tensor memory."""
    by_op: dict[Operation, AccumulatorAllocation] = field(
        default_factory=dict[Operation, AccumulatorAllocation]
    )
    """The allocation of every accumulator, by the op that initialises it."""
    columns: int = 0
    stages: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """For values that are in a stage of a pipeline, the token that owns the stage."""

    def attributes(self, function: Operation) -> Mapping[Operation, Mapping[str, Attribute]]:
        """The attributes of the allocation: columns on each op, their number on the function."""
        written: dict[Operation, Mapping[str, Attribute]] = {
            op: {TENSOR_MEMORY: AllocationAttr(allocation.column, allocation.columns)}
            for op, allocation in self.by_op.items()
        }
        return {**written, function: {TENSOR_MEMORY_COLUMNS: total(self.columns)}}

    @property
    def mmas(self) -> set[Operation]:
        """The MMAs whose barriers are used."""
        return {each.mma for each in self.of.values() if each.mma is not None}


def columns_of_scales(op: MMAOp) -> tuple[ScaleColumns, ...]:
    """How the scales of A and of B in one stage are divided among columns."""
    found: list[ScaleColumns] = []
    for number, scales in enumerate(op.scales):
        extents = tile_shape(scales.type).shape[-2:]
        rows, blocks = reversed(extents) if number else extents
        in_memory = memory_of(scales.type) is Memory.SHARED
        divided = ScaleColumns.of_copies if in_memory else ScaleColumns.of_registers
        found.append(divided(rows, blocks))
    return tuple(found)


def scale_stages(scales: SSAValue) -> nv_tileas.CreatePipelineOp | None:
    """The pipeline that block scales come through; each of its stages has columns of its own.

    The stage is filled again only after its release. MMAs that read its columns are then complete.
    """
    read = stage_of(scales)
    return None if read is None else pipeline_of(read.token)


def _scale_columns(mmas: Sequence[MMAOp], first: int) -> tuple[dict[MMAOp, tuple[int, ...]], int]:
    """Where the scales of some MMAs on an accumulator begin, and the end of their columns.

    MMAs whose scales come through the same pipeline, and those whose scales threads store, share
    columns.
    """
    sizes: dict[tuple[int, Operation | None], int] = {}
    keys: dict[MMAOp, list[tuple[int, Operation | None]]] = {}
    for mma in mmas:
        for number, (scales, columns) in enumerate(
            zip(mma.scales, columns_of_scales(mma), strict=True)
        ):
            pipeline = scale_stages(scales)
            stages = 1 if pipeline is None else pipeline.num_stages.value.data
            key = number, pipeline
            keys.setdefault(mma, []).append(key)
            sizes[key] = max(sizes.get(key, 0), stages * columns.total)
    starts: dict[tuple[int, Operation | None], int] = {}
    for key, size in sizes.items():
        starts[key] = first
        first += size
    return {mma: tuple(starts[key] for key in of_mma) for mma, of_mma in keys.items()}, first


def plan_tensor_memory(function: Operation) -> TensorMemoryAllocation:
    """Allocates columns for all accumulators of a function.

    An op that has an allocation keeps it.

    Raises `PassFailedException` where columns do not suffice, where an accumulator would be
    overwritten before its wait, and where allocations that ops had overlap.
    """
    return _allocation(function, may_choose=True)


def read_tensor_memory(function: Operation) -> TensorMemoryAllocation:
    """The columns of a function by the attributes of its ops.

    Raises `PassFailedException` where an accumulator has no columns, and as `plan_tensor_memory`
    does.
    """
    memory = _allocation(function, may_choose=False)
    check_total(function, TENSOR_MEMORY_COLUMNS, memory.columns)
    return memory


def scale_columns(mmas: Sequence[MMAOp]) -> int:
    """The columns of the block scales of some MMAs on one accumulator."""
    return _scale_columns(mmas, 0)[1]


def is_allocated(function: Operation) -> bool:
    """Whether the tensor memory of a function has been allocated."""
    return total_of(function, TENSOR_MEMORY_COLUMNS) is not None


def _allocation(function: Operation, *, may_choose: bool) -> TensorMemoryAllocation:
    memory, ops = TensorMemoryAllocation(), ops_in(function)
    accumulators = accumulators_of(ops)
    # Most functions have none.
    if not accumulators:
        return memory
    lifetimes = BufferLifetimes(function)
    order = {op: number for number, op in enumerate(ops)}
    placed: list[_Range] = []
    for accumulator in sorted(accumulators, key=lambda each: _forced(each) is None):
        _check_overwritten(accumulator, order)
        start = accumulator.starts[0]
        held = accumulator.stages * _columns_of(start)
        # Block scales follow the accumulator, or A does, of the widest MMA.
        _, scales_end = _scale_columns(accumulator.mmas, held)
        width = scales_end + max(map(_columns_of_a, accumulator.mmas), default=0)
        mine, forced = [lifetimes.of(op) for op in accumulator.starts], _forced(accumulator)
        live = [other for other in placed if any(a.meets(b) for a in mine for b in other.lifetimes)]
        if forced is None:
            if not may_choose:
                fail(
                    start,
                    f"'{start.name}' op has no allocation of tensor memory: expected "
                    f"{PASS_NAME} to run before",
                )
            first = 0
            for other in sorted(live, key=lambda each: each.first):
                if first + width > other.first:
                    first = max(first, other.end)
        else:
            first = forced.offset.data
            _check_forced(accumulator, forced, width, live)
        placed.append(_Range(start, mine, first, first + width))
        mmas = sorted(accumulator.mmas, key=order.__getitem__)
        adds = any(isinstance(mma.c.type, ValueType) for mma in mmas)
        is_staged = accumulator.pipeline is not None
        allocation = AccumulatorAllocation(
            first,
            width,
            # The barriers of stages say when MMAs are complete.
            mmas[0] if mmas and not is_staged else None,
            may_be_missing=adds,
            is_overtaken=not adds and _is_overtaken(accumulator),
            scales=_scale_columns(mmas, first + held)[0],
            operand_a=first + scales_end if any(map(_columns_of_a, mmas)) else None,
            stage_columns=_columns_of(start) if is_staged else 0,
        )
        memory.stages |= _owned_stages(accumulator)
        memory.of |= dict.fromkeys(accumulator.values, allocation)
        memory.by_op |= dict.fromkeys(accumulator.starts, allocation)
        memory.columns = max(memory.columns, first + width)
    if memory.columns > COLUMNS:
        exceed(
            function,
            f"'{function.name}' op needs {memory.columns} columns of tensor memory, "
            f"there are {COLUMNS}",
            Excess(Resource.TENSOR_MEMORY, memory.columns, COLUMNS),
        )
    return memory


def _forced(accumulator: Accumulator) -> AllocationAttr | None:
    """The columns that one of the ops which initialise an accumulator has already."""
    found = (allocation_of(op, TENSOR_MEMORY) for op in accumulator.starts)
    return next((allocation for allocation in found if allocation is not None), None)


@dataclass(frozen=True)
class _Range:
    """The columns of an accumulator, and when they are live."""

    op: Operation
    lifetimes: list[Lifetime]
    first: int
    end: int


def _check_forced(
    accumulator: Accumulator, forced: AllocationAttr, width: int, live: list[_Range]
) -> None:
    """Checks the columns that an op had before."""
    op, first = accumulator.starts[0], forced.offset.data
    for start in accumulator.starts:
        other = allocation_of(start, TENSOR_MEMORY)
        if other is not None and other != forced:
            fail(
                start,
                f"'{start.name}' op has columns {_columns(other.offset.data, other.end)} "
                f"of tensor memory, but shares its accumulator with '{op.name}' op, which "
                f"has columns {_columns(first, forced.end)}",
            )
    if forced.size.data < width:
        fail(
            op, f"'{op.name}' op has {forced.size.data} columns of tensor memory, but needs {width}"
        )
    if first + width > COLUMNS:
        fail(
            op,
            f"'{op.name}' op has columns {_columns(first, first + width)}, but tensor "
            f"memory has only {COLUMNS} columns",
        )
    for other in live:
        if first < other.end and other.first < first + width:
            fail(
                op,
                f"'{op.name}' op has columns {_columns(first, first + width)} of tensor "
                f"memory, which overlap columns {_columns(other.first, other.end)} of "
                f"'{other.op.name}' op while both are live",
            )


def _columns(first: int, end: int) -> str:
    return f"{first} to {end - 1}"


def _owned_stages(accumulator: Accumulator) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values of an accumulator that are in a stage, each with the token that owns the stage.

    Raises `PassFailedException` where MMAs may begin before they own the stage that they fill.
    """
    for start in accumulator.starts:
        if isinstance(start, AllocationOpInterface):
            continue
        writes = _writes_of(start)
        if not writes:
            continue
        acquired = {write.token.owner for write in writes}
        acquire = acquired.pop()
        if (
            acquired
            or not isinstance(acquire, nv_tileas.ProducerAcquireOp)
            or acquire.parent is not start.parent
            or not acquire.is_before_in_block(start)
        ):
            fail(
                start,
                f"'{start.name}' op expects one producer_acquire before it in the "
                "same block, for the stage of its accumulator",
            )
        yield from ((value, acquire.result) for value in _before_write(start.results[0]))
    for value in accumulator.values:
        if isinstance(value.owner, nv_tileas.ConsumerReadOp):
            yield value, value.owner.result


def _writes_of(start: Operation) -> list[nv_tileas.ProducerWriteOp]:
    """The ops that turn an accumulator into the value that a stage holds."""
    users = {use.operation for value in _before_write(start.results[0]) for use in value.uses}
    writes = (op for op in users if isinstance(op, nv_tileas.ProducerWriteOp))
    return [op for op in writes if _is_to_tensor_memory(op)]


def _is_to_tensor_memory(op: nv_tileas.ProducerWriteOp) -> bool:
    pipeline = pipeline_of(op.token)
    return pipeline is not None and holds_accumulators(pipeline)


def _before_write(value: SSAValue) -> set[SSAValue]:
    """An accumulator, and the values derived from it until a stage is written."""
    return {each for each in same_accumulator(value) if isinstance(each.type, ValueType)}


def _is_overtaken(accumulator: Accumulator) -> bool:
    """Whether an accumulator is somewhere waited for after later MMAs are issued."""
    waits = (
        (value, use.operation)
        for value in accumulator.values
        for use in value.uses
        if isinstance(use.operation, nv_tileas.FutureWaitOp)
    )
    return any(younger for value, wait in waits for younger in started_by(value, wait).values())


def _check_overwritten(accumulator: Accumulator, order: dict[Operation, int]) -> None:
    """Rejects accumulators that restart while a loop still carries those of the previous
    iteration.
    """
    for start in accumulator.starts:
        for value in accumulator.values:
            around = value.owner if not isinstance(value.owner, Operation) else None
            if around is None or around.find_ancestor_op_in_block(start) is None:
                continue
            if any(order[use.operation] > order[start] for use in value.uses):
                fail(
                    start,
                    f"'{start.name}' op overwrites the accumulator of the previous "
                    "iteration, which a later op still uses",
                )


def _columns_of_a(mma: MMAOp) -> int:
    """The columns that threads store A to."""
    columns = operand_a_columns(mma)
    return 0 if columns is None else tile_columns(columns.shape)


def _columns_of(start: Operation) -> int:
    """The columns of an accumulator without block scales."""
    return tile_columns(_tile_of(start.results[0].type).get_shape())


def _tile_of(type: Attribute) -> TensorType[Attribute]:
    """The type of a tile that is materialised or in flight."""
    tile = type.payload if isinstance(type, ValueType) else type
    assert isinstance(tile, TensorType)
    return tile
