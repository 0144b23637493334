"""The most that a dedicated agent for the correction of accumulators in tensor memory could save.

    %s = async.future_wait %acc            // of the iteration before
    %c = mulf %s, %factors                 // the correction
    %d = async.dot %weights, %values, %c

The warpgroups that compute `%weights` would not compute `%c`, but tell the agent the factors, and
be told when it is done. Its own work is assumed to cost nothing, as it may run while others wait.
Source: FlashAttention-4, whose softmax and correction are warpgroups of their own.
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
"""The available scale factors, and the accumulators that are corrected."""


def correction_cycles(
    loop: scf.ForOp,
    order: LoopOrder,
    occupancies: Mapping[Operation, Occupancy],
    timing: WarpgroupTiming,
) -> int | None:
    """The fewest cycles of an iteration whose accumulators another agent corrects; None if nothing
    is to be corrected.
    """
    corrections = [op for op in _corrections(loop) if occupancies[op].cycles]
    if not corrections:
        return None
    left = {op: replace(occupancies[op], cycles=0, latency=0) for op in corrections}
    cycles = timing.interval(loop, order, {**occupancies, **left})
    return cycles + HANDSHAKES * timing.barrier_latency


def _corrections(loop: scf.ForOp) -> Iterator[Operation]:
    """The ops on accumulators of the iteration before, up to the MMAs that go on from them."""
    block = loop.body.block
    waits = (op for op in block.ops if isinstance(op, nv_tileas.FutureWaitOp))
    waiting = [wait.results[0] for wait in waits if wait.source.owner is block]
    while waiting:
        for use in waiting.pop().uses:
            if use.operation.parent is block and is_elementwise(use.operation):
                yield use.operation
                waiting += use.operation.results
