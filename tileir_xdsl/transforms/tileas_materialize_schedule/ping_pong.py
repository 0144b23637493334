"""Ping-pong scheduling: the warpgroups of an agent issue their MMAs in turns.

    %d = async.dot ..        ->        acquire_mutex %Mutex_0
                                       %d = async.dot ..
                                       release_mutex %Mutex_0

So one uses the tensor cores while the other executes the ops between its MMAs. Waits for MMAs stay
outside the mutex: a turn is the issue of one MMA, or of a run of them.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.layouts.groups import tiles_of
from tileir_xdsl.analysis.mma.mmas_in_flight import is_warpgroup_mma
from tileir_xdsl.dialects.nv_tileas import (
    AcquireMutexOp,
    AgentSwitchOp,
    CreateMutexOp,
    IncIterOp,
    ReleaseMutexOp,
)
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ORDER_KEY, STAGE_KEY
from tileir_xdsl.targets.agents import WARPS_PER_GROUP


class AlternateAgents(RewritePattern):
    """Creates a mutex for each agent of several warpgroups that issues MMAs.

    The `num_warps` of the agents are known.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AgentSwitchOp, rewriter: PatternRewriter) -> None:
        mutexes = 0
        for body, warps in zip(op.bodies, op.agent_warps or (), strict=True):
            mmas = list(_runs_of_mmas(body))
            participants = warps // WARPS_PER_GROUP
            # One warpgroup has nobody to take turns with.
            if not mmas or warps % WARPS_PER_GROUP or participants < 2:
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
    """The first and the last MMA of every run, at any depth of a region."""
    taken: set[Operation] = set()
    for op in region.walk():
        if not is_warpgroup_mma(op) or op in taken:
            continue
        last = op
        following = op.next_op
        # A turn costs two barriers, so neighbouring MMAs share one.
        while following is not None and (is_warpgroup_mma(following) or _is_short(following)):
            if is_warpgroup_mma(following):
                last = following
                taken.add(last)
            following = following.next_op
        yield op, last


def _is_short(op: Operation) -> bool:
    """Whether an op between MMAs takes negligible time: an index, a view, an iterator."""
    if isinstance(op, IncIterOp):
        return True
    return is_side_effect_free(op) and not op.regions and not any(tiles_of(op))


def _key(op: Operation, key: str) -> int:
    """The position of an op in its schedule; 0 where it has none."""
    number = op.attributes.get(key)
    return number.value.data if isinstance(number, IntegerAttr) else 0
