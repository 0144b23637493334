"""Sine, cosine and tangent.

`x = n * pi / 2 + r` with an integer n and |r| at most pi / 4. Polynomials of r yield its sine and
cosine; n selects one of them and its sign. Up to a limit, `n * pi / 2` is subtracted in three
parts, the first exactly (Cody and Waite). Beyond the limit, n and r are computed from as many bits
of 2 / pi as the number needs (Payne and Hanek). Most programs never need the reduction beyond the
limit.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, TensorType, i1, i32, i64
from xdsl.ir import Block, SSAValue

from tileir_xdsl.dialects.llvm import UIToFPOp
from tileir_xdsl.dialects.llvm.values import ExtractElementOp
from tileir_xdsl.transforms.convert_tileas_to_llvm.math import numbers

from ..thread.program import ThreadRewriter
from . import coefficients

ReadWord: TypeAlias = Callable[[numbers.Word, int], numbers.Word]
"""Reads the word of `TWO_OVER_PI` at a constant distance after a first one."""


@dataclass(frozen=True)
class Table:
    """The target-dependent parts of the reduction of large angles."""

    open: Callable[[], ReadWord]
    """Makes `TWO_OVER_PI` available."""
    high_product: Callable[[numbers.Word, numbers.Word], numbers.Word]
    """The upper half of the unsigned product of two i64."""


TWO_OVER_PI = (
    0x0000000000000000,
    0xA2F9836E4E441529,
    0xFC2757D1F534DDC0,
    0xDB6295993C439041,
    0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0,
    0x06492EEA09D1921C,
    0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484,
    0xE99C7026B45F7E41,
    0x3991D639835339F4,
    0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F,
    0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08,
    0x56033046FC7B6BAB,
)
"""A word of zeros, and the fraction bits of 2 / pi."""

QUARTERS_PER_RADIAN = 0.6366197723675814
"""2 / pi."""

HALF_PI: dict[numbers.Format, tuple[float, float, float]] = {
    numbers.F32: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    numbers.F64: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
}
"""pi / 2 as a sum of three numbers of each format."""

# n needs its bits in the last place of a sum, and its product with the first part must be exact.
LIMIT: dict[numbers.Format, float] = {numbers.F32: 2.0**17, numbers.F64: 2.0**30}
"""The limit beyond which three parts of pi / 2 are not accurate enough."""


def signed_words() -> list[int]:
    """`TWO_OVER_PI` as signed 64-bit numbers."""
    return [word - (1 << 64) if word >> 63 else word for word in TWO_OVER_PI]


def table_of(rewriter: ThreadRewriter) -> Table:
    """A table in constant memory, which only programs that read it define."""

    def open() -> ReadWord:
        type = TensorType(i64, (len(TWO_OVER_PI),))
        elements = DenseIntOrFPElementsAttr.from_list(type, signed_words())
        address = rewriter.constant_array(elements, i64)

        def read(first: numbers.Word, position: int) -> numbers.Word:
            builder = first.builder
            pointer = builder.element_pointer(address, first.value, i64)
            pointer = builder.element_pointer(pointer, position, i64)
            return numbers.Word(builder, builder.insert(llvm.LoadOp(pointer, i64, 8)))

        return read

    return Table(open, numbers.Word.high_product)


@dataclass(frozen=True)
class Angle:
    """r and its error, and a word whose last two bits are n modulo 4."""

    rest: numbers.Real
    error: numbers.Real
    quarter: numbers.Word


def angle_of(x: numbers.Real, table: Table) -> Angle:
    """The reduction of a number's magnitude, computed once for all functions of the number."""

    def parts() -> tuple[SSAValue, ...]:
        angle = reduced(abs(x), table)
        return angle.rest.value, angle.error.value, angle.quarter.value

    # Programs often take sine and cosine of one angle, as rotary embeddings do.
    rest, error, quarter = x.builder.once(("angle", x.value), parts)
    return Angle(
        numbers.Real(x.builder, rest),
        numbers.Real(x.builder, error),
        numbers.Word(x.builder, quarter),
    )


def reduced(magnitude: numbers.Real, table: Table) -> Angle:
    """Reduces a non-negative number."""
    builder, format = magnitude.builder, magnitude.format
    near = _reduced_near(magnitude)
    values = [near.rest.value, near.error.value, near.quarter.value]
    types = [value.type for value in values]
    far, after = Block(), Block(arg_types=types)
    is_far = magnitude.compare("oge", LIMIT[format])
    if numbers.lanes_of(magnitude.value) is not None:
        return _reduced_lanes(magnitude, near, is_far, table)
    builder.insert_without_result(llvm.CondBrOp(is_far, far, [], after, values))
    builder.enter(far)
    builder.open_scope()
    parts = _reduced_far_parts(magnitude, table)
    builder.insert_without_result(llvm.BrOp(after, *parts))
    builder.close_scope()
    builder.enter(after)
    rest, error, quarter = after.args
    return Angle(
        numbers.Real(builder, rest), numbers.Real(builder, error), numbers.Word(builder, quarter)
    )


def _reduced_far_parts(
    magnitude: numbers.Real, table: Table
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Reduces a large angle; returns the fields of `Angle` in the number's format."""
    format = magnitude.format
    # In f64 for f32 as well: one routine, and no f32 has more than 24 of its 53 digits.
    angle = _reduced_far(magnitude.in_format(numbers.F64), table)
    rest = angle.rest.in_format(format)
    error = (angle.rest - rest.in_format(numbers.F64) + angle.error).in_format(format)
    quarter = magnitude.builder.truncate(angle.quarter.value, format.word)
    assert isinstance(quarter, SSAValue)
    return rest.value, error.value, quarter


def _reduced_lanes(magnitude: numbers.Real, near: Angle, is_far: SSAValue, table: Table) -> Angle:
    """Reduces a vector of angles; if any lane is large, a loop reduces the large lanes one by
    one.
    """
    builder, format = magnitude.builder, magnitude.format
    lanes = numbers.lanes_of(magnitude.value)
    assert lanes is not None
    values = [near.rest.value, near.error.value, near.quarter.value]
    types = [value.type for value in values]
    loop, after = Block(arg_types=[i32, *types]), Block(arg_types=types)
    name = f"llvm.vector.reduce.or.v{lanes}i1"
    any_is_far = builder.insert(llvm.CallIntrinsicOp(name, [is_far], [i1]))
    start = [builder.integer(0, i32), *values]
    builder.insert_without_result(llvm.CondBrOp(any_is_far, loop, start, after, values))
    builder.enter(loop)
    builder.open_scope()
    lane, *carried = loop.args
    number = numbers.Real(builder, builder.insert(ExtractElementOp(magnitude.value, lane)))
    large = number.compare("oge", LIMIT[format])
    # Small angles have no bits of 2 / pi to be multiplied by.
    parts = _reduced_far_parts(numbers.select(large, number, LIMIT[format]), table)
    next_values = list[SSAValue]()
    for part, vector in zip(parts, carried, strict=True):
        kept = builder.insert(ExtractElementOp(vector, lane))
        chosen = builder.select(large, part, kept)
        next_values.append(builder.insert(llvm.InsertElementOp(vector, chosen, lane)))
    following = builder.compute(llvm.AddOp, lane, builder.integer(1, i32))
    more = builder.compare("ult", following, builder.integer(lanes, i32))
    back = llvm.CondBrOp(more, loop, [following, *next_values], after, next_values)
    builder.insert_without_result(back)
    builder.close_scope()
    builder.enter(after)
    rest, error, quarter = after.args
    return Angle(
        numbers.Real(builder, rest), numbers.Real(builder, error), numbers.Word(builder, quarter)
    )


def _reduced_near(x: numbers.Real) -> Angle:
    first, second, third = HALF_PI[x.format]
    n, word = numbers.nearest_integer(x, QUARTERS_PER_RADIAN)
    rest = n.times_plus(-first, x)
    product = n * second
    result = rest - product
    error = (rest - result) - product
    error = error - n.times_plus(second, -product)
    return Angle(result, n.times_plus(-third, error), word)


def _reduced_far(x: numbers.Real, table: Table) -> Angle:
    """Reduces a large f64 `m * 2**e`: multiplies m by the bits of 2 / pi that do not yield whole
    turns.
    """
    builder, bits = x.builder, x.bits
    mantissa = (bits & ((1 << 52) - 1)) | (1 << 52)
    exponent = bits.shift_right_logical(52) - (1023 + 52)
    # Bits of the table whose product with x is a multiple of 4 are skipped.
    skipped = exponent + (64 - 2)
    read = table.open()
    first, shift = skipped.shift_right_logical(6), skipped & 63
    # Four words make the 192 bits from any bit on that the product needs.
    words = [read(first, position) for position in range(4)]
    window = [
        (left << shift) | right.shift_right_logical(1).shift_right_logical(shift ^ 63)
        for left, right in itertools.pairwise(words)
    ]
    low = mantissa * window[1]
    total = low + table.high_product(mantissa, window[2])
    carry = numbers.Word(builder, builder.insert(llvm.ZExtOp(total.is_below(low), i64)))
    high = mantissa * window[0] + table.high_product(mantissa, window[1]) + carry
    # The upper two bits, rounded, are n; the rest is a fraction with a sign.
    quarter = (high + (1 << 61)).shift_right_logical(62)
    fraction = high - (quarter << 62)
    sign = fraction >> 63
    upper, lower = fraction ^ sign, total ^ sign
    leading = x.from_integer(upper)
    left = x.from_integer(upper - leading.to_integer())
    trailing = numbers.Real(builder, builder.insert(UIToFPOp(lower.value, numbers.F64.type)))
    number = numbers.sum_of(leading, trailing.times_plus(2.0**-64, left))
    first_part, second_part, _ = HALF_PI[numbers.F64]
    unit = 2.0**-62
    rest = number.high * (first_part * unit)
    error = number.high.times_plus(first_part * unit, -rest)
    error = number.high.times_plus(second_part * unit, error)
    error = number.low.times_plus(first_part * unit, error)
    is_negative = builder.compare("ne", sign.value, builder.integer(0, i64))
    return Angle(
        numbers.select(is_negative, -rest, rest),
        numbers.select(is_negative, -error, error),
        quarter,
    )


def sine_and_cosine(angle: Angle) -> tuple[numbers.Real, numbers.Real]:
    """The sine and cosine of r, corrected by its error."""
    r, error = angle.rest, angle.error
    type, z = r.format.type, r * r
    sine_tail = z.polynomial(coefficients.SINE[type])
    sine = r + (z * r).times_plus(sine_tail, error.times_plus(z * -0.5, error))
    cosine_tail = z.polynomial(coefficients.COSINE[type])
    start = numbers.sum_of(r.of(1.0), z * -0.5)
    cosine = start.high + (z * z).times_plus(cosine_tail, (-r).times_plus(error, start.low))
    return sine, cosine


def _is_odd(word: numbers.Word) -> SSAValue:
    return (word & 1).equals(1)


def _finish(x: numbers.Real, result: numbers.Real, sign: numbers.Word) -> numbers.Real:
    """The result with its sign flipped if the word's top bit is set; NaN for infinite `x`."""
    type = x.format.word
    assert isinstance(type, IntegerType)
    flipped = result.from_bits(result.bits ^ (sign & -(1 << (type.width.data - 1))))
    # Infinity less itself is the NaN that `sin` of infinity is.
    return numbers.select(abs(x).compare("olt", float("inf")), flipped, x - x)


def _to_sign(word: numbers.Word, bit: int, format: numbers.Format) -> numbers.Word:
    """Shifts one of the low bits of a word to the sign bit."""
    return word << (format.word.width.data - 1 - bit)


def sin(x: numbers.Real, table: Table) -> numbers.Real:
    """The sine."""
    angle = angle_of(x, table)
    sine, cosine = sine_and_cosine(angle)
    chosen = numbers.select(_is_odd(angle.quarter), cosine, sine)
    return _finish(x, chosen, _to_sign(angle.quarter, 1, x.format) ^ x.bits)


def cos(x: numbers.Real, table: Table) -> numbers.Real:
    """The cosine."""
    angle = angle_of(x, table)
    sine, cosine = sine_and_cosine(angle)
    chosen = numbers.select(_is_odd(angle.quarter), sine, cosine)
    return _finish(x, chosen, _to_sign(angle.quarter + 1, 1, x.format))


def tan(x: numbers.Real, table: Table) -> numbers.Real:
    """The tangent."""
    angle = angle_of(x, table)
    sine, cosine = sine_and_cosine(angle)
    is_odd = _is_odd(angle.quarter)
    quotient = numbers.select(is_odd, cosine, sine) / numbers.select(is_odd, sine, cosine)
    return _finish(x, quotient, _to_sign(angle.quarter, 0, x.format) ^ x.bits)


def sin_approx(x: numbers.Real) -> numbers.Real:
    """The sine of an f32 by the hardware."""
    return numbers.Real(
        x.builder, x.builder.insert(llvm.FSinOp(x.value, fast_math=numbers.APPROXIMATE))
    )


def cos_approx(x: numbers.Real) -> numbers.Real:
    """The cosine of an f32 by the hardware."""
    return numbers.Real(
        x.builder, x.builder.insert(llvm.FCosOp(x.value, fast_math=numbers.APPROXIMATE))
    )
