"""Regions and handshakes of pipelines.

A region builder is called with a builder at the start of the region and the region's arguments. It
gives the values to yield; if it has ended the region itself, it gives none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import Attribute, Block, BlockArgument, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from tileir_xdsl.dialects.nv_tileas.agents import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.async_handshakes import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
)
from tileir_xdsl.dialects.nv_tileas.async_pipeline import (
    ConsumeOneAsyncOp,
    ConsumeOneOp,
    ProduceOneAsyncOp,
    ProduceOneOp,
)
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.dialects.nv_tileas.types import PipelineIteratorType

RegionBuilder = Callable[[Builder, Sequence[BlockArgument]], Sequence[SSAValue]]


def ensure_pipeline_yield(block: Block, values: Sequence[SSAValue] = ()) -> None:
    """Ends a block with a yield of these values, unless it has an end."""
    if block.last_op is None or not block.last_op.has_trait(IsTerminator):
        block.add_op(PipelineYieldOp(values))


def build_region(arguments: Sequence[Attribute], body: RegionBuilder) -> Region:
    """A region of one block with arguments of these types, filled by `body`."""
    block = Block(arg_types=arguments)
    values = body(Builder(InsertPoint.at_end(block)), block.args)
    ensure_pipeline_yield(block, values)
    return Region(block)


def _payload(iterator: SSAValue) -> tuple[Attribute, ...]:
    assert isinstance(iterator.type, PipelineIteratorType)
    return iterator.type.payload.data


def build_produce_one(
    builder: Builder,
    token: SSAValue,
    iterator: SSAValue,
    body: RegionBuilder,
    result_types: Sequence[Attribute] = (),
) -> ProduceOneOp:
    """Fills one stage; `body` gets what the stage holds."""
    payload = _payload(iterator)
    region = build_region(payload, body)
    return builder.insert(ProduceOneOp(token, iterator, payload, region, result_types))


def build_produce_one_async(
    builder: Builder,
    token: SSAValue,
    iterator: SSAValue,
    body: RegionBuilder,
    result_types: Sequence[Attribute] = (),
) -> ProduceOneAsyncOp:
    """Fills one stage by asynchronous work; `body` gets what the stage holds."""
    payload = _payload(iterator)
    region = build_region(payload, body)
    return builder.insert(ProduceOneAsyncOp(token, iterator, payload, region, result_types))


def build_consume_one(
    builder: Builder,
    token: SSAValue,
    iterator: SSAValue,
    consumer_idx: int,
    body: RegionBuilder,
    result_types: Sequence[Attribute] = (),
) -> ConsumeOneOp:
    """Empties one stage; `body` gets what the stage holds, and yields the results."""
    payload = _payload(iterator)
    region = build_region(payload, body)
    return builder.insert(
        ConsumeOneOp(token, iterator, consumer_idx, payload, region, result_types)
    )


def build_consume_one_async(
    builder: Builder,
    token: SSAValue,
    iterator: SSAValue,
    consumer_idx: int,
    body: RegionBuilder,
    result_types: Sequence[Attribute] = (),
) -> ConsumeOneAsyncOp:
    """Empties one stage by asynchronous work; `body` gets what the stage holds."""
    payload = _payload(iterator)
    region = build_region(payload, body)
    return builder.insert(
        ConsumeOneAsyncOp(token, iterator, consumer_idx, payload, region, result_types)
    )


def build_producer_handshake(
    builder: Builder, token: SSAValue, iterator: SSAValue, values: Sequence[SSAValue]
) -> SSAValue:
    """Acquires a stage, writes the values, commits; the token after that."""
    acquired = builder.insert(ProducerAcquireOp(token, iterator)).result
    written = builder.insert(ProducerWriteOp(acquired, values)).result
    return builder.insert(ProducerCommitOp(written)).result


def build_consumer_handshake(
    builder: Builder, token: SSAValue, iterator: SSAValue, consumer_idx: int
) -> tuple[SSAValue, Sequence[SSAValue]]:
    """Waits for a stage, reads it, releases it; the token after that, and what was read."""
    waited = builder.insert(ConsumerWaitOp(token, iterator, consumer_idx)).result
    read = builder.insert(ConsumerReadOp(waited, consumer_idx, _payload(iterator)))
    return builder.insert(ConsumerReleaseOp(read.result)).result, read.values


@dataclass(frozen=True)
class Agent:
    """One agent: what it runs, and the most registers of its threads, if that is decided."""

    body: RegionBuilder
    max_regs: int | None = None


def build_agent_switch(
    builder: Builder,
    inputs: Sequence[SSAValue],
    agents: Sequence[Agent],
    *,
    agents_per_group: int = 1,
    isolated: bool = True,
) -> AgentSwitchOp:
    """Runs agents at the same time; each body gets the inputs as arguments.

    Raises:
        ValueError: the registers of some agents are decided, but not of all.
    """
    budgets = [agent.max_regs for agent in agents if agent.max_regs is not None]
    if budgets and len(budgets) != len(agents):
        raise ValueError(f"expected max_regs for {len(agents)} agents, got {len(budgets)}")
    types = [value.type for value in inputs]
    regions = [build_region(types, agent.body) for agent in agents]
    return builder.insert(
        AgentSwitchOp(inputs, regions, agents_per_group, budgets or None, isolated)
    )
