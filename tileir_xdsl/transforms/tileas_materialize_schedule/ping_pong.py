"""Ping-pong scheduling: the warpgroups of an agent issue their MMAs one after the other.

    %d = async.dot ..        ->        acquire_mutex %Mutex_0
                                       %d = async.dot ..
                                       release_mutex %Mutex_0

So one warpgroup uses the tensor cores while another executes the ops between its MMAs. The mutex is
held for the issue of one MMA, or of a run of MMAs, but not for the wait.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.mma.mmas_in_flight import is_warpgroup_mma
from tileir_xdsl.analysis.scheduling.ping_pong import meeting_for_operand, runs_of_mmas
from tileir_xdsl.dialects.nv_tileas import (
    AcquireMutexOp,
    AgentSwitchOp,
    CreateMutexOp,
    ReleaseMutexOp,
)
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ORDER_KEY, STAGE_KEY
from tileir_xdsl.targets.agents import WARPS_PER_GROUP
from tileir_xdsl.walking import ops_in


class AlternateAgents(RewritePattern):
    """Creates a mutex for each agent of several warpgroups that issues MMAs."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AgentSwitchOp, rewriter: PatternRewriter) -> None:
        mutexes = 0
        for body, warps in zip(op.bodies, op.agent_warps or (), strict=True):
            mmas = list(_runs_of_mmas(body))
            participants = warps // WARPS_PER_GROUP
            # One warpgroup has nobody to alternate with.
            if not mmas or warps % WARPS_PER_GROUP or participants < 2:
                continue
            if any(meeting_for_operand(op) for op in ops_in(body) if is_warpgroup_mma(op)):
                continue
            first, _ = mmas[0]
            mutex = CreateMutexOp(participants, _key(first, STAGE_KEY), _key(first, ORDER_KEY))
            mutex.result.name_hint = f"Mutex_{mutexes}"
            rewriter.insert(mutex, InsertPoint.before(op))
            for start, end in mmas:
                rewriter.insert(AcquireMutexOp(mutex.result), InsertPoint.before(start))
                rewriter.insert(ReleaseMutexOp(mutex.result), InsertPoint.after(end))
            mutexes += 1


def _runs_of_mmas(region: Region) -> Iterator[tuple[Operation, Operation]]:
    """The first and the last MMA of every run of MMAs in a region and its nested regions."""
    for block in region.blocks:
        yield from runs_of_mmas(block.ops)
        for op in block.ops:
            for inner in op.regions:
                yield from _runs_of_mmas(inner)


def _key(op: Operation, key: str) -> int:
    """The schedule attribute `key` of an op; 0 by default."""
    number = op.attributes.get(key)
    return number.value.data if isinstance(number, IntegerAttr) else 0
