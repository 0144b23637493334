"""`nv_tileas`: scheduled tile programs, in which every tile has a layout and every copy an atom.

`convert-tileaa-to-tileas` produces this level; `nv_tileaa` ops that access no memory remain.
"""

from xdsl.ir import Dialect

from tileir_xdsl.dialects.lazy_definition import attributes_of, ops_of

from .accesses import AsyncCopyOp as AsyncCopyOp
from .accesses import AsyncLoadOp as AsyncLoadOp
from .accesses import AsyncStoreOp as AsyncStoreOp
from .accesses import CopyOp as CopyOp
from .accesses import GatherLoadOp as GatherLoadOp
from .accesses import LoadOp as LoadOp
from .accesses import ScatterStoreOp as ScatterStoreOp
from .accesses import StoreOp as StoreOp
from .agents import AgentSwitchOp as AgentSwitchOp
from .allocations import AllocationAttr as AllocationAttr
from .async_handshakes import ConsumerReadOp as ConsumerReadOp
from .async_handshakes import ConsumerReleaseOp as ConsumerReleaseOp
from .async_handshakes import ConsumerWaitOp as ConsumerWaitOp
from .async_handshakes import CreateIteratorOp as CreateIteratorOp
from .async_handshakes import CreateNullTokenOp as CreateNullTokenOp
from .async_handshakes import IncIterOp as IncIterOp
from .async_handshakes import ProducerAcquireOp as ProducerAcquireOp
from .async_handshakes import ProducerCommitOp as ProducerCommitOp
from .async_handshakes import ProducerWriteOp as ProducerWriteOp
from .async_pipeline import ConsumeOneAsyncOp as ConsumeOneAsyncOp
from .async_pipeline import ConsumeOneOp as ConsumeOneOp
from .async_pipeline import CreatePipelineOp as CreatePipelineOp
from .async_pipeline import ProduceOneAsyncOp as ProduceOneAsyncOp
from .async_pipeline import ProduceOneOp as ProduceOneOp
from .async_tokens import CreateNoneOp as CreateNoneOp
from .async_tokens import FutureWaitOp as FutureWaitOp
from .async_tokens import ToAsyncOp as ToAsyncOp
from .async_tokens import TokenToAsyncOp as TokenToAsyncOp
from .async_tokens import WaitOp as WaitOp
from .atoms import AtomAttr as AtomAttr
from .attributes import AtomPlanAttr as AtomPlanAttr
from .attributes import MemoryAttr as MemoryAttr
from .attributes import OutOfBoundsModeAttr as OutOfBoundsModeAttr
from .attributes import ResidencyAttr as ResidencyAttr
from .attributes import RMWModeAttr as RMWModeAttr
from .attributes import SwizzleModeAttr as SwizzleModeAttr
from .compute import AsyncDotOp as AsyncDotOp
from .compute import DotOp as DotOp
from .compute import ReduceOp as ReduceOp
from .compute import ScanOp as ScanOp
from .compute import WgmmaOp as WgmmaOp
from .control import AsyncCancelNextProgramIdOp as AsyncCancelNextProgramIdOp
from .control import CancelNextProgramIdOp as CancelNextProgramIdOp
from .control import FenceOp as FenceOp
from .control import PragmaOp as PragmaOp
from .control import ReadProgramIdOp as ReadProgramIdOp
from .control import YieldOp as YieldOp
from .conversions import ConvertLayoutOp as ConvertLayoutOp
from .conversions import ExpandDimsOp as ExpandDimsOp
from .conversions import GenerateOp as GenerateOp
from .conversions import ReinterpretOp as ReinterpretOp
from .conversions import ShuffleOp as ShuffleOp
from .conversions import ViewOp as ViewOp
from .copy_groups import CommitCopiesOp as CommitCopiesOp
from .copy_groups import WaitCopiesOp as WaitCopiesOp
from .device_tensor_maps import MakeDeviceTmaDescsOp as MakeDeviceTmaDescsOp
from .iterator_merge import attach_iterator_merge
from .layout import LayoutAttr as LayoutAttr
from .mutexes import AcquireMutexOp as AcquireMutexOp
from .mutexes import CreateMutexOp as CreateMutexOp
from .mutexes import MutexType as MutexType
from .mutexes import ReleaseMutexOp as ReleaseMutexOp
from .padding import PadOp as PadOp
from .pipeline_regions import PipelineYieldOp as PipelineYieldOp
from .slices import AllocTensorOp as AllocTensorOp
from .slices import AsyncExtractSliceOp as AsyncExtractSliceOp
from .slices import AsyncInsertSliceOp as AsyncInsertSliceOp
from .slices import ExtractSliceOp as ExtractSliceOp
from .slices import InsertSliceOp as InsertSliceOp
from .strategies import AccessAttr as AccessAttr
from .strategies import ExtensionStrategyAttr as ExtensionStrategyAttr
from .strategies import IssuerAttr as IssuerAttr
from .strategies import StrategyAttr as StrategyAttr
from .synchronization import BarrierOp as BarrierOp
from .synchronization import FencedProxyAttr as FencedProxyAttr
from .synchronization import FenceProxyOp as FenceProxyOp
from .synchronization import FenceSideAttr as FenceSideAttr
from .synchronization import FenceTmemOp as FenceTmemOp
from .synchronization import ParticipantsAttr as ParticipantsAttr
from .synchronization import WaitMMAsOp as WaitMMAsOp
from .tensor_maps import TensorMapAttr as TensorMapAttr
from .tiled_memory import AsyncTiledAtomicRMWOp as AsyncTiledAtomicRMWOp
from .tiled_memory import AsyncTiledLoadOp as AsyncTiledLoadOp
from .tiled_memory import TiledAtomicRMWOp as TiledAtomicRMWOp
from .tiled_memory import TiledLoadOp as TiledLoadOp
from .tiled_memory import TiledStoreOp as TiledStoreOp
from .tma import AsyncGatherTmaLoadOp as AsyncGatherTmaLoadOp
from .tma import AsyncScatterTmaStoreOp as AsyncScatterTmaStoreOp
from .tma import AsyncTiledTmaLoadOp as AsyncTiledTmaLoadOp
from .tma import AsyncTiledTmaReduceOp as AsyncTiledTmaReduceOp
from .tma import AsyncTiledTmaStoreOp as AsyncTiledTmaStoreOp
from .tma import MakeTiledTmaDescOp as MakeTiledTmaDescOp
from .types import AgentType as AgentType
from .types import AsyncTokenType as AsyncTokenType
from .types import PipelineConsumerTokenType as PipelineConsumerTokenType
from .types import PipelineIteratorType as PipelineIteratorType
from .types import PipelineProducerTokenType as PipelineProducerTokenType
from .types import TiledViewType as TiledViewType
from .types import TmaDescType as TmaDescType

NVTileAS = Dialect(
    "nv_tileas",
    ops_of("nv_tileas"),
    attributes_of("nv_tileas", vars()),
)

attach_iterator_merge()
