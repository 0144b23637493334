"""`nv_tileaa`: alias-aware tile programs.

Tiles are `tensor`s, views are memory objects whose aliasing is visible, and memory order is
carried by tokens. Produced by `convert-cuda-tile-to-tileaa`.
"""

from xdsl.ir import Dialect

from .arithmetic import AddFOp, AddIOp
from .attributes import (
    BoundedAttr,
    DivByAttr,
    KernelSpecAttr,
    MemScopeAttr,
    MemSemanticAttr,
    PaddingValueAttr,
    RoundingModeAttr,
    SameElementsAttr,
)
from .core import (
    AssumeOp,
    BroadcastOp,
    ExtractOp,
    FuncOp,
    GetNumProgramsOp,
    GetProgramIdOp,
    MakeRangeOp,
    ReturnOp,
    SplatOp,
    ViewOp,
)
from .memory import AddPtrOp, CreateMemTokenOp, JoinMemTokenOp, LoadOp, StoreOp
from .types import MemRefType, MemTokenType, PointerType, TiledViewType
from .views import BlockTileOp, MakeMemRefOp, TiledLoadOp, TiledStoreOp

NVTileAA = Dialect(
    "nv_tileaa",
    [
        AddFOp,
        AddIOp,
        AddPtrOp,
        AssumeOp,
        BlockTileOp,
        BroadcastOp,
        CreateMemTokenOp,
        ExtractOp,
        FuncOp,
        GetNumProgramsOp,
        GetProgramIdOp,
        JoinMemTokenOp,
        LoadOp,
        MakeMemRefOp,
        MakeRangeOp,
        ReturnOp,
        SplatOp,
        StoreOp,
        TiledLoadOp,
        TiledStoreOp,
        ViewOp,
    ],
    [
        BoundedAttr,
        DivByAttr,
        KernelSpecAttr,
        MemRefType,
        MemScopeAttr,
        MemSemanticAttr,
        MemTokenType,
        PaddingValueAttr,
        PointerType,
        RoundingModeAttr,
        SameElementsAttr,
        TiledViewType,
    ],
)
