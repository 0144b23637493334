"""Regions and handshakes of pipelines: a builder for each entry of the enumeration `PipelineOp`.

A region builder is called with a builder at the start of the region and the region's arguments. A
region builder returns the values to yield, or no values if it has ended the region itself.
`build_pipeline_op` builds an op by its number in `PipelineOp`. Source: the TileAS operation roster,
"PipelineOp Enum".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import IsTerminator

from tileir_xdsl.builders.tiles import allocate
from tileir_xdsl.dialects.nv_tileas.agents import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.async_handshakes import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    CreateIteratorOp,
    IncIterOp,
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
from tileir_xdsl.dialects.nv_tileas.pipeline_enumeration import PipelineOp
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.dialects.nv_tileas.types import PipelineIteratorType

PRODUCERS, CONSUMERS = 0, 1
"""The groups of agents at both ends of a pipeline."""

RegionBuilder = Callable[[Builder, Sequence[BlockArgument]], Sequence[SSAValue]]
"""Fills a region from its start, and returns the values that it yields."""


def build_pipeline_yield(builder: Builder, values: Sequence[SSAValue] = ()) -> PipelineYieldOp:
    """Ends a region with the values that it yields."""
    return builder.insert(PipelineYieldOp(values))


def ensure_pipeline_yield(block: Block, values: Sequence[SSAValue] = ()) -> None:
    """Ends a block with a yield of these values, unless it has a terminator."""
    if block.last_op is None or not block.last_op.has_trait(IsTerminator):
        build_pipeline_yield(Builder(InsertPoint.at_end(block)), values)


def build_region(arguments: Sequence[Attribute], body: RegionBuilder | Region) -> Region:
    """A region of one block with arguments of these types, filled by `body`; or `body` itself if it
    is a region.
    """
    if isinstance(body, Region):
        return body
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
    body: RegionBuilder | Region,
    result_types: Sequence[Attribute] = (),
) -> ProduceOneOp:
    """Fills one stage; `body` gets the tiles and scalars of the stage."""
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
    """Fills one stage by asynchronous work; `body` gets the tiles and scalars of the stage."""
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
    """Empties one stage; `body` gets the tiles and scalars of the stage, and yields the results."""
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
    """Empties one stage by asynchronous work; `body` gets the tiles and scalars of the stage."""
    payload = _payload(iterator)
    region = build_region(payload, body)
    return builder.insert(
        ConsumeOneAsyncOp(token, iterator, consumer_idx, payload, region, result_types)
    )


def build_producer_acquire(
    builder: Builder, token: SSAValue, iterator: SSAValue
) -> ProducerAcquireOp:
    """Waits until the stage at an iterator is empty."""
    return builder.insert(ProducerAcquireOp(token, iterator))


def build_producer_write(
    builder: Builder, token: SSAValue, values: Sequence[SSAValue]
) -> ProducerWriteOp:
    """Writes values into an acquired stage."""
    return builder.insert(ProducerWriteOp(token, values))


def build_producer_commit(builder: Builder, token: SSAValue) -> ProducerCommitOp:
    """Publishes a stage."""
    return builder.insert(ProducerCommitOp(token))


def build_producer_handshake(
    builder: Builder, token: SSAValue, iterator: SSAValue, values: Sequence[SSAValue]
) -> SSAValue:
    """Acquires a stage, writes the values, and commits the stage; returns the next token."""
    acquired = build_producer_acquire(builder, token, iterator).result
    written = build_producer_write(builder, acquired, values).result
    return build_producer_commit(builder, written).result


def build_consumer_wait(
    builder: Builder, token: SSAValue, iterator: SSAValue, consumer_idx: int
) -> ConsumerWaitOp:
    """Waits until the stage at an iterator is published."""
    return builder.insert(ConsumerWaitOp(token, iterator, consumer_idx))


def build_consumer_read(
    builder: Builder, token: SSAValue, consumer_idx: int, payload: Sequence[Attribute]
) -> ConsumerReadOp:
    """Reads the contents of a published stage: values of the types of the payload."""
    return builder.insert(ConsumerReadOp(token, consumer_idx, payload))


def build_consumer_release(builder: Builder, token: SSAValue) -> ConsumerReleaseOp:
    """Releases a stage to the producers."""
    return builder.insert(ConsumerReleaseOp(token))


def build_consumer_handshake(
    builder: Builder,
    token: SSAValue,
    iterator: SSAValue,
    consumer_idx: int,
    last_reader: Operation | None = None,
) -> tuple[SSAValue, Sequence[SSAValue]]:
    """Waits for, reads and releases a stage; returns the last token and the values read.

    The stage is released after its last reader, by default immediately after the read.
    """
    waited = build_consumer_wait(builder, token, iterator, consumer_idx).result
    read = build_consumer_read(builder, waited, consumer_idx, _payload(iterator))
    after = builder if last_reader is None else Builder(InsertPoint.after(last_reader))
    return build_consumer_release(after, read.result).result, read.values


def build_create_pipeline(
    builder: Builder,
    buffers: Sequence[SSAValue],
    stages: int,
    producer_group: int,
    consumer_group: int,
    *,
    shared_mem: bool = True,
    dynamic: bool | None = None,
) -> CreatePipelineOp:
    """A pipeline between two groups of agents, whose stages are in buffers of on-chip memory."""
    return builder.insert(
        CreatePipelineOp(
            buffers, stages, producer_group, consumer_group, shared_mem=shared_mem, dynamic=dynamic
        )
    )


def build_create_iterator(
    builder: Builder, token: SSAValue, payload: Sequence[Attribute]
) -> CreateIteratorOp:
    """An iterator at the first stage of a pipeline whose stages hold values of these types."""
    return builder.insert(CreateIteratorOp(token, payload))


def build_inc_iter(builder: Builder, iterator: SSAValue) -> IncIterOp:
    """The iterator at the next stage."""
    return builder.insert(IncIterOp(iterator))


def build_pipeline(
    builder: Builder, payload: Sequence[TensorType[Attribute]], stages: int
) -> tuple[CreatePipelineOp, CreateIteratorOp, CreateIteratorOp]:
    """A pipeline between two groups whose stages hold tiles of these types in shared memory.

    Returns the pipeline, and the iterators of the producers and of the consumers.
    """
    shared = MemoryAttr(Residency.SHARED)
    buffers = [
        # Each tile has the layout of its own type; that of all stages is up to allocation.
        allocate(builder, TensorType(tile.element_type, (stages, *tile.get_shape()), shared))
        for tile in payload
    ]
    pipeline = build_create_pipeline(builder, buffers, stages, PRODUCERS, CONSUMERS, dynamic=False)
    producers, consumers = (
        build_create_iterator(builder, token, payload)
        for token in (pipeline.producer, pipeline.consumer)
    )
    return pipeline, producers, consumers


@dataclass(frozen=True)
class AgentSpec:
    """One agent: its body, the most registers of a thread, and its warps, if assigned."""

    body: RegionBuilder | Region
    """Fills the region, or is a region itself with the inputs as arguments."""
    max_regs: int | None = None
    num_warps: int | None = None


def _of_all(name: str, numbers: Sequence[int | None]) -> Sequence[int] | None:
    """The attribute with a number for each agent; None if no agent has a number."""
    given = [number for number in numbers if number is not None]
    if given and len(given) != len(numbers):
        raise ValueError(
            f"expected {name} for all {len(numbers)} agents or for none, but "
            f"got it for {len(given)}"
        )
    return given or None


def build_agent_switch(
    builder: Builder,
    inputs: Sequence[SSAValue],
    agents: Sequence[AgentSpec],
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


PIPELINE_BUILDERS: Mapping[PipelineOp, Callable[..., Operation]] = {
    PipelineOp.CREATE_PIPELINE: build_create_pipeline,
    PipelineOp.PRODUCE_ONE: build_produce_one,
    PipelineOp.PRODUCE_ONE_ASYNC: build_produce_one_async,
    PipelineOp.CONSUME_ONE: build_consume_one,
    PipelineOp.CONSUME_ONE_ASYNC: build_consume_one_async,
    PipelineOp.CONSUMER_READ: build_consumer_read,
    PipelineOp.PRODUCER_WRITE: build_producer_write,
    PipelineOp.PRODUCER_ACQUIRE: build_producer_acquire,
    PipelineOp.PRODUCER_COMMIT: build_producer_commit,
    PipelineOp.CONSUMER_WAIT: build_consumer_wait,
    PipelineOp.CONSUMER_RELEASE: build_consumer_release,
    PipelineOp.YIELD: build_pipeline_yield,
    PipelineOp.INC_ITER: build_inc_iter,
    PipelineOp.CREATE_ITERATOR: build_create_iterator,
    PipelineOp.AGENT_SWITCH: build_agent_switch,
}
"""The builder of each entry of the enumeration, except for the reserved entry."""


def build_pipeline_op(
    builder: Builder, number: PipelineOp, *arguments: Any, **options: Any
) -> Operation:
    """Builds the op of an entry from the arguments of its builder.

    Raises:
        ValueError: the entry is reserved.
    """
    build = PIPELINE_BUILDERS.get(number)
    if build is None:
        raise ValueError(f"pipeline op {number.value} is reserved and has no builder")
    return build(builder, *arguments, **options)
