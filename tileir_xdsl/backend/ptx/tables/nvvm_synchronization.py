"""The `nvvm` ops that read special registers and synchronise: barriers, collectives, fences."""

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Guard, WithPredicate
from tileir_xdsl.backend.ptx.registers import B32, B64, PREDICATE
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.attributes import (
    BarrierReduction,
    MatchKind,
    MemoryOrder,
    MemoryScope,
    MemoryScopeAttr,
    ProxyKind,
    ReduxKind,
    VoteKind,
)
from tileir_xdsl.dialects.nvvm.fences import (
    ClusterArriveOp,
    ClusterArriveRelaxedOp,
    ClusterWaitOp,
    FenceMbarrierInitOp,
    FenceProxyAcquireOp,
    FenceProxyOp,
    FenceProxyReleaseOp,
    FenceProxySyncRestrictOp,
    FenceScClusterOp,
    FenceSyncRestrictOp,
    MembarOp,
)
from tileir_xdsl.dialects.nvvm.mbarriers import (
    MBarrierArriveDropOp,
    MBarrierArriveExpectTxOp,
    MBarrierArriveNoCompleteOp,
    MBarrierArriveOp,
    MBarrierCompleteTxOp,
    MBarrierExpectTxOp,
    MBarrierInitOp,
    MBarrierInvalOp,
    MBarrierTestWaitOp,
    MBarrierTryWaitOp,
    MBarrierTryWaitParityOp,
)
from tileir_xdsl.dialects.nvvm.pointers import space_of
from tileir_xdsl.dialects.nvvm.special_registers import (
    SPECIAL_REGISTERS,
    Clock64Op,
    GlobalTimerOp,
    PureSpecialRegisterOp,
    SpecialRegisterOp,
)
from tileir_xdsl.dialects.nvvm.synchronization import (
    BarrierArriveOp,
    BarrierOp,
    ElectSyncOp,
    MatchSyncOp,
    ReduxOp,
    ShflOp,
    SyncWarpOp,
    VoteSyncOp,
)

_WIDE_REGISTERS = (Clock64Op, GlobalTimerOp)
"""Special registers of 64 bits; all others have 32."""


def _select_special_register(selector: Selector, op: SpecialRegisterOp) -> None:
    destination = selector.result(op)
    bits = 64 if isinstance(op, _WIDE_REGISTERS) else 32
    wanted = selector.classes[destination]
    if wanted.bits == bits:
        selector.emit(f"mov.u{bits}", (destination,), op.register())
        return
    register = selector.fresh(B64 if bits == 64 else B32)
    selector.emit(f"mov.u{bits}", (register,), op.register())
    selector.emit(f"cvt.u{wanted.bits}.u{bits}", (destination,), register)


def _optional(selector: Selector, value: SSAValue | None, default: str) -> int | str:
    return default if value is None else selector.operand(value)


def _select_barrier(selector: Selector, op: BarrierOp) -> None:
    barrier = _optional(selector, op.barrierId, "0")
    threads = () if op.numberOfThreads is None else (selector.operand(op.numberOfThreads),)
    if op.reductionOp is None or op.reductionPredicate is None:
        selector.emit("bar.sync", (), barrier, *threads)
        return
    predicate = selector.fresh(PREDICATE)
    operand = selector.register(op.reductionPredicate)
    selector.emit("setp.ne.b32", (predicate,), operand, "0")
    destination = selector.result(op)
    kind = op.reductionOp.data
    if kind is BarrierReduction.POPC:
        selector.emit("bar.red.popc.u32", (destination,), barrier, *threads, predicate)
        return
    reduced = selector.fresh(PREDICATE)
    selector.emit(f"bar.red.{kind}.pred", (reduced,), barrier, *threads, predicate)
    selector.emit("selp.b32", (destination,), "1", "0", reduced)


def _select_barrier_arrive(selector: Selector, op: BarrierArriveOp) -> None:
    barrier = _optional(selector, op.barrierId, "0")
    selector.emit("bar.arrive", (), barrier, selector.operand(op.numberOfThreads))


def _select_sync_warp(selector: Selector, op: SyncWarpOp) -> None:
    selector.emit("bar.warp.sync", (), selector.operand(op.mask))


def _select_shuffle(selector: Selector, op: ShflOp) -> None:
    destination, *valid = selector.results(op)
    target = WithPredicate(destination, valid[0]) if valid else destination
    selector.emit(
        f"shfl.sync.{op.kind.data}.b32",
        (target,),
        selector.register(op.val),
        selector.operand(op.offset),
        selector.operand(op.mask_and_clamp),
        selector.operand(op.thread_mask),
    )


def _select_vote(selector: Selector, op: VoteSyncOp) -> None:
    kind = op.kind.data
    opcode = f"vote.sync.{kind}.{'b32' if kind is VoteKind.BALLOT else 'pred'}"
    predicate, mask = selector.register(op.pred), selector.operand(op.mask)
    selector.emit(opcode, (selector.result(op),), predicate, mask)


_REDUX = {
    ReduxKind.ADD: "add.s32",
    ReduxKind.AND: "and.b32",
    ReduxKind.MAX: "max.s32",
    ReduxKind.MIN: "min.s32",
    ReduxKind.OR: "or.b32",
    ReduxKind.UMAX: "max.u32",
    ReduxKind.UMIN: "min.u32",
    ReduxKind.XOR: "xor.b32",
    ReduxKind.FMAX: "max",
    ReduxKind.FMIN: "min",
}


def _flag(attribute: IntegerAttr, text: str) -> str:
    return text if attribute.value.data else ""


def _select_redux(selector: Selector, op: ReduxOp) -> None:
    text = _REDUX[op.kind.data]
    if op.is_float:
        text += f"{_flag(op.abs, '.abs')}{_flag(op.nan, '.NaN')}.f32"
    value, mask = selector.register(op.val), selector.operand(op.mask_and_clamp)
    selector.emit(f"redux.sync.{text}", (selector.result(op),), value, mask)


def _select_match(selector: Selector, op: MatchSyncOp) -> None:
    value, mask = selector.register(op.val), selector.operand(op.thread_mask)
    opcode = f"match.{op.kind.data}.sync.b{selector.classes[value].bits}"
    destination, *agreed = selector.results(op)
    if op.kind.data is MatchKind.ALL:
        selector.emit(opcode, (WithPredicate(destination, agreed[0]),), value, mask)
    else:
        selector.emit(opcode, (destination,), value, mask)


def _select_elect(selector: Selector, op: ElectSyncOp) -> None:
    lane = selector.fresh(B32)
    mask = _optional(selector, op.membermask, "-1")
    selector.emit("elect.sync", (WithPredicate(lane, selector.result(op)),), mask)


# mbarriers.


_SPACES = {0: "", 3: ".shared::cta", 7: ".shared::cluster"}


def _space(pointer: SSAValue) -> str:
    return _SPACES[space_of(pointer)]


def _guard(selector: Selector, predicate: SSAValue | None) -> Guard | None:
    return None if predicate is None else Guard(selector.register(predicate))


def _semantics(order: str, scope: MemoryScopeAttr, relaxed: IntegerAttr) -> str:
    """`.release.cluster` and its kin; nothing for the default, the block with order."""
    if relaxed.value.data:
        return f".relaxed.{scope.data}"
    return "" if scope.data is MemoryScope.CTA else f".{order}.{scope.data}"


def _select_mbarrier_init(selector: Selector, op: MBarrierInitOp) -> None:
    guard = _guard(selector, op.predicate)
    address, count = selector.address(op.addr), selector.operand(op.count)
    selector.emit(f"mbarrier.init{_space(op.addr)}.b64", (), address, count, guard=guard)


def _select_mbarrier_inval(selector: Selector, op: MBarrierInvalOp) -> None:
    selector.emit(f"mbarrier.inval{_space(op.addr)}.b64", (), selector.address(op.addr))


def _select_mbarrier_arrive(
    selector: Selector, op: MBarrierArriveOp | MBarrierArriveDropOp
) -> None:
    name = "arrive" if isinstance(op, MBarrierArriveOp) else "arrive_drop"
    semantics = _semantics("release", op.scope, op.relaxed)
    count = () if op.count is None else (selector.operand(op.count),)
    opcode = f"mbarrier.{name}{semantics}{_space(op.addr)}.b64"
    _emit_arrival(selector, op, opcode, op.addr, op.res, count)


def _emit_arrival(
    selector: Selector,
    op: Operation,
    opcode: str,
    addr: SSAValue,
    res: SSAValue | None,
    operands: tuple[int | str, ...],
    guard: Guard | None = None,
) -> None:
    """The state goes to a register, or to `_` where nobody wants it.

    A barrier of another block has no state to give; without one, older versions need a register.
    """
    address = selector.address(addr)
    if res is not None and selector.has_result(op):
        selector.emit(opcode, (selector.result(op),), address, *operands, guard=guard)
    elif space_of(addr) == 7 or selector.target.compute_capability >= 90:
        selector.emit(opcode, (), "_", address, *operands, guard=guard)
    else:
        selector.emit(opcode, (selector.fresh(B64),), address, *operands, guard=guard)


def _select_mbarrier_no_complete(selector: Selector, op: MBarrierArriveNoCompleteOp) -> None:
    opcode = f"mbarrier.arrive.noComplete{_space(op.addr)}.b64"
    address, count = selector.address(op.addr), selector.operand(op.count)
    selector.emit(opcode, (selector.result(op),), address, count)


def _select_mbarrier_expect_arrive(selector: Selector, op: MBarrierArriveExpectTxOp) -> None:
    semantics = _semantics("release", op.scope, op.relaxed)
    opcode = f"mbarrier.arrive.expect_tx{semantics}{_space(op.addr)}.b64"
    guard = _guard(selector, op.predicate)
    operands = (selector.operand(op.txcount),)
    _emit_arrival(selector, op, opcode, op.addr, op.res, operands, guard)


def _select_mbarrier_tx(selector: Selector, op: MBarrierExpectTxOp | MBarrierCompleteTxOp) -> None:
    name = op.name.removeprefix("nvvm.mbarrier.")
    opcode = f"mbarrier.{name}.relaxed.{op.scope.data}{_space(op.addr)}.b64"
    selector.emit(opcode, (), selector.address(op.addr), selector.operand(op.txcount))


def _select_mbarrier_wait(selector: Selector, op: MBarrierTestWaitOp | MBarrierTryWaitOp) -> None:
    name = "test_wait" if isinstance(op, MBarrierTestWaitOp) else "try_wait"
    parity = ".parity" if op.by_parity else ""
    semantics = _semantics("acquire", op.scope, op.relaxed)
    opcode = f"mbarrier.{name}{parity}{semantics}{_space(op.addr)}.b64"
    ticks = op.ticks if isinstance(op, MBarrierTryWaitOp) else None
    hint = () if ticks is None else (selector.operand(ticks),)
    phase = selector.operand(op.stateOrPhase)
    selector.emit(opcode, (selector.result(op),), selector.address(op.addr), phase, *hint)


def _select_mbarrier_spin(selector: Selector, op: MBarrierTryWaitParityOp) -> None:
    opcode = f"mbarrier.try_wait.parity{_space(op.addr)}.b64"
    address, done = selector.address(op.addr), selector.fresh(PREDICATE)
    phase, ticks = selector.operand(op.phase), selector.operand(op.ticks)
    again = selector.new_label()
    selector.place(again)
    selector.emit(opcode, (done,), address, phase, ticks)
    selector.emit("bra", (), again, guard=Guard(done, negated=True))


# Fences and clusters.


def _select_membar(selector: Selector, op: MembarOp) -> None:
    selector.emit(f"fence.acq_rel.{op.scope.data}", ())


_PROXIES = {
    ProxyKind.ALIAS: "alias",
    ProxyKind.ASYNC: "async",
    ProxyKind.ASYNC_GLOBAL: "async.global",
}


def _select_fence_proxy(selector: Selector, op: FenceProxyOp) -> None:
    if op.space is not None:
        selector.emit(f"fence.proxy.async.shared::{op.space.data}", ())
    else:
        selector.emit(f"fence.proxy.{_PROXIES[op.kind.data]}", ())


def _select_fence_proxy_acquire(selector: Selector, op: FenceProxyAcquireOp) -> None:
    opcode = f"fence.proxy.tensormap::generic.acquire.{op.scope.data}"
    selector.emit(opcode, (), selector.address(op.addr), selector.operand(op.size))


def _select_fence_proxy_release(selector: Selector, op: FenceProxyReleaseOp) -> None:
    selector.emit(f"fence.proxy.tensormap::generic.release.{op.scope.data}", ())


_RESTRICTED = {MemoryOrder.ACQUIRE: "shared::cluster", MemoryOrder.RELEASE: "shared::cta"}


def _select_fence_restricted(selector: Selector, op: FenceSyncRestrictOp) -> None:
    order = op.order.data
    selector.emit(f"fence.{order}.sync_restrict::{_RESTRICTED[order]}.cluster", ())


def _select_fence_proxy_restricted(selector: Selector, op: FenceProxySyncRestrictOp) -> None:
    order = op.order.data
    restriction = f"{order}.sync_restrict::{_RESTRICTED[order]}.cluster"
    selector.emit(f"fence.proxy.async::generic.{restriction}", ())


_CLUSTER_BARRIERS: dict[type[Operation], str] = {
    ClusterArriveOp: "arrive",
    ClusterArriveRelaxedOp: "arrive.relaxed",
    ClusterWaitOp: "wait",
}


def _select_cluster_barrier(
    selector: Selector, op: ClusterArriveOp | ClusterArriveRelaxedOp | ClusterWaitOp
) -> None:
    aligned = "" if op.aligned is None else ".aligned"
    selector.emit(f"barrier.cluster.{_CLUSTER_BARRIERS[type(op)]}{aligned}", ())


PLAIN: dict[type[Operation], str] = {
    FenceMbarrierInitOp: "fence.mbarrier_init.release.cluster",
    FenceScClusterOp: "fence.sc.cluster",
}
"""Ops without operands that are always the same instruction."""


def _select_plain(selector: Selector, op: Operation) -> None:
    selector.emit(PLAIN[type(op)], ())


RULES: dict[type[Operation], Rule] = {
    **{
        op: Rule(_select_special_register, PureSpecialRegisterOp not in op.__mro__)
        for op in SPECIAL_REGISTERS
    },
    BarrierOp: Rule(_select_barrier, has_effects=True),
    BarrierArriveOp: Rule(_select_barrier_arrive, has_effects=True),
    SyncWarpOp: Rule(_select_sync_warp, has_effects=True),
    ShflOp: Rule(_select_shuffle, has_effects=True),
    VoteSyncOp: Rule(_select_vote, has_effects=True),
    ReduxOp: Rule(_select_redux, has_effects=True),
    MatchSyncOp: Rule(_select_match, has_effects=True),
    ElectSyncOp: Rule(_select_elect, has_effects=True),
    MBarrierInitOp: Rule(_select_mbarrier_init, has_effects=True),
    MBarrierInvalOp: Rule(_select_mbarrier_inval, has_effects=True),
    MBarrierArriveOp: Rule(_select_mbarrier_arrive, has_effects=True),
    MBarrierArriveDropOp: Rule(_select_mbarrier_arrive, has_effects=True),
    MBarrierArriveNoCompleteOp: Rule(_select_mbarrier_no_complete, has_effects=True),
    MBarrierArriveExpectTxOp: Rule(_select_mbarrier_expect_arrive, has_effects=True),
    MBarrierExpectTxOp: Rule(_select_mbarrier_tx, has_effects=True),
    MBarrierCompleteTxOp: Rule(_select_mbarrier_tx, has_effects=True),
    MBarrierTestWaitOp: Rule(_select_mbarrier_wait, has_effects=True),
    MBarrierTryWaitOp: Rule(_select_mbarrier_wait, has_effects=True),
    MBarrierTryWaitParityOp: Rule(_select_mbarrier_spin, has_effects=True),
    MembarOp: Rule(_select_membar, has_effects=True),
    FenceProxyOp: Rule(_select_fence_proxy, has_effects=True),
    FenceProxyAcquireOp: Rule(_select_fence_proxy_acquire, has_effects=True),
    FenceProxyReleaseOp: Rule(_select_fence_proxy_release, has_effects=True),
    FenceSyncRestrictOp: Rule(_select_fence_restricted, has_effects=True),
    FenceProxySyncRestrictOp: Rule(_select_fence_proxy_restricted, has_effects=True),
    **{op: Rule(_select_cluster_barrier, has_effects=True) for op in _CLUSTER_BARRIERS},
    **{op: Rule(_select_plain, has_effects=True) for op in PLAIN},
}
"""Collectives stay even if a result is unused: the other lanes wait for this one."""
