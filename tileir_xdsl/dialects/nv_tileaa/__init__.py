"""`nv_tileaa`: alias-aware tile programs.

Tiles are `tensor`s, views are memory objects whose aliasing is visible, and tokens order memory
accesses. Produced by `convert-cuda-tile-to-tileaa`.
"""

from xdsl.ir import Dialect

from tileir_xdsl.dialects.lazy_definition import attributes_of, ops_of

from .arithmetic import AddFOp as AddFOp
from .arithmetic import ClampFOp as ClampFOp
from .arithmetic import CosOp as CosOp
from .arithmetic import DivFOp as DivFOp
from .arithmetic import Exp2Op as Exp2Op
from .arithmetic import ExpOp as ExpOp
from .arithmetic import FmaOp as FmaOp
from .arithmetic import FPowIOp as FPowIOp
from .arithmetic import Log2Op as Log2Op
from .arithmetic import MaxFOp as MaxFOp
from .arithmetic import MinFOp as MinFOp
from .arithmetic import MulFOp as MulFOp
from .arithmetic import RemFOp as RemFOp
from .arithmetic import RsqrtOp as RsqrtOp
from .arithmetic import SinOp as SinOp
from .arithmetic import SqrtOp as SqrtOp
from .arithmetic import SubFOp as SubFOp
from .arithmetic import TanhOp as TanhOp
from .atomics import AtomicCASOp as AtomicCASOp
from .atomics import AtomicRMWOp as AtomicRMWOp
from .atomics import TiledAtomicRMWOp as TiledAtomicRMWOp
from .attributes import CacheModifierAttr as CacheModifierAttr
from .attributes import EvictionPolicyAttr as EvictionPolicyAttr
from .attributes import KernelSpecAttr as KernelSpecAttr
from .attributes import MemScopeAttr as MemScopeAttr
from .attributes import MemSemanticAttr as MemSemanticAttr
from .attributes import PaddingValueAttr as PaddingValueAttr
from .attributes import PointerKindAttr as PointerKindAttr
from .attributes import RMWModeAttr as RMWModeAttr
from .attributes import RoundingModeAttr as RoundingModeAttr
from .attributes import SignednessAttr as SignednessAttr
from .collectives import ReduceOp as ReduceOp
from .collectives import ScanOp as ScanOp
from .conversions import BitcastOp as BitcastOp
from .conversions import FpToFpOp as FpToFpOp
from .conversions import FpToIntOp as FpToIntOp
from .conversions import FpToUE5M3Op as FpToUE5M3Op
from .conversions import IntToPtrOp as IntToPtrOp
from .conversions import PackOp as PackOp
from .conversions import PtrToIntOp as PtrToIntOp
from .conversions import TruncIOp as TruncIOp
from .conversions import UE5M3ToFpOp as UE5M3ToFpOp
from .conversions import UnpackOp as UnpackOp
from .convolution import ActivationLayoutAttr as ActivationLayoutAttr
from .convolution import ConvDotOp as ConvDotOp
from .convolution import ConvParamsAttr as ConvParamsAttr
from .convolution import ConvTileOp as ConvTileOp
from .core import AssumeOp as AssumeOp
from .core import FuncOp as FuncOp
from .core import GetCtaIdOp as GetCtaIdOp
from .core import GetNumProgramsOp as GetNumProgramsOp
from .core import GetProgramIdOp as GetProgramIdOp
from .core import MakeRangeOp as MakeRangeOp
from .core import ReturnOp as ReturnOp
from .diagnostics import AssertOp as AssertOp
from .diagnostics import MessageOp as MessageOp
from .diagnostics import PrintOp as PrintOp
from .elements import ElementsAttr as ElementsAttr
from .external import CallElementwiseIntrinsicOp as CallElementwiseIntrinsicOp
from .external import ElementwiseInlineAsmOp as ElementwiseInlineAsmOp
from .external import ExternElementwiseOp as ExternElementwiseOp
from .external import InjectIROp as InjectIROp
from .external import PluginOp as PluginOp
from .functions import CallOp as CallOp
from .functions import ExecuteOp as ExecuteOp
from .functions import LaunchFuncOp as LaunchFuncOp
from .gather_scatter import GatherLoadOp as GatherLoadOp
from .gather_scatter import ScatterStoreOp as ScatterStoreOp
from .globals import GetGlobalOp as GetGlobalOp
from .globals import GlobalOp as GlobalOp
from .hints import MarkForReuseOp as MarkForReuseOp
from .hints import OptimizationBarrierOp as OptimizationBarrierOp
from .hints import PragmaOp as PragmaOp
from .integer import AddIOp as AddIOp
from .integer import MulHiUIOp as MulHiUIOp
from .interfaces import AgentLikeOpInterface as AgentLikeOpInterface
from .interfaces import CopyAtomAttrInterface as CopyAtomAttrInterface
from .interfaces import ReduceAtomAttrInterface as ReduceAtomAttrInterface
from .matrix import DotOp as DotOp
from .multimem import MultimemLoadReduceOp as MultimemLoadReduceOp
from .multimem import MultimemReduceOp as MultimemReduceOp
from .multimem import MultimemStoreOp as MultimemStoreOp
from .pointer_accesses import AddPtrOp as AddPtrOp
from .pointer_accesses import AllocaOp as AllocaOp
from .pointer_accesses import CreateMemTokenOp as CreateMemTokenOp
from .pointer_accesses import GdcLaunchDependentsOp as GdcLaunchDependentsOp
from .pointer_accesses import GdcWaitOp as GdcWaitOp
from .pointer_accesses import JoinMemTokenOp as JoinMemTokenOp
from .pointer_accesses import LoadOp as LoadOp
from .pointer_accesses import MemoryFenceAliasOp as MemoryFenceAliasOp
from .pointer_accesses import StoreOp as StoreOp
from .predicates import AssumePredicateAttr as AssumePredicateAttr
from .predicates import BoundedAttr as BoundedAttr
from .predicates import DivByAttr as DivByAttr
from .predicates import SameElementsAttr as SameElementsAttr
from .queues import CancelNextProgramIdOp as CancelNextProgramIdOp
from .queues import CreateQueueOp as CreateQueueOp
from .queues import CurrentProgramIdOp as CurrentProgramIdOp
from .queues import IsValidProgramIdOp as IsValidProgramIdOp
from .queues import QueueGetOp as QueueGetOp
from .queues import QueuePutOp as QueuePutOp
from .queues import QueueYieldOp as QueueYieldOp
from .shapes import BroadcastOp as BroadcastOp
from .shapes import CatOp as CatOp
from .shapes import ExpandDimsOp as ExpandDimsOp
from .shapes import ExtractOp as ExtractOp
from .shapes import ExtractSliceOp as ExtractSliceOp
from .shapes import GenerateOp as GenerateOp
from .shapes import HistogramOp as HistogramOp
from .shapes import InsertSliceOp as InsertSliceOp
from .shapes import PermuteOp as PermuteOp
from .shapes import SplatOp as SplatOp
from .shapes import ViewOp as ViewOp
from .types import MemRefType as MemRefType
from .types import MemTokenType as MemTokenType
from .types import PointerType as PointerType
from .types import ProgramIdType as ProgramIdType
from .types import QueueType as QueueType
from .types import TiledViewType as TiledViewType
from .views import BlockTileOp as BlockTileOp
from .views import GetDimSizeOp as GetDimSizeOp
from .views import MakeMemRefOp as MakeMemRefOp
from .views import TiledLoadOp as TiledLoadOp
from .views import TiledStoreOp as TiledStoreOp
from .yields import YieldOp as YieldOp

NVTileAA = Dialect(
    "nv_tileaa",
    ops_of("nv_tileaa"),
    attributes_of("nv_tileaa", vars()),
)
