"""What is weaker than each op that orders memory, as the PTX ISA says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i32
from xdsl.dialects.llvm import ConstantOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from tileir_xdsl.dialects.llvm.atomics import AtomicCmpXchgOp, AtomicRMWOp
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp, StoreOp
from tileir_xdsl.dialects.nvvm import (
    copies,
    fences,
    mbarriers,
    miscellaneous,
    synchronization,
    tcgen05,
    wgmma,
)
from tileir_xdsl.dialects.nvvm.attributes import (
    GridDependency,
    MemoryScope,
    MemoryScopeAttr,
    ProxyKind,
    SharedSpace,
)

Weaken = Callable[[Operation], bool]
"""Makes an op weaker, if it can be."""


def dropped(op: Operation) -> bool:
    op.detach()
    op.erase()
    return True


def _of_warps(op: Operation) -> bool:
    assert isinstance(op, synchronization.BarrierOp)
    if op.res is not None:
        return False
    mask = ConstantOp(IntegerAttr(-1, i32), i32)
    Rewriter.replace_op(op, [mask, synchronization.SyncWarpOp(mask.result)], [])
    return True


def _for(kind: ProxyKind, space: SharedSpace | None = None) -> Weaken:
    def weaken(op: Operation) -> bool:
        assert isinstance(op, fences.FenceProxyOp)
        if op.kind.data is kind:
            return False
        Rewriter.replace_op(op, [fences.FenceProxyOp(kind, space)], [])
        return True

    return weaken


def _of_block(op: Operation) -> bool:
    """At the scope of the block."""
    if op.properties["scope"] == MemoryScopeAttr(MemoryScope.CTA):
        return False
    op.properties["scope"] = MemoryScopeAttr(MemoryScope.CTA)
    return True


def _relaxed(op: Operation) -> bool:
    if op.properties["relaxed"] == IntegerAttr.from_bool(True):
        return False
    op.properties["relaxed"] = IntegerAttr.from_bool(True)
    return True


def _relaxed_arrival(op: Operation) -> bool:
    Rewriter.replace_op(op, [fences.ClusterArriveRelaxedOp()], [])
    return True


def _one_pending(name: str) -> Weaken:
    def weaken(op: Operation) -> bool:
        number = op.properties[name]
        assert isinstance(number, IntegerAttr)
        op.properties[name] = IntegerAttr(number.value.data + 1, i32)
        return True

    return weaken


def _only_read(op: Operation) -> bool:
    assert isinstance(op, copies.CpAsyncBulkWaitGroupOp)
    if op.read is not None:
        return False
    Rewriter.replace_op(op, [copies.CpAsyncBulkWaitGroupOp(op.group.value.data, read=True)], [])
    return True


def _without_copies(op: Operation) -> bool:
    assert isinstance(op, copies.CpAsyncMBarrierArriveOp)
    Rewriter.replace_op(op, [mbarriers.MBarrierArriveOp(op.addr)], [])
    return True


def _of_own_block(op: Operation) -> bool:
    assert isinstance(op, tcgen05.Tcgen05CommitOp)
    if op.multicastMask is None:
        return False
    Rewriter.replace_op(op, [tcgen05.Tcgen05CommitOp(op.addr, group=op.group.data)], [])
    return True


def _wait_dropped(op: Operation) -> bool:
    assert isinstance(op, miscellaneous.GriddepcontrolOp)
    return op.kind.data is GridDependency.WAIT and dropped(op)


def _published_to_block(op: Operation) -> bool:
    """`tensormap.cp_fenceproxy` at the scope of the block."""
    assert isinstance(op, miscellaneous.InlinePtxOp)
    code = op.ptxCode.data.replace(".release.gpu", ".release.cta")
    if code == op.ptxCode.data:
        return False
    op.properties["ptxCode"] = StringAttr(code)
    return True


_ORDERED = (AtomicOrdering.ACQUIRE, AtomicOrdering.RELEASE, AtomicOrdering.ACQ_REL)


def _name_of_ordering(op: Operation) -> str:
    return "success_ordering" if isinstance(op, AtomicCmpXchgOp) else "ordering"


def _monotonic(op: Operation) -> bool:
    name = _name_of_ordering(op)
    if op.properties.get(name) not in [IntegerAttr(each.code, 64) for each in _ORDERED]:
        return False
    # One instruction has one order: the stronger of what a compare-and-swap has where it fails.
    for each in {name, *op.properties} & {name, "failure_ordering"}:
        op.properties[each] = IntegerAttr(AtomicOrdering.MONOTONIC.code, 64)
    return True


def _within_block(op: Operation) -> bool:
    ordering = op.properties.get(_name_of_ordering(op))
    atomic = [IntegerAttr(each.code, 64) for each in (*_ORDERED, AtomicOrdering.MONOTONIC)]
    block = StringAttr("block")
    if ordering not in atomic or op.properties.get("syncscope") == block:
        return False
    op.properties["syncscope"] = block
    return True


_DROPPED: Mapping[str, Weaken] = {"dropped": dropped}
_ATOMIC: Mapping[str, Weaken] = {"relaxed": _monotonic, "of the block": _within_block}
_SCOPED: Mapping[str, Weaken] = {"relaxed": _relaxed, "of the block": _of_block}

FORMS: Mapping[type[Operation], Mapping[str, Weaken]] = {
    synchronization.BarrierOp: {"warps meet by themselves": _of_warps},
    synchronization.BarrierArriveOp: _DROPPED,
    synchronization.SyncWarpOp: _DROPPED,
    fences.MembarOp: {"of the block": _of_block, **_DROPPED},
    fences.FenceProxyOp: {
        "for global memory": _for(ProxyKind.ASYNC_GLOBAL),
        "for shared memory": _for(ProxyKind.ASYNC_SHARED, SharedSpace.CTA),
        **_DROPPED,
    },
    fences.FenceProxyAcquireOp: {"of the block": _of_block, **_DROPPED},
    fences.FenceMbarrierInitOp: _DROPPED,
    fences.FenceSyncRestrictOp: _DROPPED,
    fences.ClusterArriveOp: {"relaxed": _relaxed_arrival},
    mbarriers.MBarrierArriveOp: _SCOPED,
    mbarriers.MBarrierArriveExpectTxOp: {"relaxed": _relaxed},
    mbarriers.MBarrierTestWaitOp: _SCOPED,
    mbarriers.MBarrierTryWaitOp: _SCOPED,
    mbarriers.MBarrierTryWaitParityOp: _DROPPED,
    wgmma.WgmmaFenceAlignedOp: _DROPPED,
    wgmma.WgmmaCommitGroupOp: _DROPPED,
    wgmma.WgmmaWaitGroupOp: {"one more pending": _one_pending("group")},
    tcgen05.Tcgen05FenceOp: _DROPPED,
    tcgen05.Tcgen05WaitOp: _DROPPED,
    tcgen05.Tcgen05CommitOp: {"of the own block": _of_own_block, **_DROPPED},
    miscellaneous.GriddepcontrolOp: {"dropped": _wait_dropped},
    miscellaneous.InlinePtxOp: {"of the block": _published_to_block},
    copies.CpAsyncCommitGroupOp: _DROPPED,
    copies.CpAsyncWaitGroupOp: {"one more pending": _one_pending("n")},
    copies.CpAsyncMBarrierArriveOp: {"copies are not waited for": _without_copies},
    copies.CpAsyncBulkCommitGroupOp: _DROPPED,
    copies.CpAsyncBulkWaitGroupOp: {
        "one more pending": _one_pending("group"),
        "of reads alone": _only_read,
    },
    AtomicRMWOp: _ATOMIC,
    AtomicCmpXchgOp: _ATOMIC,
    LoadOp: _ATOMIC,
    StoreOp: _ATOMIC,
}
"""What is put in place of an op, by a name; PTX ISA, in the chapters of each."""

CLASSES: Sequence[type[Operation]] = tuple(FORMS)
