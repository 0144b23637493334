"""Bulk copies of boxes between an object in global memory and buffers in shared memory (TMA).

    %x = nv_tileas.async.tiled_tma_load %map, %buffer[%i, %j], %m {atom = ..}
    ->
    nvvm.cp.async.bulk.tensor.shared.cluster.global %b0, %map, %barrier, box[%j, %i] : ..
    nvvm.cp.async.bulk.tensor.shared.cluster.global %b1, %map, %barrier, box[%j1, %i] : ..

One thread issues a copy for each box of the buffer's layout. A load in a producer of a pipeline
counts its bytes on the barrier of the stage. Any other load counts them on its own barrier, which
is initialised again if the load is repeated. Stores are bulk groups of the issuing thread. Source:
PTX ISA, "Tensor copy" and "Async proxy".
"""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import is_in_pipeline
from tileir_xdsl.analysis.regions.scopes import is_repeated
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.llvm import AddrSpaceCastOp
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope
from tileir_xdsl.dialects.nv_tileas.cta_groups import is_of_pair
from tileir_xdsl.dialects.nv_tileas.interfaces import BulkLoadOpInterface
from tileir_xdsl.dialects.nv_tileas.tma import BoxStoreOp
from tileir_xdsl.dialects.nvvm.attributes import MemoryScope, TMAReduction
from tileir_xdsl.dialects.nvvm.copies import (
    BLOCK_DESTINATION,
    CpAsyncBulkCommitGroupOp,
    CpAsyncBulkWaitGroupOp,
)
from tileir_xdsl.dialects.nvvm.fences import MembarOp
from tileir_xdsl.dialects.nvvm.mbarriers import MBarrierInvalOp
from tileir_xdsl.dialects.nvvm.pointers import SHARED_CLUSTER
from tileir_xdsl.dialects.nvvm.tensor_copies import (
    CpAsyncBulkTensorGlobalToSharedClusterOp,
    CpAsyncBulkTensorReduceOp,
    CpAsyncBulkTensorSharedCTAToGlobalOp,
)

from ..shared_memory import mbarriers
from ..shared_memory.pipelines import Produce, bulk_bytes
from ..thread.elected_thread import one_thread
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.shared_buffers import SharedTile
from .multicast import start_multicast
from .tma_boxes import boxes_at

# Loads.


class LowerTiledTmaLoad(LowerOp[nv_tileas.AsyncTiledTmaLoadOp]):
    """Issues a copy for each box, on the barrier of the stage that it fills, or on the load's own
    barrier.
    """

    def lower(self, op: nv_tileas.AsyncTiledTmaLoadOp, rewriter: ThreadRewriter) -> None:
        start_load(op, rewriter, lambda tile, barrier: _start_copies(op, tile, barrier, rewriter))


def start_load(
    op: BulkLoadOpInterface,
    rewriter: ThreadRewriter,
    start_copies: Callable[[SharedTile, SSAValue], None],
) -> None:
    """Issues the copies of a load in one thread, to a tile and on a barrier.

    The barrier is that of the filled stage, or the load's own.
    """
    assert op.filled is not None
    tile = rewriter.shared_tile(op.filled)

    def start(barrier: SSAValue) -> None:
        start_copies(tile, barrier)
        _check_bytes(op)

    rewriter.replace(op.results[0], tile)
    produce = _enclosing_produce(rewriter) if is_in_pipeline(op) else None
    # The stage has announced the bytes and is waited for by its consumers.
    if produce is not None:
        stage = produce.iterator.stage
        with one_thread(op, rewriter):
            start(mbarriers.barrier_at(rewriter, produce.pipeline.full, stage))
        return
    own = rewriter.function.shared_allocation.offsets[op]
    repeats = is_repeated(op)
    if repeats:
        # No thread may still wait at the barrier.
        rewriter.barrier()
    with one_thread(op, rewriter):
        barrier = mbarriers.barrier_at(rewriter, own)
        if repeats:
            # A valid barrier object must not be initialised (PTX ISA, "mbarrier.init").
            rewriter.builder.insert_without_result(MBarrierInvalOp(barrier))
            mbarriers.initialise(rewriter, {own: 1})
        # One arrival with all bytes, before the copies: the phase cannot complete in between.
        mbarriers.arrive_and_expect(rewriter, barrier, bulk_bytes(op))
        start(barrier)


def _check_bytes(op: BulkLoadOpInterface) -> None:
    """Raises `PassFailedException` if a load's `tx_count` differs from the bytes that it fills."""
    bytes, stated = bulk_bytes(op), op.properties.get("tx_count")
    # A barrier that waits for more never completes, and for less completes early.
    if isinstance(stated, IntegerAttr) and stated.value.data != bytes:
        fail(op, f"'{op.name}' op expects tx_count {bytes}, but got {stated.value.data}")


def _enclosing_produce(rewriter: ThreadRewriter) -> Produce | None:
    return next((p for p in rewriter.region.enclosing[::-1] if isinstance(p, Produce)), None)


def _start_copies(
    op: nv_tileas.AsyncTiledTmaLoadOp, tile: SharedTile, barrier: SSAValue, rewriter: ThreadRewriter
) -> None:
    builder, tensor_map = rewriter.builder, rewriter.scalar(op.descriptor)
    produce = _enclosing_produce(rewriter) if is_in_pipeline(op) else None
    # Only a pipeline across the cluster knows when the buffers of all CTAs are free.
    together = op.multicast_group[0] > 1 or is_of_pair(op.cta_group)
    if produce is not None and produce.pipeline.ctas > 1 and together:
        start_multicast(op, tile, barrier, rewriter)
        return
    for offset, coordinates in boxes_at(op, tile, op.coords, rewriter):
        position = _destination(tile.pointer(builder, offset), rewriter)
        copy = CpAsyncBulkTensorGlobalToSharedClusterOp(position, tensor_map, coordinates, barrier)
        builder.insert_without_result(copy)


def _destination(pointer: SSAValue, rewriter: ThreadRewriter) -> SSAValue:
    """A shared-memory destination in this CTA, in the state space of the target's PTX version.

    Where software implements access between CTAs (sm_120), a copy to `.shared::cluster` is a
    function call, and the assembler then ignores `setmaxnreg`.
    """
    if rewriter.function.target.default_ptx_version >= BLOCK_DESTINATION:
        return pointer
    return rewriter.builder.insert(AddrSpaceCastOp(pointer, SHARED_CLUSTER))


def wait_for_load(op: BulkLoadOpInterface, _value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Waits for the bytes of a load; consumers of a pipeline stage wait at the stage instead."""
    own = rewriter.function.shared_allocation.offsets.get(op)
    if own is None:
        return
    if is_repeated(op):
        # The barrier has been initialised again by one thread.
        rewriter.barrier()
    # Initialised for each load, so its first phase is always the one: parity 0.
    mbarriers.wait(rewriter, mbarriers.barrier_at(rewriter, own), 0)


# Stores.


class LowerBoxStore(LowerOp[BoxStoreOp]):
    """Issues a copy for each box, all in one group, after the threads' writes to the buffer."""

    def lower(self, op: BoxStoreOp, rewriter: ThreadRewriter) -> None:
        def start_copies(tile: SharedTile) -> None:
            builder, tensor_map = rewriter.builder, rewriter.scalar(op.descriptor)
            for offset, coordinates in boxes_at(op, tile, op.coords, rewriter):
                source = tile.pointer(builder, offset)
                if isinstance(op, nv_tileas.AsyncTiledTmaReduceOp):
                    copy = CpAsyncBulkTensorReduceOp(
                        _reduction(op), tensor_map, source, coordinates
                    )
                else:
                    copy = CpAsyncBulkTensorSharedCTAToGlobalOp(tensor_map, source, coordinates)
                builder.insert_without_result(copy)

        start_store(op, rewriter, start_copies)


def start_store(
    op: BoxStoreOp | nv_tileas.AsyncScatterTmaStoreOp,
    rewriter: ThreadRewriter,
    start_copies: Callable[[SharedTile], None],
) -> None:
    """Issues the copies of a store in one thread; also waits for them unless a later op does."""
    with one_thread(op, rewriter):
        start_copies(rewriter.shared_tile(op.source))
        # Bulk groups belong to the thread that commits them, so the same thread must wait.
        rewriter.builder.insert_without_result(CpAsyncBulkCommitGroupOp())
    # A buffer that is written again must not be read by the copy still.
    if not op.result.uses:
        wait_for_store(op, op.result, rewriter)


def _reduction(op: nv_tileas.AsyncTiledTmaReduceOp) -> TMAReduction:
    atom = op.atom.copy_atom
    assert atom is not None
    return TMAReduction(atom.reduction)


def wait_for_store(op: Operation, value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Makes the issuing thread wait for a store.

    The thread waits until the buffer has been read; if a token is used, until global memory has
    been written.
    """
    is_seen = any(result.uses for use in value.uses for result in use.operation.results)
    with one_thread(op, rewriter):
        rewriter.builder.insert_without_result(CpAsyncBulkWaitGroupOp(0, read=not is_seen))


SCOPES: Mapping[MemScope, MemoryScope] = {
    MemScope.CLUSTER: MemoryScope.CLUSTER,
    MemScope.GPU: MemoryScope.GPU,
    MemScope.SYSTEM: MemoryScope.SYS,
}
"""The scope of a fence beyond the tile block."""


class LowerFence(LowerOp[nv_tileas.FenceOp]):
    """Emits a fence for scopes beyond the tile block; within the block, barriers order threads.

    Each thread's fence covers the accesses that it observes (PTX ISA, "Release and Acquire
    Patterns"). A barrier before the fence covers other threads' earlier stores, and a barrier after
    it their later loads.
    """

    def lower(self, op: nv_tileas.FenceOp, rewriter: ThreadRewriter) -> None:
        scope = None if op.mem_scope is None else SCOPES.get(op.mem_scope.data)
        if scope is None:
            return
        is_alone = rewriter.region.runs_in_one_thread
        if not is_alone:
            rewriter.barrier()
        rewriter.builder.insert_without_result(MembarOp(scope))
        if not is_alone:
            rewriter.barrier()


PATTERNS: Patterns = {
    nv_tileas.AsyncTiledTmaLoadOp: LowerTiledTmaLoad,
    nv_tileas.AsyncTiledTmaReduceOp: LowerBoxStore,
    nv_tileas.AsyncTiledTmaStoreOp: LowerBoxStore,
    nv_tileas.FenceOp: LowerFence,
}

WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadRewriter], None]] = {
    nv_tileas.AsyncTiledTmaLoadOp: wait_for_load,
    nv_tileas.AsyncTiledTmaReduceOp: wait_for_store,
    nv_tileas.AsyncTiledTmaStoreOp: wait_for_store,
}
"""The wait for each kind of copy."""
