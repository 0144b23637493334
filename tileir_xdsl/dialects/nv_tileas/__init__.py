"""`nv_tileas`: scheduled tile programs, in which every tile has a layout and every copy an atom.

Produced by `convert-tileaa-to-tileas`; ops of `nv_tileaa` that touch no memory stay beside them.
"""

from xdsl.ir import Dialect

from .agents import AgentSwitchOp
from .async_handshakes import (
    ConsumerReadOp,
    ConsumerReleaseOp,
    ConsumerWaitOp,
    CreateIteratorOp,
    CreateNullTokenOp,
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
from .async_tokens import CreateNoneOp, FutureWaitOp, ToAsyncOp, TokenToAsyncOp, WaitOp
from .atoms import AtomAttr
from .attributes import MemoryAttr, OutOfBoundsModeAttr, ResidencyAttr, SwizzleModeAttr
from .conversions import ConvertLayoutOp
from .iterator_merge import attach_iterator_merge
from .layout import LayoutAttr
from .memory import LoadOp, StoreOp
from .pipeline_regions import PipelineYieldOp
from .tiled_memory import TiledLoadOp, TiledStoreOp
from .types import (
    AgentType,
    AsyncTokenType,
    PipelineConsumerTokenType,
    PipelineIteratorType,
    PipelineProducerTokenType,
    TiledViewType,
    TmaDescType,
)

NVTileAS = Dialect(
    "nv_tileas",
    [
        AgentSwitchOp,
        ConsumeOneAsyncOp,
        ConsumeOneOp,
        ConsumerReadOp,
        ConsumerReleaseOp,
        ConsumerWaitOp,
        ConvertLayoutOp,
        CreateIteratorOp,
        CreateNoneOp,
        CreateNullTokenOp,
        CreatePipelineOp,
        FutureWaitOp,
        IncIterOp,
        LoadOp,
        PipelineYieldOp,
        ProduceOneAsyncOp,
        ProduceOneOp,
        ProducerAcquireOp,
        ProducerCommitOp,
        ProducerWriteOp,
        StoreOp,
        TiledLoadOp,
        TiledStoreOp,
        ToAsyncOp,
        TokenToAsyncOp,
        WaitOp,
    ],
    [
        AgentType,
        AsyncTokenType,
        AtomAttr,
        LayoutAttr,
        MemoryAttr,
        OutOfBoundsModeAttr,
        PipelineConsumerTokenType,
        PipelineIteratorType,
        PipelineProducerTokenType,
        ResidencyAttr,
        SwizzleModeAttr,
        TiledViewType,
        TmaDescType,
    ],
)

attach_iterator_merge()
