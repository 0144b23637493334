"""Tensor-memory (TMEM) allocation: the columns of a function's accumulators.

    %0 = nv_tileas.async.to_async %zero
    scf.for .. iter_args(%c = %0) {                      // one accumulator: %0, %c, %d and what
      %d = nv_tileas.async.dot %a, %b, %c {..}           // the loop gives
      scf.yield %d
    }

Values forwarded into each other share columns, and so do those with disjoint lifetimes. A tile that
`alloc_tensor` creates in tensor memory has columns, too.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.buffers.lifetimes import BufferLifetimes, Lifetime
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma
from tileir_xdsl.analysis.regions.region_flow import forwarded_values
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.tensor_memory import COLUMNS
from tileir_xdsl.targets.atoms import Memory


@dataclass(frozen=True)
class AccumulatorAllocation:
    """The tensor-memory allocation of an accumulator."""

    column: int
    product: Operation | None
    """The first MMA that adds to it, whose barrier is used to wait for it."""
    may_be_missing: bool
    """Whether it may start as zero, with columns uninitialised until an MMA overwrites them."""
    is_overtaken: bool
    """Whether it is waited for while MMAs issued later may be in flight."""


@dataclass
class TensorMemoryAllocation:
    """The allocations of all accumulators, and the total number of columns."""

    of: dict[SSAValue, AccumulatorAllocation] = field(
        default_factory=dict[SSAValue, AccumulatorAllocation]
    )
    """The allocation of every value that is an accumulator in tensor memory."""
    columns: int = 0

    @property
    def products(self) -> set[Operation]:
        """The MMAs whose barriers are used."""
        return {position.product for position in self.of.values() if position.product is not None}


@dataclass
class _Accumulator:
    """Values that share an accumulator, and the ops that initialise it."""

    starts: list[Operation]
    values: set[SSAValue]

    @property
    def products(self) -> list[MMAOp]:
        owners = (value.owner for value in self.values)
        return [o for o in owners if isinstance(o, MMAOp) and is_tensor_memory_mma(o)]


def assign_columns(function: Operation) -> TensorMemoryAllocation:
    """Allocates columns for all accumulators of a function.

    Raises `PassFailedException` where there are not enough, or where an accumulator would be
    overwritten before its wait.
    """
    positions, lifetimes = TensorMemoryAllocation(), BufferLifetimes(function)
    order = {op: number for number, op in enumerate(function.walk())}
    placed: list[tuple[list[Lifetime], int, int]] = []
    for accumulator in _accumulators(order):
        _check_overwritten(accumulator, order)
        width = _tile_of(accumulator.starts[0].results[0].type).get_shape()[-1]
        mine, first = [lifetimes.of(op) for op in accumulator.starts], 0
        for others, start, end in sorted(placed, key=lambda item: item[1]):
            if first + width > start and any(a.meets(b) for a in mine for b in others):
                first = max(first, end)
        placed.append((mine, first, first + width))
        products = sorted(accumulator.products, key=order.__getitem__)
        adds = any(isinstance(product.c.type, ValueType) for product in products)
        position = AccumulatorAllocation(
            first,
            products[0] if products else None,
            may_be_missing=adds,
            is_overtaken=not adds and _is_overtaken(accumulator),
        )
        positions.of |= dict.fromkeys(accumulator.values, position)
        positions.columns = max(positions.columns, first + width)
    if positions.columns > COLUMNS:
        fail(
            function,
            f"'{function.name}' op needs {positions.columns} columns of tensor memory, "
            f"there are {COLUMNS}",
        )
    return positions


def _accumulators(ops: Iterable[Operation]) -> list[_Accumulator]:
    """The accumulators of a function, in the order of their first ops."""
    found: list[_Accumulator] = []
    for op in ops:
        if not _begins_accumulators(op):
            continue
        values = _same_accumulators(op.results[0])
        meeting = [other for other in found if not values.isdisjoint(other.values)]
        found = [other for other in found if other not in meeting]
        starts = [start for other in meeting for start in other.starts]
        found.append(_Accumulator([*starts, op], values.union(*(o.values for o in meeting))))
    # An asynchronous value that no MMA adds to or returns is in registers.
    return [a for a in found if a.products or is_in_tensor_memory(a.starts[0].results[0].type)]


def _begins_accumulators(op: Operation) -> bool:
    """Whether an op returns an accumulator that was not asynchronous before."""
    if isinstance(op, MMAOp):
        return is_tensor_memory_mma(op) and not isinstance(op.c.type, ValueType)
    makes_tile = isinstance(op, nv_tileas.AllocTensorOp) and is_in_tensor_memory(op.result.type)
    return makes_tile or isinstance(op, nv_tileas.ToAsyncOp)


def is_in_tensor_memory(type: Attribute) -> bool:
    """Whether values of a type are tiles in tensor memory."""
    return isinstance(type, TensorType) and memory_of(type) is Memory.TENSOR


def _same_accumulators(value: SSAValue) -> set[SSAValue]:
    """A value, and those that it becomes: carried, forwarded, or accumulated to."""
    found = {value}
    is_tile = is_in_tensor_memory(value.type)
    waiting = [value] if is_tile or isinstance(value.type, ValueType) else []
    while waiting:
        for following in _next_accumulators(waiting.pop()):
            if following not in found:
                found.add(following)
                waiting.append(following)
    return found


def _next_accumulators(value: SSAValue) -> Iterator[SSAValue]:
    for use in value.uses:
        op = use.operation
        if isinstance(op, MMAOp) and op.c is value and is_tensor_memory_mma(op):
            yield op.results[0]
        if isinstance(op, nv_tileas.CopyOp) and op.destination is value:
            yield op.result
        if isinstance(op, nv_tileas.AgentSwitchOp):
            yield from (region.block.args[use.index] for region in op.regions)
        for around in (op, op.parent_op()):
            if around is not None:
                pairs = forwarded_values(around)
                yield from (target for source, target in pairs if source is value)


def _is_overtaken(accumulator: _Accumulator) -> bool:
    """Whether an accumulator is somewhere waited for after later MMAs are issued."""
    waits = (
        (value, use.operation)
        for value in accumulator.values
        for use in value.uses
        if isinstance(use.operation, nv_tileas.FutureWaitOp)
    )
    return any(younger for value, wait in waits for younger in started_by(value, wait).values())


def _check_overwritten(accumulator: _Accumulator, order: dict[Operation, int]) -> None:
    """Rejects accumulators that restart while a loop still carries those of the previous
    iteration.
    """
    for start in accumulator.starts:
        for value in accumulator.values:
            around = value.owner if not isinstance(value.owner, Operation) else None
            if around is None or around.find_ancestor_op_in_block(start) is None:
                continue
            if any(order[use.operation] > order[start] for use in value.uses):
                fail(start, f"'{start.name}' op overwrites sums that are still waited for")


def _tile_of(type: Attribute) -> TensorType[Attribute]:
    """The type of a tile that is materialised or in flight."""
    tile = type.payload if isinstance(type, ValueType) else type
    assert isinstance(tile, TensorType)
    return tile
