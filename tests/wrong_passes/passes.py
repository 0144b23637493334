"""Wrong passes, as an extension: each makes one mistake of `changes.py` or `peepholes.py`."""

from __future__ import annotations

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation

from tests.unit.testing.pass_checks.planted import (
    BARRIERS,
    FIRST,
    LAYOUTS,
    LLVM,
    TILEAA,
    Change,
    erase,
    fresh_token,
    placed,
    reassociate,
    swap,
)
from tests.wrong_passes import peepholes
from tests.wrong_passes.changes import (
    add_to_property,
    claim_alignment,
    factor_out,
    first_operand_only,
    forward,
    move_up,
    one_iteration_less,
    other_predicate,
    repeat,
    restart,
    same_allocation,
    scale_property,
    set_property,
    swap_alike,
    swap_last,
)
from tileir_xdsl.dialects import cuda_tile, nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.synchronization import FencedProxy
from tileir_xdsl.dialects.nvvm import fences, mbarriers, wgmma
from tileir_xdsl.extensions import Extension, PlacedPass

ASYNC = {"after": "tileas-materialize-async"}
SCHEDULED = {"after": "tileas-canonicalize:3"}
MAPPED = {"after": "lower-tma-load-store-to-async"}
ALLOCATED = {"after": "tileas-allocate-tensor-memory"}

RELAXED = IntegerAttr(
    list(cuda_tile.MemoryOrderingSemantics).index(cuda_tile.MemoryOrderingSemantics.RELAXED), i32
)
IN_BLOCK = IntegerAttr(list(cuda_tile.MemoryScope).index(cuda_tile.MemoryScope.TL_BLK), i32)
SHARED = nv_tileas.FencedProxyAttr(FencedProxy.ASYNC_SHARED)
make_mem_token = fresh_token(nv_tileaa.CreateMemTokenOp)


def one(
    name: str, level: str, place: dict[str, str], change: Change, *types: type[Operation]
) -> PlacedPass:
    """A pass that makes one mistake."""
    return placed(name, level, change, *types, **place)


WRONG = (
    # Dropped tokens.
    one("ct-join", "cuda_tile", FIRST, first_operand_only, cuda_tile.JoinTokensOp),
    one("ct-loop-token", "cuda_tile", FIRST, restart, cuda_tile.ContinueOp),
    one("aa-join", "nv_tileaa", TILEAA, first_operand_only, nv_tileaa.JoinMemTokenOp),
    one("aa-loop-token", "nv_tileaa", TILEAA, restart, scf.YieldOp),
    one("as-store-token", "nv_tileas", ASYNC, make_mem_token, nv_tileas.TiledStoreOp),
    # Swapped operands.
    one("ct-swap-mma", "cuda_tile", FIRST, swap_alike, cuda_tile.MmaFOp),
    one("ct-swap-shift", "cuda_tile", FIRST, swap, cuda_tile.ShRIOp),
    one("aa-swap-divide", "nv_tileaa", TILEAA, swap, nv_tileaa.DivFOp),
    one("as-swap-operands", "nv_tileas", SCHEDULED, swap_alike, nv_tileas.AsyncDotOp),
    one("llvm-swap-shift", "llvm", LLVM, swap, llvm.LShrOp),
    # Lost masks and bounds.
    one("ct-last-iteration", "cuda_tile", FIRST, one_iteration_less, cuda_tile.ForOp),
    one("aa-at-most", "nv_tileaa", TILEAA, other_predicate(2, 3), arith.CmpiOp),
    one("llvm-same-mask", "llvm", LLVM, repeat(0, 1), llvm.AndOp),
    # Wrong slices and stages.
    one("as-coordinates", "nv_tileas", SCHEDULED, swap_last, nv_tileas.AsyncTiledTmaLoadOp),
    one("as-store-coordinates", "nv_tileas", ASYNC, swap_last, nv_tileas.AsyncTiledTmaStoreOp),
    one("as-same-stage", "nv_tileas", SCHEDULED, restart, scf.YieldOp),
    one("as-no-advance", "nv_tileas", SCHEDULED, forward(), nv_tileas.IncIterOp),
    one(
        "as-one-map", "nv_tileas", MAPPED, peepholes.map_of_equal_type, nv_tileas.MakeTiledTmaDescOp
    ),
    one("as-one-place", "nv_tileas", ALLOCATED, same_allocation, nv_tileas.AllocTensorOp),
    # Missing barriers and waits.
    one("as-no-wait", "nv_tileas", SCHEDULED, forward(), nv_tileas.ConsumerWaitOp),
    one("as-early-release", "nv_tileas", SCHEDULED, move_up, nv_tileas.ConsumerReleaseOp),
    one("as-store-wait", "nv_tileas", SCHEDULED, erase, nv_tileas.WaitOp),
    one("as-copies", "nv_tileas", BARRIERS, add_to_property("pending", 1), nv_tileas.WaitCopiesOp),
    one("as-tensor-memory", "nv_tileas", BARRIERS, erase, nv_tileas.FenceTmemOp),
    one("as-proxy", "nv_tileas", BARRIERS, set_property("proxy", SHARED), nv_tileas.FenceProxyOp),
    one("llvm-proxy", "llvm", LLVM, erase, fences.FenceProxyOp),
    one("llvm-wgmma", "llvm", LLVM, erase, wgmma.WgmmaWaitGroupOp),
    one("llvm-arrive", "llvm", LLVM, erase, mbarriers.MBarrierArriveOp),
    # Reassociation.
    one("ct-products", "cuda_tile", FIRST, reassociate, cuda_tile.MulFOp),
    one("as-products", "nv_tileas", LAYOUTS, reassociate, nv_tileaa.MulFOp),
    one("llvm-factor", "llvm", LLVM, factor_out, llvm.FAddOp),
    # Facts: alignment, order, scope, bytes.
    one("ct-aligned", "cuda_tile", FIRST, claim_alignment, cuda_tile.EntryOp),
    one(
        "ct-weak",
        "cuda_tile",
        FIRST,
        set_property("memory_ordering_semantics", RELAXED),
        cuda_tile.AtomicRMWTkoOp,
    ),
    one(
        "ct-scope",
        "cuda_tile",
        FIRST,
        set_property("memory_scope", IN_BLOCK),
        cuda_tile.AtomicRMWTkoOp,
    ),
    one(
        "as-bytes",
        "nv_tileas",
        SCHEDULED,
        scale_property("tx_count", 2),
        nv_tileas.AsyncTiledTmaLoadOp,
    ),
    # Rewrites of two ops.
    one("ct-maximum", "cuda_tile", FIRST, peepholes.maximum_of_compared, cuda_tile.SelectOp),
    one("ct-extended", "cuda_tile", FIRST, peepholes.without_extension, cuda_tile.IToFOp),
    one("ct-rounded-once", "cuda_tile", FIRST, peepholes.rounded_once, cuda_tile.FToFOp),
    one("ct-shifts", "cuda_tile", FIRST, peepholes.shifted_by_sum, cuda_tile.ShLIOp),
    one("ct-turned", "cuda_tile", FIRST, peepholes.constants_last, cuda_tile.CmpIOp),
    one("ct-stored", "cuda_tile", FIRST, peepholes.stored_value, cuda_tile.LoadPtrTkoOp),
    one("aa-offsets", "nv_tileaa", TILEAA, peepholes.offsets_together, nv_tileaa.AddPtrOp),
    one("aa-overwritten", "nv_tileaa", TILEAA, peepholes.overwritten, nv_tileaa.StoreOp),
)

EXTENSION = Extension("wrong", passes=WRONG)
