"""Code that one thread executes: issuing bulk copies, and computing scalars."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeGuard

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import TensorType, i32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import Pure

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nvvm.attributes import ShuffleKind
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp, ShflOp
from tileir_xdsl.targets import Feature

from .device_calls import first_thread, go_on, only_where
from .program import ThreadProgram
from .shared_buffers import is_shared

WARP = 32
LANE_BITS = 5
ALL_LANES = -1
LAST_LANE = 31

BulkLoad = (
    nv_tileas.AsyncCancelNextProgramIdOp
    | nv_tileas.AsyncGatherTmaLoadOp
    | nv_tileas.AsyncTiledTmaLoadOp
)


def is_bulk_load(op: Operation) -> TypeGuard[BulkLoad]:
    """Whether one thread issues an op that fills a buffer, and a barrier counts its bytes."""
    return isinstance(op, BulkLoad) and op.destination is not None


SCALAR_OPS = (
    nv_tileas.PipelineYieldOp,
    nv_tileas.ProduceOneAsyncOp,
    nv_tileas.ProduceOneOp,
    nv_tileas.ReadProgramIdOp,
    nv_tileas.WaitOp,
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
)
"""Ops other than pure ones and bulk loads that one thread can execute, if it can their regions."""


def can_run_in_one_thread(region: Region) -> bool:
    """Whether a region only handles scalars and issues bulk copies."""
    return all(is_scalar(op) for op in region.walk())


def is_scalar(op: Operation) -> bool:
    """Whether an op only handles scalars and issues bulk copies, disregarding its regions."""
    if not (isinstance(op, SCALAR_OPS) or is_bulk_load(op) or op.has_trait(Pure)):
        return False
    return not any(is_in_registers(value.type) for value in (*op.operands, *op.results))


def is_in_registers(type: Attribute) -> bool:
    """Whether values of a type are tiles distributed over registers of threads."""
    if isinstance(type, ValueType):
        type = type.payload
    return isinstance(type, TensorType) and not is_shared(type)


ProduceOp = nv_tileas.ProduceOneOp | nv_tileas.ProduceOneAsyncOp


def starts_bulk_copies(op: ProduceOp) -> bool:
    """Whether bulk copies fill the stage."""
    return any(is_bulk_load(inner) for inner in op.body.walk())


def writes_by_threads(op: ProduceOp) -> bool:
    """Whether threads write or copy to the stage themselves."""
    return not (starts_bulk_copies(op) and can_run_in_one_thread(op.body))


def warp_index(program: ThreadProgram) -> SSAValue:
    """The index of the warp among those that execute this, uniform across its lanes.

    The assembler knows it to be uniform. For code that whole warps execute.
    """
    builder = program.builder
    warp = builder.compute(llvm.LShrOp, builder.thread_index(), builder.integer(LANE_BITS, i32))
    mask, first, last = (builder.integer(n, i32) for n in (ALL_LANES, 0, LAST_LANE))
    return builder.compute(ShflOp, ShuffleKind.INDEX, mask, warp, first, last)


def enter_one_thread(program: ThreadProgram) -> list[Block]:
    """Continues with code for one of the threads; returns the blocks to continue with after it.

    It is the same thread each time. For code that whole warps execute.
    """
    if program.runs_in_one_thread:
        return []
    builder = program.builder
    if Feature.ELECT not in program.target.features:
        after = [only_where(program, first_thread(program))]
    else:
        after: list[Block] = []
        if program.threads > WARP:
            is_first = builder.compare("eq", warp_index(program), builder.integer(0, i32))
            after.append(only_where(program, is_first))
        after.append(only_where(program, builder.compute(ElectSyncOp)))
    program.runs_in_one_thread = True
    return after


def leave_one_thread(program: ThreadProgram, after: list[Block]) -> None:
    """Ends code for one thread."""
    if not after:
        return
    program.runs_in_one_thread = False
    for block in reversed(after):
        go_on(program, block)


@contextmanager
def one_thread(program: ThreadProgram) -> Generator[None]:
    """Code emitted inside is executed by one thread."""
    after = enter_one_thread(program)
    yield
    leave_one_thread(program, after)
