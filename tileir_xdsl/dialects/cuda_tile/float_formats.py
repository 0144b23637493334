"""Bit-exact conversion between numbers and the floating-point element types, and their text.

Source of the encodings: IEEE 754, and the OCP 8-bit and microscaling formats. Source of the three
ways to write a float: the Tile IR specification and MLIR's textual format.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class FloatFormat:
    """Layout of one floating-point type: sign, exponent and mantissa fields, high to low.

    `infinity`: all exponent bits set with mantissa 0 is infinity, other mantissas are NaN. `nan`:
    bits of the canonical NaN without sign, or None if every pattern is a number. `zero`: exponent 0
    holds zero and subnormals; without this field, the type has neither (f8E8M0FNU).
    """

    width: int
    mantissa_bits: int
    bias: int
    nan: int | None
    infinity: bool = True
    signed: bool = True
    zero: bool = True

    @property
    def storage_bytes(self) -> int:
        """Bytes of one stored element."""
        return (self.width + 7) // 8

    @property
    def exponent_bits(self) -> int:
        """Width of the exponent field."""
        return self.width - self.mantissa_bits - int(self.signed)

    @property
    def largest(self) -> int:
        """Bits of the largest finite value."""
        all_ones = (1 << (self.width - int(self.signed))) - 1
        if self.infinity:
            return (((1 << self.exponent_bits) - 1) << self.mantissa_bits) - 1
        return all_ones if self.nan is None else all_ones - 1


FORMATS: dict[str, FloatFormat] = {
    "f16": FloatFormat(16, 10, 15, 0x7E00),
    "bf16": FloatFormat(16, 7, 127, 0x7FC0),
    "f32": FloatFormat(32, 23, 127, 0x7FC00000),
    "f64": FloatFormat(64, 52, 1023, 0x7FF8000000000000),
    "tf32": FloatFormat(19, 10, 127, 0x3FE00),
    "f8E4M3FN": FloatFormat(8, 3, 7, 0x7F, infinity=False),
    "f8E5M2": FloatFormat(8, 2, 15, 0x7E),
    "f8E8M0FNU": FloatFormat(8, 0, 127, 0xFF, infinity=False, signed=False, zero=False),
    "f4E2M1FN": FloatFormat(4, 1, 1, None, infinity=False),
    "fnv8E5M3FNU": FloatFormat(8, 3, 15, 0xFF, infinity=False, signed=False),
}
"""Every floating-point element type by its name."""


def holds_all(layout: FloatFormat, other: FloatFormat) -> bool:
    """Whether every finite value of `other` is one of `layout`."""
    return (
        layout.mantissa_bits >= other.mantissa_bits
        and layout.bias >= other.bias
        and decode(layout.largest, layout) >= decode(other.largest, other)
        and layout.signed >= other.signed
    )


def decode(bits: int, layout: FloatFormat) -> float:
    """The value of `bits`; exact, because every type here is a subset of f64."""
    sign = -1.0 if layout.signed and bits >> (layout.width - 1) else 1.0
    magnitude = bits & ((1 << (layout.width - int(layout.signed))) - 1)
    if magnitude > layout.largest:
        if layout.infinity and magnitude == layout.largest + 1:
            return sign * math.inf
        return math.nan
    exponent, mantissa = (
        magnitude >> layout.mantissa_bits,
        magnitude & ((1 << layout.mantissa_bits) - 1),
    )
    if exponent == 0 and layout.zero:
        return sign * math.ldexp(mantissa, 1 - layout.bias - layout.mantissa_bits)
    significand = mantissa | (1 << layout.mantissa_bits)
    return sign * math.ldexp(significand, exponent - layout.bias - layout.mantissa_bits)


def encode(value: float, layout: FloatFormat) -> int:
    """The bits nearest to `value`, ties to even.

    Values out of range become infinity, or NaN if the type has no infinity, or the largest value if
    it has neither. Types without a sign encode the magnitude.
    """
    sign_bit = 1 << (layout.width - 1) if layout.signed and math.copysign(1.0, value) < 0 else 0
    if math.isnan(value):
        return sign_bit | (layout.largest if layout.nan is None else layout.nan)
    if math.isinf(value):
        return sign_bit | _overflow(layout)
    # Few programs have a constant that is neither zero, infinite nor NaN.
    from fractions import Fraction

    magnitude = abs(Fraction(value))
    if magnitude == 0:
        return sign_bit
    exponent = math.frexp(float(value))[1] - 1
    lowest = (1 if layout.zero else 0) - layout.bias
    scaled = magnitude / Fraction(2) ** (max(exponent, lowest) - layout.mantissa_bits)
    significand = round(scaled)
    bits = significand + ((max(exponent, lowest) - lowest) << layout.mantissa_bits)
    if not layout.zero:
        bits -= 1
    if bits > layout.largest:
        return sign_bit | _overflow(layout)
    return sign_bit | max(bits, 0)


def _overflow(layout: FloatFormat) -> int:
    if layout.infinity:
        return layout.largest + 1
    return layout.largest if layout.nan is None else layout.nan


def float_text(bits: int, layout: FloatFormat) -> str:
    """The text of a float: six digits if they parse to the same bits. Otherwise the text has as
    many digits as the type needs, or is the bits in hexadecimal if those digits have no point.
    Infinity and NaN are hexadecimal, too.
    """
    value = decode(bits, layout)
    if math.isfinite(value):
        text = _scientific(value, 6)
        if encode(float(text), layout) == bits:
            return text
        text = _shortest(value, layout)
        if "." in text:
            return text
    return f"0x{bits:X}"


def _digits(value: float, precision: int) -> tuple[str, int]:
    """Significant digits of `|value|` without trailing zeros, and the exponent of the last one.

    Returns at most `precision` digits. As in LLVM, most further digits are truncated before the
    number is rounded half up. So the last digit may be one too small.
    """
    numerator, denominator = abs(value).as_integer_ratio()
    exponent = 1 - denominator.bit_length()
    number = numerator * 5**-exponent
    # 196 / 59 is slightly more than the binary logarithm of 10.
    excess = number.bit_length() - (precision * 196 + 58) // 59
    if excess > 0:
        removable = excess * 59 // 196
        number //= 10**removable
        exponent += removable
    digits = str(number)
    if len(digits) > precision:
        cut = len(digits) - precision
        exponent += cut
        digits = str(int(digits[:precision]) + (digits[precision] >= "5"))
    stripped = digits.rstrip("0") or "0"
    return stripped, exponent + len(digits) - len(stripped)


def _sign(value: float) -> str:
    return "-" if math.copysign(1.0, value) < 0 else ""


def _scientific(value: float, precision: int) -> str:
    """`1.500000e+00`."""
    digits, exponent = _digits(value, precision)
    exponent = exponent + len(digits) - 1 if value else 0
    sign = "-" if exponent < 0 else "+"
    return f"{_sign(value)}{digits[0]}.{digits[1:]:0<{precision}}e{sign}{abs(exponent):02d}"


def _shortest(value: float, layout: FloatFormat) -> str:
    """A text with enough digits to round-trip; without an exponent if that needs few zeros."""
    precision = 2 + (layout.mantissa_bits + 1) * 59 // 196
    digits, exponent = _digits(value, precision)
    most_significant = exponent + len(digits) - 1
    if exponent >= 0:
        if exponent <= 3 and len(digits) + exponent <= precision:
            return _sign(value) + digits + "0" * exponent
    elif most_significant >= 0:
        whole = most_significant + 1
        return f"{_sign(value)}{digits[:whole]}.{digits[whole:]}"
    elif most_significant >= -3:
        return f"{_sign(value)}0.{'0' * (-most_significant - 1)}{digits}"
    sign = "-" if most_significant < 0 else "+"
    return f"{_sign(value)}{digits[0]}.{digits[1:] or '0'}E{sign}{abs(most_significant)}"
