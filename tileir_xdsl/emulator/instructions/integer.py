"""Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.instructions.elementwise import Function, elementwise
from tileir_xdsl.emulator.instructions.form import Compute, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.kernel_names import CARRY, PREDICATE
from tileir_xdsl.emulator.syntax import Register
from tileir_xdsl.emulator.types import Array, integer_type

_ALL = "u16|u32|u64|s16|s32|s64"
_WORDS = "u32|s32|u64|s64"


def _add_saturated(a: Array, b: Array) -> Array:
    return np.clip(a.astype(np.int64) + b, -(2**31), 2**31 - 1).astype(np.int32)


def _subtract_saturated(a: Array, b: Array) -> Array:
    return np.clip(a.astype(np.int64) - b, -(2**31), 2**31 - 1).astype(np.int32)


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"{dtype.kind}{2 * dtype.itemsize}")


def multiply_wide(a: Array, b: Array) -> Array:
    """The whole product, twice as wide as the operands."""
    return np.multiply(a, b, dtype=_wide(a.dtype))


def multiply_high(a: Array, b: Array) -> Array:
    """The upper half of the product."""
    bits = a.dtype.itemsize * 8
    if bits < 64:
        wide = _wide(a.dtype)
        return (np.multiply(a, b, dtype=wide) >> wide.type(bits)).astype(a.dtype)
    x, y = a.view(np.uint64), b.view(np.uint64)
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    cross = (x >> shift) * (y & low) + ((x & low) * (y & low) >> shift)
    middle = (x & low) * (y >> shift) + (cross & low)
    high = (x >> shift) * (y >> shift) + (cross >> shift) + (middle >> shift)
    if a.dtype.kind == "i":
        # A negative operand counts 2**64 too much of the other one.
        high = high - np.where(a < 0, y, np.uint64(0)) - np.where(b < 0, x, np.uint64(0))
    return high.view(a.dtype)


def _multiply_add_low(a: Array, b: Array, c: Array) -> Array:
    return a * b + c


def _multiply_add_high(a: Array, b: Array, c: Array) -> Array:
    return multiply_high(a, b) + c


def _multiply_add_wide(a: Array, b: Array, c: Array) -> Array:
    return multiply_wide(a, b) + c


def _multiply_add_high_saturated(a: Array, b: Array, c: Array) -> Array:
    return _add_saturated(multiply_high(a, b), c)


def _low_24(x: Array) -> Array:
    """The low 24 bits of a 32-bit integer, extended to 64 bits by its sign."""
    eight = x.dtype.type(8)
    return ((x << eight) >> eight).astype(np.int64)


def multiply_24(match: Match) -> Function:
    """Bits 0-31 (`lo`) or 16-47 (`hi`) of the product of the low 24 bits of the operands."""
    shift = np.int64(16 if match["half"] == "hi" else 0)

    def product(a: Array, b: Array) -> Array:
        return ((_low_24(a) * _low_24(b)) >> shift).astype(a.dtype)

    return product


def _multiply_add_24(match: Match) -> Function:
    product = multiply_24(match)
    add = _add_saturated if match.has("sat") else np.add

    def multiply_add(a: Array, b: Array, c: Array) -> Array:
        return add(product(a, b), c)

    return multiply_add


def divide(a: Array, b: Array) -> Array:
    """The quotient rounded towards zero; all ones for a zero divisor."""
    divisor = np.where(b == 0, b.dtype.type(1), b)
    quotient = a // divisor
    if a.dtype.kind == "i":
        inexact = quotient * divisor != a
        quotient = quotient + (inexact & ((a < 0) != (divisor < 0)))
    return np.where(b == 0, ~a.dtype.type(0), quotient).astype(a.dtype)


def remainder(a: Array, b: Array) -> Array:
    """The remainder with the sign of the dividend; the dividend itself for a zero divisor."""
    return np.where(b == 0, a, np.fmod(a, np.where(b == 0, b.dtype.type(1), b)))


def _sum_absolute_difference(a: Array, b: Array, c: Array) -> Array:
    return c + np.where(a < b, b - a, a - b)


def leading_zeros(x: Array) -> Array:
    bits = x.dtype.itemsize * 8
    spread = x.view(f"u{x.dtype.itemsize}")
    for distance in (1, 2, 4, 8, 16, 32):
        if distance < bits:
            spread = spread | (spread >> spread.dtype.type(distance))
    return (bits - np.bitwise_count(spread)).astype(np.uint32)


def _population(x: Array) -> Array:
    return np.bitwise_count(x).astype(np.uint32)


def _find_leading_bit(match: Match) -> Function:
    """The position of the top bit that differs from the sign; 0xFFFFFFFF if there is none."""
    bits = match.type().bits
    as_shift = match.has("shiftamt")

    def find(x: Array) -> Array:
        zeros = leading_zeros(np.where(x < 0, ~x, x))
        found = zeros if as_shift else np.uint32(bits - 1) - zeros
        return np.where(zeros == bits, np.uint32(0xFFFFFFFF), found)

    return find


def _reverse_bits(x: Array) -> Array:
    bits = x.dtype.itemsize * 8
    one = x.dtype.type
    for distance in (1, 2, 4, 8, 16, 32):
        if distance < bits:
            # The mask selects every other run of `distance` bits.
            runs = one((1 << bits) // ((1 << distance) + 1))
            x = ((x >> one(distance)) & runs) | ((x & runs) << one(distance))
    return x


def _field_mask(length: Array, dtype: np.dtype[Any]) -> Array:
    """A mask of `length` low bits; all ones if `length` exceeds the width of the type."""
    bits = dtype.itemsize * 8
    ones = np.left_shift(dtype.type(1), np.minimum(length, bits - 1).astype(dtype)) - dtype.type(1)
    return np.where(length >= bits, ~dtype.type(0), ones)


def _shift_right(x: Array, amount: Array) -> Array:
    bits = x.dtype.itemsize * 8
    return np.where(
        amount >= bits, x.dtype.type(0), x >> np.minimum(amount, bits - 1).astype(x.dtype)
    )


def _shift_left(x: Array, amount: Array) -> Array:
    bits = x.dtype.itemsize * 8
    return np.where(
        amount >= bits, x.dtype.type(0), x << np.minimum(amount, bits - 1).astype(x.dtype)
    )


def _extract_field(a: Array, position: Array, length: Array) -> Array:
    """`bfe`: extracts a field of bits, and extends it by its top bit if signed."""
    bits = a.dtype.itemsize * 8
    start = (position & np.uint32(0xFF)).astype(np.int64)
    count = (length & np.uint32(0xFF)).astype(np.int64)
    unsigned = a.view(f"u{a.dtype.itemsize}")
    mask = _field_mask(count, unsigned.dtype)
    field = _shift_right(unsigned, start) & mask
    if a.dtype.kind == "i":
        top = np.minimum(start + count - 1, bits - 1)
        negative = (_shift_right(unsigned, np.maximum(top, 0)) & unsigned.dtype.type(1)) != 0
        negative &= count != 0
        # Bits of the field beyond the operand are copies of its sign as well.
        present = _field_mask(np.maximum(np.minimum(count, bits - start), 0), unsigned.dtype)
        field = np.where(negative, field | ~present, field)
    return field.view(a.dtype)


def _insert_field(a: Array, b: Array, position: Array, length: Array) -> Array:
    """`bfi`: replaces a field of `b` by the low bits of `a`."""
    start = (position & np.uint32(0xFF)).astype(np.int64)
    count = (length & np.uint32(0xFF)).astype(np.int64)
    mask = _shift_left(_field_mask(count, a.dtype), start)
    return (b & ~mask) | (_shift_left(a, start) & mask)


def _extend(match: Match) -> Function:
    """`szext`: extends the low `b` bits; a `b` above 32 is taken modulo 32 or clamped."""
    clamp = match["mode"] == "clamp"

    def extend(a: Array, b: Array) -> Array:
        count = np.minimum(b, 32) if clamp else b & np.uint32(31)
        return _extract_field(a, np.zeros_like(b), count)

    return extend


def _bit_mask(match: Match) -> Function:
    """`bmsk`: a mask of `b` ones from bit `a` on."""
    clamp = match["mode"] == "clamp"

    def mask(a: Array, b: Array) -> Array:
        start = a if clamp else a & np.uint32(31)
        count = b if clamp else b & np.uint32(31)
        return _shift_left(_field_mask(count, np.dtype(np.uint32)), start)

    return mask


def _parts(x: Array, part: str) -> Array:
    """Splits 32-bit values into `[..., parts]` of a narrower type, as 64-bit integers."""
    return np.ascontiguousarray(x)[..., None].view(part).astype(np.int64)


def _dot_product(match: Match) -> Function:
    """`dp4a` and `dp2a`: sums products of bytes with bytes, or of two bytes with 16-bit halves."""
    first = "i" if match["first"] == "s32" else "u"
    second = "i" if match["second"] == "s32" else "u"
    half = match["half"]

    def dot(a: Array, b: Array, c: Array) -> Array:
        b_bytes = _parts(b, f"{second}1")
        if half:
            a_parts = _parts(a, f"{first}2")
            b_bytes = b_bytes[..., :2] if half == "lo" else b_bytes[..., 2:]
        else:
            a_parts = _parts(a, f"{first}1")
        return ((a_parts * b_bytes).sum(-1) + c).astype(np.int64).astype(c.dtype)

    return dot


def _with_relu(function: Function) -> Callable[[Match], Function]:
    """Replaces negative results by zero for `.relu`."""

    def chosen(match: Match) -> Function:
        if not match.has("relu"):
            return function

        def raised(a: Array, b: Array) -> Array:
            return np.maximum(function(a, b), a.dtype.type(0))

        return raised

    return chosen


# Extended precision: the carry flag, a register of its own, is that of an adder in all forms.


def _add_carry(a: Array, b: Array, carry: Array | None = None) -> tuple[Array, Array]:
    total = a + b
    out = total < a
    if carry is not None:
        total = total + carry
        out = out | (carry & (total == 0))
    return total, out


def _subtract_borrow(a: Array, b: Array, carry: Array | None = None) -> tuple[Array, Array]:
    # The assembler adds ~b and the flag, so the flag is set where nothing is borrowed.
    return _add_carry(a, ~b, np.ones((1, 1), np.bool_) if carry is None else carry)


def _multiply_add_carry(high: bool, signed: bool) -> Callable[..., tuple[Array, Array]]:
    def product(a: Array, b: Array) -> Array:
        if not high:
            return a * b
        kind = "i" if signed else "u"
        operands = (a.view(f"{kind}{a.dtype.itemsize}"), b.view(f"{kind}{b.dtype.itemsize}"))
        return multiply_high(*operands).view(a.dtype)

    def compute(a: Array, b: Array, c: Array, carry: Array | None = None) -> tuple[Array, Array]:
        return _add_carry(product(a, b), c, carry)

    return compute


def _extended(syntax: str, choose: Callable[[Match], Callable[..., tuple[Array, Array]]]) -> Form:
    """A form that reads the carry flag if its opcode ends in `c`, and writes it with `.cc`."""

    def emit(builder: BlockBuilder, match: Match) -> None:
        unsigned = integer_type(match.type().bits, signed=False)
        names = list(match.operands)
        arguments = [builder.source(match.operands[name], unsigned) for name in names[1:]]
        if match.instruction.opcode.endswith("c"):
            arguments.append(builder.source(Register(CARRY), PREDICATE))
        builder.line(f"r = {builder.bind(choose(match))}({', '.join(arguments)})")
        builder.assign(match.operands[names[0]], unsigned, "r[0]")
        if match.has("cc"):
            builder.assign(Register(CARRY), PREDICATE, "r[1]")

    return Form(syntax, Compute(emit))


def _choose_multiply_add(match: Match) -> Callable[..., tuple[Array, Array]]:
    return _multiply_add_carry(match["half"] == "hi", match.type().signed)


def _find_nth_set(mask: Array, base: Array, offset: Array) -> Array:
    """The position of the `|offset|`-th set bit from `base` on, up or down; all ones without one.

    Offset 0 tests the bit at the base itself.
    """
    mask, base, offset = np.broadcast_arrays(mask, base, offset)
    position = base.astype(np.int64)
    left = np.maximum(np.abs(offset.astype(np.int64)) - 1, 0)
    step = np.sign(offset.astype(np.int64))
    result = np.full(mask.shape, -1, np.int64)
    looking = np.ones(mask.shape, np.bool_)
    for _ in range(32):
        looking &= (position >= 0) & (position < 32)
        is_set = looking & ((mask >> (position & 31).astype(np.uint32)) & 1 == 1)
        result = np.where(is_set & (left == 0), position, result)
        looking &= ~(is_set & (left == 0)) & (step != 0)
        left = left - is_set
        position = position + step
    return result.astype(np.uint32)


FORMS: tuple[Form, ...] = (
    elementwise(f"add.<type:{_ALL}|u16x2|s16x2> d, a, b", "type <- type, type", np.add),
    elementwise("add.sat.s32 d, a, b", "s32 <- s32, s32", _add_saturated),
    elementwise(f"sub.<type:{_ALL}> d, a, b", "type <- type, type", np.subtract),
    elementwise("sub.sat.s32 d, a, b", "s32 <- s32, s32", _subtract_saturated),
    elementwise(f"mul.lo.<type:{_ALL}> d, a, b", "type <- type, type", np.multiply),
    elementwise(f"mul.hi.<type:{_ALL}> d, a, b", "type <- type, type", multiply_high),
    elementwise(
        "mul.wide.<type:u16|u32|s16|s32> d, a, b", "wide(type) <- type, type", multiply_wide
    ),
    elementwise(
        f"mad.lo.<type:{_ALL}> d, a, b, c",
        "type <- type, type, type",
        _multiply_add_low,
    ),
    elementwise(
        f"mad.hi.<type:{_ALL}> d, a, b, c",
        "type <- type, type, type",
        _multiply_add_high,
    ),
    elementwise("mad.hi.sat.s32 d, a, b, c", "s32 <- s32, s32, s32", _multiply_add_high_saturated),
    elementwise(
        "mad.wide.<type:u16|u32|s16|s32> d, a, b, c",
        "wide(type) <- type, type, wide(type)",
        _multiply_add_wide,
    ),
    elementwise("mul24.<half:hi|lo>.<type:u32|s32> d, a, b", "type <- type, type", by=multiply_24),
    elementwise(
        "mad24.<half:hi|lo>.<type:u32|s32> d, a, b, c",
        "type <- type, type, type",
        by=_multiply_add_24,
    ),
    elementwise(
        "mad24.<half:hi>.sat.<type:s32> d, a, b, c",
        "type <- type, type, type",
        by=_multiply_add_24,
    ),
    elementwise(
        f"sad.<type:{_ALL}> d, a, b, c", "type <- type, type, type", _sum_absolute_difference
    ),
    elementwise(f"div.<type:{_ALL}> d, a, b", "type <- type, type", divide),
    elementwise(f"rem.<type:{_ALL}> d, a, b", "type <- type, type", remainder),
    elementwise("abs.<type:s16|s32|s64> d, a", "type <- type", np.abs),
    elementwise("neg.<type:s16|s32|s64> d, a", "type <- type", np.negative),
    elementwise(f"min.<type:{_ALL}|u16x2> d, a, b", "type <- type, type", np.minimum),
    elementwise(f"max.<type:{_ALL}|u16x2> d, a, b", "type <- type, type", np.maximum),
    elementwise(
        "min{.relu}.<type:s16x2|s32> d, a, b", "type <- type, type", by=_with_relu(np.minimum)
    ),
    elementwise(
        "max{.relu}.<type:s16x2|s32> d, a, b", "type <- type, type", by=_with_relu(np.maximum)
    ),
    elementwise("popc.<type:b32|b64> d, a", "u32 <- type", _population),
    elementwise("clz.<type:b32|b64> d, a", "u32 <- type", leading_zeros),
    elementwise(f"bfind{{.shiftamt}}.<type:{_WORDS}> d, a", "u32 <- type", by=_find_leading_bit),
    elementwise("brev.<type:b32|b64> d, a", "type <- type", _reverse_bits),
    elementwise(f"bfe.<type:{_WORDS}> d, a, b, c", "type <- type, u32, u32", _extract_field),
    elementwise("bfi.<type:b32|b64> f, a, b, c, d", "type <- type, type, u32, u32", _insert_field),
    elementwise("szext.<mode:clamp|wrap>.<type:u32|s32> d, a, b", "type <- type, u32", by=_extend),
    elementwise("bmsk.<mode:clamp|wrap>.b32 d, a, b", "b32 <- u32, u32", by=_bit_mask),
    elementwise(
        "dp4a.<first:u32|s32>.<second:u32|s32> d, a, b, c",
        "bits(b32) <- b32, b32, b32",
        by=_dot_product,
    ),
    elementwise(
        "dp2a.<half:lo|hi>.<first:u32|s32>.<second:u32|s32> d, a, b, c",
        "bits(b32) <- b32, b32, b32",
        by=_dot_product,
    ),
    _extended(f"add.cc.<type:{_WORDS}> d, a, b", lambda _: _add_carry),
    _extended(f"addc{{.cc}}.<type:{_WORDS}> d, a, b", lambda _: _add_carry),
    _extended(f"sub.cc.<type:{_WORDS}> d, a, b", lambda _: _subtract_borrow),
    _extended(f"subc{{.cc}}.<type:{_WORDS}> d, a, b", lambda _: _subtract_borrow),
    _extended(f"mad.<half:hi|lo>.cc.<type:{_WORDS}> d, a, b, c", _choose_multiply_add),
    _extended(f"madc.<half:hi|lo>{{.cc}}.<type:{_WORDS}> d, a, b, c", _choose_multiply_add),
    elementwise("fns.b32 d, mask, base, offset", "b32 <- b32, u32, s32", _find_nth_set),
)
