"""The closed enumeration of pipeline ops, with their signatures: entries 0 to 14; 15 is reserved.

Source: the TileAS operation roster, "PipelineOp Enum" and "Pipeline Op Operand/Result Tables".
"""

from dataclasses import dataclass
from enum import Enum, IntEnum

from xdsl.irdl import IRDLOperation

from .agents import AgentSwitchOp
from .async_handshakes import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    CreateIteratorOp,
    IncIterOp,
    ProducerAcquireOp,
    ProducerCommitOp,
    ProducerWriteOp,
)
from .async_pipeline import (
    ConsumeOneAsyncOp,
    ConsumeOneOp,
    CreatePipelineOp,
    ProduceOneAsyncOp,
    ProduceOneOp,
)
from .pipeline_regions import PipelineYieldOp


class PipelineOp(IntEnum):
    """The number of each op in the enumeration."""

    CREATE_PIPELINE = 0
    PRODUCE_ONE = 1
    PRODUCE_ONE_ASYNC = 2
    CONSUME_ONE = 3
    CONSUME_ONE_ASYNC = 4
    CONSUMER_READ = 5
    PRODUCER_WRITE = 6
    PRODUCER_ACQUIRE = 7
    PRODUCER_COMMIT = 8
    CONSUMER_WAIT = 9
    CONSUMER_RELEASE = 10
    YIELD = 11
    INC_ITER = 12
    CREATE_ITERATOR = 13
    AGENT_SWITCH = 14
    RESERVED = 15


class Regions(Enum):
    """How many regions an op has."""

    NONE = 0
    ONE = 1
    ANY = 2


@dataclass(frozen=True)
class PipelineEntry:
    """An entry: the op, and the names of its operands, properties and results, in order.

    A name that ends in `..` stands for any number of values.
    """

    op: type[IRDLOperation]
    operands: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    regions: Regions = Regions.NONE

    @property
    def mnemonic(self) -> str:
        """The name after `nv_tileas.async.pipeline.`."""
        return self.op.name.rpartition(".")[2]


_PIPELINE = (
    "numStages",
    "producerGroupId",
    "consumerGroupId",
    "sharedMem",
    "dynamic",
)
_PRODUCE = (("token", "iterator"), ("producer_types",))
_CONSUME = (("token", "iterator"), ("consumer_idx", "consumer_types"))
_INDEX = ("consumer_idx",)
_AGENTS = (
    "num_agents_per_group",
    "max_regs",
    "isolated",
    "num_warps",
    "warp_id",
    "agent_strides",
)

PIPELINE_ENUMERATION: tuple[PipelineEntry | None, ...] = (
    PipelineEntry(CreatePipelineOp, ("buffer_views..",), _PIPELINE, ("producer", "consumer")),
    PipelineEntry(ProduceOneOp, *_PRODUCE, ("result_token", "values.."), Regions.ONE),
    PipelineEntry(
        ProduceOneAsyncOp, *_PRODUCE, ("result_token", "completion", "values.."), Regions.ONE
    ),
    PipelineEntry(ConsumeOneOp, *_CONSUME, ("result_token", "values.."), Regions.ONE),
    PipelineEntry(
        ConsumeOneAsyncOp, *_CONSUME, ("result_token", "completion", "values.."), Regions.ONE
    ),
    PipelineEntry(ConsumerReadOp, ("token",), _INDEX, ("result", "values..")),
    PipelineEntry(ProducerWriteOp, ("token", "values.."), (), ("result",)),
    PipelineEntry(ProducerAcquireOp, ("token", "iterator"), (), ("result",)),
    PipelineEntry(ProducerCommitOp, ("token",), (), ("result",)),
    PipelineEntry(ConsumerWaitOp, ("token", "iterator"), _INDEX, ("result",)),
    PipelineEntry(ConsumerReleaseOp, ("token",), (), ("result",)),
    PipelineEntry(PipelineYieldOp, ("values..",)),
    PipelineEntry(IncIterOp, ("iterator",), (), ("result",)),
    PipelineEntry(CreateIteratorOp, ("token",), (), ("result",)),
    PipelineEntry(AgentSwitchOp, ("inputs..",), _AGENTS, (), Regions.ANY),
    None,
)
"""The entries by number; a reserved entry is None."""
