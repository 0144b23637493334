"""How long the buffers that ops make are in use, and which may be in use at the same time.

A buffer is in use from its first access to the last op that may read it or wait for such a read.
The uses of a buffer are followed through views, asynchronous values, pipelines and carried values.
Agents run at the same time, so buffers of different agents count as in use at the same time. But a
consuming agent may reuse the memory of stages that it has emptied for the last time. Stages emptied
for the last time are never filled again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation, Region, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import mma_of_fragments, stands_at_mma
from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.threads.agent_warps import agent_region
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileaa.interfaces import AgentLikeOpInterface
from tileir_xdsl.dialects.nv_tileas.async_handshakes import ConsumerStepOp
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ConsumeOp
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface, TypeOnlyOpInterface
from tileir_xdsl.dialects.nv_tileas.types import (
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
)
from tileir_xdsl.walking import ancestors, ops_in

HANDLES = (
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
    ValueType,
)
"""Types of values that may name a buffer: the buffer is in use as long as that value is."""

NO_ACCESS = (
    AgentLikeOpInterface,
    AllocationOpInterface,
    BufferViewOpInterface,
    nv_tileas.ExtractSliceOp,
    TypeOnlyOpInterface,
)
"""Ops that forward a buffer, or read its type alone."""


@dataclass(frozen=True)
class Span:
    """The ops from one number to another; ops are numbered in the order of the text."""

    first: int
    last: int

    def meets(self, other: Span) -> bool:
        """Whether some op is in both spans."""
        return self.first <= other.last and other.first <= self.last

    def joined(self, other: Span | None) -> Span:
        """The shortest span that contains both."""
        if other is None:
            return self
        return Span(min(self.first, other.first), max(self.last, other.last))


@dataclass(frozen=True)
class AgentSpan:
    """One agent of an `agent_switch`, and the span of that op with all agents."""

    region: Region
    everyone: Span


@dataclass
class Lifetime:
    """The agents in which the buffer that an op allocates is in use; None for the code outside of
    agents.
    """

    spans: dict[AgentSpan | None, Span] = field(default_factory=dict[AgentSpan | None, Span])
    consumers: set[AgentSpan | None] = field(default_factory=set[AgentSpan | None])
    """The agents that read the buffer from the stages of a pipeline."""
    is_piped: bool = False
    """Whether the buffer is accessed only as stages of a pipeline."""

    def meets(self, other: Lifetime) -> bool:
        """Whether both buffers may be in use at the same time."""
        return any(
            mine.meets(theirs) if here == there else self._meets_across(here, other, there)
            for here, mine in self.spans.items()
            for there, theirs in other.spans.items()
        )

    def _meets_across(
        self, here: AgentSpan | None, other: Lifetime, there: AgentSpan | None
    ) -> bool:
        """Whether uses in different agents, or outside of them, may be at the same time."""
        spans = self.spans[here], other.spans[there]
        whole = [
            span if agent is None else agent.everyone
            for span, agent in zip(spans, (here, there), strict=True)
        ]
        if not whole[0].meets(whole[1]):
            return False
        return not (self._is_empty_before(other, there) or other._is_empty_before(self, here))

    def _is_empty_before(self, other: Lifetime, agent: AgentSpan | None) -> bool:
        """Whether an agent alone has emptied all stages before it uses another buffer."""
        if not self.is_piped or self.consumers != {agent} or set(other.spans) != {agent}:
            return False
        return self.spans[agent].last < other.spans[agent].first


class BufferLifetimes:
    """The lifetimes of the buffers of one function."""

    def __init__(self, function: Operation):
        self._numbers = {op: number for number, op in enumerate(ops_in(function))}
        self._ends: dict[Operation, int] = {}
        for op in reversed(self._numbers):
            last_ops = (block.last_op for region in op.regions for block in region.blocks)
            inner = (self._ends[last] for last in last_ops if last is not None)
            self._ends[op] = max(inner, default=self._numbers[op])

    def of(self, owner: Operation) -> Lifetime:
        """The lifetime of the buffer that an op makes."""
        lifetime = Lifetime()
        uses = [use.operation for result in owner.results for use in result.uses]
        lifetime.is_piped = all(isinstance(user, nv_tileas.CreatePipelineOp) for user in uses)
        self._reach(lifetime, owner, owner)
        waiting: list[SSAValue] = list(owner.results)
        seen = set(waiting)
        while waiting:
            for use in waiting.pop().uses:
                user = use.operation
                self._reach(lifetime, owner, user)
                if stands_at_mma(user):
                    # The MMA reads the buffer, after exchanges of its own.
                    mma = mma_of_fragments(user)
                    assert mma is not None
                    self._reach(lifetime, owner, mma)
                forwarded = list(user.results) + _arguments(user)
                parent = user.parent_op()
                if parent is not None and parent in self._numbers and _ends_region(user):
                    self._reach(lifetime, owner, parent)
                    forwarded += [*parent.results, *_arguments(parent)]
                following = [v for v in forwarded if v not in seen and _is_handle(v)]
                seen.update(following)
                waiting += following
        self._cross_switches(lifetime)
        return lifetime

    def since_start(self, lifetime: Lifetime) -> Lifetime:
        """The lifetime of a buffer that other CTAs may fill at any time.

        Other buffers may use its memory afterwards, but not before.
        """
        spans = {agent: Span(0, span.last) for agent, span in lifetime.spans.items()}
        agents = [agent for agent in spans if agent is not None]
        if agents and None not in spans:
            spans[None] = Span(0, min(agent.everyone.first for agent in agents) - 1)
        return Lifetime(spans, lifetime.consumers, lifetime.is_piped)

    def at(self, op: Operation) -> Lifetime:
        """The lifetime of memory that only one op uses."""
        return Lifetime({self._agent_of(op): self.span_of(op)})

    def span_of(self, op: Operation) -> Span:
        """The span of an op and of all ops inside it."""
        return Span(self._numbers[op], self._ends[op])

    def _reach(self, lifetime: Lifetime, owner: Operation, user: Operation) -> None:
        """Extends a lifetime by a user of the buffer, and by loops that repeat the use."""
        if isinstance(user, NO_ACCESS):
            return
        agent = self._agent_of(user)
        around_owner = {op.parent: op for op in (owner, *ancestors(owner))}
        for op in (user, *ancestors(user)):
            maker = around_owner.get(op.parent)
            if maker is None and (agent is None or op.parent_region() is not agent.region):
                continue
            span = self.span_of(op)
            if maker is not None and maker is not owner:
                # Handed out of the loop that it is made in: in use all through that.
                span = Span(self._numbers[maker], span.last)
            lifetime.spans[agent] = span.joined(lifetime.spans.get(agent))
            break
        if isinstance(user, ConsumeOp | ConsumerStepOp):
            lifetime.consumers.add(agent)

    def _cross_switches(self, lifetime: Lifetime) -> None:
        """Extends the range of a buffer by the ops between its uses outside of agents and its uses
        in them.

        A buffer filled before a switch is held from the start of the switch to the last use in an
        agent. A buffer read after the switch is held from the first use in an agent to the end of
        the switch.
        """
        outside = lifetime.spans.get(None)
        if outside is None:
            return
        before, after = outside.first, outside.last
        for agent, span in lifetime.spans.items():
            if agent is None:
                continue
            first, last = agent.region.block.first_op, agent.region.block.last_op
            assert first is not None and last is not None
            if before < agent.everyone.first:
                span = span.joined(Span(self._numbers[first], self._numbers[first]))
                outside = outside.joined(Span(before, agent.everyone.first - 1))
            if after > agent.everyone.last:
                span = span.joined(Span(self._ends[last], self._ends[last]))
                outside = outside.joined(Span(agent.everyone.last + 1, after))
            lifetime.spans[agent] = span
        lifetime.spans[None] = outside

    def _agent_of(self, op: Operation) -> AgentSpan | None:
        region = agent_region(op)
        if region is None or region.parent is None:
            return None
        return AgentSpan(region, self.span_of(region.parent))


def _is_handle(value: SSAValue) -> bool:
    return is_buffer(value.type) or isinstance(value.type, HANDLES)


def _arguments(op: Operation) -> list[SSAValue]:
    return [a for region in op.regions for block in region.blocks for a in block.args]


def _ends_region(op: Operation) -> bool:
    return op.parent is not None and op.parent.last_op is op
