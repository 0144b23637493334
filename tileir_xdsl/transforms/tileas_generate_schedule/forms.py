"""The forms of a loop with asynchronous MMAs, their costs, and the choice of one.

"In order", threads wait for each MMA where its result is read. "Alongside", MMAs overlap the other
ops of the agent, issued an iteration early and waited for late. In both forms the warpgroups of an
agent can issue their MMAs in ping-pong: MMAs of one warpgroup run while another one computes.
`tcgen05` MMAs are issued by one thread for all rows, or, for a similar overlap, by each warpgroup
for its own rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation

from tileir_xdsl.analysis.mma.mmas_in_flight import is_asynchronous_mma, is_warpgroup_mma
from tileir_xdsl.analysis.mma.tensor_memory_mmas import tensor_memory_mmas
from tileir_xdsl.analysis.mma.warpgroup_mmas import why_not_of_each_warpgroup
from tileir_xdsl.analysis.regions.scopes import scope_of
from tileir_xdsl.analysis.scheduling.dependences import body_ops
from tileir_xdsl.analysis.scheduling.in_order import LoopOrder, in_order_timing
from tileir_xdsl.analysis.scheduling.occupancy import Occupancy
from tileir_xdsl.analysis.scheduling.ping_pong import meeting_for_operand
from tileir_xdsl.analysis.scheduling.warpgroups import WarpgroupTiming
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.walking import ops_in

from .overlapped import OverlapGain, overlap_gain

FORMS = (
    IN_ORDER,
    IN_ORDER_PING_PONG,
    IN_ORDER_BY_WARPGROUP,
    ALONGSIDE,
    ALONGSIDE_PING_PONG,
    ALONGSIDE_BY_WARPGROUP,
) = (
    "in_order",
    "in_order_ping_pong",
    "in_order_by_warpgroup",
    "alongside",
    "alongside_ping_pong",
    "alongside_by_warpgroup",
)
"""The names of the forms; among equal costs the first form is chosen."""

PING_PONG = {IN_ORDER_PING_PONG: IN_ORDER, ALONGSIDE_PING_PONG: ALONGSIDE}
"""Each form with ping-pong, and the corresponding form without."""

BY_WARPGROUP = {IN_ORDER_BY_WARPGROUP: IN_ORDER, ALONGSIDE_BY_WARPGROUP: ALONGSIDE}
"""Each form in which every warpgroup issues the MMAs of its own rows, and the corresponding form
without.
"""

# The rates are rough, and a mutex makes each warpgroup wait for the slowest one.
LEAST_PING_PONG_GAIN = 16
"""Ping-pong is chosen only if it saves at least one cycle of so many."""


@dataclass(frozen=True)
class AgentThreads:
    """The threads that are to execute a loop."""

    warpgroups: int
    registers: int
    """The registers of a thread that are available to tiles."""
    barrier_latency: int


@dataclass(frozen=True)
class FormChoice:
    """The cost of each form of a loop, and the chosen form."""

    strategy: str
    costs: Mapping[str, int]
    """The cycles of an iteration in each form."""
    pruned: Mapping[str, str]
    """The reason why a form is impossible, by name."""
    overlap: OverlapGain | None
    correction: int | None = None
    """The fewest cycles of an iteration if another agent corrected accumulators."""

    @property
    def is_alongside(self) -> bool:
        """Whether MMAs overlap the other ops of their agent."""
        return (PING_PONG | BY_WARPGROUP).get(self.strategy, self.strategy) == ALONGSIDE

    @property
    def is_ping_pong(self) -> bool:
        """Whether warpgroups issue their MMAs in ping-pong."""
        return self.strategy in PING_PONG

    @property
    def is_by_warpgroup(self) -> bool:
        """Whether each warpgroup issues the MMAs of its own rows."""
        return self.strategy in BY_WARPGROUP


def has_forms(op: Operation) -> bool:
    """Whether an op is a loop whose MMAs are asynchronous."""
    return isinstance(op, scf.ForOp) and any(map(is_asynchronous_mma, op.body.block.ops))


def choose_form(
    loop: scf.ForOp,
    occupancies: Mapping[Operation, Occupancy],
    threads: AgentThreads,
    asked: str | None,
) -> FormChoice:
    """The form `asked` if the loop can have it, otherwise the cheapest."""
    order = LoopOrder(body_ops(loop), {})
    overlap = overlap_gain(loop, occupancies)
    costs = {IN_ORDER: in_order_timing(loop, order, occupancies).interval}
    orders, pruned = {IN_ORDER: order}, dict[str, str]()
    if overlap is None:
        pruned[ALONGSIDE] = "no dot is independent of the iterations before"
    else:
        costs[ALONGSIDE], orders[ALONGSIDE] = overlap.timing.interval, overlap.overlap.order
        # Spilled accumulators would cost more than any overlap gains.
        if overlap.registers > threads.registers:
            pruned[ALONGSIDE] = f"tiles take {overlap.registers} of {threads.registers} registers"
    for forms, problem in (
        (PING_PONG, _no_ping_pong(loop, threads)),
        (BY_WARPGROUP, _not_by_warpgroup(loop, threads)),
    ):
        timing = WarpgroupTiming(threads.warpgroups, forms is PING_PONG, threads.barrier_latency)
        for form, base in forms.items():
            if problem is not None:
                pruned[form] = problem
                continue
            if base in orders:
                costs[form] = timing.interval(loop, orders[base], occupancies)
            if base in pruned:
                pruned[form] = pruned[base]
    taken = asked if asked in costs else _cheapest(costs, pruned)
    ordered = {form: costs[form] for form in FORMS if form in costs}
    correction = None
    if taken in BY_WARPGROUP:
        # Imported where a loop has this form, which few have.
        from .correction import correction_cycles  # noqa: PLC0415

        timing = WarpgroupTiming(threads.warpgroups, False, threads.barrier_latency)
        correction = correction_cycles(loop, orders[BY_WARPGROUP[taken]], occupancies, timing)
    return FormChoice(taken, ordered, pruned, overlap, correction)


def _no_ping_pong(loop: scf.ForOp, threads: AgentThreads) -> str | None:
    """The reason why warpgroups cannot issue the MMAs of a loop in ping-pong, or None."""
    mmas = [op for op in loop.body.block.ops if is_warpgroup_mma(op)]
    if not mmas:
        return "no dot is issued by warpgroups"
    if any(map(meeting_for_operand, mmas)):
        return "all warpgroups meet for an operand that threads store"
    return "there are no two warpgroups" if threads.warpgroups < 2 else None


def _not_by_warpgroup(loop: scf.ForOp, threads: AgentThreads) -> str | None:
    """The reason why warpgroups cannot each issue the MMAs of their own rows, or None."""
    function = scope_of(loop)
    mmas = tensor_memory_mmas(loop.body.block.ops)
    if not mmas or not isinstance(function, nv_tileaa.FuncOp):
        return "no dot is in tensor memory"
    # One thread issues either all MMAs of a kernel or none.
    if mmas != tensor_memory_mmas(ops_in(function)):
        return "the kernel has dots outside of the loop"
    return why_not_of_each_warpgroup(function, mmas, threads.warpgroups)


def _cheapest(costs: Mapping[str, int], pruned: Mapping[str, str]) -> str:
    def weighed(form: str) -> int:
        extra = costs[form] // LEAST_PING_PONG_GAIN if form in PING_PONG else 0
        return costs[form] + extra

    return min((form for form in FORMS if form in costs and form not in pruned), key=weighed)
