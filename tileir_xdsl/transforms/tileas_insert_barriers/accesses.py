"""What every op touches in shared and tensor memory, as a table from op types to accesses.

A row says which bytes an op reads and writes, through which proxy, when the access is complete, and
where all threads meet inside the op. Ops with regions, of which each op has a row of its own, and
ops that touch neither memory have an empty one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.buffers.allocation_requests import is_in_pipeline
from tileir_xdsl.analysis.buffers.scratch_requests import plan_of, scratch_uses
from tileir_xdsl.analysis.buffers.scratch_uses import ScratchUse, Staging
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma, operand_a_columns
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.analysis.threads.one_thread import ProduceOp, stores_values
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.allocations import SHARED_MEMORY
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.strategies import is_of_each_warpgroup
from tileir_xdsl.dialects.nv_tileas.synchronization import FencedProxy, FenceSide, Participants
from tileir_xdsl.dialects.nv_tileas.types import memory_of
from tileir_xdsl.layout.scratch import SharedMemoryPlan
from tileir_xdsl.rewriting import look_up
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.atoms import CopyKind, Memory
from tileir_xdsl.targets.mma import MMA_ATOMS, MMAKind

from .memory import (
    Allocations,
    Extent,
    WarpgroupColumns,
    is_handle,
    scratch_extent,
    shared_extent,
    stage_buffers,
)


class Proxy(Enum):
    """The path by which memory is reached (PTX ISA, "Proxies")."""

    GENERIC = "generic"
    ASYNC = "async"
    TENSOR_CORE = "tcgen05"
    """Tensor memory, by MMAs; threads reach it through the generic one, as named here."""


@dataclass(frozen=True)
class Access:
    """One op's access to one extent."""

    op: Operation
    extent: Extent
    writes: bool
    proxy: Proxy = Proxy.GENERIC
    is_in_flight: bool = False
    """Whether it is complete only where it is waited for."""
    threads: object = None
    """Accesses with equal keys to extents that start together touch every byte in the same thread;
    None is equal to none.
    """
    pipeline: Operation | None = None
    """The pipeline whose handshakes order it with other accesses to the same stages."""
    follows_handshake: bool = True
    """Whether one of these handshakes comes directly before it."""
    is_kept: bool = True
    """Whether later accesses may conflict; not where a wait of all threads always precedes them."""
    warpgroups: WarpgroupColumns | None = None
    """Of tensor memory, which columns each warpgroup accesses; None where any may."""
    follows_own_warps: bool = False
    """Whether the threads of each warpgroup meet before its access of tensor memory."""

    def conflicts(self, later: "Access") -> bool:
        """Whether threads must meet between this access and a later one."""
        if not (self.writes or later.writes) or not self.extent.overlaps(later.extent):
            return False
        if self.extent.memory is Memory.TENSOR:
            return self._conflicts_in_columns(later)
        is_ordered = self.pipeline is not None and self.pipeline is later.pipeline
        if is_ordered and later.follows_handshake:
            return False
        # The same distribution of two buffers is that of the same bytes only from one start on.
        is_shifted = self.extent.start != later.extent.start
        return self.threads is None or self.threads != later.threads or is_shifted

    def _conflicts_in_columns(self, later: "Access") -> bool:
        """The same of two accesses to tensor memory."""
        is_issued = later.proxy is Proxy.TENSOR_CORE and not later.follows_own_warps
        if self.proxy is Proxy.GENERIC and is_issued:
            return True
        # Each warp is in order, the MMAs of one thread are, and threads wait for those of their
        # accumulator before they read it.
        if self.warpgroups is None or later.warpgroups is None:
            return True
        return not self.warpgroups.has_same_warps(later.warpgroups)


@dataclass(frozen=True)
class Effects:
    """What an op does: accesses, a point at which all its threads meet, and further accesses."""

    first: tuple[Access, ...] = ()
    meets: bool = False
    """Whether the op's own expansion has a barrier after the first accesses."""
    last: tuple[Access, ...] = ()
    completed: tuple[Operation, ...] = ()
    """The ops whose asynchronous accesses are complete before its own."""
    completes_mmas: bool = False
    """Whether no warpgroup MMA of these threads is in flight any more."""
    fences: bool = False
    """Whether earlier writes of these threads are ordered with asynchronous accesses."""
    fences_global: bool = False
    """Whether those of global memory are, too."""
    fences_columns: bool = False
    """Whether threads have a fence of tensor memory, before they meet if they do."""
    follows_columns: bool = False
    """Whether all of them have one after they have met, here or before."""


NOTHING = Effects()


@dataclass
class Accesses:
    """The effects of the ops of one function."""

    allocations: Allocations
    target: Target

    def of(self, op: Operation) -> Effects:
        """What an op does, disregarding its regions."""
        row = look_up(TABLE, op)
        return NOTHING if row is None else row(op, self)

    # Parts of rows.

    def touch(self, op: Operation, value: SSAValue, *, writes: bool, **facts: Any) -> list[Access]:
        """Accesses to whatever a value names in shared memory."""
        return [
            Access(op, extent, writes, pipeline=pipeline, **facts)
            for extent, pipeline in self.allocations.buffers(value)
        ]

    def fill(self, op: Operation, tile: SSAValue, buffer: SSAValue) -> list[Access]:
        """The write of a tile in registers to a buffer, by the threads that hold it."""
        is_whole = isinstance(
            buffer.owner, nv_tileas.AllocTensorOp | nv_tileas.ConvertLayoutOp | nv_tileas.CopyOp
        )
        held = layout_of(op, tile) if is_whole and not is_handle(tile.type) else None
        threads = None if held is None else (held, buffer.type)
        return self.touch(op, buffer, writes=True, threads=threads)

    def stage(
        self, op: Operation, token: SSAValue, values: Sequence[SSAValue], *, writes: bool
    ) -> list[Access]:
        """Accesses of an op itself to the values of a stage: those that are no names of memory."""
        found: list[Access] = []
        for value, named in zip(values, stage_buffers(token), strict=False):
            extent = shared_extent(named.owner, SHARED_MEMORY)
            is_read = bool(value.uses) and not is_handle(value.type)
            if extent is not None and (writes or is_read):
                found.append(Access(op, extent, writes, pipeline=named.pipeline))
        return found

    def scratch(self, op: Operation) -> Effects:
        """A use of scratch memory: stores, and loads by other threads, all of which may meet."""
        extent = scratch_extent(op)
        if extent is None:
            return NOTHING
        writes = Access(op, extent, writes=True)
        if not self._meets(op, extent):
            return Effects((writes,))
        return Effects((writes,), True, (replace(writes, writes=False),))

    def _meets(self, op: Operation, extent: Extent) -> bool:
        """Whether all threads meet between the stores and the loads of an op."""
        return any(self._crosses_warps(use, extent) for use in scratch_uses(op))

    def _crosses_warps(self, use: ScratchUse, extent: Extent) -> bool:
        if isinstance(use, Staging):
            return True
        if use.source == use.target and use.strategy is None:
            return False
        plan = plan_of(use, self.target)
        if not isinstance(plan, SharedMemoryPlan):
            return False
        is_whole = plan.addresses.bytes <= extent.stop - extent.start
        return is_whole and (plan.crosses_warps or bool(use.source.replicated_warps))


Row = Callable[[Any, Accesses], Effects]


def _nothing(_op: Operation, _accesses: Accesses) -> Effects:
    return NOTHING


def _staged(op: Operation, accesses: Accesses) -> Effects:
    """An op that may move elements through scratch memory."""
    return accesses.scratch(op)


def _tiled_load(op: nv_tileas.TiledLoadOp, accesses: Accesses) -> Effects:
    """A load of global memory, which may be rearranged, or of a whole buffer."""
    if not is_handle(op.view.type):
        return accesses.scratch(op)
    return Effects(tuple(accesses.touch(op, op.view, writes=False)))


def _tiled_store(op: nv_tileas.TiledStoreOp, accesses: Accesses) -> Effects:
    """A store to global memory, or to a whole buffer."""
    if not is_handle(op.view.type):
        return NOTHING
    return Effects(tuple(accesses.fill(op, op.tile, op.view)))


# Conversions and copies


def _convert(op: nv_tileas.ConvertLayoutOp, accesses: Accesses) -> Effects:
    if stands_at_mma(op):
        return NOTHING
    if is_handle(op.source.type) or is_handle(op.result.type):
        return _move(op, op.source, op.result, accesses)
    return accesses.scratch(op)


def _move(op: Operation, source: SSAValue, destination: SSAValue, accesses: Accesses) -> Effects:
    """A copy between registers and a buffer, or a conversion between two buffers."""
    reads = accesses.touch(op, source, writes=False) if is_handle(source.type) else []
    writes = accesses.fill(op, source, destination) if is_handle(destination.type) else []
    return Effects((*reads, *writes))


def _copy(op: nv_tileas.CopyOp, accesses: Accesses) -> Effects:
    atom = None if op.atom is None else op.atom.copy_atom
    tensor = Memory.TENSOR
    if memory_of(op.source.type) is tensor or memory_of(op.result.type) is tensor:
        is_load = atom is not None and atom.kind is CopyKind.LOAD_TENSOR_MEMORY
        tile, held = (op.source, op.result) if is_load else (op.destination, op.source)
        if tile is None:
            return NOTHING
        return Effects(_in_columns(op, tile, held, accesses, writes=not is_load))
    return _move(op, op.source, op.destination or op.result, accesses)


def _in_columns(
    op: Operation, tile: SSAValue, held: SSAValue, accesses: Accesses, *, writes: bool
) -> tuple[Access, ...]:
    """An access of all threads to an accumulator, which they hold, or will, in registers."""
    extent = accesses.allocations.accumulator(tile)
    if extent is None:
        return ()
    # Most kernels have no tensor memory, and need not import this.
    from .warpgroups import accumulator_columns  # noqa: PLC0415

    by = accumulator_columns(op, held, accesses.allocations.columns.of[tile])
    return (Access(op, extent, writes, warpgroups=by),)


def _producer_write(op: nv_tileas.ProducerWriteOp, accesses: Accesses) -> Effects:
    """A stage that has been written since it was acquired is written again by other threads."""
    reads = [a for value in op.values for a in accesses.touch(op, value, writes=False)]
    writes = accesses.stage(op, op.token, op.values, writes=True)
    follows = isinstance(op.token.owner, nv_tileas.ProducerAcquireOp)
    return Effects((*reads, *(replace(each, follows_handshake=follows) for each in writes)))


def _consumer_read(op: nv_tileas.ConsumerReadOp, accesses: Accesses) -> Effects:
    """The scalars of a stage are loaded at once."""
    return Effects(tuple(accesses.stage(op, op.token, op.values, writes=False)))


def _region(op: ProduceOp | ConsumeOp, accesses: Accesses) -> Effects:
    """The same, at the start of the region."""
    return Effects(tuple(accesses.stage(op, op.token, op.body.block.args, writes=False)))


def _pipeline_yield(op: nv_tileas.PipelineYieldOp, accesses: Accesses) -> Effects:
    """One thread stores the scalars that the region of a producer yields."""
    around = op.parent_op()
    if not isinstance(around, ProduceOp) or not stores_values(around):
        return NOTHING
    return Effects(tuple(accesses.stage(op, around.token, op.values, writes=True)))


# MMAs


def _mma(op: MMAOp, accesses: Accesses) -> Effects:
    atom = None if op.atom is None else MMA_ATOMS.get(op.atom.data)
    kind = None if atom is None else atom.kind
    if is_tensor_memory_mma(op):
        return _tensor_memory_mma(op, accesses)
    if kind is MMAKind.WARPGROUP and is_handle(op.b.type):
        return Effects(tuple(_operands(op, accesses, isinstance(op, nv_tileas.AsyncDotOp))))
    effects, reads = accesses.scratch(op), tuple(_fragments(op, accesses))
    if effects.meets:
        return replace(effects, last=(*effects.last, *reads))
    return replace(effects, first=(*effects.first, *reads))


def _operands(op: MMAOp, accesses: Accesses, is_in_flight: bool) -> Iterator[Access]:
    """What the hardware reads in shared memory."""
    for operand in (op.a, op.b, *(s for s in op.scales if is_handle(s.type))):
        yield from accesses.touch(
            op, operand, writes=False, proxy=Proxy.ASYNC, is_in_flight=is_in_flight
        )


def _fragments(op: MMAOp, accesses: Accesses) -> Iterator[Access]:
    """The loads that stand at an MMA, which comes to them after its own exchanges."""
    for operand in (op.a, op.b, *op.scales):
        if isinstance(operand.owner, nv_tileas.ConvertLayoutOp) and stands_at_mma(operand.owner):
            yield from accesses.touch(op, operand.owner.source, writes=False)


def _tensor_memory_mma(op: MMAOp, accesses: Accesses) -> Effects:
    """Threads store what is in registers first, and meet; one of them issues the MMA.

    Where each warpgroup issues those of its rows, its threads meet, and no thread waits for others.
    """
    from .warpgroups import (  # noqa: PLC0415
        accumulator_columns,
        issued_columns,
        stored_columns,
    )

    is_divided = is_of_each_warpgroup(op)
    reads = [replace(read, is_kept=is_divided) for read in _operands(op, accesses, False)]
    extent = accesses.allocations.accumulator(op.results[0])
    assert extent is not None
    columns = accesses.allocations.columns.of[op.results[0]]
    is_new = accesses.allocations.accumulator(op.c) is None
    stores = is_new or operand_a_columns(op) is not None
    store = Access(op, extent, True, warpgroups=stored_columns(op, columns, is_new=is_new))
    multiply = Access(op, extent, True, Proxy.TENSOR_CORE, is_kept=False)
    if is_divided:
        # The threads of a warpgroup know of its own MMAs alone.
        issued = issued_columns(op, columns)
        multiply = replace(multiply, is_kept=True, warpgroups=issued, follows_own_warps=stores)
        first = (replace(store, is_kept=False),) if stores else ()
        return Effects(first, last=(*reads, multiply))
    # A synchronous one ends with a load of the accumulator.
    held = accumulator_columns(op, op.c, columns)
    loads = (Access(op, extent, False, warpgroups=held),) if isinstance(op, nv_tileas.DotOp) else ()
    first = (store,) if stores else ()
    return Effects(first, stores, (*reads, multiply, *loads), fences_columns=stores)


def _to_async(op: nv_tileas.ToAsyncOp, accesses: Accesses) -> Effects:
    # In a stage the first MMA overwrites what is there.
    if op.result in accesses.allocations.columns.stages:
        return NOTHING
    return Effects(_in_columns(op, op.result, op.source, accesses, writes=True))


# Asynchronous copies


def _bulk_load(op: Any, accesses: Accesses) -> Effects:
    """One thread starts a copy to a buffer; outside of pipelines it is waited for by itself."""
    if op.destination is None:
        return NOTHING
    in_pipeline = is_in_pipeline(op)
    writes = accesses.touch(
        op, op.destination, writes=True, proxy=Proxy.ASYNC, is_in_flight=not in_pipeline
    )
    # The barrier of a repeated copy is initialised again, when no thread waits at it any more.
    return Effects((), not in_pipeline and is_repeated(op), tuple(writes))


def _gather(op: nv_tileas.AsyncGatherTmaLoadOp, accesses: Accesses) -> Effects:
    """One thread reads the numbers of the rows, in scratch memory or where they are."""
    rows, load = accesses.scratch(op), _bulk_load(op, accesses)
    numbers = accesses.touch(op, op.rows, writes=False)
    if not rows.meets:
        return replace(load, last=(*numbers, *load.last))
    return replace(rows, last=(*rows.last, *load.last))


def _bulk_store(op: Any, accesses: Accesses) -> Effects:
    """One thread starts a copy from a buffer, and waits for it where nothing else does."""
    return Effects(
        tuple(
            accesses.touch(
                op,
                op.source,
                writes=False,
                proxy=Proxy.ASYNC,
                is_in_flight=bool(op.result.uses),
            )
        )
    )


def _scatter(op: nv_tileas.AsyncScatterTmaStoreOp, accesses: Accesses) -> Effects:
    rows, store = accesses.scratch(op), _bulk_store(op, accesses)
    numbers = accesses.touch(op, op.rows, writes=False)
    return replace(rows, last=(*rows.last, *numbers, *store.first))


def _thread_copies(op: Any, accesses: Accesses) -> Effects:
    """Each thread copies to the buffer by itself, asynchronously."""
    if op.destination is None:
        return NOTHING
    in_flight = not is_in_pipeline(op)
    return Effects(tuple(accesses.touch(op, op.destination, writes=True, is_in_flight=in_flight)))


def _read_answer(op: nv_tileas.ReadProgramIdOp, accesses: Accesses) -> Effects:
    return Effects(tuple(accesses.touch(op, op.answer, writes=False)))


# Waits and barriers


def _started(op: Operation, values: Iterable[SSAValue]) -> tuple[Operation, ...]:
    return tuple(start for value in values for start in started_by(value, op))


def _wait(op: nv_tileas.WaitOp, accesses: Accesses) -> Effects:
    return Effects(completed=_started(op, op.sources), completes_mmas=_is_for_all(op, op.sources))


def _is_for_all(op: Operation, values: Iterable[SSAValue]) -> bool:
    """Whether a wait leaves no younger warpgroup MMA in flight."""
    counts = [
        count
        for value in values
        for start, count in started_by(value, op).items()
        if isinstance(start, nv_tileas.AsyncDotOp)
    ]
    return bool(counts) and not min(counts)


def _future_wait(op: nv_tileas.FutureWaitOp, accesses: Accesses) -> Effects:
    """All threads meet at the barrier of an accumulator in tensor memory, and load it.

    Those of a warpgroup do where each issues the MMAs of its own rows.
    """
    columns = accesses.allocations.columns.of.get(op.source)
    if columns is None:
        starts = _started(op, [op.source])
        loads = any(
            isinstance(s, nv_tileas.AsyncTiledTmaLoadOp | nv_tileas.AsyncGatherTmaLoadOp)
            for s in starts
        )
        # All threads meet where the barrier of a repeated copy has been initialised again.
        meets = loads and all(is_repeated(start) and not is_in_pipeline(start) for start in starts)
        return Effects(meets=meets, completed=starts, completes_mmas=_is_for_all(op, [op.source]))
    is_divided = columns.mma is not None and is_of_each_warpgroup(columns.mma)
    meets = not columns.is_overtaken and not _is_awaited_before(op) and not is_divided
    clears = _in_columns(op, op.source, op.result, accesses, writes=columns.may_be_missing)
    return Effects(meets=meets, last=clears, follows_columns=meets)


def _is_awaited_before(op: nv_tileas.FutureWaitOp) -> bool:
    """Whether an accumulator may have been waited for before, so that no thread waits again."""
    return any(
        use.operation is not op and use.operation.parent is op.parent
        for use in op.source.uses
        if isinstance(use.operation, nv_tileas.FutureWaitOp | nv_tileas.WaitOp)
    )


def _barrier(op: nv_tileas.BarrierOp, _accesses: Accesses) -> Effects:
    return Effects(meets=op.participants.data is not Participants.WARP)


def _wait_copies(_op: nv_tileas.WaitCopiesOp, _accesses: Accesses) -> Effects:
    return Effects(meets=True)


def _fence_proxy(op: nv_tileas.FenceProxyOp, _accesses: Accesses) -> Effects:
    return Effects(fences=True, fences_global=op.proxy.data is FencedProxy.ASYNC)


def _fence_tmem(op: nv_tileas.FenceTmemOp, _accesses: Accesses) -> Effects:
    is_before = op.side.data is FenceSide.BEFORE
    return Effects(fences_columns=is_before, follows_columns=not is_before)


def _wait_mmas(op: nv_tileas.WaitMMAsOp, _accesses: Accesses) -> Effects:
    return Effects(completes_mmas=not op.pending.value.data)


TABLE: Mapping[type[Operation], Row] = {
    # Buffers and conversions.
    nv_tileas.AllocTensorOp: _nothing,
    nv_tileas.AsyncCopyOp: _staged,
    nv_tileas.AsyncExtractSliceOp: _staged,
    nv_tileas.AsyncInsertSliceOp: _staged,
    nv_tileas.ConvertLayoutOp: _convert,
    nv_tileas.CopyOp: _copy,
    nv_tileas.ExpandDimsOp: _staged,
    nv_tileas.ExtractSliceOp: _staged,
    nv_tileas.GenerateOp: _nothing,
    nv_tileas.InsertSliceOp: _staged,
    # Threads rewrite what has just arrived for them, each its own part, then fence and meet.
    nv_tileas.PadOp: _nothing,
    nv_tileas.ReinterpretOp: _staged,
    nv_tileas.ShuffleOp: _staged,
    nv_tileas.ViewOp: _staged,
    # Asynchronous copies.
    nv_tileas.AsyncCancelNextProgramIdOp: _bulk_load,
    nv_tileas.AsyncGatherTmaLoadOp: _gather,
    nv_tileas.AsyncLoadOp: _thread_copies,
    nv_tileas.AsyncScatterTmaStoreOp: _scatter,
    nv_tileas.AsyncTiledLoadOp: _thread_copies,
    nv_tileas.AsyncTiledTmaLoadOp: _bulk_load,
    nv_tileas.AsyncTiledTmaReduceOp: _bulk_store,
    nv_tileas.AsyncTiledTmaStoreOp: _bulk_store,
    nv_tileas.CancelNextProgramIdOp: _nothing,
    nv_tileas.MakeDeviceTmaDescsOp: _staged,
    nv_tileas.MakeTiledTmaDescOp: _nothing,
    nv_tileas.ReadProgramIdOp: _read_answer,
    # Global memory.
    nv_tileas.AsyncStoreOp: _nothing,
    nv_tileas.AsyncTiledAtomicRMWOp: _staged,
    nv_tileas.GatherLoadOp: _staged,
    nv_tileas.LoadOp: _staged,
    nv_tileas.ScatterStoreOp: _staged,
    nv_tileas.StoreOp: _nothing,
    nv_tileas.TiledAtomicRMWOp: _staged,
    nv_tileas.TiledLoadOp: _tiled_load,
    nv_tileas.TiledStoreOp: _tiled_store,
    # MMAs, reductions and scans.
    nv_tileas.AsyncDotOp: _mma,
    nv_tileas.DotOp: _mma,
    nv_tileas.ReduceOp: _staged,
    nv_tileas.ScanOp: _staged,
    nv_tileas.ToAsyncOp: _to_async,
    nv_tileas.WgmmaOp: _staged,
    # Pipelines: handshakes order what is in their stages.
    nv_tileas.AgentSwitchOp: _nothing,
    nv_tileas.ConsumeOneAsyncOp: _region,
    nv_tileas.ConsumeOneOp: _region,
    nv_tileas.ConsumerReadOp: _consumer_read,
    nv_tileas.ConsumerReleaseOp: _nothing,
    nv_tileas.ConsumerWaitOp: _nothing,
    nv_tileas.CreateIteratorOp: _nothing,
    nv_tileas.CreateNullTokenOp: _nothing,
    nv_tileas.CreatePipelineOp: _nothing,
    nv_tileas.IncIterOp: _nothing,
    nv_tileas.PipelineYieldOp: _pipeline_yield,
    nv_tileas.ProduceOneAsyncOp: _region,
    nv_tileas.ProduceOneOp: _region,
    nv_tileas.ProducerAcquireOp: _nothing,
    nv_tileas.ProducerCommitOp: _nothing,
    nv_tileas.ProducerWriteOp: _producer_write,
    # Waits, barriers and fences.
    nv_tileas.AcquireMutexOp: _nothing,
    nv_tileas.BarrierOp: _barrier,
    nv_tileas.CommitCopiesOp: _nothing,
    nv_tileas.CreateMutexOp: _nothing,
    nv_tileas.CreateNoneOp: _nothing,
    nv_tileas.FenceOp: _nothing,
    nv_tileas.FenceProxyOp: _fence_proxy,
    nv_tileas.FenceTmemOp: _fence_tmem,
    nv_tileas.FutureWaitOp: _future_wait,
    nv_tileas.PragmaOp: _staged,
    nv_tileas.ReleaseMutexOp: _nothing,
    nv_tileas.TokenToAsyncOp: _nothing,
    nv_tileas.WaitCopiesOp: _wait_copies,
    nv_tileas.WaitMMAsOp: _wait_mmas,
    nv_tileas.WaitOp: _wait,
    nv_tileas.YieldOp: _nothing,
    # Ops of `nv_tileaa` that move elements between threads.
    nv_tileaa.AllocaOp: _staged,
    nv_tileaa.AtomicCASOp: _staged,
    nv_tileaa.AtomicRMWOp: _staged,
    nv_tileaa.BroadcastOp: _staged,
    nv_tileaa.CatOp: _staged,
    nv_tileaa.ConvDotOp: _staged,
    nv_tileaa.ExpandDimsOp: _staged,
    nv_tileaa.ExtractOp: _staged,
    nv_tileaa.HistogramOp: _staged,
    nv_tileaa.MultimemLoadReduceOp: _staged,
    nv_tileaa.MultimemReduceOp: _staged,
    nv_tileaa.MultimemStoreOp: _staged,
    nv_tileaa.OptimizationBarrierOp: _staged,
    nv_tileaa.PackOp: _staged,
    nv_tileaa.PermuteOp: _staged,
    nv_tileaa.PrintOp: _staged,
    nv_tileaa.ReduceOp: _staged,
    nv_tileaa.ScanOp: _staged,
    nv_tileaa.UnpackOp: _staged,
}
"""What an op does to memory: one row for every op of `nv_tileas`."""
