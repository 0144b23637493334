"""Emits mbarrier operations in shared memory: initialisation, arrival, and waiting.

A phase completes when all expected arrivals and announced transaction bytes have occurred; waiting
threads name the parity of the phase. Source: PTX ISA, "mbarrier".
"""

from collections.abc import Mapping

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.allocation.allocation_requests import BARRIER_BYTES
from tileir_xdsl.dialects.nvvm.attributes import MemoryOrder, MemoryScope
from tileir_xdsl.dialects.nvvm.fences import FenceMbarrierInitOp, FenceSyncRestrictOp
from tileir_xdsl.dialects.nvvm.mbarriers import (
    MBarrierArriveExpectTxOp,
    MBarrierArriveOp,
    MBarrierInitOp,
    MBarrierInvalOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitOp,
    MBarrierTryWaitParityOp,
)
from tileir_xdsl.dialects.nvvm.miscellaneous import MapaOp
from tileir_xdsl.targets import Feature

from ..thread.builder import Index
from ..thread.device_calls import first_thread, go_on, only_where
from ..thread.program import ThreadRewriter
from ..thread.register_loops import repeat_while

# The value that CUTLASS passes (0x989680, `ClusterBarrier::wait`).
WAIT_TICKS = 10_000_000
"""The suspend-time hint of one `try_wait`, in nanoseconds."""


def barrier_at(rewriter: ThreadRewriter, offset: int, number: Index = 0) -> SSAValue:
    """The address of a barrier in an array of barriers at an offset in shared memory."""
    if isinstance(number, int):
        return rewriter.shared_memory(offset + BARRIER_BYTES * number)
    return rewriter.builder.element_pointer(rewriter.shared_memory(offset), number, i64)


def initialise(rewriter: ThreadRewriter, counts: Mapping[int, int]) -> None:
    """Initialises the barriers at these offsets with their arrival counts; runs in one thread."""
    builder = rewriter.builder
    for offset, count in counts.items():
        pointer = barrier_at(rewriter, offset)
        builder.insert_without_result(MBarrierInitOp(pointer, builder.integer(count, i32)))
    if Feature.BULK_COPY in rewriter.function.target.features:
        # The cluster has to see them initialised (PTX ISA, "fence.mbarrier_init").
        builder.insert_without_result(FenceMbarrierInitOp())


def release_barriers(terminator: Operation, rewriter: ThreadRewriter) -> None:
    """Invalidates the barriers that the terminated block has initialised."""
    block = terminator.parent
    if block is None or not (offsets := rewriter.program.held.barriers_in_block.pop(block, [])):
        return
    # No thread may wait for an object that becomes invalid. Its memory is for objects alone, which
    # the same thread initialises (PTX ISA, "mbarrier.inval").
    rewriter.barrier()
    after = only_where(rewriter, first_thread(rewriter))
    for offset in offsets:
        rewriter.builder.insert_without_result(MBarrierInvalOp(barrier_at(rewriter, offset)))
    go_on(rewriter, after)


def arrive(rewriter: ThreadRewriter, barrier: SSAValue) -> None:
    """Makes each executing thread arrive once."""
    rewriter.builder.insert_without_result(MBarrierArriveOp(barrier))


def arrive_in_cluster(rewriter: ThreadRewriter, barrier: SSAValue, rank: SSAValue) -> None:
    """Makes each executing thread arrive once at the barrier in another CTA."""
    remote = rewriter.builder.insert(MapaOp(barrier, rank))
    rewriter.builder.insert_without_result(MBarrierArriveOp(remote, scope=MemoryScope.CLUSTER))


def arrive_and_expect(rewriter: ThreadRewriter, barrier: SSAValue, bytes: int) -> None:
    """Arrives once, and adds the bytes in flight to the expected transaction count."""
    count = rewriter.builder.integer(bytes, i32)
    rewriter.builder.insert_without_result(MBarrierArriveExpectTxOp(barrier, count))


def wait(
    rewriter: ThreadRewriter,
    barrier: SSAValue,
    parity: Index,
    scope: MemoryScope = MemoryScope.CTA,
) -> None:
    """Waits until the phase of this parity completes; `scope` is the CTA or its cluster."""
    builder = rewriter.builder
    phase = builder.integer(parity, i32)
    if scope is not MemoryScope.CTA:
        poll(rewriter, barrier, phase, scope)
        return
    # `try_wait` suspends the thread in hardware, and exists from sm_90 on (PTX ISA).
    if Feature.MBARRIER_TRY_WAIT in rewriter.function.target.features:
        ticks = builder.integer(WAIT_TICKS, i32)
        builder.insert_without_result(MBarrierTryWaitParityOp(barrier, phase, ticks))
        return

    def is_pending(_state: object) -> SSAValue:
        is_over = builder.insert(MBarrierTestWaitOp(barrier, phase))
        return builder.insert(llvm.XOrOp(is_over, builder.integer(1, i1)))

    repeat_while(builder, [], is_pending, lambda state: state)


def wait_for_readers(rewriter: ThreadRewriter, barrier: SSAValue, parity: Index) -> None:
    """Waits until threads of all CTAs of the cluster have read the shared memory.

    An acquire of cluster scope would invalidate the first-level cache (`CCTL.IVALL`); a fence for
    shared memory alone costs nothing (PTX ISA, "membar / fence", `.sync_restrict`).
    """
    phase = rewriter.builder.integer(parity, i32)
    poll(rewriter, barrier, phase, MemoryScope.CLUSTER, relaxed=True)
    rewriter.builder.insert_without_result(FenceSyncRestrictOp(MemoryOrder.ACQUIRE))


def poll(
    rewriter: ThreadRewriter,
    barrier: SSAValue,
    phase: SSAValue,
    scope: MemoryScope = MemoryScope.CTA,
    *,
    relaxed: bool = False,
) -> None:
    """Waits until a phase, given by a barrier state or its parity, completes.

    A `relaxed` wait does not order memory accesses.
    """
    builder = rewriter.builder
    ticks = builder.integer(WAIT_TICKS, i32)
    # One `try_wait` at the head of the loop: it may give up before the phase is over, and takes
    # seven machine instructions (PTX ISA, "mbarrier.try_wait").
    again, after = Block(), Block()
    builder.insert_without_result(llvm.BrOp(again))
    builder.enter(again)
    is_over = builder.insert(MBarrierTryWaitOp(barrier, phase, ticks, scope=scope, relaxed=relaxed))
    builder.insert_without_result(llvm.CondBrOp(is_over, after, [], again, []))
    builder.enter(after)
