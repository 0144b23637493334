"""Code that one thread runs: what starts bulk copies, and what only scalars need."""

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
    """Whether one thread starts an op that fills a buffer, and whose bytes a barrier counts."""
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
"""Ops beside pure ones and bulk loads that one thread can run, if it can run what is in them."""


def can_run_in_one_thread(region: Region) -> bool:
    """Whether a region handles scalars and starts bulk copies, and nothing else."""
    return all(is_scalar(op) for op in region.walk())


def is_scalar(op: Operation) -> bool:
    """Whether an op handles scalars and starts bulk copies, what is in it left aside."""
    if not (isinstance(op, SCALAR_OPS) or is_bulk_load(op) or op.has_trait(Pure)):
        return False
    return not any(is_in_registers(value.type) for value in (*op.operands, *op.results))


def is_in_registers(type: Attribute) -> bool:
    """Whether values of a type are tiles that the threads have among them."""
    if isinstance(type, ValueType):
        type = type.payload
    return isinstance(type, TensorType) and not is_shared(type)


ProduceOp = nv_tileas.ProduceOneOp | nv_tileas.ProduceOneAsyncOp


def starts_bulk_copies(op: ProduceOp) -> bool:
    """Whether bulk copies fill the stage."""
    return any(is_bulk_load(inner) for inner in op.body.walk())


def writes_by_threads(op: ProduceOp) -> bool:
    """Whether threads write or copy what the stage is to hold."""
    return not (starts_bulk_copies(op) and can_run_in_one_thread(op.body))


def warp_index(program: ThreadProgram) -> SSAValue:
    """The number of the warp among those that run this, the same in all its lanes.

    It is known as such to the assembler. For code that whole warps run.
    """
    builder = program.builder
    warp = builder.compute(llvm.LShrOp, builder.thread_index(), builder.integer(LANE_BITS, i32))
    mask, first, last = (builder.integer(n, i32) for n in (ALL_LANES, 0, LAST_LANE))
    return builder.compute(ShflOp, ShuffleKind.INDEX, mask, warp, first, last)


def enter_one_thread(program: ThreadProgram) -> list[Block]:
    """Goes on with code for one of the threads; gives the blocks to go on with behind it.

    It is the same thread each time. For code that whole warps run.
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
    """Ends such code."""
    if not after:
        return
    program.runs_in_one_thread = False
    for block in reversed(after):
        go_on(program, block)


@contextmanager
def one_thread(program: ThreadProgram) -> Generator[None]:
    """What is emitted inside runs in one thread."""
    after = enter_one_thread(program)
    yield
    leave_one_thread(program, after)
