"""Regions and handshakes of pipelines.

A region builder is called with a builder at the start of the region and the region's arguments. It
gives the values to yield; if it has ended the region itself, it gives none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from tileir_xdsl.dialects.nv_tileas.agents import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.async_handshakes import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    CreateIteratorOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
)
from tileir_xdsl.dialects.nv_tileas.async_pipeline import (
    ConsumeOneAsyncOp,
    ConsumeOneOp,
    CreatePipelineOp,
    ProduceOneAsyncOp,
    ProduceOneOp,
)
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.dialects.nv_tileas.slices import AllocTensorOp
from tileir_xdsl.dialects.nv_tileas.types import PipelineIteratorType

PRODUCERS, CONSUMERS = 0, 1
"""The groups of agents at the two ends of a pipeline."""

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
    builder: Builder,
    token: SSAValue,
    iterator: SSAValue,
    consumer_idx: int,
    last_reader: Operation | None = None,
) -> tuple[SSAValue, Sequence[SSAValue]]:
    """Waits for a stage, reads it, releases it; the token after that, and what was read.

    The stage is released at once, or after the op that is known to be the last to read it.
    """
    waited = builder.insert(ConsumerWaitOp(token, iterator, consumer_idx)).result
    read = builder.insert(ConsumerReadOp(waited, consumer_idx, _payload(iterator)))
    after = builder if last_reader is None else Builder(InsertPoint.after(last_reader))
    return after.insert(ConsumerReleaseOp(read.result)).result, read.values


def build_pipeline(
    builder: Builder, payload: Sequence[TensorType[Attribute]], stages: int
) -> tuple[CreatePipelineOp, CreateIteratorOp, CreateIteratorOp]:
    """A pipeline whose stages hold tiles of some types in shared memory, between two groups.

    Returns it, and the iterators of the producers and of the consumers.
    """
    shared = MemoryAttr(Residency.SHARED)
    buffers = [
        # Each tile has the layout of its own type; that of all stages is up to allocation.
        builder.insert(
            AllocTensorOp(TensorType(tile.element_type, (stages, *tile.get_shape()), shared))
        ).result
        for tile in payload
    ]
    pipeline = builder.insert(
        CreatePipelineOp(buffers, stages, PRODUCERS, CONSUMERS, shared_mem=True, dynamic=False)
    )
    producers, consumers = (
        builder.insert(CreateIteratorOp(token, payload))
        for token in (pipeline.producer, pipeline.consumer)
    )
    return pipeline, producers, consumers


@dataclass(frozen=True)
class Agent:
    """One agent: what it runs, the most registers of its threads and its warps, if decided."""

    body: RegionBuilder
    max_regs: int | None = None
    num_warps: int | None = None


def _of_all(name: str, numbers: Sequence[int | None]) -> Sequence[int] | None:
    """A number of every agent; None where none has it."""
    given = [number for number in numbers if number is not None]
    if given and len(given) != len(numbers):
        raise ValueError(f"expected {name} for {len(numbers)} agents, got {len(given)}")
    return given or None


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
        ValueError: the registers or warps of some agents are decided, but not of all.
    """
    types = [value.type for value in inputs]
    regions = [build_region(types, agent.body) for agent in agents]
    return builder.insert(
        AgentSwitchOp(
            inputs,
            regions,
            agents_per_group,
            _of_all("max_regs", [agent.max_regs for agent in agents]),
            isolated,
            _of_all("num_warps", [agent.num_warps for agent in agents]),
        )
    )
