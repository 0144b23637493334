"""The `nvvm` ops that read special registers and synchronise: barriers, collectives, fences."""

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.forms import form
from tileir_xdsl.backend.ptx.instructions import Guard, WithPredicate
from tileir_xdsl.backend.ptx.registers import B32, B64, PREDICATE
from tileir_xdsl.backend.ptx.selection import Rule, Selector, integer_width
from tileir_xdsl.dialects.nvvm.attributes import (
    BarrierReduction,
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


def _reduction(op: ReduxOp) -> str:
    text = _REDUX[op.kind.data]
    return f"{text}{_flag(op.abs, '.abs')}{_flag(op.nan, '.NaN')}.f32" if op.is_float else text


def _vote_type(op: VoteSyncOp) -> str:
    return "b32" if op.kind.data is VoteKind.BALLOT else "pred"


def _match_type(op: MatchSyncOp) -> str:
    return f"b{integer_width(op.val.type)}"


def _flag(attribute: IntegerAttr, text: str) -> str:
    return text if attribute.value.data else ""


def _select_elect(selector: Selector, op: ElectSyncOp) -> None:
    lane = selector.fresh(B32)
    mask = _optional(selector, op.membermask, "-1")
    selector.emit("elect.sync", (WithPredicate(lane, selector.result(op)),), mask)


def _select_barrier_arrive(selector: Selector, op: BarrierArriveOp) -> None:
    barrier = _optional(selector, op.barrierId, "0")
    selector.emit("bar.arrive", (), barrier, selector.operand(op.numberOfThreads))


# mbarriers.


_OnBarrier = (
    MBarrierInitOp
    | MBarrierInvalOp
    | MBarrierArriveNoCompleteOp
    | MBarrierExpectTxOp
    | MBarrierCompleteTxOp
    | MBarrierTestWaitOp
    | MBarrierTryWaitOp
)

_SPACES = {0: "", 3: ".shared::cta", 7: ".shared::cluster"}


def _space(pointer: SSAValue) -> str:
    return _SPACES[space_of(pointer)]


def _addressed(op: _OnBarrier) -> str:
    return _space(op.addr)


def _parity(op: MBarrierTestWaitOp | MBarrierTryWaitOp) -> str:
    return ".parity" if op.by_parity else ""


def _acquires(op: MBarrierTestWaitOp | MBarrierTryWaitOp) -> str:
    return _semantics("acquire", op.scope, op.relaxed)


def _guard(selector: Selector, predicate: SSAValue | None) -> Guard | None:
    return None if predicate is None else Guard(selector.register(predicate))


def _semantics(order: str, scope: MemoryScopeAttr, relaxed: IntegerAttr) -> str:
    """`.release.cluster` and its kin; nothing for the default, the block with order."""
    if relaxed.value.data:
        return f".relaxed.{scope.data}"
    return "" if scope.data is MemoryScope.CTA else f".{order}.{scope.data}"


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


def _select_mbarrier_expect_arrive(selector: Selector, op: MBarrierArriveExpectTxOp) -> None:
    semantics = _semantics("release", op.scope, op.relaxed)
    opcode = f"mbarrier.arrive.expect_tx{semantics}{_space(op.addr)}.b64"
    guard = _guard(selector, op.predicate)
    operands = (selector.operand(op.txcount),)
    _emit_arrival(selector, op, opcode, op.addr, op.res, operands, guard)


def _select_mbarrier_spin(selector: Selector, op: MBarrierTryWaitParityOp) -> None:
    opcode = f"mbarrier.try_wait.parity{_space(op.addr)}.b64"
    address, done = selector.address(op.addr), selector.fresh(PREDICATE)
    phase, ticks = selector.operand(op.phase), selector.operand(op.ticks)
    again = selector.new_label()
    selector.place(again)
    selector.emit(opcode, (done,), address, phase, ticks)
    selector.emit("bra", (), again, guard=Guard(done, negated=True))


# Fences and clusters.


_PROXIES = {
    ProxyKind.ALIAS: "alias",
    ProxyKind.ASYNC: "async",
    ProxyKind.ASYNC_GLOBAL: "async.global",
}


def _proxy(op: FenceProxyOp) -> str:
    return _PROXIES[op.kind.data] if op.space is None else f"async.shared::{op.space.data}"


_RESTRICTED = {MemoryOrder.ACQUIRE: "shared::cluster", MemoryOrder.RELEASE: "shared::cta"}


def _restriction(op: FenceSyncRestrictOp | FenceProxySyncRestrictOp) -> str:
    return _RESTRICTED[op.order.data]


RULES: dict[type[Operation], Rule] = {
    **{
        op: Rule(_select_special_register, PureSpecialRegisterOp not in op.__mro__)
        for op in SPECIAL_REGISTERS.values()
    },
    BarrierOp: Rule(_select_barrier, has_effects=True),
    BarrierArriveOp: Rule(_select_barrier_arrive, has_effects=True),
    SyncWarpOp: form("bar.warp.sync  mask"),
    ShflOp: form("shfl.sync.<kind>.b32  d|p, %val, offset, mask_and_clamp, thread_mask"),
    VoteSyncOp: form("vote.sync.<kind>.<type>  d, %pred, mask", type=_vote_type),
    ReduxOp: form("redux.sync.<kind>  d, %val, mask_and_clamp", kind=_reduction),
    MatchSyncOp: form("match.<kind>.sync.<type>  d|p, %val, thread_mask", type=_match_type),
    ElectSyncOp: Rule(_select_elect, has_effects=True),
    MBarrierInitOp: form("@predicate mbarrier.init<space>.b64  [addr], count", space=_addressed),
    MBarrierInvalOp: form("mbarrier.inval<space>.b64  [addr]", space=_addressed),
    MBarrierArriveOp: Rule(_select_mbarrier_arrive, has_effects=True),
    MBarrierArriveDropOp: Rule(_select_mbarrier_arrive, has_effects=True),
    MBarrierArriveNoCompleteOp: form(
        "mbarrier.arrive.noComplete<space>.b64  d, [addr], count", space=_addressed
    ),
    MBarrierArriveExpectTxOp: Rule(_select_mbarrier_expect_arrive, has_effects=True),
    MBarrierExpectTxOp: form(
        "mbarrier.expect_tx.relaxed.<scope><space>.b64  [addr], txcount", space=_addressed
    ),
    MBarrierCompleteTxOp: form(
        "mbarrier.complete_tx.relaxed.<scope><space>.b64  [addr], txcount", space=_addressed
    ),
    MBarrierTestWaitOp: form(
        "mbarrier.test_wait<parity><semantics><space>.b64  d, [addr], stateOrPhase",
        parity=_parity,
        semantics=_acquires,
        space=_addressed,
    ),
    MBarrierTryWaitOp: form(
        "mbarrier.try_wait<parity><semantics><space>.b64  d, [addr], stateOrPhase{, ticks}",
        parity=_parity,
        semantics=_acquires,
        space=_addressed,
    ),
    MBarrierTryWaitParityOp: Rule(_select_mbarrier_spin, has_effects=True),
    MembarOp: form("fence.acq_rel.<scope>"),
    FenceMbarrierInitOp: form("fence.mbarrier_init.release.cluster"),
    FenceScClusterOp: form("fence.sc.cluster"),
    FenceProxyOp: form("fence.proxy.<proxy>", proxy=_proxy),
    FenceProxyAcquireOp: form("fence.proxy.tensormap::generic.acquire.<scope>  [addr], size"),
    FenceProxyReleaseOp: form("fence.proxy.tensormap::generic.release.<scope>"),
    FenceSyncRestrictOp: form("fence.<order>.sync_restrict::<space>.cluster", space=_restriction),
    FenceProxySyncRestrictOp: form(
        "fence.proxy.async::generic.<order>.sync_restrict::<space>.cluster", space=_restriction
    ),
    ClusterArriveOp: form("barrier.cluster.arrive{.aligned}"),
    ClusterArriveRelaxedOp: form("barrier.cluster.arrive.relaxed{.aligned}"),
    ClusterWaitOp: form("barrier.cluster.wait{.aligned}"),
}
"""Collectives stay even if a result is unused: the other lanes wait for this one."""
