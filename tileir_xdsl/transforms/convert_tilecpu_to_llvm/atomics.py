"""Atomic operations: on integers by atomic instructions, all others by compare and exchange."""

from collections.abc import Callable, Mapping
from functools import partial

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BFloat16Type, DenseArrayBase, Float16Type, IntegerType, i1, i64
from xdsl.ir import Attribute, Block, SSAValue

from tileir_xdsl.builders.llvm_code import LLVMCode
from tileir_xdsl.dialects import tilecpu
from tileir_xdsl.dialects.enumerations import RMWMode
from tileir_xdsl.dialects.llvm import AtomicBinOp, AtomicCmpXchgOp, AtomicRMWOp
from tileir_xdsl.dialects.llvm.attributes import AtomicOrdering
from tileir_xdsl.dialects.llvm.loads_and_stores import LoadOp
from tileir_xdsl.dialects.tilecpu.types import element_bytes

from .element_conversions import narrow_float, widen_float
from .intrinsics import intrinsic
from .kernel import Kernel
from .memory import pointers
from .pointer_accesses import ORDERINGS, check_addresses

INTEGER_INSTRUCTIONS: Mapping[RMWMode, AtomicBinOp] = {
    RMWMode.ADD: AtomicBinOp.ADD,
    RMWMode.AND: AtomicBinOp.AND,
    RMWMode.MAX: AtomicBinOp.MAX,
    RMWMode.MIN: AtomicBinOp.MIN,
    RMWMode.OR: AtomicBinOp.OR,
    RMWMode.UMAX: AtomicBinOp.UMAX,
    RMWMode.UMIN: AtomicBinOp.UMIN,
    RMWMode.XCHG: AtomicBinOp.XCHG,
    RMWMode.XOR: AtomicBinOp.XOR,
}


def _replacement(code: LLVMCode, mode: RMWMode, old: SSAValue, value: SSAValue) -> SSAValue:
    """The new element."""
    kind = old.type
    if isinstance(kind, Float16Type | BFloat16Type) and mode is not RMWMode.XCHG:
        wide = _replacement(code, mode, widen_float(code, old), widen_float(code, value))
        return narrow_float(code, wide, kind)
    match mode:
        case RMWMode.XCHG:
            return value
        case RMWMode.ADD | RMWMode.ADDF:
            return code.add(llvm.FAddOp(old, value))
        case RMWMode.MAX:
            return intrinsic(code, "maximumnum", old, value)
        case RMWMode.MIN:
            return intrinsic(code, "minimumnum", old, value)
        case _:
            raise ValueError(f"no atomic operation executes {mode} on {kind}")


def _ordering(
    op: tilecpu.AtomicRMWOp | tilecpu.AtomicCASOp | tilecpu.AtomicUpdateOp,
) -> AtomicOrdering:
    return ORDERINGS.get(op.mem_semantic.data, AtomicOrdering.MONOTONIC)


def _failure(ordering: AtomicOrdering) -> AtomicOrdering:
    """The memory ordering of a compare and exchange that fails, which is a load."""
    acquires = (AtomicOrdering.ACQUIRE, AtomicOrdering.ACQ_REL)
    return AtomicOrdering.ACQUIRE if ordering in acquires else AtomicOrdering.MONOTONIC


def _exchanged(
    code: LLVMCode,
    pointer: SSAValue,
    compared: SSAValue,
    replacement: SSAValue,
    ordering: AtomicOrdering,
    size: int,
) -> tuple[SSAValue, SSAValue]:
    """Emits a compare and exchange; returns the old bits, and whether the exchange happened."""
    pair = code.add(
        AtomicCmpXchgOp(
            pointer, compared, replacement, ordering, _failure(ordering), alignment=size
        )
    )
    old, done = (
        code.add(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [field]), pair, kind))
        for field, kind in ((0, compared.type), (1, i1))
    )
    return old, done


def _as_bits(code: LLVMCode, value: SSAValue, bits: Attribute) -> SSAValue:
    return value if value.type == bits else code.add(llvm.BitcastOp(value, bits))


def modify(
    code: LLVMCode,
    pointer: SSAValue,
    value: SSAValue,
    mode: RMWMode,
    ordering: AtomicOrdering,
    size: int,
) -> SSAValue:
    """Applies the operation `mode` with `value` to an element in memory; returns the old
    element.
    """
    kind = value.type
    if isinstance(kind, IntegerType) and mode in INTEGER_INSTRUCTIONS:
        instruction = INTEGER_INSTRUCTIONS[mode]
        return code.add(AtomicRMWOp(instruction, pointer, value, ordering, alignment=size))
    bits = IntegerType(8 * size)
    first = code.add(LoadOp(pointer, bits, size, AtomicOrdering.MONOTONIC))
    again, done = Block(arg_types=[bits]), Block()
    code.branch(again, [first])
    code.start(again)
    old = _as_bits(code, again.args[0], kind)
    new = _as_bits(code, _replacement(code, mode, old, value), bits)
    found, is_done = _exchanged(code, pointer, again.args[0], new, ordering, size)
    code.do(llvm.CondBrOp(is_done, done, [], again, [found]))
    code.start(done)
    return old


def exchange(
    code: LLVMCode,
    pointer: SSAValue,
    compared: SSAValue,
    replacement: SSAValue,
    ordering: AtomicOrdering,
    size: int,
) -> SSAValue:
    """Replaces an element in memory if it has the bits of `compared`; returns the old element."""
    bits, kind = IntegerType(8 * size), compared.type
    wanted, new = _as_bits(code, compared, bits), _as_bits(code, replacement, bits)
    old, _ = _exchanged(code, pointer, wanted, new, ordering, size)
    return _as_bits(code, old, kind)


def emit_atomic(
    kernel: Kernel,
    op: tilecpu.AtomicRMWOp | tilecpu.AtomicCASOp,
    value_of: Callable[[SSAValue], SSAValue],
) -> SSAValue:
    """Emits one atomic operation; returns the old element."""
    code, size = kernel.code, element_bytes(op.old.type)
    address = value_of(op.pointer)
    mask = None if op.mask is None else value_of(op.mask)
    check_addresses(kernel, op, address, mask, size)
    pointer, ordering = pointers(code, address), _ordering(op)
    if isinstance(op, tilecpu.AtomicRMWOp):
        value = value_of(op.value)
        run = partial(modify, code, pointer, value, op.rmw_mode.data, ordering, size)
        other = code.constant(0, value.type)
    else:
        other, new = value_of(op.compare), value_of(op.replacement)
        run = partial(exchange, code, pointer, other, new, ordering, size)
    if mask is None:
        return run()
    (old,) = code.if_(mask, lambda: [run()], lambda: [other])
    return old


def emit_update(
    kernel: Kernel,
    op: tilecpu.AtomicUpdateOp,
    pointer: SSAValue,
    mask: SSAValue | None,
    value: SSAValue,
) -> None:
    """Emits one atomic operation on an element of a view, without a result."""
    code, size = kernel.code, element_bytes(op.value.type)

    def run() -> list[SSAValue]:
        modify(code, pointer, value, op.rmw_mode.data, _ordering(op), size)
        return []

    if mask is None:
        run()
    else:
        code.if_(mask, run)
