"""The most cycles that a dedicated agent for the correction of accumulators in tensor memory could
save.

    %s = async.future_wait %acc            // of the iteration before
    %c = mulf %s, %factors                 // the correction
    %d = async.dot %weights, %values, %c

The warpgroups that compute `%weights` would then send the factors to that agent, and wait until it
has computed `%c`. The agent's work is assumed to cost nothing, as it may run while others wait.
Source: FlashAttention-4, with separate warpgroups for softmax and correction.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from xdsl.dialects import scf
from xdsl.ir import Operation

from tileir_xdsl.analysis.layouts.transfer import is_elementwise
from tileir_xdsl.analysis.scheduling.in_order import LoopOrder
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy
from tileir_xdsl.analysis.scheduling.warpgroups import WarpgroupTiming
from tileir_xdsl.dialects import nv_tileas

HANDSHAKES = 2
"""The handshakes of an iteration: one for the scale factors, one for the corrected accumulators."""


def correction_cycles(
    loop: scf.ForOp,
    order: LoopOrder,
    occupancies: Mapping[Operation, Occupancy],
    timing: WarpgroupTiming,
) -> int | None:
    """A lower bound on the cycles of an iteration if another agent corrects the accumulators; None
    without corrections.
    """
    corrections = [op for op in _corrections(loop) if occupancies[op].cycles]
    if not corrections:
        return None
    left = {op: replace(occupancies[op], cycles=0, latency=0) for op in corrections}
    cycles = timing.interval(loop, order, {**occupancies, **left})
    return cycles + HANDSHAKES * timing.barrier_latency


def _corrections(loop: scf.ForOp) -> Iterator[Operation]:
    """The ops between the wait for the previous iteration's accumulators and the MMAs that add to
    them.
    """
    block = loop.body.block
    waits = (op for op in block.ops if isinstance(op, nv_tileas.FutureWaitOp))
    waiting = [wait.results[0] for wait in waits if wait.source.owner is block]
    while waiting:
        for use in waiting.pop().uses:
            if use.operation.parent is block and is_elementwise(use.operation):
                yield use.operation
                waiting += use.operation.results
