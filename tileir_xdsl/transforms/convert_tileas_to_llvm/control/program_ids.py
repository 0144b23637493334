"""Program ids as values, and the cancellation of unstarted tile blocks (work stealing).

    %next = nv_tileas.cancel_next_program_id : !nv_tileaa.program_id
    ->
    nvvm.mbarrier.expect_tx %object, %c16                      // these two in one thread
    nvvm.clusterlaunchcontrol.try.cancel %place, %object
    %state = nvvm.mbarrier.arrive %object
    %done = nvvm.mbarrier.try_wait %object, %state             // until it is
    %answer = llvm.load %place : i128
    %valid = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %answer

A program id is four registers: whether its tile block exists, and the block's three coordinates, or
0. One thread requests the next program id, and the response is written to 16 bytes of shared
memory. All threads that execute the op arrive at an mbarrier, which also counts these bytes. A
thread waits for the phase that its own arrival returned. So no phase is carried from one request to
the next. An asynchronous request is represented by its response's address and this phase.

A cluster takes over a whole cluster, for which its first block makes the request. The response is
written to the same offset in each block, and each block's mbarrier counts its bytes. Each block
waits at its own barrier, and all blocks have read the last response before the next request.
Source: PTX ISA, "clusterlaunchcontrol".
"""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i32
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.allocation.allocation_requests import ANSWER_BYTES
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.control import ProgramIdRequestOp
from tileir_xdsl.dialects.nvvm.attributes import ProxyKind, SharedSpace
from tileir_xdsl.dialects.nvvm.cluster_launch_control import (
    RESPONSE,
    ClusterLaunchControlQuery,
    ClusterLaunchControlQueryCancelOp,
    ClusterLaunchControlTryCancelOp,
)
from tileir_xdsl.dialects.nvvm.fences import FenceProxyOp
from tileir_xdsl.dialects.nvvm.mbarriers import (
    MBarrierArriveOp,
    MBarrierExpectTxOp,
)
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.dialects.nvvm.synchronization import SyncWarpOp
from tileir_xdsl.targets import Feature
from tileir_xdsl.targets.agents import THREADS_PER_WARP

from ..global_memory.tma_copies import start_load, wait_for_load
from ..shared_memory import mbarriers
from ..thread.clusters import cluster_barrier, cluster_size, rank, tile_block_registers
from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import ALL_LANES, one_thread
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.shared_buffers import SharedTile

_COORDINATES = (
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_X,
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Y,
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Z,
)


class LowerCurrentProgramId(LowerOp[nv_tileaa.CurrentProgramIdOp]):
    """Returns the id of the current thread block or cluster."""

    def lower(self, op: nv_tileaa.CurrentProgramIdOp, rewriter: ThreadRewriter) -> None:
        builder = rewriter.builder
        position = [builder.insert(register()) for register in tile_block_registers(rewriter)]
        rewriter.replace(op.result, (builder.integer(1, i1), *position))


class LowerIsValidProgramId(LowerOp[nv_tileaa.IsValidProgramIdOp]):
    def lower(self, op: nv_tileaa.IsValidProgramIdOp, rewriter: ThreadRewriter) -> None:
        rewriter.replace(op.result, rewriter.registers(op.program)[:1])


class LowerCancel(LowerOp[nv_tileas.CancelNextProgramIdOp]):
    """Issues the request and waits for the response."""

    def lower(self, op: nv_tileas.CancelNextProgramIdOp, rewriter: ThreadRewriter) -> None:
        request = _ask(op, rewriter)
        _wait(request, rewriter)
        rewriter.replace(op.result, _read(request[0], rewriter))


class LowerAsyncCancel(LowerOp[nv_tileas.AsyncCancelNextProgramIdOp]):
    """Issues the request, whose result is waited for later.

    A response written to a buffer is counted like the bytes of a bulk copy.
    """

    def lower(self, op: nv_tileas.AsyncCancelNextProgramIdOp, rewriter: ThreadRewriter) -> None:
        if op.destination is None:
            rewriter.replace(op.result, _ask(op, rewriter))
            return
        _check_support(op, rewriter)

        def ask(tile: SharedTile, barrier: SSAValue) -> None:
            _try_cancel(tile.pointer(rewriter.builder), barrier, rewriter)

        start_load(op, rewriter, ask)


class LowerReadProgramId(LowerOp[nv_tileas.ReadProgramIdOp]):
    """Reads the response in a buffer, which a later request may overwrite through the asynchronous
    proxy.
    """

    def lower(self, op: nv_tileas.ReadProgramIdOp, rewriter: ThreadRewriter) -> None:
        position = rewriter.shared_tile(op.answer).pointer(rewriter.builder)
        rewriter.replace(op.result, _read(position, rewriter))
        fence = FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA)
        rewriter.builder.insert_without_result(fence)
        region = rewriter.region
        if region.threads == THREADS_PER_WARP and not region.runs_in_one_thread:
            # A warp that loads reads its own answer, and releases nothing: one of its lanes asks
            # again when all have read.
            lanes = rewriter.builder.integer(ALL_LANES, i32)
            rewriter.builder.insert_without_result(SyncWarpOp(lanes))


Request = tuple[SSAValue, SSAValue]
"""The response's address, directly followed by its mbarrier, and the phase of the arrival."""


def _ask(op: ProgramIdRequestOp, rewriter: ThreadRewriter) -> Request:
    """Makes one thread request the next tile block, after all threads have read the last
    response.
    """
    _check_support(op, rewriter)
    builder = rewriter.builder
    position = rewriter.shared_memory(rewriter.function.shared_allocation.offsets[op])
    barrier = _barrier(position, rewriter)
    # The first request has nothing before it that could have read the response.
    if is_repeated(op):
        # Threads have read the last response; the asynchronous proxy writes the next one.
        fence = FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA)
        builder.insert_without_result(fence)
        if cluster_size(rewriter) > 1:
            cluster_barrier(rewriter)
        else:
            rewriter.barrier()
    with one_thread(op, rewriter):
        size = builder.integer(ANSWER_BYTES, i32)
        builder.insert_without_result(MBarrierExpectTxOp(barrier, size))
        _try_cancel(position, barrier, rewriter)
    # The thread that expects bytes arrives after that: the phase does not end without them.
    return position, builder.insert(MBarrierArriveOp(barrier, has_state=True))


def _try_cancel(position: SSAValue, barrier: SSAValue, rewriter: ThreadRewriter) -> None:
    """Requests a tile block in one thread; in a cluster, a thread of the first block requests for
    all.
    """
    if cluster_size(rewriter) == 1:
        rewriter.builder.insert_without_result(ClusterLaunchControlTryCancelOp(position, barrier))
        return
    builder = rewriter.builder
    after = only_where(rewriter, builder.compare("eq", rank(rewriter), builder.integer(0, i32)))
    builder.insert_without_result(
        ClusterLaunchControlTryCancelOp(position, barrier, multicast=True)
    )
    go_on(rewriter, after)


def _check_support(op: ProgramIdRequestOp, rewriter: ThreadRewriter) -> None:
    """Raises `PassFailedException` for targets without the instruction, or without its cluster
    form.
    """
    feature, what = Feature.CLUSTER_LAUNCH_CONTROL, ""
    if cluster_size(rewriter) > 1:
        feature, what = Feature.CLUSTER_LAUNCH_MULTICAST, " in clusters"
    required = Requirement(feature=feature)
    if not required.is_met_by(rewriter.function.target):
        lowest, target = required.targets()[0], rewriter.function.target.name
        fail(op, f"'{op.name}' op is not available on {target}{what}: it needs {lowest}")


def _barrier(position: SSAValue, rewriter: ThreadRewriter) -> SSAValue:
    return rewriter.builder.element_pointer(position, ANSWER_BYTES, i8)


def _wait(request: Request, rewriter: ThreadRewriter) -> None:
    """Waits until the response is written."""
    position, state = request
    mbarriers.poll(rewriter, _barrier(position, rewriter), state)


def _read(position: SSAValue, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """Reads a response's program id; its coordinates are 0 without a tile block."""
    builder = rewriter.builder
    answer = builder.insert(llvm.LoadOp(position, RESPONSE, ANSWER_BYTES))

    def query(query: ClusterLaunchControlQuery) -> SSAValue:
        return builder.insert(ClusterLaunchControlQueryCancelOp(query, answer))

    is_valid = query(ClusterLaunchControlQuery.IS_CANCELED)
    valid, after = Block(), Block(arg_types=[i32] * len(_COORDINATES))
    shift = builder.integer(cluster_size(rewriter).bit_length() - 1, i32)
    nowhere = [builder.integer(0, i32)] * len(_COORDINATES)
    # A branch and no select: the query of a response without a block is undefined.
    builder.insert_without_result(llvm.CondBrOp(is_valid, valid, [], after, nowhere))
    builder.enter(valid)
    x, y, z = map(query, _COORDINATES)
    if cluster_size(rewriter) > 1:
        # The first block of a cluster, which has all of its blocks along x.
        x = builder.insert(llvm.LShrOp(x, shift))
    builder.insert_without_result(llvm.BrOp(after, x, y, z))
    builder.enter(after)
    return is_valid, *after.args


def received(source: SSAValue, rewriter: ThreadRewriter) -> tuple[SSAValue, ...]:
    """The requested program id, after the response is written."""
    return _read(_request(source, rewriter)[0], rewriter)


def _request(value: SSAValue, rewriter: ThreadRewriter) -> Request:
    position, state = rewriter.registers(value)
    return position, state


def wait_for_answer(
    op: nv_tileas.AsyncCancelNextProgramIdOp, value: SSAValue, rewriter: ThreadRewriter
) -> None:
    """Waits for the response to a request."""
    if op.destination is None:
        _wait(_request(value, rewriter), rewriter)
    else:
        wait_for_load(op, value, rewriter)


PATTERNS: Patterns = {
    nv_tileaa.CurrentProgramIdOp: LowerCurrentProgramId,
    nv_tileaa.IsValidProgramIdOp: LowerIsValidProgramId,
    nv_tileas.AsyncCancelNextProgramIdOp: LowerAsyncCancel,
    nv_tileas.CancelNextProgramIdOp: LowerCancel,
    nv_tileas.ReadProgramIdOp: LowerReadProgramId,
}

WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadRewriter], None]] = {
    nv_tileas.AsyncCancelNextProgramIdOp: wait_for_answer,
}
"""The wait for each kind of request."""
