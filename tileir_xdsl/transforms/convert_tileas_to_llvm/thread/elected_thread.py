"""Code for a single thread: the issuer that the attribute of an op names.

    elected_lane                     elect.sync
    elected_lane_of_first_warp       setp.eq of the warp index, and elect.sync
    elected_lane_of_each_warpgroup   setp.eq of the last two bits of the warp index, and elect.sync
    first_thread                     setp.eq of the thread index
    only_thread                      nothing

Source: PTX ISA, "elect.sync".
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects.nv_tileas.strategies import Issuer, issuer_of, refuse_undecided
from tileir_xdsl.dialects.nvvm.attributes import ShuffleKind
from tileir_xdsl.dialects.nvvm.synchronization import ElectSyncOp, ShflOp

from .clusters import is_leader
from .device_calls import first_thread, go_on, only_where
from .program import ThreadRewriter

LANE_BITS = 5
ALL_LANES = -1
LAST_LANE = 31


def warp_index(rewriter: ThreadRewriter) -> SSAValue:
    """The index of the warp among those that execute the code, uniform across its lanes.

    The assembler knows that the index is uniform. Whole warps must execute the code.
    """
    builder = rewriter.builder
    warp = builder.compute(llvm.LShrOp, builder.thread_index(), builder.integer(LANE_BITS, i32))
    mask, first, last = (builder.integer(n, i32) for n in (ALL_LANES, 0, LAST_LANE))
    # A shuffle from lane 0 gives the same value to all lanes, which the assembler then knows.
    return builder.compute(ShflOp, ShuffleKind.INDEX, mask, warp, first, last)


def is_first_warp(rewriter: ThreadRewriter) -> SSAValue:
    """Whether this warp is the first of those that execute the code."""
    return rewriter.builder.compare("eq", warp_index(rewriter), rewriter.builder.integer(0, i32))


def warpgroup_index(rewriter: ThreadRewriter) -> SSAValue:
    """The index of the warpgroup among those that execute the code, known to be uniform."""
    builder = rewriter.builder
    return builder.compute(llvm.LShrOp, warp_index(rewriter), builder.integer(2, i32))


def is_first_warp_of_group(rewriter: ThreadRewriter) -> SSAValue:
    """Whether this warp is the first of its warpgroup."""
    # The one thread reads it, too, and alone could not shuffle.
    warpgroup_index(rewriter)
    builder = rewriter.builder
    rank = builder.compute(llvm.AndOp, warp_index(rewriter), builder.integer(3, i32))
    return builder.compare("eq", rank, builder.integer(0, i32))


def is_elected(rewriter: ThreadRewriter) -> SSAValue:
    """Whether `elect.sync` elects this lane."""
    return rewriter.builder.compute(ElectSyncOp)


Condition = Callable[[ThreadRewriter], SSAValue]

CONDITIONS: Mapping[Issuer, tuple[Condition, ...]] = {
    Issuer.ELECTED_LANE: (is_elected,),
    Issuer.ELECTED_LANE_OF_FIRST_WARP: (is_first_warp, is_elected),
    Issuer.ELECTED_LANE_OF_EACH_WARPGROUP: (is_first_warp_of_group, is_elected),
    Issuer.FIRST_THREAD: (first_thread,),
    Issuer.ONLY_THREAD: (),
}
"""The conditions that a thread must pass, in order, to be the issuer."""


def issuer_on(op: Operation) -> Issuer:
    """The issuer that the attribute of an op names.

    Raises `PassFailedException` if there is none.
    """
    issuer = issuer_of(op)
    if issuer is None:
        refuse_undecided(op, "thread that issues it")
    return issuer


def enter_one_thread(op: Operation, rewriter: ThreadRewriter) -> list[Block]:
    """Opens blocks that only the issuer of an op enters; returns their join blocks.

    Whole warps must execute the preceding code.
    """
    after = [only_where(rewriter, holds(rewriter)) for holds in CONDITIONS[issuer_on(op)]]
    if after:
        rewriter.region = replace(rewriter.region, runs_in_one_thread=True)
    return after


def leave_one_thread(rewriter: ThreadRewriter, after: list[Block]) -> None:
    """Ends the blocks that `enter_one_thread` opened."""
    if not after:
        return
    rewriter.region = replace(rewriter.region, runs_in_one_thread=False)
    for block in reversed(after):
        go_on(rewriter, block)


@contextmanager
def mma_thread(op: Operation, rewriter: ThreadRewriter) -> Generator[None]:
    """Code emitted inside is executed by the issuer of an MMA: for a pair of CTAs, in the first."""
    if not rewriter.function.has_pairs or rewriter.region.is_leader:
        with one_thread(op, rewriter):
            yield
        return
    after = only_where(rewriter, is_leader(rewriter))
    rewriter.region = replace(rewriter.region, is_leader=True)
    with one_thread(op, rewriter):
        yield
    rewriter.region = replace(rewriter.region, is_leader=False)
    go_on(rewriter, after)


@contextmanager
def one_thread(op: Operation, rewriter: ThreadRewriter) -> Generator[None]:
    """Code emitted inside is executed by the issuer of an op."""
    after = enter_one_thread(op, rewriter)
    yield
    leave_one_thread(rewriter, after)
