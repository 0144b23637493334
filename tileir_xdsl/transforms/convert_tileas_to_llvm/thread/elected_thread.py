"""Code that one thread executes, and how it is elected."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, SSAValue

from tileir_xdsl.dialects.nvvm.attributes import ShuffleKind
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp, ShflOp
from tileir_xdsl.targets import Feature

from .device_calls import first_thread, go_on, only_where
from .program import ThreadProgram

WARP = 32
LANE_BITS = 5
ALL_LANES = -1
LAST_LANE = 31


def warp_index(program: ThreadProgram) -> SSAValue:
    """The index of the warp among those that execute this, uniform across its lanes.

    The assembler knows it to be uniform. For code that whole warps execute.
    """
    builder = program.builder
    warp = builder.compute(llvm.LShrOp, builder.thread_index(), builder.integer(LANE_BITS, i32))
    mask, first, last = (builder.integer(n, i32) for n in (ALL_LANES, 0, LAST_LANE))
    # A shuffle from lane 0 gives the same value to all lanes, which the assembler then knows.
    return builder.compute(ShflOp, ShuffleKind.INDEX, mask, warp, first, last)


def enter_one_thread(program: ThreadProgram) -> list[Block]:
    """Continues with code for one of the threads; returns the blocks to continue with after it.

    It is the same thread each time. For code that whole warps execute.
    """
    if program.region.runs_in_one_thread:
        return []
    builder = program.builder
    # `elect.sync` from sm_90 on tells the assembler that one lane runs, which uniform ops need.
    if Feature.ELECT not in program.function.target.features:
        after = [only_where(program, first_thread(program))]
    else:
        after: list[Block] = []
        if program.region.threads > WARP:
            is_first = builder.compare("eq", warp_index(program), builder.integer(0, i32))
            after.append(only_where(program, is_first))
        after.append(only_where(program, builder.compute(ElectSyncOp)))
    program.region = replace(program.region, runs_in_one_thread=True)
    return after


def leave_one_thread(program: ThreadProgram, after: list[Block]) -> None:
    """Ends code for one thread."""
    if not after:
        return
    program.region = replace(program.region, runs_in_one_thread=False)
    for block in reversed(after):
        go_on(program, block)


@contextmanager
def one_thread(program: ThreadProgram) -> Generator[None]:
    """Code emitted inside is executed by one thread."""
    after = enter_one_thread(program)
    yield
    leave_one_thread(program, after)
