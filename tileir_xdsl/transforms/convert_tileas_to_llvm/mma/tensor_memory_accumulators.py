"""Accumulators in tensor memory: their initialisation, and their reads after the MMAs.

    %0 = nv_tileas.async.to_async %zero             nothing; the first MMA overwrites
    %s = nv_tileas.async.future_wait %d      ->     tcgen05.commit %barrier, in one thread
                                                    mbarrier.arrive %barrier, and wait
                                                    tcgen05.ld

An accumulator value has one register, which tells whether its columns are initialised; otherwise
the value is zero. All threads and the commit of its MMAs arrive at an accumulator's barrier, which
completes the phase. Source: PTX ISA, "tcgen05.commit", "tcgen05.fence".
"""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i1, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.allocation.allocation_requests import BARRIER_BYTES
from tileir_xdsl.analysis.mma.cta_pairs import may_overwrite
from tileir_xdsl.analysis.threads.agent_warps import function_of
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas import ToAsyncOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nvvm.attributes import CTAGroup, MemoryScope, Tcgen05Fence
from tileir_xdsl.dialects.nvvm.mbarriers import MBarrierArriveOp
from tileir_xdsl.dialects.nvvm.synchronization import BarrierOp
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05CommitOp, Tcgen05FenceOp
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.constants import is_zero

from ..shared_memory.mbarriers import arrive_in_cluster, barrier_at, poll
from ..shared_memory.tensor_memory import (
    clear_accumulator,
    first_column,
    load_accumulator,
    own_address,
    store_accumulator,
)
from ..thread.clusters import is_leader, leader_rank, pair_mask
from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import mma_thread, warpgroup_index
from ..thread.program import ThreadRewriter, register_type
from .wgmma import accumulator_layout

# Initial values.


def issue_mma(op: MMAOp, rewriter: ThreadRewriter) -> SSAValue:
    """Writes C to the columns of an MMA unless it is zero; returns whether the columns are
    initialised.
    """
    value = op.results[0]
    if op.c in rewriter.function.columns.of:
        return is_initialised(op.c, rewriter)
    is_accumulator = stores_accumulator(op, rewriter)
    if is_accumulator:
        _store(op, value, op.c, rewriter)
    return rewriter.builder.integer(int(is_accumulator), i1)


def stores_accumulator(op: MMAOp, rewriter: ThreadRewriter) -> bool:
    """Whether threads write C to the columns of an MMA, and wait until it is written."""
    # `enable-input-d` 0 makes the MMA overwrite: zeros need no `tcgen05.st` and no wait for it.
    return op.c not in rewriter.function.columns.of and not _is_zero(op.c, rewriter)


def start_accumulator(op: ToAsyncOp, rewriter: ThreadRewriter) -> None:
    """Writes a tile to its columns, unless it is zero and its MMAs can overwrite it."""
    position = rewriter.function.columns.of[op.result]
    is_accumulator = not (position.may_be_missing and _is_zero(op.source, rewriter))
    if is_accumulator:
        _store(op, op.result, op.source, rewriter)
    # In a stage the columns are those that both CTAs have released.
    is_staged = op.result in rewriter.function.columns.stages
    if (
        rewriter.function.has_pairs
        and not is_staged
        and (is_accumulator or may_overwrite(op, function_of(op)))
    ):
        meet_pair(op.result, rewriter)
    # A later commit would also count MMAs issued after these, so the commit follows immediately.
    if position.is_overtaken:
        with mma_thread(op, rewriter):
            commit_accumulator(op.result, rewriter)
    note_accumulator(op.result, rewriter, is_accumulator=is_accumulator)


def note_accumulator(
    value: SSAValue, rewriter: ThreadRewriter, *, is_accumulator: bool = True
) -> None:
    """Records what a wait for a value needs.

    For an accumulator whose wait may follow later MMAs, all threads arrive at its barrier here,
    after the issuing thread has committed the MMAs.
    """
    builder, position = rewriter.builder, rewriter.function.columns.of[value]
    # Known only at run time where a loop that might not run has added to it.
    if position.may_be_missing:
        rewriter.replace(value, (builder.integer(int(is_accumulator), i1),))
    elif position.is_overtaken:
        rewriter.replace(value, (_arrive(value, rewriter),))
    else:
        rewriter.replace(value, ())


def is_initialised(value: SSAValue, rewriter: ThreadRewriter) -> SSAValue:
    """Whether the columns of a value are initialised."""
    if not rewriter.function.columns.of[value].may_be_missing:
        return rewriter.builder.integer(1, i1)
    (is_accumulator,) = rewriter.registers(value)
    return is_accumulator


def _is_zero(tile: SSAValue, rewriter: ThreadRewriter) -> bool:
    return all(map(is_zero, rewriter.registers(tile)))


def _store(op: Operation, value: SSAValue, tile: SSAValue, rewriter: ThreadRewriter) -> None:
    layout, column = accumulator_layout(op, tile.type), first_column(value, rewriter)
    store_accumulator(op, layout, column, rewriter.registers(tile), rewriter)


def meet_before_mma(rewriter: ThreadRewriter) -> None:
    """Waits until all threads of the block, or of the issuing warpgroup, have stored an
    accumulator.
    """
    # A barrier orders `tcgen05` ops only together with this fence (PTX ISA, "tcgen05.fence").
    builder, function = rewriter.builder, rewriter.function
    builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.BEFORE))
    if function.mma_warpgroups == 1:
        rewriter.barrier()
        return
    number = builder.add(warpgroup_index(rewriter), function.warpgroup_barrier, i32)
    threads = builder.integer(rewriter.region.threads // function.mma_warpgroups, i32)
    builder.insert_without_result(BarrierOp(builder.integer(number, i32), threads))


def meet_pair(value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Makes a pair's first CTA wait until no thread of either CTA uses an accumulator's columns."""
    builder, barrier = rewriter.builder, _barrier(value, rewriter, BARRIER_BYTES)
    builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.BEFORE))
    leads = is_leader(rewriter)
    after = only_where(rewriter, leads)
    state = builder.insert(MBarrierArriveOp(barrier, has_state=True))
    # Those who wait are in the same CTA. The fence after the wait is that of the barrier which
    # `tileas-insert-barriers` puts between the start of an accumulator and its first MMA.
    poll(rewriter, barrier, state, MemoryScope.CLUSTER)
    go_on(rewriter, after)
    after = only_where(rewriter, builder.compare("eq", leads, builder.integer(0, i1)))
    arrive_in_cluster(rewriter, barrier, leader_rank(rewriter))
    go_on(rewriter, after)


# Waiting and loading.


def commit_accumulator(value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Commits the MMAs so far to the accumulator's barrier; runs in one thread."""
    barrier = _barrier(value, rewriter)
    if rewriter.function.has_pairs:
        # Threads of both CTAs wait for the same MMAs, each at a barrier of their own.
        commit = Tcgen05CommitOp(barrier, pair_mask(rewriter), CTAGroup.TWO)
    else:
        commit = Tcgen05CommitOp(barrier)
    rewriter.builder.insert_without_result(commit)
    rewriter.program.issued_mmas.committed.add(value)


def finish_accumulator(op: Operation, value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Makes all threads wait until the MMAs that add to a value have completed."""
    builder, issued_mmas = rewriter.builder, rewriter.program.issued_mmas
    # One wait serves for all reads of an accumulator.
    if value in issued_mmas.done:
        return
    if rewriter.function.columns.of[value].is_overtaken:
        (state,) = rewriter.registers(value)
    else:
        # The MMA itself has committed where its wait follows at once.
        if value not in issued_mmas.committed:
            with mma_thread(op, rewriter):
                commit_accumulator(value, rewriter)
        # Each phase of the barrier takes one commit of its own.
        issued_mmas.committed.discard(value)
        state = _arrive(value, rewriter)
    _wait(state, value, rewriter)
    # Without it a `tcgen05.ld` may move before the wait (PTX ISA, "tcgen05.fence").
    builder.insert_without_result(Tcgen05FenceOp(Tcgen05Fence.AFTER))
    block = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    if block is op.parent:
        # In another block the wait may be on a path that is not always taken.
        issued_mmas.done.add(value)


def _arrive(value: SSAValue, rewriter: ThreadRewriter) -> SSAValue:
    """Makes all threads arrive at an accumulator's barrier; returns the barrier state of the
    phase.
    """
    return rewriter.builder.insert(MBarrierArriveOp(_barrier(value, rewriter), has_state=True))


def _wait(state: SSAValue, value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Waits for the MMAs committed in an accumulator's phase."""
    poll(rewriter, _barrier(value, rewriter), state)


def _barrier(value: SSAValue, rewriter: ThreadRewriter, bytes: int = 0) -> SSAValue:
    mma = rewriter.function.columns.of[value].mma
    assert mma is not None
    offset = rewriter.function.shared_allocation.offsets[mma] + bytes
    number = 0 if rewriter.function.mma_warpgroups == 1 else warpgroup_index(rewriter)
    return barrier_at(rewriter, offset, number)


def loaded_accumulator(
    op: Operation, value: SSAValue, rewriter: ThreadRewriter
) -> tuple[SSAValue, ...]:
    """Loads an accumulator to registers, as the result of an op; its MMAs have completed."""
    builder, layout = rewriter.builder, accumulator_layout(op, value.type)
    column = first_column(value, rewriter)
    element = register_type(op, tile_shape(op.results[0].type).element)
    is_accumulator = is_initialised(value, rewriter)
    # No MMA may have run, say in a loop of no iterations; the columns then hold anything.
    if not is_one(is_accumulator):
        # Known here, the address is not computed again for the loads.
        own_address(op, layout, column, rewriter)
        after = only_where(rewriter, builder.compare("eq", is_accumulator, builder.integer(0, i1)))
        clear_accumulator(op, layout, column, rewriter)
        go_on(rewriter, after)
    return load_accumulator(op, layout, column, element, rewriter)


def is_one(value: SSAValue) -> bool:
    """Whether a condition is the constant true."""
    constant = value.owner.value if isinstance(value.owner, llvm.ConstantOp) else None
    return isinstance(constant, IntegerAttr) and constant.value.data != 0
