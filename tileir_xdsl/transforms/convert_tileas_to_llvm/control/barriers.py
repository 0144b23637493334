"""Barriers and fences of the tile program: one instruction for each.

    nv_tileas.barrier agent             ->  nvvm.barrier
    nv_tileas.fence_proxy async_shared  ->  nvvm.fence.proxy
    nv_tileas.fence_tmem before         ->  nvvm.tcgen05.fence
    nv_tileas.async.wait_mmas           ->  nvvm.wgmma.wait.group.sync.aligned

On targets without asynchronous copies, a proxy fence emits nothing.
"""

from xdsl.dialects.builtin import i32

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.synchronization import FencedProxy, FenceSide, Participants
from tileir_xdsl.dialects.nvvm.attributes import ProxyKind, SharedSpace, Tcgen05Fence
from tileir_xdsl.dialects.nvvm.fences import FenceProxyOp
from tileir_xdsl.dialects.nvvm.synchronization import SyncWarpOp
from tileir_xdsl.dialects.nvvm.tcgen05 import Tcgen05FenceOp
from tileir_xdsl.dialects.nvvm.wgmma import WgmmaWaitGroupOp
from tileir_xdsl.targets import Feature

from ..thread.clusters import cluster_barrier
from ..thread.elected_thread import ALL_LANES
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter


class LowerBarrier(LowerOp[nv_tileas.BarrierOp]):
    """Emits a barrier of the op's participants, in regions that all of their threads execute."""

    def lower(self, op: nv_tileas.BarrierOp, rewriter: ThreadRewriter) -> None:
        # One thread at `bar.sync` would wait for the others for ever.
        if rewriter.region.runs_in_one_thread:
            fail(op, f"'{op.name}' op must not be in a region that one thread executes")
        match op.participants.data:
            case Participants.WARP:
                mask = rewriter.builder.integer(ALL_LANES, i32)
                rewriter.builder.insert_without_result(SyncWarpOp(mask))
            case Participants.CLUSTER:
                cluster_barrier(rewriter)
            case Participants.AGENT | Participants.CTA:
                rewriter.barrier()


class LowerFenceProxy(LowerOp[nv_tileas.FenceProxyOp]):
    def lower(self, op: nv_tileas.FenceProxyOp, rewriter: ThreadRewriter) -> None:
        # Before sm_90 there is no asynchronous proxy (PTX ISA, "fence.proxy").
        if Feature.BULK_COPY not in rewriter.function.target.features:
            return
        is_shared = op.proxy.data is FencedProxy.ASYNC_SHARED
        kind, space = (
            (ProxyKind.ASYNC_SHARED, SharedSpace.CTA) if is_shared else (ProxyKind.ASYNC, None)
        )
        rewriter.builder.insert_without_result(FenceProxyOp(kind, space))


class LowerFenceTmem(LowerOp[nv_tileas.FenceTmemOp]):
    def lower(self, op: nv_tileas.FenceTmemOp, rewriter: ThreadRewriter) -> None:
        is_before = op.side.data is FenceSide.BEFORE
        side = Tcgen05Fence.BEFORE if is_before else Tcgen05Fence.AFTER
        rewriter.builder.insert_without_result(Tcgen05FenceOp(side))


class LowerWaitMMAs(LowerOp[nv_tileas.WaitMMAsOp]):
    def lower(self, op: nv_tileas.WaitMMAsOp, rewriter: ThreadRewriter) -> None:
        rewriter.builder.insert_without_result(WgmmaWaitGroupOp(op.pending.value.data))


PATTERNS: Patterns = {
    nv_tileas.BarrierOp: LowerBarrier,
    nv_tileas.FenceProxyOp: LowerFenceProxy,
    nv_tileas.FenceTmemOp: LowerFenceTmem,
    nv_tileas.WaitMMAsOp: LowerWaitMMAs,
}
