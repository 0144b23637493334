"""`nv_tileas`: scheduled tile programs, in which every tile has a layout and every copy an atom.

Produced by `convert-tileaa-to-tileas`; ops of `nv_tileaa` that touch no memory stay as they are.
"""

from xdsl.ir import Dialect

from .accesses import (
    AsyncCopyOp,
    AsyncLoadOp,
    AsyncStoreOp,
    CopyOp,
    GatherLoadOp,
    LoadOp,
    ScatterStoreOp,
    StoreOp,
)
from .agents import AgentSwitchOp
from .allocations import AllocationAttr
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
from .attributes import (
    AtomPlanAttr,
    MemoryAttr,
    OutOfBoundsModeAttr,
    ResidencyAttr,
    RMWModeAttr,
    SwizzleModeAttr,
)
from .compute import AsyncDotOp, DotOp, ReduceOp, ScanOp, WgmmaOp
from .control import (
    AsyncCancelNextProgramIdOp,
    CancelNextProgramIdOp,
    FenceOp,
    PragmaOp,
    ReadProgramIdOp,
    YieldOp,
)
from .conversions import (
    ConvertLayoutOp,
    ExpandDimsOp,
    GenerateOp,
    ReinterpretOp,
    ShuffleOp,
    ViewOp,
)
from .copy_groups import CommitCopiesOp, WaitCopiesOp
from .device_tensor_maps import MakeDeviceTmaDescsOp
from .iterator_merge import attach_iterator_merge
from .layout import LayoutAttr
from .mutexes import AcquireMutexOp, CreateMutexOp, MutexType, ReleaseMutexOp
from .padding import PadOp
from .pipeline_regions import PipelineYieldOp
from .slices import (
    AllocTensorOp,
    AsyncExtractSliceOp,
    AsyncInsertSliceOp,
    ExtractSliceOp,
    InsertSliceOp,
)
from .strategies import AccessAttr, IssuerAttr, StrategyAttr
from .synchronization import (
    BarrierOp,
    FencedProxyAttr,
    FenceProxyOp,
    FenceSideAttr,
    FenceTmemOp,
    ParticipantsAttr,
    WaitMMAsOp,
)
from .tensor_maps import TensorMapAttr
from .tiled_memory import (
    AsyncTiledAtomicRMWOp,
    AsyncTiledLoadOp,
    TiledAtomicRMWOp,
    TiledLoadOp,
    TiledStoreOp,
)
from .tma import (
    AsyncGatherTmaLoadOp,
    AsyncScatterTmaStoreOp,
    AsyncTiledTmaLoadOp,
    AsyncTiledTmaReduceOp,
    AsyncTiledTmaStoreOp,
    MakeTiledTmaDescOp,
)
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
        AcquireMutexOp,
        AgentSwitchOp,
        AllocTensorOp,
        AsyncCancelNextProgramIdOp,
        AsyncCopyOp,
        AsyncDotOp,
        AsyncExtractSliceOp,
        AsyncGatherTmaLoadOp,
        AsyncInsertSliceOp,
        AsyncLoadOp,
        AsyncScatterTmaStoreOp,
        AsyncStoreOp,
        AsyncTiledAtomicRMWOp,
        AsyncTiledLoadOp,
        AsyncTiledTmaLoadOp,
        AsyncTiledTmaReduceOp,
        AsyncTiledTmaStoreOp,
        BarrierOp,
        CancelNextProgramIdOp,
        CommitCopiesOp,
        ConsumeOneAsyncOp,
        ConsumeOneOp,
        ConsumerReadOp,
        ConsumerReleaseOp,
        ConsumerWaitOp,
        ConvertLayoutOp,
        CopyOp,
        CreateIteratorOp,
        CreateMutexOp,
        CreateNoneOp,
        CreateNullTokenOp,
        CreatePipelineOp,
        DotOp,
        ExpandDimsOp,
        ExtractSliceOp,
        FenceOp,
        FenceProxyOp,
        FenceTmemOp,
        FutureWaitOp,
        GatherLoadOp,
        GenerateOp,
        IncIterOp,
        InsertSliceOp,
        LoadOp,
        MakeDeviceTmaDescsOp,
        MakeTiledTmaDescOp,
        PadOp,
        PipelineYieldOp,
        PragmaOp,
        ProduceOneAsyncOp,
        ProduceOneOp,
        ProducerAcquireOp,
        ProducerCommitOp,
        ProducerWriteOp,
        ReadProgramIdOp,
        ReduceOp,
        ReinterpretOp,
        ReleaseMutexOp,
        ScanOp,
        ScatterStoreOp,
        ShuffleOp,
        StoreOp,
        TiledAtomicRMWOp,
        TiledLoadOp,
        TiledStoreOp,
        ToAsyncOp,
        TokenToAsyncOp,
        ViewOp,
        WaitCopiesOp,
        WaitMMAsOp,
        WaitOp,
        WgmmaOp,
        YieldOp,
    ],
    [
        AccessAttr,
        AgentType,
        AllocationAttr,
        AsyncTokenType,
        AtomAttr,
        FenceSideAttr,
        FencedProxyAttr,
        IssuerAttr,
        LayoutAttr,
        MemoryAttr,
        OutOfBoundsModeAttr,
        MutexType,
        ParticipantsAttr,
        PipelineConsumerTokenType,
        PipelineIteratorType,
        PipelineProducerTokenType,
        AtomPlanAttr,
        RMWModeAttr,
        ResidencyAttr,
        StrategyAttr,
        SwizzleModeAttr,
        TensorMapAttr,
        TiledViewType,
        TmaDescType,
    ],
)

attach_iterator_merge()
