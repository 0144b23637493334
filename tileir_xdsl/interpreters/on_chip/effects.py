"""Effects of ops on shared and tensor memory when they are executed: a table by op.

An op that exchanges elements between threads writes its scratch memory, synchronises, and reads the
scratch memory. An op without a row in the table reads its operands in shared memory, unless its
result is a view of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import lru_cache
from typing import Any

from xdsl.dialects import scf
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsTerminator

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.allocations import SCRATCH, SHARED_MEMORY, TENSOR_MEMORY
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.nv_tileas.strategies import Issuer, issuer_of
from tileir_xdsl.interpreters.buffers import Buffer
from tileir_xdsl.interpreters.nv_tileas.pipelines import ProducerToken
from tileir_xdsl.interpreters.on_chip.clocks import Start
from tileir_xdsl.interpreters.on_chip.memory_ranges import (
    MemoryRange,
    MemoryRanges,
    allocated,
    is_in,
)
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind
from tileir_xdsl.walking import ancestors, ops_in


class Path(Enum):
    """The proxy of an access to memory (PTX ISA, "Proxies", "tcgen05 Memory Consistency Model").

    Accesses by threads, by asynchronous copies and MMAs to shared memory, and by MMAs to tensor
    memory use three different proxies.
    """

    THREADS = auto()
    ASYNC = auto()
    TENSOR_CORE = auto()


@dataclass(frozen=True)
class Touch:
    """An access to memory. Where `threads` are equal, the same thread accesses a byte."""

    span: MemoryRange
    writes: bool
    path: Path = Path.THREADS
    threads: object = None


_LANES_OF_TENSOR_MEMORY = 128
_WARPS_OF_WARPGROUP = 4
_PAIR = 2
"""The number of 16-bit elements of operand A in a 32-bit column of tensor memory."""

LANES = "lanes"
"""Stands for the threads that access a tile of unknown layout in tensor memory."""


@dataclass(frozen=True)
class HeldColumns:
    """The threads of accesses to tensor memory: which warpgroup accesses each column from `start`.

    Each warp of a warpgroup can access only its own 32 lanes (PTX ISA, "tcgen05.ld").
    """

    start: int
    warpgroups: tuple[int, ...]

    def has_same_warps(self, other: HeldColumns) -> bool:
        """Whether the same warps access each column that both have."""
        first = max(self.start, other.start)
        last = min(self.start + len(self.warpgroups), other.start + len(other.warpgroups))
        return all(
            self.warpgroups[column - self.start] == other.warpgroups[column - other.start]
            for column in range(first, last)
        )


def have_same_threads(first: Touch, second: Touch) -> bool:
    """Whether the same thread accesses a byte in both accesses, for every byte."""
    one, other = first.threads, second.threads
    if isinstance(one, HeldColumns) and isinstance(other, HeldColumns):
        return one.has_same_warps(other)
    return one is not None and one == other


@dataclass(frozen=True)
class Effects:
    """The accesses of an op before its barrier, the barrier, and the accesses after it.

    The asynchronous accesses in `work` continue after the op. `fences` says whether the op has
    proxy fences at its barrier.
    """

    first: tuple[Touch, ...] = ()
    meets: bool = False
    last: tuple[Touch, ...] = ()
    start: Start | None = None
    work: tuple[Touch, ...] = ()
    fences: bool = False


NOTHING = Effects()


@dataclass(frozen=True)
class Executed:
    """An op that is executed, its operands, and the memory ranges of values."""

    op: Any
    values: Sequence[Any]
    ranges: MemoryRanges

    def span(self, operand: SSAValue | None) -> MemoryRange | None:
        """The memory range of an operand."""
        if operand is None:
            return None
        return self.ranges.of(self.value(operand), operand)

    def value(self, operand: SSAValue) -> Any:
        """The value of an operand."""
        return next(v for o, v in zip(self.op.operands, self.values, strict=True) if o is operand)

    def reads(self, *operands: SSAValue | None, path: Path = Path.THREADS) -> tuple[Touch, ...]:
        """Reads of all operands that are in memory."""
        ranges = (self.span(operand) for operand in operands)
        return tuple(Touch(p, False, path, _lanes(p)) for p in ranges if p is not None)


def written(span: MemoryRange | None, tile: SSAValue, buffer: SSAValue) -> tuple[Touch, ...]:
    """The write of a tile to a buffer by the threads that hold its elements."""
    if span is None:
        return ()
    layout = tile_layout(tile.type)
    held = None if layout is None else (layout, buffer.type, span)
    return (Touch(span, True, threads=_lanes(span) or held),)


def _lanes(span: MemoryRange) -> object:
    return LANES if span.memory is Memory.TENSOR else None


def _in_columns(
    span: MemoryRange, tile: Attribute, *, writes: bool, per_column: int = 1
) -> tuple[Touch, ...]:
    """The access to a tile that begins at the start of a range of tensor memory.

    The threads that hold the tile access it. A column holds `per_column` adjacent elements of a
    row.
    """
    layout = tile_layout(_payload(tile))
    if layout is None:
        return (Touch(span, writes, threads=LANES),)
    warpgroups = _warpgroups_by_column(layout, per_column)
    own = replace(span, stop=span.start + len(warpgroups))
    return (Touch(own, writes, threads=HeldColumns(span.start, warpgroups)),)


@lru_cache(maxsize=256)
def _warpgroups_by_column(layout: LinearLayout, per_column: int) -> tuple[int, ...]:
    """The warpgroup that holds each column of a tile in tensor memory.

    Rows 128 to 255 use the columns after those of rows 0 to 127, and so on.
    """
    rows, width = layout.shape[-2:]
    width //= per_column
    found = [0] * (max(1, rows // _LANES_OF_TENSOR_MEMORY) * width)
    for warp, elements in enumerate(_elements_by_warp(layout)):
        for element in elements:
            row, column = divmod(element // per_column, width)
            found[row // _LANES_OF_TENSOR_MEMORY * width + column] = warp // _WARPS_OF_WARPGROUP
    return tuple(found)


def is_repeated(op: Operation) -> bool:
    """Whether an op is in a loop, and so initialises its mbarrier in every iteration."""
    return any(isinstance(around, scf.ForOp | scf.WhileOp) for around in ancestors(op))


def is_in_producer(op: Operation) -> bool:
    """Whether a copy fills a stage of a pipeline, whose mbarrier counts the copied bytes."""
    buffer = getattr(op, "destination", None)
    while isinstance(buffer, OpResult) and isinstance(buffer.op, dialect.ViewOp):
        buffer = buffer.op.source
    return isinstance(buffer, BlockArgument) and isinstance(buffer.block.parent_op(), PRODUCERS)


PRODUCERS = (dialect.ProduceOneAsyncOp, dialect.ProduceOneOp)


def runs_in_one_thread(part: Operation | Region) -> bool:
    """Whether a single thread executes an op or region: it has only bulk loads and scalars."""
    inside = ops_in(part)
    tiles = (value.type for op in inside for value in (*op.operands, *op.results))
    has_tiles = any(is_in(_payload(type_), Memory.REGISTER) for type_ in tiles)
    copies = (dialect.AsyncLoadOp, dialect.AsyncTiledLoadOp)
    return not has_tiles and not any(isinstance(op, copies) for op in inside)


def _payload(type_: Any) -> Any:
    return type_.payload if isinstance(type_, ValueType) else type_


# Scratch memory


def _scratch(given: Executed) -> Effects:
    span = allocated(given.op, SCRATCH, Memory.SHARED)
    if span is None:
        return NOTHING
    write, read = Touch(span, True), Touch(span, False)
    if not _crosses_warps(given.op):
        return Effects((write, read))
    return Effects((write,), True, (read,))


def _crosses_warps(op: Operation) -> bool:
    """Whether an op moves elements between warps in scratch memory; some conversions do not."""
    if not isinstance(op, dialect.ConvertLayoutOp | dialect.ShuffleOp):
        return True
    source, result = tile_layout(op.source.type), tile_layout(op.result.type)
    if source is None or result is None or source.replicated_warps:
        return True
    return _elements_by_warp(source) != _elements_by_warp(result)


@lru_cache(maxsize=256)
def _elements_by_warp(layout: LinearLayout) -> list[frozenset[int]]:
    """The elements that each warp holds."""
    return [
        frozenset(
            layout.element(register, lane, warp)
            for lane in range(layout.lanes)
            for register in range(layout.registers)
        )
        for warp in range(layout.warps)
    ]


# Copies


def _convert(given: Executed) -> Effects:
    op = given.op
    from_buffer, to_buffer = (is_in(v.type, Memory.SHARED) for v in (op.source, op.result))
    if not from_buffer and not to_buffer:
        return _scratch(given)
    own = allocated(op, SHARED_MEMORY, Memory.SHARED) if to_buffer else None
    return Effects((*given.reads(op.source), *written(own, op.source, op.result)))


def _copy(given: Executed) -> Effects:
    op = given.op
    source, target = given.span(op.source), given.span(op.destination)
    if source is not None and source.memory is Memory.TENSOR:
        return Effects(_in_columns(source, op.result.type, writes=False))
    if target is not None and target.memory is Memory.TENSOR:
        return Effects(_in_columns(target, op.source.type, writes=True))
    reads = given.reads(op.source)
    if op.destination is None:
        return Effects((*reads, *written(_own(op), op.source, op.result)))
    writes = written(target, op.source, op.destination)
    # Both may be parts of one buffer.
    return Effects(reads, bool(reads and writes), writes)


def _pad(given: Executed) -> Effects:
    """Threads write the padding, fence and synchronise, unless the whole tile is in bounds."""
    reads = given.reads(given.op.tile)
    writes = tuple(replace(touch, writes=True) for touch in reads)
    return Effects(writes, bool(reads), fences=bool(reads))


def _own(op: Operation) -> MemoryRange | None:
    return allocated(op, SHARED_MEMORY, Memory.SHARED) or allocated(
        op, TENSOR_MEMORY, Memory.TENSOR
    )


def _tiled_load(given: Executed) -> Effects:
    scratch = _scratch(given)
    return Effects((*given.reads(given.op.view), *scratch.first), scratch.meets, scratch.last)


def _tiled_store(given: Executed) -> Effects:
    return Effects(written(given.span(given.op.view), given.op.tile, given.op.view))


def buffers_of(token: ProducerToken) -> Sequence[Buffer]:
    """The buffers of the stage that a producer has acquired."""
    assert token.pipeline is not None and token.iteration is not None
    return token.pipeline.stage(token.iteration).storage or ()


def _producer_write(given: Executed) -> Effects:
    op = given.op
    storage = buffers_of(given.value(op.token))
    # Accumulators in flight are in their stage: MMAs write them there.
    held = [tile for tile in op.values if not isinstance(tile.type, ValueType)]
    writes = [
        touch
        for tile, buffer in zip(op.values, storage, strict=True)
        if tile in held
        for touch in written(given.ranges.of(buffer), tile, tile)
    ]
    return Effects((*given.reads(*held), *writes))


def _thread_copies(given: Executed) -> Effects:
    span = given.span(given.op.destination)
    work = () if span is None else (Touch(span, True),)
    return Effects(start=Start.THREAD_COPY, work=work)


def _bulk_load(given: Executed) -> Effects:
    op = given.op
    rows = _row_numbers(given)
    span = given.span(op.destination)
    if span is None:
        return rows
    work = (Touch(span, True, Path.ASYNC),)
    starts_again = is_repeated(op) and not is_in_producer(op)
    asks = isinstance(op, dialect.AsyncCancelNextProgramIdOp)
    return Effects(
        (*rows.first, *rows.last), rows.meets or starts_again, (), Start.BULK_LOAD, work, asks
    )


def _row_numbers(given: Executed) -> Effects:
    """The accesses to the row numbers of a gather or scatter, in scratch memory or in a buffer."""
    op = given.op
    if not isinstance(op, dialect.AsyncGatherTmaLoadOp | dialect.AsyncScatterTmaStoreOp):
        return _scratch(given)
    rows = _scratch(given)
    return replace(rows, last=(*rows.last, *given.reads(op.rows)))


def _bulk_store(given: Executed) -> Effects:
    op, rows = given.op, _row_numbers(given)
    work = given.reads(op.source, path=Path.ASYNC)
    return Effects(rows.first, rows.meets, rows.last, Start.BULK_STORE, work)


# MMAs


def mma_kind(op: Operation) -> MMAKind | None:
    """The generation of the MMA of an op; None if the op does not use an MMA."""
    if not isinstance(op, MMAOp) or op.atom is None or op.atom.data not in MMA_ATOMS:
        return None
    return MMA_ATOMS[op.atom.data].kind


def _mma(given: Executed) -> Effects:
    op, kind = given.op, mma_kind(given.op)
    # Scales, too, where they are in memory.
    operands = given.reads(op.a, op.b, *getattr(op, "scales", ()), path=Path.ASYNC)
    if kind is MMAKind.TENSOR_MEMORY:
        return _tensor_mma(given, operands)
    if kind is MMAKind.WARPGROUP and operands:
        if isinstance(op, dialect.DotOp):
            return Effects(operands)
        return Effects(start=Start.WARPGROUP_MMA, work=operands)
    scratch = _scratch(given)
    return Effects((*given.reads(op.a, op.b), *scratch.first), scratch.meets, scratch.last)


def _tensor_mma(given: Executed, operands: tuple[Touch, ...]) -> Effects:
    """Threads store operands held in registers and synchronise; then one thread issues the MMA."""
    op = given.op
    assert isinstance(op, MMAOp)
    accumulated = given.span(op.c)
    columns = accumulated or allocated(op, TENSOR_MEMORY, Memory.TENSOR)
    if columns is None:
        return Effects(start=Start.TENSOR_MMA, work=operands)
    first = _stored(op, columns, is_new=accumulated is None)
    stores = bool(first)
    work = (*operands, Touch(columns, True, Path.TENSOR_CORE))
    # An accumulator that is there already is not, but block scales in registers are.
    meets = stores or any(is_in(scales.type, Memory.REGISTER) for scales in op.scales)
    return Effects(first, meets, (), Start.TENSOR_MMA, work, meets)


def _stored(op: MMAOp, columns: MemoryRange, *, is_new: bool) -> tuple[Touch, ...]:
    """Stores before an MMA: a new accumulator, and operand A after the accumulator's columns."""
    accumulator = _in_columns(columns, op.c.type, writes=True)
    first = accumulator if is_new else ()
    if is_in(op.a.type, Memory.REGISTER):
        after = replace(columns, start=accumulator[0].span.stop)
        first += _in_columns(after, op.a.type, writes=True, per_column=_PAIR)
    return first


def _to_async(given: Executed) -> Effects:
    columns = allocated(given.op, TENSOR_MEMORY, Memory.TENSOR)
    # One thread stores no tile: the accumulator starts at zero, which the first MMA takes for it.
    if columns is None or issuer_of(given.op) is Issuer.ONLY_THREAD:
        return NOTHING
    return Effects(_in_columns(columns, given.op.source.type, writes=True))


def _future_wait(given: Executed) -> Effects:
    span = given.span(given.op.source)
    if span is None or span.memory is not Memory.TENSOR:
        return NOTHING
    return Effects(last=_in_columns(span, given.op.result.type, writes=False))


def _nothing(_given: Executed) -> Effects:
    return NOTHING


TABLE: Mapping[type[Operation], Callable[[Executed], Effects]] = {
    dialect.AsyncCancelNextProgramIdOp: _bulk_load,
    dialect.AsyncDotOp: _mma,
    dialect.AsyncGatherTmaLoadOp: _bulk_load,
    dialect.AsyncLoadOp: _thread_copies,
    dialect.AsyncScatterTmaStoreOp: _bulk_store,
    dialect.AsyncTiledLoadOp: _thread_copies,
    dialect.AsyncTiledTmaLoadOp: _bulk_load,
    dialect.AsyncTiledTmaReduceOp: _bulk_store,
    dialect.AsyncTiledTmaStoreOp: _bulk_store,
    dialect.ConvertLayoutOp: _convert,
    dialect.CopyOp: _copy,
    dialect.CreatePipelineOp: _nothing,
    dialect.DotOp: _mma,
    dialect.FutureWaitOp: _future_wait,
    dialect.PadOp: _pad,
    dialect.ProducerWriteOp: _producer_write,
    dialect.TiledLoadOp: _tiled_load,
    dialect.TiledStoreOp: _tiled_store,
    dialect.ToAsyncOp: _to_async,
    dialect.WaitOp: _nothing,
}


def effects(op: Operation, values: Sequence[Any], ranges: MemoryRanges) -> Effects:
    """The effects of an op that is about to be executed, disregarding its regions."""
    given = Executed(op, values, ranges)
    row = TABLE.get(type(op))
    if row is not None:
        return row(given)
    is_view = any(is_in(result.type, Memory.SHARED) for result in op.results)
    if is_view or op.has_trait(IsTerminator) or (op.regions and not _is_collective(op)):
        return NOTHING
    scratch = _scratch(given)
    tiles = [operand for operand in op.operands if is_in(operand.type, Memory.SHARED)]
    return Effects((*given.reads(*tiles), *scratch.first), scratch.meets, scratch.last)


def effects_at_end(op: Operation) -> Effects:
    """The effects of an op after its regions, whose yielded values may move between threads."""
    return (
        _scratch(Executed(op, (), MemoryRanges()))
        if op.regions and not _is_collective(op)
        else NOTHING
    )


def _is_collective(op: Operation) -> bool:
    return isinstance(op, dialect.ReduceOp | dialect.ScanOp | nv_tileaa.ReduceOp | nv_tileaa.ScanOp)
