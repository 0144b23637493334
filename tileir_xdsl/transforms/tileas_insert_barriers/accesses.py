"""The accesses of every op to shared and tensor memory, from the effects that it declares.

An op declares which values it reads and writes, and through which proxy
(`SharedMemoryOpInterface`). This module adds the bytes that the values name, when an access is
complete, and barriers inside the op. The effects of an op exclude those of ops in its regions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.allocation.scratch_requests import plan_of, scratch_uses
from tileir_xdsl.analysis.allocation.scratch_uses import ScratchUse
from tileir_xdsl.analysis.buffers.pipelines import is_in_pipeline
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.mma.mmas_in_flight import started_by
from tileir_xdsl.analysis.mma.tensor_memory_mmas import is_tensor_memory_mma, operand_a_columns
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.dialects.memory_effects import (
    NO_EFFECTS,
    BufferEffect,
    ColumnEffect,
    Effects,
    Proxy,
    SharedMemoryOpInterface,
    StageEffect,
)
from tileir_xdsl.dialects.nv_tileas.allocations import SHARED_MEMORY
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp, issues_mma
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface, TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.strategies import is_of_each_warpgroup
from tileir_xdsl.dialects.nv_tileas.types import is_handle
from tileir_xdsl.dialects.scratch import Staging
from tileir_xdsl.layout.scratch import SharedMemoryPlan
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.atoms import Memory

from .memory import (
    Allocations,
    Extent,
    WarpgroupColumns,
    scratch_extent,
    shared_extent,
    stage_buffers,
)


@dataclass(frozen=True)
class ExtentAccess:
    """An access of an op to one extent."""

    op: Operation
    extent: Extent
    writes: bool
    proxy: Proxy = Proxy.GENERIC
    is_asynchronous: bool = False
    """Whether the op ends before the access is complete."""
    is_in_flight: bool = False
    """Whether only an explicit wait completes the access, not a stage of a pipeline."""
    has_barrier: bool = False
    """Whether all threads wait for the access at one mbarrier, which orders later accesses."""
    threads: object = None
    """A key: accesses with equal keys, to extents with one start, touch each byte in the same
    thread; None differs from all keys.
    """
    pipeline: Operation | None = None
    """The pipeline whose handshakes order the access with others to the same stages."""
    follows_handshake: bool = True
    """Whether such a handshake directly precedes the access."""
    is_kept: bool = True
    """Whether later accesses may conflict with this one; false if all threads wait before any of
    them.
    """
    warpgroups: WarpgroupColumns | None = None
    """The columns of tensor memory that each warpgroup accesses; None if any warpgroup may access
    all.
    """
    follows_own_warps: bool = False
    """Whether a barrier of each warpgroup precedes its access to tensor memory."""

    def conflicts(self, later: "ExtentAccess") -> bool:
        """Whether threads need a barrier between this access and a later one."""
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

    def _conflicts_in_columns(self, later: "ExtentAccess") -> bool:
        """Whether two accesses to tensor memory need a barrier in between."""
        is_issued = later.proxy is Proxy.TENSOR_CORE and not later.follows_own_warps
        if self.proxy is Proxy.GENERIC and is_issued:
            return True
        # Each warp is in order, the MMAs of one thread are, and threads wait for those of their
        # accumulator before they read it.
        if self.warpgroups is None or later.warpgroups is None:
            return True
        return not self.warpgroups.has_same_warps(later.warpgroups)


@dataclass(frozen=True)
class OpEffects:
    """The effects of an op: accesses, possibly a barrier of all its threads, and further
    accesses.
    """

    first: tuple[ExtentAccess, ...] = ()
    meets: bool = False
    """Whether the op's own expansion has a barrier after the first accesses."""
    last: tuple[ExtentAccess, ...] = ()
    completed: tuple[Operation, ...] = ()
    """The ops whose asynchronous accesses this op completes, before its own accesses."""
    completes_mmas: bool = False
    """Whether all warpgroup MMAs of the executing threads are complete after the op."""
    fences: bool = False
    """Whether the op has a fence that orders earlier writes to shared memory with asynchronous
    accesses.
    """
    fences_global: bool = False
    """Whether that fence also orders writes to global memory."""
    fences_columns: bool = False
    """Whether the op has a fence of tensor memory, before its barrier if it has one."""
    follows_columns: bool = False
    """Whether all threads have a fence of tensor memory after a barrier, of this op or an earlier
    one.
    """


NOTHING = OpEffects()


@dataclass
class Accesses:
    """The effects of the ops of one function."""

    allocations: Allocations
    target: Target

    def of(self, op: Operation) -> OpEffects:
        """The effects of an op, without those of its regions."""
        # The MMA loads these fragments itself.
        if not isinstance(op, SharedMemoryOpInterface) or stands_at_mma(op):
            return NOTHING
        stated, scratch = op.effects, self.scratch(op)
        if isinstance(op, MMAOp):
            return self._mma(op, stated, scratch)
        if stated is NO_EFFECTS:
            return scratch
        if stated.awaits:
            return self._wait(op, stated)
        is_alone = stated.has_barrier and not is_in_pipeline(op)
        # The barrier of a repeated copy is initialised again, when no thread waits at it any more.
        meets = stated.meets or (is_alone and is_repeated(op))
        accesses = tuple(self._stated(op, stated))
        found = OpEffects(
            scratch.first,
            scratch.meets or meets,
            (*scratch.last, *accesses),
            completes_mmas=stated.completes_mmas,
            fences=stated.fences,
            fences_global=stated.fences_global,
            fences_columns=stated.fences_columns,
            follows_columns=stated.follows_columns,
        )
        return found if found.meets else replace(found, first=(*found.first, *found.last), last=())

    def _stated(self, op: Operation, stated: Effects) -> Iterator[ExtentAccess]:
        """The accesses that an op declares."""
        for effect in stated.buffers:
            yield from self._of_buffer(op, effect, has_barrier=stated.has_barrier)
        if stated.stage is not None:
            yield from self._of_stage(op, stated.stage)
        if stated.columns is not None:
            yield from self._of_columns(op, stated.columns)

    def _of_buffer(
        self, op: Operation, effect: BufferEffect, *, has_barrier: bool = False
    ) -> Iterator[ExtentAccess]:
        """Accesses to the extents of shared memory that a value may name."""
        threads = None if effect.tile is None else _distribution(op, effect.tile, effect.buffer)
        for extent, pipeline in self.allocations.buffers(effect.buffer):
            yield ExtentAccess(
                op,
                extent,
                effect.writes,
                effect.proxy,
                is_asynchronous=effect.is_asynchronous,
                is_in_flight=effect.is_asynchronous and not is_in_pipeline(op),
                has_barrier=has_barrier and effect.writes,
                threads=threads,
                pipeline=pipeline,
            )

    def _of_stage(self, op: Operation, effect: StageEffect) -> Iterator[ExtentAccess]:
        """Direct accesses of an op to the values of a stage, except values that name memory."""
        for value, named in zip(effect.values, stage_buffers(effect.token), strict=False):
            extent = shared_extent(named.owner, SHARED_MEMORY)
            is_read = bool(value.uses) and not is_handle(value.type)
            if extent is not None and (effect.writes or is_read):
                yield ExtentAccess(
                    op,
                    extent,
                    effect.writes,
                    pipeline=named.pipeline,
                    follows_handshake=effect.follows_handshake,
                )

    def _of_columns(self, op: Operation, effect: ColumnEffect) -> Iterator[ExtentAccess]:
        """An access of all threads to an accumulator in tensor memory, from or to registers."""
        extent = self.allocations.accumulator(effect.accumulator)
        columns = self.allocations.columns
        is_new = effect.writes and effect.accumulator.owner is op
        # In a stage the first MMA overwrites the old values.
        if extent is None or (is_new and effect.accumulator in columns.stages):
            return
        # Most kernels have no tensor memory, and need not import this.
        from .warpgroups import accumulator_columns  # noqa: PLC0415

        by = accumulator_columns(op, effect.held, columns.of[effect.accumulator])
        yield ExtentAccess(op, extent, effect.writes, warpgroups=by)

    # Scratch memory.

    def scratch(self, op: Operation) -> OpEffects:
        """The accesses of an op to scratch memory: stores, loads, and a barrier in between if
        needed.
        """
        extent = scratch_extent(op)
        if extent is None:
            return NOTHING
        writes = ExtentAccess(op, extent, writes=True)
        if not self._meets(op, extent):
            return OpEffects((writes,))
        return OpEffects((writes,), True, (replace(writes, writes=False),))

    def _meets(self, op: Operation, extent: Extent) -> bool:
        """Whether all threads have a barrier between the stores and the loads of an op."""
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

    # MMAs.

    def _mma(self, op: MMAOp, stated: Effects, scratch: OpEffects) -> OpEffects:
        reads = tuple(self._stated(op, stated))
        if is_tensor_memory_mma(op):
            return self._tensor_memory_mma(op, reads)
        fragments = tuple(self._fragments(op))
        if scratch.meets:
            return replace(scratch, last=(*scratch.last, *reads, *fragments))
        return replace(scratch, first=(*scratch.first, *reads, *fragments))

    def _fragments(self, op: MMAOp) -> Iterator[ExtentAccess]:
        """The loads of fragments that an MMA executes, after its own exchanges through scratch
        memory.
        """
        for operand in (op.a, op.b, *op.scales):
            load = operand.owner
            if isinstance(load, Operation) and stands_at_mma(load):
                yield from self._of_buffer(op, BufferEffect(load.operands[0], writes=False))

    def _tensor_memory_mma(self, op: MMAOp, operands: Iterable[ExtentAccess]) -> OpEffects:
        """The effects of a `tcgen05` MMA: threads first store operands from registers, with a
        barrier, then one thread issues the MMA.

        If each warpgroup issues MMAs for its own rows, the barrier synchronises that warpgroup
        alone.
        """
        from .warpgroups import (  # noqa: PLC0415
            accumulator_columns,
            issued_columns,
            stored_columns,
        )

        is_divided = is_of_each_warpgroup(op)
        reads = [replace(read, is_kept=is_divided) for read in operands]
        extent = self.allocations.accumulator(op.results[0])
        assert extent is not None
        columns = self.allocations.columns.of[op.results[0]]
        is_new = self.allocations.accumulator(op.c) is None
        stores = is_new or operand_a_columns(op) is not None
        store = ExtentAccess(
            op, extent, True, warpgroups=stored_columns(op, columns, is_new=is_new)
        )
        multiply = ExtentAccess(op, extent, True, Proxy.TENSOR_CORE, is_kept=False)
        if is_divided:
            # The threads of a warpgroup know of its own MMAs alone.
            issued = issued_columns(op, columns)
            multiply = replace(multiply, is_kept=True, warpgroups=issued, follows_own_warps=stores)
            first = (replace(store, is_kept=False),) if stores else ()
            return OpEffects(first, last=(*reads, multiply))
        # A synchronous one ends with a load of the accumulator.
        held = accumulator_columns(op, op.c, columns)
        loads = () if op.IS_ASYNCHRONOUS else (ExtentAccess(op, extent, False, warpgroups=held),)
        first = (store,) if stores else ()
        return OpEffects(first, stores, (*reads, multiply, *loads), fences_columns=stores)

    # Waits.

    def _wait(self, op: Operation, stated: Effects) -> OpEffects:
        """The effects of a wait for values; a wait of all threads at one mbarrier acts as a
        barrier.
        """
        effect = stated.columns
        columns = None if effect is None else self.allocations.columns.of.get(effect.accumulator)
        if effect is None or columns is None:
            starts = {start for value in stated.awaits for start in started_by(value, op)}
            # All threads meet where the barrier of a repeated copy has been initialised again.
            meets = (
                effect is not None
                and any(map(_has_barrier, starts))
                and all(is_repeated(start) and not is_in_pipeline(start) for start in starts)
            )
            mmas = _completes_mmas(op, stated.awaits)
            return OpEffects(meets=meets, completed=tuple(starts), completes_mmas=mmas)
        # All threads meet at the barrier of an accumulator in tensor memory, and load it. Those of
        # a warpgroup do where each issues the MMAs of its own rows.
        is_divided = columns.mma is not None and is_of_each_warpgroup(columns.mma)
        is_first = not _is_awaited_before(op, effect.accumulator)
        meets = not columns.is_overtaken and is_first and not is_divided
        clears = replace(effect, writes=columns.may_be_missing)
        return OpEffects(
            meets=meets, last=tuple(self._of_columns(op, clears)), follows_columns=meets
        )


def _distribution(op: Operation, tile: SSAValue, buffer: SSAValue) -> object:
    """A key of the map from bytes of a buffer to the accessing threads; None if it is unknown."""
    is_whole = isinstance(buffer.owner, AllocationOpInterface | TileMoveOpInterface)
    held = layout_of(op, tile) if is_whole and not is_handle(tile.type) else None
    return None if held is None else (held, buffer.type)


def _has_barrier(start: Operation) -> bool:
    """Whether an asynchronous op counts its copied bytes at a dedicated mbarrier."""
    return isinstance(start, SharedMemoryOpInterface) and start.effects.has_barrier


def _completes_mmas(op: Operation, values: Iterable[SSAValue]) -> bool:
    """Whether a wait leaves no warpgroup MMA in flight."""
    counts = [
        count
        for value in values
        for start, count in started_by(value, op).items()
        if issues_mma(start)
    ]
    return bool(counts) and not min(counts)


def _is_awaited_before(op: Operation, value: SSAValue) -> bool:
    """Whether an earlier op in the block waits for the same accumulator, so that threads do not
    wait again.
    """
    return any(
        use.operation is not op
        and use.operation.parent is op.parent
        and isinstance(use.operation, SharedMemoryOpInterface)
        and value in use.operation.effects.awaits
        for use in value.uses
    )
