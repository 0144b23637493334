"""The ops of the `nvvm` dialect: special registers, barriers and warp collectives."""

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import WithPredicate
from tileir_xdsl.backend.ptx.registers import B32, B64, PREDICATE
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.attributes import (
    BarrierReduction,
    MatchKind,
    ReduxKind,
    VoteKind,
)
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
    selector.require(op, op.requirement)
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


RULES: dict[type[Operation], Rule] = {
    **{
        op: Rule(_select_special_register, not issubclass(op, PureSpecialRegisterOp))
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
}
"""Collectives stay even if a result is unused: the other lanes wait for this one."""
