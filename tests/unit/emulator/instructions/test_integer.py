"""Integer arithmetic against Python's integers."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import (
    Array,
    Case,
    IntegerFunction,
    check,
    each,
    each_element,
)

_TYPES = ("u16", "u32", "u64", "s16", "s32", "s64")
_WORDS = ("u32", "s32", "u64", "s64")


def bits_of(type_: str) -> int:
    return int(type_.split("x")[0][1:])


_WIDTHS = {f"{letter}{bits}": bits for letter in "bus" for bits in (16, 32, 64)}


def clamp(value: int, type_: str) -> int:
    bits = bits_of(type_)
    low, high = (
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if type_[0] == "s" else (0, (1 << bits) - 1)
    )
    return min(max(value, low), high)


def truncated_quotient(a: int, b: int) -> int:
    if b == 0:
        return -1
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def truncated_remainder(a: int, b: int) -> int:
    return a if b == 0 else a - b * truncated_quotient(a, b)


def two(text: str, type_: str, function: Callable[[int, int], int], result: str = "") -> Case:
    return Case(text, f"a:{type_} b:{type_}", f"d:{result or type_}", each(function))


def packed(text: str, type_: str, function: Callable[[int, int], int]) -> Case:
    bits = bits_of(type_)

    def meaning(a: Array, b: Array) -> Array:
        values = each_element(function)(a, b)
        return (values.astype(np.int64) % (1 << bits)).astype(f"u{bits // 8}").view(a.dtype)

    return Case(text, f"a:{type_} b:{type_}", f"d:{type_}", meaning)


def high_product(a: int, b: int, bits: int) -> int:
    return a * b >> bits


def high_product_plus(a: int, b: int, c: int, bits: int) -> int:
    return (a * b >> bits) + c


def leading_zeros(a: int, bits: int) -> int:
    return bits - a.bit_length()


def reversed_bits(a: int, bits: int) -> int:
    return int(f"{a:0{bits}b}"[::-1], 2)


def extended(a: int, b: int, mode: str, *, signed: bool) -> int:
    return field(a, 0, min(b, 32) if mode == "clamp" else b & 31, 32, signed=signed)


def bit_mask(a: int, b: int, mode: str) -> int:
    if mode == "wrap":
        a, b = a & 31, b & 31
    return ((1 << min(b, 32)) - 1) << min(a, 32)


def field(a: int, position: int, length: int, bits: int, *, signed: bool) -> int:
    """`bfe` as the manual writes it, bit by bit."""
    position, length = position & 0xFF, length & 0xFF
    fill = 0 if not signed or length == 0 else a >> min(position + length - 1, bits - 1) & 1
    result = 0
    for i in range(bits):
        inside = i < length and position + i < bits
        result |= (a >> (position + i) & 1 if inside else fill) << i
    return result


def insert(a: int, b: int, position: int, length: int, bits: int) -> int:
    """`bfi` as the manual writes it, bit by bit."""
    position, length = position & 0xFF, length & 0xFF
    result = b
    for i in range(length):
        if position + i < bits:
            result = result & ~(1 << (position + i)) | (a >> i & 1) << (position + i)
    return result


def first_bit(a: int, bits: int, *, shift: bool) -> int:
    if a < 0:
        a = ~a
    if a == 0:
        return -1
    position = a.bit_length() - 1
    return bits - 1 - position if shift else position


def low24(a: int, type_: str) -> int:
    value = a % (1 << 24)
    return value - (1 << 24) if type_ == "s32" and value >> 23 else value


def product24(a: int, b: int, type_: str, shift: int) -> int:
    return low24(a, type_) * low24(b, type_) >> shift


def product24_plus(a: int, b: int, c: int, type_: str, shift: int) -> int:
    return product24(a, b, type_, shift) + c


def pieces(value: int, bits: int, *, signed: bool) -> list[int]:
    found = [value >> shift & ((1 << bits) - 1) for shift in range(0, 32, bits)]
    return [x - (1 << bits) if signed and x >> (bits - 1) else x for x in found]


def dot4(a: int, b: int, c: int, first: str, second: str) -> int:
    left = pieces(a, 8, signed=first == "s32")
    return c + sum(x * y for x, y in zip(left, pieces(b, 8, signed=second == "s32"), strict=True))


def dot2(a: int, b: int, c: int, half: str, first: str, second: str) -> int:
    right = pieces(b, 8, signed=second == "s32")
    chosen = right[:2] if half == "lo" else right[2:]
    return c + sum(x * y for x, y in zip(pieces(a, 16, signed=first == "s32"), chosen, strict=True))


def carries(bits: int, terms: IntegerFunction) -> Callable[..., tuple[Array, Array]]:
    """Low and high words of a sum that two instructions form with the carry flag."""
    of_integers: Callable[..., int] = terms

    def meaning(*arrays: Array) -> tuple[Array, Array]:
        values = [of_integers(*lane) for lane in zip(*(a.tolist() for a in arrays), strict=True)]
        low = np.array([v % (1 << bits) for v in values], np.uint64)
        high = np.array([(v >> bits) % (1 << bits) for v in values], np.uint64)
        return low, high

    return meaning


def extended_cases(type_: str) -> list[Case]:
    bits = bits_of(type_)
    unsigned = f"u{bits}"
    pairs = f"a:{unsigned} b:{unsigned} c:{unsigned} d:{unsigned}"
    results = f"x:{unsigned} y:{unsigned}"

    def added(a: int, b: int, c: int, d: int) -> int:
        return (a + (b << bits)) + (c + (d << bits))

    def subtracted(a: int, b: int, c: int, d: int) -> int:
        return (a + (b << bits)) - (c + (d << bits))

    cases = [
        Case(
            f"{op}.cc.{type_} %x, %a, %c;\n{op}c.{type_} %y, %b, %d;",
            pairs,
            results,
            carries(bits, terms),
        )
        for op, terms in (("add", added), ("sub", subtracted))
    ]
    if type_[0] == "u":
        cases.append(
            Case(
                f"mad.lo.cc.{type_} %x, %a, %b, %c;\nmadc.hi.{type_} %y, %a, %b, %d;",
                pairs,
                results,
                carries(bits, lambda a, b, c, d: a * b + c + (d << bits)),
            )
        )
    return cases


def nth_set_bit(mask: int, base: int, offset: int) -> int:
    """As the manual counts: the bit at the base is the first one in both directions."""
    if offset == 0:
        return base if base < 32 and mask >> base & 1 else 0xFFFFFFFF
    order = range(base, 32) if offset > 0 else range(min(base, 31), -1, -1)
    if base > 31 and offset < 0:
        order = range(0)
    found = [place for place in order if mask >> place & 1]
    return found[abs(offset) - 1] if len(found) >= abs(offset) else 0xFFFFFFFF


def byte_differences(a: int, b: int) -> list[int]:
    return [abs((a >> 8 * i & 255) - (b >> 8 * i & 255)) for i in range(4)]


CASES: tuple[Case, ...] = (
    *(two(f"add.{t} %d, %a, %b;", t, lambda a, b: a + b) for t in _TYPES),
    *(two(f"sub.{t} %d, %a, %b;", t, lambda a, b: a - b) for t in _TYPES),
    *(packed(f"add.{t} %d, %a, %b;", t, lambda a, b: a + b) for t in ("u16x2", "s16x2")),
    two("add.sat.s32 %d, %a, %b;", "s32", lambda a, b: clamp(a + b, "s32")),
    two("sub.sat.s32 %d, %a, %b;", "s32", lambda a, b: clamp(a - b, "s32")),
    *(two(f"mul.lo.{t} %d, %a, %b;", t, lambda a, b: a * b) for t in _TYPES),
    *(two(f"mul.hi.{t} %d, %a, %b;", t, partial(high_product, bits=_WIDTHS[t])) for t in _TYPES),
    *(
        two(f"mul.wide.{t} %d, %a, %b;", t, lambda a, b: a * b, f"{t[0]}{2 * bits_of(t)}")
        for t in ("u16", "s16", "u32", "s32")
    ),
    *(
        Case(
            f"mad.lo.{t} %d, %a, %b, %c;",
            f"a:{t} b:{t} c:{t}",
            f"d:{t}",
            each(lambda a, b, c: a * b + c),
        )
        for t in _TYPES
    ),
    *(
        Case(
            f"mad.hi.{t} %d, %a, %b, %c;",
            f"a:{t} b:{t} c:{t}",
            f"d:{t}",
            each(partial(high_product_plus, bits=_WIDTHS[t])),
        )
        for t in _TYPES
    ),
    Case(
        "mad.hi.sat.s32 %d, %a, %b, %c;",
        "a:s32 b:s32 c:s32",
        "d:s32",
        each(lambda a, b, c: clamp((a * b >> 32) + c, "s32")),
    ),
    *(
        Case(
            f"mad.wide.{t} %d, %a, %b, %c;",
            f"a:{t} b:{t} c:{t[0]}{2 * bits_of(t)}",
            f"d:{t[0]}{2 * bits_of(t)}",
            each(lambda a, b, c: a * b + c),
        )
        for t in ("u16", "s16", "u32", "s32")
    ),
    *(
        two(
            f"mul24.{half}.{t} %d, %a, %b;",
            t,
            partial(product24, type_=t, shift=shift),
        )
        for t in ("u32", "s32")
        for half, shift in (("lo", 0), ("hi", 16))
    ),
    *(
        Case(
            f"mad24.{half}.{t} %d, %a, %b, %c;",
            f"a:{t} b:{t} c:{t}",
            f"d:{t}",
            each(partial(product24_plus, type_=t, shift=shift)),
        )
        for t in ("u32", "s32")
        for half, shift in (("lo", 0), ("hi", 16))
    ),
    Case(
        "mad24.hi.sat.s32 %d, %a, %b, %c;",
        "a:s32 b:s32 c:s32",
        "d:s32",
        each(
            lambda a, b, c: clamp(clamp(low24(a, "s32") * low24(b, "s32") >> 16, "s32") + c, "s32")
        ),
    ),
    *(
        Case(
            f"sad.{t} %d, %a, %b, %c;",
            f"a:{t} b:{t} c:{t}",
            f"d:{t}",
            each(lambda a, b, c: c + abs(a - b)),
        )
        for t in _TYPES
    ),
    *(two(f"div.{t} %d, %a, %b;", t, truncated_quotient) for t in _TYPES),
    *(two(f"rem.{t} %d, %a, %b;", t, truncated_remainder) for t in _TYPES),
    *(Case(f"abs.{t} %d, %a;", f"a:{t}", f"d:{t}", each(abs)) for t in ("s16", "s32", "s64")),
    *(
        Case(f"neg.{t} %d, %a;", f"a:{t}", f"d:{t}", each(lambda a: -a))
        for t in ("s16", "s32", "s64")
    ),
    *(two(f"min.{t} %d, %a, %b;", t, min) for t in _TYPES),
    *(two(f"max.{t} %d, %a, %b;", t, max) for t in _TYPES),
    *(packed(f"min.{t} %d, %a, %b;", t, min) for t in ("u16x2", "s16x2")),
    *(packed(f"max.{t} %d, %a, %b;", t, max) for t in ("u16x2", "s16x2")),
    two("min.relu.s32 %d, %a, %b;", "s32", lambda a, b: max(min(a, b), 0)),
    two("max.relu.s32 %d, %a, %b;", "s32", lambda a, b: max(a, b, 0)),
    packed("min.relu.s16x2 %d, %a, %b;", "s16x2", lambda a, b: max(min(a, b), 0)),
    Case(
        "fns.b32 %d, %a, %b, %c;",
        "a:b32 b:u32 c:s32",
        "d:b32",
        each(nth_set_bit),
        values={
            "b": np.arange(34, dtype=np.uint32),
            "c": np.arange(-6, 7, dtype=np.int32),
        },
    ),
    Case(
        "vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;",
        "a:u32 b:u32 c:u32",
        "d:u32",
        each(lambda a, b, c: sum(byte_differences(a, b)) + c),
    ),
    Case(
        "vabsdiff4.u32.u32.u32 %d, %a, %b, %c;",
        "a:u32 b:u32 c:u32",
        "d:u32",
        each(lambda a, b, _: sum(x << 8 * i for i, x in enumerate(byte_differences(a, b)))),
    ),
    *(Case(f"popc.{t} %d, %a;", f"a:{t}", "d:u32", each(int.bit_count)) for t in ("b32", "b64")),
    *(
        Case(f"clz.{t} %d, %a;", f"a:{t}", "d:u32", each(partial(leading_zeros, bits=_WIDTHS[t])))
        for t in ("b32", "b64")
    ),
    *(
        Case(
            f"bfind{suffix}.{t} %d, %a;",
            f"a:{t}",
            "d:u32",
            each(partial(first_bit, bits=_WIDTHS[t], shift=bool(suffix))),
        )
        for t in _WORDS
        for suffix in ("", ".shiftamt")
    ),
    *(
        Case(
            f"brev.{t} %d, %a;",
            f"a:{t}",
            f"d:{t}",
            each(partial(reversed_bits, bits=_WIDTHS[t])),
        )
        for t in ("b32", "b64")
    ),
    *(
        Case(
            f"bfe.{t} %d, %a, %b, %c;",
            f"a:{t} b:u32 c:u32",
            f"d:{t}",
            each(partial(field, bits=_WIDTHS[t], signed=t[0] == "s")),
        )
        for t in _WORDS
    ),
    *(
        Case(
            f"bfi.{t} %d, %a, %b, %p, %n0;",
            f"a:{t} b:{t} p:u32 n0:u32",
            f"d:{t}",
            each(partial(insert, bits=_WIDTHS[t])),
        )
        for t in ("b32", "b64")
    ),
    *(
        Case(
            f"szext.{mode}.{t} %d, %a, %b;",
            f"a:{t} b:u32",
            f"d:{t}",
            each(partial(extended, mode=mode, signed=t == "s32")),
        )
        for t in ("u32", "s32")
        for mode in ("clamp", "wrap")
    ),
    *(
        Case(
            f"bmsk.{mode}.b32 %d, %a, %b;",
            "a:u32 b:u32",
            "d:b32",
            each(partial(bit_mask, mode=mode)),
        )
        for mode in ("clamp", "wrap")
    ),
    *(
        Case(
            f"dp4a.{x}.{y} %d, %a, %b, %c;",
            "a:b32 b:b32 c:b32",
            "d:b32",
            each(partial(dot4, first=x, second=y)),
        )
        for x in ("u32", "s32")
        for y in ("u32", "s32")
    ),
    *(
        Case(
            f"dp2a.{half}.{x}.{y} %d, %a, %b, %c;",
            "a:b32 b:b32 c:b32",
            "d:b32",
            each(partial(dot2, half=half, first=x, second=y)),
        )
        for half in ("lo", "hi")
        for x in ("u32", "s32")
        for y in ("u32", "s32")
    ),
    *(case for t in _WORDS for case in extended_cases(t)),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)
