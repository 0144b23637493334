"""Where barriers and fences are needed: pending accesses, followed along structured control flow.

A hazard is two accesses to the same bytes, one of them a write, between which threads do not meet,
or hardware does not see what threads wrote. What is needed is inserted before the op of the second
access, so that it serves for all that are pending there; before a loop where everything that is
needed in the loop is about accesses before it. Loops are followed to a fixed point.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, Region

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.buffers.pipelines import pipeline_of
from tileir_xdsl.analysis.threads.one_thread import writes_by_threads
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.targets.atoms import Memory

from .accesses import Access, Accesses, Proxy
from .pending import THREAD_COPIES, Hazard, Pending

PRODUCERS = (nv_tileas.ProduceOneAsyncOp, nv_tileas.ProduceOneOp)
CONSUMERS = (nv_tileas.ConsumeOneAsyncOp, nv_tileas.ConsumeOneOp)


@dataclass
class Need:
    """What has to come before one op, and for which hazards."""

    hazards: list[Hazard] = field(default_factory=list[Hazard])
    has_barrier: bool = True
    """Whether a barrier of its own is needed; the op may have one inside."""

    @property
    def waits(self) -> bool:
        """Whether MMAs in flight have to be waited for."""
        return any(hazard.needs_wait for hazard in self.hazards)

    @property
    def fences(self) -> bool:
        """Whether writes of threads have to be ordered with asynchronous accesses."""
        return any(hazard.needs_fence for hazard in self.hazards)

    @property
    def fences_tensor_memory(self) -> bool:
        """Whether it is about tensor memory."""
        return any(h.first.extent.memory is Memory.TENSOR for h in self.hazards)

    def apply(self, pending: Pending) -> Pending:
        """The state after what is needed."""
        if self.waits:
            pending = pending.wait_for_mmas()
        if self.fences:
            pending = pending.fence()
        return pending.meet() if self.has_barrier else pending


Needs = dict[Operation, Need]
"""What has to come before ops."""


@dataclass
class Walker:
    """Follows pending accesses through a function."""

    accesses: Accesses
    seen: list[Access] | None = None
    """All accesses on the way, where they are collected."""

    def block(self, block: Block, pending: Pending, needs: Needs) -> Pending:
        """The state after a block."""
        for op in block.ops:
            pending = self.op(op, pending, needs)
        return pending

    def op(self, op: Operation, pending: Pending, needs: Needs) -> Pending:
        """The state after an op with all that is in it."""
        match op:
            case scf.IfOp():
                return self._if(op, pending, needs)
            case scf.ForOp() | scf.WhileOp():
                return self._loop(op, pending, needs)
            case nv_tileas.AgentSwitchOp():
                return self._agents(op, pending, needs)
            case nv_tileas.PragmaOp():
                pending = self.block(op.body.block, pending, needs)
                # What it yields changes its layout at the end of the region.
                return self._leaf(op, pending, needs, op.body.block.last_op)
            case _ if isinstance(op, (*PRODUCERS, *CONSUMERS)):
                # The op loads the scalars of the stage before its region begins.
                pending = self._leaf(op, pending, needs)
                return self.block(op.regions[0].block, pending, needs)
            case _:
                return self._leaf(op, pending, needs)

    def _leaf(
        self, op: Operation, pending: Pending, needs: Needs, end: Operation | None = None
    ) -> Pending:
        effects = self.accesses.of(op)
        pending = pending.complete(effects)
        if self.seen is not None:
            self.seen += (*effects.first, *effects.last)
        anchor = _anchor(end or op)
        hazards = [h for h in pending.hazards(effects.first) if _is_between(h, anchor)]
        later = [h for h in pending.hazards(effects.last) if _is_between(h, anchor)]
        if effects.meets:
            # The op's own barrier is enough for what comes after it, but not a wait or a fence.
            later = [hazard for hazard in later if hazard.needs_wait or hazard.needs_fence]
        # An op that meets inside orders its own last accesses.
        has_barrier = bool(hazards) or (bool(later) and not effects.meets)
        if hazards or later:
            need = Need([*hazards, *later], has_barrier)
            _require(needs, anchor, need)
            pending = need.apply(pending)
        if effects.fences:
            pending = pending.fence()
        pending = pending.add(effects.first)
        if effects.meets:
            pending = pending.meet()
        return pending.add(effects.last)

    def _if(self, op: scf.IfOp, pending: Pending, needs: Needs) -> Pending:
        # Both arms start from the same state, as a thread executes one of them.
        then = self.block(op.true_region.block, pending, needs)
        has_else = bool(op.false_region.blocks)
        other = self.block(op.false_region.block, pending, needs) if has_else else pending
        return then.join(other)

    # Loops

    def _loop(self, op: scf.ForOp | scf.WhileOp, pending: Pending, needs: Needs) -> Pending:
        inside, after = self._fixed_point(op, pending)
        outer = [
            hazard
            for need in inside.values()
            if all(not op.is_ancestor(hazard.first.op) for hazard in need.hazards)
            for hazard in need.hazards
        ]
        if outer:
            # Nothing in the loop needs it again.
            need = Need(outer)
            _require(needs, _anchor(op), need)
            inside, after = self._fixed_point(op, need.apply(pending))
        needs |= inside
        return after

    def _fixed_point(self, op: scf.ForOp | scf.WhileOp, pending: Pending) -> tuple[Needs, Pending]:
        """What is needed in a loop, and the state after it."""
        entered = pending
        while True:
            needs: Needs = {}
            around, after = self._once(op, entered, needs)
            # States only grow, so this ends.
            if entered.covers(around):
                break
            entered = entered.join(around)
        # Earlier rounds may have brought round what a barrier, needed since, now completes.
        closer, fewer = pending.join(around), Needs()
        again, left = self._once(op, closer, fewer)
        if closer.covers(again):
            needs, after = fewer, left
        return needs, after

    def _once(
        self, op: scf.ForOp | scf.WhileOp, entered: Pending, needs: Needs
    ) -> tuple[Pending, Pending]:
        """The state at the back edge, and after the loop."""
        if isinstance(op, scf.ForOp):
            end = self.block(op.body.block, entered, needs)
            # A loop that may not run completes nothing of what was pending before it.
            return end, end if _surely_runs(op) else end.join(entered)
        left = self.block(op.before_region.block, entered, needs)
        return self.block(op.after_region.block, left, needs), left

    # Agents

    def _agents(self, op: nv_tileas.AgentSwitchOp, pending: Pending, needs: Needs) -> Pending:
        """Agents begin when all threads are done with what agents access; they meet after it."""
        hazards = list(pending.hazards(self._all(op.bodies, pending)))
        if hazards:
            need = Need(hazards)
            _require(needs, op, need)
            pending = need.apply(pending)
        # Agents order their accesses among each other by pipelines, so each is followed alone.
        ends = [self.block(body.block, pending, needs) for body in op.bodies]
        after = pending
        for end in ends:
            after = after.join(end)
        return after.meet()

    def _all(self, regions: Iterable[Region], pending: Pending) -> list[Access]:
        """All accesses in some regions."""
        collector = Walker(self.accesses, [])
        for region in regions:
            # Collected with nothing pending: what agents need inside is found later.
            collector.block(region.block, Pending({}, pending.has_async_proxy), {})
        assert collector.seen is not None
        return list(dict.fromkeys(collector.seen))


def _surely_runs(op: scf.ForOp) -> bool:
    """Whether a loop has an iteration, as its constant bounds say."""
    first, last = (getattr(bound.owner, "value", None) for bound in (op.lb, op.ub))
    if not isinstance(first, IntegerAttr) or not isinstance(last, IntegerAttr):
        return False
    return first.value.data < last.value.data


def _require(needs: Needs, anchor: Operation, need: Need) -> None:
    """Adds what has to come before an op."""
    known = needs.get(anchor)
    if known is not None:
        need = Need([*known.hazards, *need.hazards], known.has_barrier or need.has_barrier)
    needs[anchor] = need


def _is_between(hazard: Hazard, anchor: Operation) -> bool:
    """Whether a hazard is not within a region that one thread executes."""
    return not (isinstance(anchor, PRODUCERS) and anchor.is_ancestor(hazard.first.op))


def _anchor(op: Operation) -> Operation:
    """Where something is inserted for an op.

    Before the region that one thread executes, and before the loads of fragments that an MMA does.
    """
    anchor = op
    # The MMA loads these fragments itself, step by step, so nothing may come between.
    while isinstance(op, MMAOp) and anchor.prev_op is not None and stands_at_mma(anchor.prev_op):
        anchor = anchor.prev_op
    around = op.parent_op()
    while around is not None:
        if isinstance(around, PRODUCERS) and not writes_by_threads(around):
            anchor = around
        around = around.parent_op()
    return anchor


# Pipelines


def stage_fences(function: Operation, accesses: Accesses) -> Iterator[Operation]:
    """The ops before which writes to stages are ordered with hardware that reads these.

    Threads that write a stage do so before they publish it; for copies that are only complete when
    the stage is full, those that wait for it do.
    """
    read: set[Operation | None] = set()
    written: set[Operation | None] = set()
    copied: set[Operation | None] = set()
    for op in function.walk():
        effects = accesses.of(op)
        for access in (*effects.first, *effects.last):
            if access.pipeline is None:
                continue
            if access.proxy is Proxy.ASYNC and not access.writes:
                read.add(access.pipeline)
            elif access.proxy is Proxy.GENERIC and access.writes:
                (copied if isinstance(op, THREAD_COPIES) else written).add(access.pipeline)
        if isinstance(op, nv_tileas.ProducerWriteOp):
            written.add(pipeline_of(op.token))
    for op in function.walk():
        match op:
            case nv_tileas.ProducerCommitOp():
                if pipeline_of(op.token) in written & read:
                    yield op
            case nv_tileas.ProduceOneOp() | nv_tileas.ProduceOneAsyncOp():
                last = op.body.block.last_op
                if last is not None and pipeline_of(op.token) in written & read:
                    yield last
            case nv_tileas.ConsumerReadOp():
                if op.next_op is not None and pipeline_of(op.token) in copied & read:
                    yield op.next_op
            case nv_tileas.ConsumeOneOp() | nv_tileas.ConsumeOneAsyncOp():
                first = op.body.block.first_op
                if first is not None and pipeline_of(op.token) in copied & read:
                    yield first
            case _:
                pass
