"""Program ids as values, and cancelling tile blocks that have not started (work stealing).

    %next = nv_tileas.cancel_next_program_id : !nv_tileaa.program_id
    ->
    nvvm.mbarrier.expect_tx %object, %c16                      // these two in one thread
    nvvm.clusterlaunchcontrol.try.cancel %place, %object
    %state = nvvm.mbarrier.arrive %object
    %done = nvvm.mbarrier.try_wait %object, %state             // until it is
    %answer = llvm.load %place : i128
    %valid = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %answer

A program id is four registers: whether such a tile block exists, and its coordinates, which are 0
if not. One thread requests the next one, and the response is written to 16 bytes of shared memory.
All threads that execute the op arrive at an mbarrier, which also counts these bytes: the state
returned by its own arrival identifies the phase a thread waits for, so no phase is carried between
requests. An asynchronous request is represented by the address of its response and this phase.
Source: PTX ISA, "clusterlaunchcontrol".
"""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i1, i8, i32
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.buffers.allocation_requests import ANSWER_BYTES
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
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
    MBarrierTryWaitOp,
)
from tileir_xdsl.dialects.nvvm.requirements import Requirement
from tileir_xdsl.dialects.nvvm.special_registers import BlockIdXOp, BlockIdYOp, BlockIdZOp
from tileir_xdsl.targets import Feature

from ..global_memory.tma_copies import start_load, wait_for_load
from ..shared_memory.mbarriers import WAIT_TICKS
from ..thread.clusters import cluster_size
from ..thread.elected_thread import one_thread
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram
from ..thread.shared_buffers import SharedTile

CancelOp = nv_tileas.AsyncCancelNextProgramIdOp | nv_tileas.CancelNextProgramIdOp

_COORDINATES = (
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_X,
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Y,
    ClusterLaunchControlQuery.GET_FIRST_CTA_ID_Z,
)


class LowerCurrentProgramId(LowerOp[nv_tileaa.CurrentProgramIdOp]):
    """The thread block itself."""

    def lower(self, op: nv_tileaa.CurrentProgramIdOp, program: ThreadProgram) -> None:
        builder = program.builder
        position = [builder.insert(axis()) for axis in (BlockIdXOp, BlockIdYOp, BlockIdZOp)]
        program.values[op.result] = (builder.integer(1, i1), *position)


class LowerIsValidProgramId(LowerOp[nv_tileaa.IsValidProgramIdOp]):
    def lower(self, op: nv_tileaa.IsValidProgramIdOp, program: ThreadProgram) -> None:
        program.values[op.result] = program.registers(op.program)[:1]


def coordinate_of(program_id: SSAValue, axis: int, program: ThreadProgram) -> SSAValue:
    """The coordinate of a tile block in the grid, along one axis."""
    return program.registers(program_id)[1 + axis]


class LowerCancel(LowerOp[nv_tileas.CancelNextProgramIdOp]):
    """Issues the request and waits for the response."""

    def lower(self, op: nv_tileas.CancelNextProgramIdOp, program: ThreadProgram) -> None:
        request = _ask(op, program)
        _wait(request, program)
        program.values[op.result] = _read(request[0], program)


class LowerAsyncCancel(LowerOp[nv_tileas.AsyncCancelNextProgramIdOp]):
    """Issues the request, which is the value until its response is waited for.

    A response written to a buffer is counted like the bytes of a bulk copy.
    """

    def lower(self, op: nv_tileas.AsyncCancelNextProgramIdOp, program: ThreadProgram) -> None:
        if op.destination is None:
            program.values[op.result] = _ask(op, program)
            return
        _check_support(op, program)

        def ask(tile: SharedTile, barrier: SSAValue) -> None:
            request = ClusterLaunchControlTryCancelOp(tile.pointer(program.builder), barrier)
            program.builder.insert_without_result(request)

        start_load(op, program, ask)


class LowerReadProgramId(LowerOp[nv_tileas.ReadProgramIdOp]):
    """Reads the response in a buffer; the next one is written through the asynchronous proxy."""

    def lower(self, op: nv_tileas.ReadProgramIdOp, program: ThreadProgram) -> None:
        position = program.shared_tile(op.answer).pointer(program.builder)
        program.values[op.result] = _read(position, program)
        fence = FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA)
        program.builder.insert_without_result(fence)


Request = tuple[SSAValue, SSAValue]
"""The address of the response, with its mbarrier after it, and the phase of its arrival."""


def _ask(op: CancelOp, program: ThreadProgram) -> Request:
    """Makes one thread request the next tile block, after all threads have read the last
    response.
    """
    _check_support(op, program)
    builder = program.builder
    position = program.shared_memory(program.function.shared_allocation.offsets[op])
    barrier = _barrier(position, program)
    # The first request has nothing before it that could have read the response.
    if is_repeated(op):
        # Threads have read the last response; the asynchronous proxy writes the next one.
        fence = FenceProxyOp(ProxyKind.ASYNC_SHARED, SharedSpace.CTA)
        builder.insert_without_result(fence)
        program.barrier()
    with one_thread(program):
        size = builder.integer(ANSWER_BYTES, i32)
        builder.insert_without_result(MBarrierExpectTxOp(barrier, size))
        builder.insert_without_result(ClusterLaunchControlTryCancelOp(position, barrier))
    # The thread that expects bytes arrives after that: the phase does not end without them.
    return position, builder.insert(MBarrierArriveOp(barrier, has_state=True))


def _check_support(op: CancelOp, program: ThreadProgram) -> None:
    """Raises `PassFailedException` for targets without the instruction, and for kernels of
    clusters.
    """
    required = Requirement(feature=Feature.CLUSTER_LAUNCH_CONTROL)
    if not required.is_met_by(program.function.target):
        lowest = required.targets()[0]
        fail(
            op,
            f"'{op.name}' op is not available on {program.function.target.name}: it needs {lowest}",
        )
    # A cancelled cluster is several blocks, each of which would have to hear of it.
    if cluster_size(program) > 1:
        fail(op, f"'{op.name}' op takes over single blocks, this kernel has clusters")


def _barrier(position: SSAValue, program: ThreadProgram) -> SSAValue:
    return program.builder.element_pointer(position, ANSWER_BYTES, i8)


def _wait(request: Request, program: ThreadProgram) -> None:
    """Waits until the response is written."""
    builder = program.builder
    position, state = request
    barrier, ticks = _barrier(position, program), builder.integer(WAIT_TICKS, i32)

    # `try_wait` may give up before the phase is over (PTX ISA, "mbarrier.try_wait").
    again, after = Block(), Block()
    builder.insert_without_result(llvm.BrOp(again))
    builder.enter(again)
    is_over = builder.insert(MBarrierTryWaitOp(barrier, state, ticks))
    builder.insert_without_result(llvm.CondBrOp(is_over, after, [], again, []))
    builder.enter(after)


def _read(position: SSAValue, program: ThreadProgram) -> tuple[SSAValue, ...]:
    """The program id of a response; without a tile block its coordinates are undefined (PTX
    ISA).
    """
    builder = program.builder
    answer = builder.insert(llvm.LoadOp(position, RESPONSE, ANSWER_BYTES))

    def query(query: ClusterLaunchControlQuery) -> SSAValue:
        return builder.insert(ClusterLaunchControlQueryCancelOp(query, answer))

    is_valid = query(ClusterLaunchControlQuery.IS_CANCELED)
    valid, after = Block(), Block(arg_types=[i32] * len(_COORDINATES))
    nowhere = [builder.integer(0, i32)] * len(_COORDINATES)
    # A branch and no select: the query of a response without a block is undefined.
    builder.insert_without_result(llvm.CondBrOp(is_valid, valid, [], after, nowhere))
    builder.enter(valid)
    builder.insert_without_result(llvm.BrOp(after, *map(query, _COORDINATES)))
    builder.enter(after)
    return is_valid, *after.args


def received(source: SSAValue, program: ThreadProgram) -> tuple[SSAValue, ...]:
    """The requested program id, once the response is written."""
    return _read(_request(source, program)[0], program)


def _request(value: SSAValue, program: ThreadProgram) -> Request:
    position, state = program.registers(value)
    return position, state


def wait_for_answer(
    op: nv_tileas.AsyncCancelNextProgramIdOp, value: SSAValue, program: ThreadProgram
) -> None:
    """Waits for the response to a request."""
    if op.destination is None:
        _wait(_request(value, program), program)
    else:
        wait_for_load(op, value, program)


PATTERNS: Patterns = {
    nv_tileaa.CurrentProgramIdOp: LowerCurrentProgramId,
    nv_tileaa.IsValidProgramIdOp: LowerIsValidProgramId,
    nv_tileas.AsyncCancelNextProgramIdOp: LowerAsyncCancel,
    nv_tileas.CancelNextProgramIdOp: LowerCancel,
    nv_tileas.ReadProgramIdOp: LowerReadProgramId,
}

WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadProgram], None]] = {
    nv_tileas.AsyncCancelNextProgramIdOp: wait_for_answer,
}
"""How requests are waited for."""
