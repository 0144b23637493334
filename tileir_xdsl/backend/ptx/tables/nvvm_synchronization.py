"""The `nvvm` ops of several instructions that read special registers and synchronise."""

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.backend.ptx.instructions import Guard, WithPredicate
from tileir_xdsl.backend.ptx.registers import B32, B64, PREDICATE
from tileir_xdsl.backend.ptx.selection import Rule, Selector
from tileir_xdsl.dialects.nvvm.attributes import BarrierReduction
from tileir_xdsl.dialects.nvvm.mbarriers import MBarrierTryWaitParityOp
from tileir_xdsl.dialects.nvvm.pointers import state_space
from tileir_xdsl.dialects.nvvm.special_registers import (
    SPECIAL_REGISTERS,
    Clock64Op,
    GlobalTimerOp,
    PureSpecialRegisterOp,
    SpecialRegisterOp,
)
from tileir_xdsl.dialects.nvvm.synchronization import BarrierArriveOp, BarrierOp, ElectSyncOp

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


def _select_elect(selector: Selector, op: ElectSyncOp) -> None:
    lane = selector.fresh(B32)
    mask = _optional(selector, op.membermask, "-1")
    selector.emit("elect.sync", (WithPredicate(lane, selector.result(op)),), mask)


def _select_barrier_arrive(selector: Selector, op: BarrierArriveOp) -> None:
    barrier = _optional(selector, op.barrierId, "0")
    selector.emit("bar.arrive", (), barrier, selector.operand(op.numberOfThreads))


def _select_mbarrier_spin(selector: Selector, op: MBarrierTryWaitParityOp) -> None:
    opcode = f"mbarrier.try_wait.parity{state_space(op.addr)}.b64"
    address, done = selector.address(op.addr), selector.fresh(PREDICATE)
    phase, ticks = selector.operand(op.phase), selector.operand(op.ticks)
    again = selector.new_label()
    selector.place(again)
    selector.emit(opcode, (done,), address, phase, ticks)
    selector.emit("bra", (), again, guard=Guard(done, negated=True))


RULES: dict[type[Operation], Rule] = {
    **{
        op: Rule(_select_special_register, PureSpecialRegisterOp not in op.__mro__)
        for op in SPECIAL_REGISTERS.values()
    },
    BarrierOp: Rule(_select_barrier, has_effects=True),
    BarrierArriveOp: Rule(_select_barrier_arrive, has_effects=True),
    ElectSyncOp: Rule(_select_elect, has_effects=True),
    MBarrierTryWaitParityOp: Rule(_select_mbarrier_spin, has_effects=True),
}
"""Collectives are kept even if a result is unused, because the other lanes wait for this one."""
