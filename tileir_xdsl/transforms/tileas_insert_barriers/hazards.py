"""Finds where barriers and fences are needed, by following pending accesses along control flow.

A hazard is a pair of accesses to the same bytes, one of them a write, that nothing orders. Either
no barrier separates the accesses, or no fence makes writes of threads visible to hardware. Barriers
and fences are inserted before the op of the second access, and thus serve all accesses pending at
that op. If all hazards in a loop are with accesses before the loop, they are inserted before the
loop. Loops are followed to a fixed point.

Each warp writes 32 elements of a buffer, and each thread then reads an element that another warp
wrote:

    op                            pending after it
    copy %x into %buffer          copy writes bytes 0 to 511 of shared memory
    barrier agent                 nothing: all threads have written
    convert_layout %written       convert_layout reads bytes 0 to 511

`convert_layout` reads bytes that the pending `copy` writes. The hazard needs the barrier:

    >>> from tileir_xdsl.testing import tools
    >>> program = tools.parse('''
    ...   !by_warp = tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>
    ...   !by_lane = tensor<128xf32, #nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>>
    ...   !buffer = tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>
    ...   nv_tileaa.func @exchange() {
    ...     %x = arith.constant dense<0.0> : !by_warp
    ...     %buffer = nv_tileas.alloc_tensor : !buffer
    ...     %written = nv_tileas.copy %x into %buffer : !by_warp into !buffer -> !buffer
    ...     %read = nv_tileas.convert_layout %written : !buffer -> !by_lane
    ...     nv_tileaa.return
    ...   }''')
    >>> passes = "tileas-allocate-shared-memory,tileas-insert-barriers"
    >>> (function,) = tools.run_passes(program, passes).ops
    >>> for op in function.body.ops:
    ...     print(op.name)
    arith.constant
    nv_tileas.alloc_tensor
    nv_tileas.copy
    nv_tileas.barrier
    nv_tileas.convert_layout
    nv_tileaa.return
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators, pipeline_of
from tileir_xdsl.analysis.regions.region_flow import surely_runs
from tileir_xdsl.analysis.threads.one_thread import is_bulk_load, writes_by_threads
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.memory_effects import Effects, Proxy, SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp, ProduceOp
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.walking import ops_in

from .accesses import Accesses, ExtentAccess, OpEffects
from .footprints import GlobalAccess
from .insertions import Insertion
from .pending import Hazard, Pending, Status
from .tokens import NONE, Order, TokenOrder, dying_tokens, is_token

HANDSHAKES = (
    nv_tileas.ConsumerReleaseOp,
    nv_tileas.ConsumerWaitOp,
    nv_tileas.ProducerAcquireOp,
)
"""The ops of threads that synchronise with MMAs on accumulators in stages."""


@dataclass
class Need:
    """The hazards of one op with earlier accesses, and the insertions before it that they
    require.
    """

    hazards: list[Hazard] = field(default_factory=list[Hazard])
    has_barrier: bool = True
    """Whether a barrier has to be inserted; false if the op itself has one."""
    switch: nv_tileaa.AgentLikeOpInterface | None = None
    """The switch whose agents must have ended."""

    @property
    def waits(self) -> bool:
        """Whether a wait for MMAs in flight is needed."""
        return any(hazard.needs_wait for hazard in self.hazards)

    @property
    def fences(self) -> bool:
        """Whether a fence has to order writes of threads with asynchronous accesses."""
        return any(hazard.needs_fence for hazard in self.hazards)

    @property
    def fences_global_memory(self) -> bool:
        """Whether that fence has to order writes to global memory, too."""
        return any(h.needs_fence and isinstance(h.first, GlobalAccess) for h in self.hazards)

    @property
    def insertions(self) -> tuple[Insertion, ...]:
        """The required insertions, in order."""
        # Wait, fence, barrier: each thread's part has to be done before the threads meet.
        inserted = [Insertion.WAIT_MMAS] if self.waits else []
        if self.fences:
            of_global = self.fences_global_memory
            inserted.append(Insertion.FENCE_ALL if of_global else Insertion.FENCE_SHARED)
        of_columns = [hazard for hazard in self.hazards if hazard.is_of_columns]
        # tcgen05 is ordered across a barrier only by a fence on either side (tcgen05.fence).
        if any(hazard.needs_fence_before for hazard in of_columns):
            inserted.append(Insertion.TMEM_BEFORE)
        if self.has_barrier:
            inserted.append(Insertion.BARRIER)
        # Where the op has the barrier itself, it has the fence after it, too.
        if any(self.has_barrier or not hazard.needs_barrier for hazard in of_columns):
            inserted.append(Insertion.TMEM_AFTER)
        return tuple(inserted)


def after_insertions(insertions: Iterable[Insertion], pending: Pending) -> Pending:
    """The state after some insertions."""
    for inserted in insertions:
        match inserted:
            case Insertion.WAIT_MMAS:
                pending = pending.wait_for_mmas()
            case Insertion.FENCE_ALL | Insertion.FENCE_SHARED:
                pending = pending.fence(of_global_memory=inserted is Insertion.FENCE_ALL)
            case Insertion.BARRIER:
                pending = pending.meet()
            case Insertion.TMEM_BEFORE:
                pending = pending.fence_columns()
            case Insertion.TMEM_AFTER:
                pending = pending.follow_columns()
    return pending


Needs = dict[Operation, Need]
"""The need before each op."""


class LoopResult(NamedTuple):
    """The result of following a loop."""

    before: Need | None
    """The need before the loop."""
    inside: Needs
    after: Pending


@dataclass
class Walker:
    """Follows pending accesses through a function."""

    accesses: Accesses
    forced: Mapping[Operation, Sequence[Insertion]] = field(
        default_factory=dict[Operation, Sequence[Insertion]]
    )
    """The forced insertions before some ops, which replace the needed ones."""
    order: TokenOrder = field(default_factory=TokenOrder)
    seen: list[ExtentAccess] | None = None
    """Collects all visited accesses, if not None."""
    followed: dict[Operation, list[tuple[Pending, LoopResult]]] = field(
        default_factory=dict[Operation, list[tuple[Pending, LoopResult]]]
    )
    """A cache of results for each loop and entry state: otherwise the time would double with each
    level of nesting.
    """
    dying: dict[Block, Mapping[Operation, Sequence[SSAValue]]] = field(
        default_factory=dict[Block, Mapping[Operation, Sequence[SSAValue]]]
    )
    """A cache of `dying_tokens` by block."""

    def block(self, block: Block, pending: Pending, needs: Needs) -> Pending:
        """The state after a block."""
        dying = self._dying(block)
        for op in block.ops:
            pending = self.op(op, pending, needs)
            if op in dying:
                pending = pending.forget(dying[op])
        return pending

    def _dying(self, block: Block) -> Mapping[Operation, Sequence[SSAValue]]:
        """For each op of a block, the tokens with their last use at that op."""
        if block not in self.dying:
            self.dying[block] = dying_tokens(block)
        return self.dying[block]

    def op(self, op: Operation, pending: Pending, needs: Needs) -> Pending:
        """The state after an op and the ops in its regions."""
        if op in self.forced:
            pending = after_insertions(self.forced[op], pending)
        match op:
            case scf.IfOp():
                return self._if(op, pending, needs)
            case scf.ForOp() | scf.WhileOp():
                return self._loop(op, pending, needs)
            case nv_tileaa.AgentLikeOpInterface():
                return self._agents(op, pending, needs)
            case nv_tileas.PragmaOp():
                pending = self.block(op.body.block, pending, needs)
                # The yielded value changes its layout at the end of the region.
                pending = self._leaf(op, pending, needs, op.body.block.last_op)
                return pending.forward(_tokens(_last_operands(op.body.block), op.outputs))
            case ProduceOp() | ConsumeOp():
                # The op loads the scalars of the stage before its region begins.
                pending = self._leaf(op, pending, needs)
                return self.block(op.regions[0].block, pending, needs)
            case _:
                return self._leaf(op, pending, needs)

    def _leaf(
        self, op: Operation, pending: Pending, needs: Needs, end: Operation | None = None
    ) -> Pending:
        effects, order = self.accesses.of(op), self.order.of(op)
        pending = pending.complete(effects)
        if self.seen is not None:
            self.seen += (*effects.first, *effects.last)
        anchor = anchor_of(end or op)
        hazards = [h for h in pending.hazards(effects.first) if _is_between(h, anchor)]
        later = [h for h in pending.hazards(effects.last) if _is_between(h, anchor)]
        (later if order.is_last else hazards).extend(
            pending.token_hazards(order.tokens, order.access)
        )
        if effects.meets:
            # The op's own barrier is enough for what comes after it, but not a wait or a fence.
            later = [hazard for hazard in later if _is_left(hazard, effects)]
        # An op that meets inside orders its own last accesses.
        needing = hazards if effects.meets else [*hazards, *later]
        has_barrier = any(hazard.needs_barrier for hazard in needing)
        if hazards or later:
            need = Need([*hazards, *later], has_barrier)
            pending = self._require(needs, anchor, need, pending)
        if effects.fences:
            pending = pending.fence(of_global_memory=effects.fences_global)
        pending = pending.add(effects.first)
        if not order.is_last:
            pending = _name_results(op, order, pending)
        pending = _meet(effects, pending)
        if order.is_last:
            pending = _name_results(op, order, pending)
        return pending.add(effects.last)

    def _if(self, op: scf.IfOp, pending: Pending, needs: Needs) -> Pending:
        # Both arms start from the same state, as a thread executes one of them.
        ends = [
            self.block(region.block, pending, needs).forward(
                _tokens(_last_operands(region.block), op.results)
            )
            for region in op.regions
            if region.blocks
        ]
        return ends[0].join(ends[1] if len(ends) > 1 else pending)

    # Loops

    def _loop(self, op: scf.ForOp | scf.WhileOp, pending: Pending, needs: Needs) -> Pending:
        pending = pending.forward(_initial_tokens(op))
        if op.parent is not None:
            # Nothing inside uses forwarded tokens by their old names.
            dying = self._dying(op.parent).get(op, ())
            pending = pending.forget(token for token in dying if not _is_used_in(op, token))
        known = self.followed.setdefault(op, [])
        result = next((result for state, result in known if state == pending), None)
        if result is None:
            result = self._follow(op, pending)
            known.append((pending, result))
        if result.before is not None:
            add_need(needs, anchor_of(op), result.before)
        needs |= result.inside
        return result.after

    def _follow(self, op: scf.ForOp | scf.WhileOp, pending: Pending) -> LoopResult:
        """Follows a loop from an entry state."""
        inside, after = self._fixed_point(op, pending)
        # A set, as climbing from each access to the loop takes longer the deeper it is nested.
        within = set(ops_in(op)) if inside else set[Operation]()
        outer = [
            hazard
            for need in inside.values()
            if all(hazard.first.op not in within for hazard in need.hazards)
            for hazard in need.hazards
        ]
        if not outer or anchor_of(op) in self.forced:
            return LoopResult(None, inside, after)
        # Nothing in the loop needs it again.
        need = Need(outer)
        entered = after_insertions(need.insertions, pending)
        return LoopResult(need, *self._fixed_point(op, entered))

    def _fixed_point(self, op: scf.ForOp | scf.WhileOp, pending: Pending) -> tuple[Needs, Pending]:
        """The needs in a loop, and the state after it."""
        entered = pending
        while True:
            needs: Needs = {}
            around, after = self._once(op, entered, needs)
            # States only grow, so this ends.
            if entered.covers(around):
                break
            entered = entered.join(around)
        # Barriers found later may complete accesses that earlier iterations carried around.
        closer, fewer = pending.join(around), Needs()
        again, left = self._once(op, closer, fewer)
        if closer.covers(again):
            needs, after = fewer, left
        return needs, after

    def _once(
        self, op: scf.ForOp | scf.WhileOp, entered: Pending, needs: Needs
    ) -> tuple[Pending, Pending]:
        """Follows one iteration; returns the state at the back edge, and after the loop."""
        if isinstance(op, scf.ForOp):
            _, *carried = op.body.block.args
            end = self.block(op.body.block, entered, needs)
            around = end.repeated(op, _tokens(_last_operands(op.body.block), carried))
            # A loop that may not run completes nothing of what was pending before it.
            left = around if surely_runs(op) else around.join(entered)
            return around, left.forward(_tokens(carried, op.results))
        before, after = op.before_region.block, op.after_region.block
        _, *passed = _last_operands(before)
        left = self.block(before, entered, needs)
        end = self.block(after, left.forward(_tokens(passed, after.args)), needs)
        around = end.repeated(op, _tokens(_last_operands(after), before.args))
        return around, left.repeated(op, _tokens(passed, op.results))

    # Agents

    def _agents(
        self, op: nv_tileaa.AgentLikeOpInterface, pending: Pending, needs: Needs
    ) -> Pending:
        """The state after a switch: a barrier precedes agents that access pending memory, and
        another one follows.
        """
        hazards = list(pending.hazards(self._all(op.agent_bodies, pending)))
        hazards += _of_tokens_used_in(op, pending)
        if hazards:
            pending = self._require(needs, op, Need(hazards), pending)
        # Agents order their accesses among each other by pipelines, so each is followed alone.
        # Tokens order the accesses of all threads, and each agent has only some of them.
        begin = replace(pending, tokens={})
        after = begin
        for body in op.agent_bodies:
            after = after.join(self.block(body.block, begin, needs))
        # At the end of the kernel no access follows that those of the agents have to come before.
        following = op.next_op
        after = replace(after, tokens=pending.tokens)
        if following is None or isinstance(following, nv_tileaa.ReturnOp) or _only_meets(following):
            return after.meet()
        return self._require(needs, following, Need(switch=op), after)

    def _require(self, needs: Needs, anchor: Operation, need: Need, pending: Pending) -> Pending:
        """The state after the needed insertions before an op, which are recorded unless some are
        forced.
        """
        if anchor in self.forced:
            return pending
        add_need(needs, anchor, need)
        return after_insertions(need.insertions, pending)

    def _all(self, regions: Iterable[Region], pending: Pending) -> list[ExtentAccess]:
        """All accesses in some regions."""
        collector = Walker(self.accesses, order=self.order, seen=[])
        for region in regions:
            # Collected with nothing pending: what agents need inside is found later.
            collector.block(region.block, Pending({}, pending.has_async_proxy), {})
        assert collector.seen is not None
        return list(dict.fromkeys(collector.seen))


def _only_meets(op: Operation) -> bool:
    """Whether an op is nothing but a barrier of all threads."""
    return isinstance(op, SharedMemoryOpInterface) and op.effects == Effects(meets=True)


def _is_left(hazard: Hazard, effects: OpEffects) -> bool:
    """Whether the barrier inside of an op is not enough for a hazard of its last accesses."""
    lacks_fence = hazard.needs_fence_before and not effects.fences_columns
    return hazard.needs_wait or hazard.needs_fence or lacks_fence


def _meet(effects: OpEffects, pending: Pending) -> Pending:
    """The state after the barrier inside of an op, and the fences around that barrier."""
    if effects.fences_columns:
        pending = pending.fence_columns()
    if effects.meets:
        pending = pending.meet()
    if effects.fences_columns and effects.meets:
        # Of the other threads no one waits for the MMA yet.
        pending = pending.issue()
    return pending.follow_columns() if effects.follows_columns else pending


def _is_used_in(op: Operation, value: SSAValue) -> bool:
    """Whether an op in the regions of `op` uses a value."""
    return any(use.operation is not op and op.is_ancestor(use.operation) for use in value.uses)


# Tokens


def _last_operands(block: Block) -> tuple[SSAValue, ...]:
    last = block.last_op
    return () if last is None else tuple(last.operands)


def _tokens(
    values: Iterable[SSAValue], received: Iterable[SSAValue]
) -> list[tuple[SSAValue, SSAValue]]:
    """The pairs of a forwarded token and its target."""
    pairs = zip(values, received, strict=True)
    return [(value, target) for value, target in pairs if is_token(target.type)]


def _initial_tokens(op: scf.ForOp | scf.WhileOp) -> list[tuple[SSAValue, SSAValue]]:
    """The initial tokens of a loop, each with the block argument it is forwarded to."""
    if isinstance(op, scf.ForOp):
        return _tokens(op.iter_args, op.body.block.args[1:])
    return _tokens(op.arguments, op.before_region.block.args)


def _name_results(op: Operation, order: Order, pending: Pending) -> Pending:
    """The state that also has the result tokens of an op."""
    if order is NONE:
        return pending
    for result in op.results:
        if is_token(result.type):
            named = dict(pending.named(order.tokens))
            if order.adds is not None:
                named[order.adds] = Status()
            pending = pending.name(result, named)
    return pending


def _of_tokens_used_in(op: nv_tileaa.AgentLikeOpInterface, pending: Pending) -> Iterator[Hazard]:
    """The hazards between accesses that tokens order and the agents that use these tokens."""
    copies = any(
        is_bulk_load(inner) or isinstance(inner, nv_tileas.TokenToAsyncOp) for inner in ops_in(op)
    )
    for token in pending.tokens:
        received = [
            body.block.args[n]
            for n, v in enumerate(op.inputs)
            if v is token
            for body in op.agent_bodies
        ]
        users = (use.operation for value in (token, *received) for use in value.uses)
        first = next((user for user in users if user is not op and op.is_ancestor(user)), None)
        if first is not None:
            yield from pending.token_hazards(
                (token,), GlobalAccess(first, True, is_asynchronous=copies)
            )


def add_need(needs: Needs, anchor: Operation, need: Need) -> None:
    """Merges a need into those before an op."""
    known = needs.get(anchor)
    if known is not None:
        need = Need(
            [*known.hazards, *need.hazards],
            known.has_barrier or need.has_barrier,
            known.switch or need.switch,
        )
    needs[anchor] = need


def _is_between(hazard: Hazard, anchor: Operation) -> bool:
    """Whether the first access of a hazard is outside of the region that one thread executes."""
    return not (isinstance(anchor, ProduceOp) and anchor.is_ancestor(hazard.first.op))


def anchor_of(op: Operation) -> Operation:
    """The op before which insertions for an op are placed.

    Insertions go before a region that one thread executes, and before the fragment loads that an
    MMA executes.
    """
    anchor = op
    # The MMA loads these fragments itself, step by step, so nothing may come between.
    while isinstance(op, MMAOp) and anchor.prev_op is not None and stands_at_mma(anchor.prev_op):
        anchor = anchor.prev_op
    block = op.parent
    # Without a call for each op around this one, since there may be a thousand.
    while block is not None and (region := block.parent) is not None:
        around = region.parent
        if around is None:
            break
        if isinstance(around, ProduceOp):
            anchor = anchor if writes_by_threads(around) else around
        block = around.parent
    return anchor


# Pipelines


def stage_fences(function: Operation, accesses: Accesses) -> Iterator[Operation]:
    """The ops that need a fence between writes to stages and hardware that reads these.

    Threads that write a stage execute the fence before they publish the stage. For asynchronous
    copies of threads, the threads that wait for the full stage execute the fence.
    """
    read: set[Operation | None] = set()
    written: set[Operation | None] = set()
    copied: set[Operation | None] = set()
    for op in ops_in(function):
        effects = accesses.of(op)
        for access in (*effects.first, *effects.last):
            if access.pipeline is None:
                continue
            if access.proxy is Proxy.ASYNC and not access.writes:
                read.add(access.pipeline)
            elif access.proxy is Proxy.GENERIC and access.writes:
                (copied if access.is_asynchronous else written).add(access.pipeline)
        if isinstance(op, nv_tileas.ProducerWriteOp):
            written.add(pipeline_of(op.token))
    for op in ops_in(function):
        match op:
            case nv_tileas.ProducerCommitOp():
                if pipeline_of(op.token) in written & read:
                    yield op
            case ProduceOp():
                last = op.body.block.last_op
                if last is not None and pipeline_of(op.token) in written & read:
                    yield last
            case nv_tileas.ConsumerReadOp():
                if op.next_op is not None and pipeline_of(op.token) in copied & read:
                    yield op.next_op
            case ConsumeOp():
                first = op.body.block.first_op
                if first is not None and pipeline_of(op.token) in copied & read:
                    yield first
            case _:
                pass


def accumulator_fences(function: Operation) -> Iterator[tuple[Operation, Insertion]]:
    """The ops that need a fence between accesses to tensor memory and the handshake for a stage.

    A fence follows each wait for a stage, and another one precedes the release. A commit of MMAs
    includes a fence (PTX ISA, "tcgen05.commit").
    """
    for op in ops_in(function):
        if not isinstance(op, HANDSHAKES):
            continue
        pipeline = pipeline_of(op.token)
        if pipeline is None or not holds_accumulators(pipeline):
            continue
        if isinstance(op, nv_tileas.ConsumerReleaseOp):
            yield op, Insertion.TMEM_BEFORE
        elif op.next_op is not None:
            yield op.next_op, Insertion.TMEM_AFTER
