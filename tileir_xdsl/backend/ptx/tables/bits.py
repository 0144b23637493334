"""Operations on the bits of an integer: counts, reversals, funnel shifts, and the magnitude.

The instructions take 32 or 64 bits; narrower integers are computed in 32.
"""

from collections.abc import Callable
from typing import NamedTuple

from xdsl.ir import Operation

from tileir_xdsl.backend.ptx.instructions import VectorOperand
from tileir_xdsl.backend.ptx.registers import B32, B64, Component, signed
from tileir_xdsl.backend.ptx.selection import Rule, Selector, integer_width
from tileir_xdsl.backend.ptx.tables.integer import (
    clear_high_byte,
    held_width,
    is_packed,
    sign_extended,
)
from tileir_xdsl.dialects.llvm import (
    AbsOp,
    BitReverseOp,
    ByteSwapOp,
    CountLeadingZerosOp,
    CountTrailingZerosOp,
    CtPopOp,
    FShlOp,
    FShrOp,
)


def _select_popc(selector: Selector, op: CtPopOp) -> None:
    _select_count(selector, op, "popc.b", None)


def _select_leading_zeros(selector: Selector, op: CountLeadingZerosOp) -> None:
    _select_count(selector, op, "clz.b", "leading")


def _select_trailing_zeros(selector: Selector, op: CountTrailingZerosOp) -> None:
    _select_count(selector, op, "clz.b", "trailing")


def _select_count(selector: Selector, op: Operation, opcode: str, zeros: str | None) -> None:
    """Counts bits; the instructions take 32 or 64 bits and return 32."""
    width = integer_width(op.results[0].type)
    if width not in (8, 16, 32, 64) or is_packed(selector, op):
        selector.unsupported(op, f"no PTX instruction on {op.results[0].type}")
    wide = max(width, 32)
    for destination, component in zip(
        selector.results(op), selector.components(op.operands[0]), strict=True
    ):
        source = selector.in_register(component)
        if width < 32:
            narrow, source = source, selector.fresh(B32)
            selector.emit("cvt.u32.u16", (source,), narrow)
            if zeros is not None:
                source = _guard_zeros(selector, source, width, zeros)
        if zeros == "trailing":
            reversed_bits = selector.fresh(selector.classes[source])
            selector.emit(f"brev.b{wide}", (reversed_bits,), source)
            source = reversed_bits
        count = destination if width == 32 else selector.fresh(B32)
        selector.emit(f"{opcode}{wide}", (count,), source)
        if width != 32:
            selector.emit(f"cvt.u{held_width(width)}.u32", (destination,), count)


def _guard_zeros(selector: Selector, source: int, width: int, zeros: str) -> int:
    """Aligns a narrow integer so that the 32-bit count of its zeros is right, also for zero."""
    placed = selector.fresh(B32)
    if zeros == "trailing":
        selector.emit("or.b32", (placed,), source, str(1 << width))
        return placed
    selector.emit("shl.b32", (placed,), source, str(32 - width))
    guarded = selector.fresh(B32)
    selector.emit("or.b32", (guarded,), placed, str(signed(1 << (31 - width), 32)))
    return guarded


def _select_abs(selector: Selector, op: AbsOp) -> None:
    width = integer_width(op.res.type)
    if width == 1 or is_packed(selector, op):
        selector.unsupported(op, f"no PTX instruction on {op.res.type}")
    for destination, component in zip(
        selector.results(op), selector.components(op.operand), strict=True
    ):
        if width == 8:
            component = sign_extended(selector, component)
        source = selector.in_register(component)
        selector.emit(f"abs.s{held_width(width)}", (destination,), source)
        if width == 8:
            clear_high_byte(selector, destination)


def _widened(selector: Selector, component: Component, width: int) -> int:
    """An integer in a register of 32 bits or more."""
    register = selector.in_register(component)
    if width >= 32:
        return register
    wide = selector.fresh(B32)
    selector.emit("cvt.u32.u16", (wide,), register)
    return wide


def _narrowed(selector: Selector, destination: int, source: int, width: int) -> None:
    """Converts the low bits of a 32-bit register to a narrower integer."""
    selector.emit("cvt.u16.u32", (destination,), source)
    if width == 8:
        clear_high_byte(selector, destination)


def _require_width(selector: Selector, op: Operation, widths: tuple[int, ...]) -> int:
    width = integer_width(op.results[0].type)
    if width not in widths or is_packed(selector, op):
        selector.unsupported(op, f"no PTX instruction on {op.results[0].type}")
    return width


def _select_reversal(
    selector: Selector,
    op: BitReverseOp | ByteSwapOp,
    widths: tuple[int, ...],
    reverse: Callable[[Selector, int, int, int], None],
) -> None:
    """Reverses 32 or 64 bits; a narrower integer is shifted down from the top of 32 bits."""
    width = _require_width(selector, op, widths)
    for destination, component in zip(
        selector.results(op), selector.components(op.operand), strict=True
    ):
        source = _widened(selector, component, width)
        if width >= 32:
            reverse(selector, width, destination, source)
            continue
        reversed_bits, low = selector.fresh(B32), selector.fresh(B32)
        reverse(selector, 32, reversed_bits, source)
        selector.emit("shr.u32", (low,), reversed_bits, str(32 - width))
        _narrowed(selector, destination, low, width)


def _reverse_bits(selector: Selector, width: int, destination: int, source: int) -> None:
    selector.emit(f"brev.b{width}", (destination,), source)


def _reverse_bytes(selector: Selector, width: int, destination: int, source: int) -> None:
    if width == 32:
        selector.emit("prmt.b32", (destination,), source, "0", "0x0123")
        return
    halves = [selector.fresh(B32) for _ in range(4)]
    low, high, swapped_low, swapped_high = halves
    selector.emit("mov.b64", (VectorOperand((low, high)),), source)
    selector.emit("prmt.b32", (swapped_low,), high, "0", "0x0123")
    selector.emit("prmt.b32", (swapped_high,), low, "0", "0x0123")
    selector.emit("mov.b64", (destination,), VectorOperand((swapped_low, swapped_high)))


def _select_bit_reverse(selector: Selector, op: BitReverseOp) -> None:
    _select_reversal(selector, op, (8, 16, 32, 64), _reverse_bits)


def _select_byte_swap(selector: Selector, op: ByteSwapOp) -> None:
    _select_reversal(selector, op, (16, 32, 64), _reverse_bytes)


class _FunnelShift(NamedTuple):
    """One shift of two integers as if they were one, to the left or to the right."""

    width: int
    is_left: bool
    destination: int
    high: Component
    low: Component
    amount: Component


def _select_funnel_shift(selector: Selector, op: FShlOp | FShrOp) -> None:
    width = _require_width(selector, op, (8, 16, 32, 64))
    emit = {32: _funnel_word, 64: _funnel_double}.get(width, _funnel_narrow)
    is_left = isinstance(op, FShlOp)
    parts = (selector.components(operand) for operand in (op.high, op.low, op.amount))
    for destination, high, low, amount in zip(selector.results(op), *parts, strict=True):
        emit(selector, _FunnelShift(width, is_left, destination, high, low, amount))


def _funnel_word(selector: Selector, shift: _FunnelShift) -> None:
    selector.emit(
        f"shf.{'l' if shift.is_left else 'r'}.wrap.b32",
        (shift.destination,),
        selector.in_register(shift.low),
        selector.in_register(shift.high),
        selector.as_operand(shift.amount),
    )


def _funnel_double(selector: Selector, shift: _FunnelShift) -> None:
    """`high << n | low >> 1 >> (63 ^ n)`, or `low >> n | high << 1 << (63 ^ n)`."""
    count, by, rest = (selector.fresh(B32) for _ in range(3))
    selector.emit("cvt.u32.u64", (count,), selector.in_register(shift.amount))
    selector.emit("and.b32", (by,), count, "63")
    selector.emit("xor.b32", (rest,), by, "63")
    near, far = (shift.high, shift.low) if shift.is_left else (shift.low, shift.high)
    towards, away = ("shl.b64", "shr.u64") if shift.is_left else ("shr.u64", "shl.b64")
    main, one, other = (selector.fresh(B64) for _ in range(3))
    selector.emit(towards, (main,), selector.in_register(near), by)
    selector.emit(away, (one,), selector.in_register(far), "1")
    selector.emit(away, (other,), one, rest)
    selector.emit("or.b64", (shift.destination,), main, other)


def _funnel_narrow(selector: Selector, shift: _FunnelShift) -> None:
    """Shifts both halves together in one register."""
    width = shift.width
    placed, word, by, shifted = (selector.fresh(B32) for _ in range(4))
    selector.emit("shl.b32", (placed,), _widened(selector, shift.high, width), str(width))
    selector.emit("or.b32", (word,), placed, _widened(selector, shift.low, width))
    selector.emit("and.b32", (by,), _widened(selector, shift.amount, width), str(width - 1))
    selector.emit("shl.b32" if shift.is_left else "shr.u32", (shifted,), word, by)
    if shift.is_left:
        upper = selector.fresh(B32)
        selector.emit("shr.u32", (upper,), shifted, str(width))
        shifted = upper
    _narrowed(selector, shift.destination, shifted, width)


RULES: dict[type[Operation], Rule] = {
    CtPopOp: Rule(_select_popc),
    CountLeadingZerosOp: Rule(_select_leading_zeros),
    CountTrailingZerosOp: Rule(_select_trailing_zeros),
    AbsOp: Rule(_select_abs),
    BitReverseOp: Rule(_select_bit_reverse),
    ByteSwapOp: Rule(_select_byte_swap),
    FShlOp: Rule(_select_funnel_shift),
    FShrOp: Rule(_select_funnel_shift),
}
