"""Element formats and rounding, on numpy arrays.

This module defines the numpy storage of element types, and the only function that rounds.
`round_to_format` takes a double-precision value, and the sign of the remainder beyond it. This
function rounds once to any format of at most 24 bits of precision, in any IEEE mode.

Storage: `i1` is `bool`, and `iN` is the signed `intN`. `tf32` is `float32` with multiples of the
tf32 quantum, and `fnv8E5M3FNU` is `float32` with the values of that format. Every other format is
the numpy or `ml_dtypes` type of the same name. Formats: Tile IR specification, "Element Types"; PTX
ISA, "Alternate Floating-Point Data Formats".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tileir_xdsl.dialects.cuda_tile.stored_elements import E5M3_NUMBERS

Array: TypeAlias = NDArray[Any]


class RoundingMode(StrEnum):
    """The five IEEE rounding modes, spelled as in Tile IR's `rounding<..>`.

    Ties away from zero are for conversions only.
    """

    NEAREST_EVEN = "nearest_even"
    NEAREST_AWAY = "nearest_away"
    ZERO = "zero"
    NEGATIVE_INF = "negative_inf"
    POSITIVE_INF = "positive_inf"


_APPROXIMATE = ("approx", "full", "nearest_int_to_zero")


def ieee_mode(name: str) -> RoundingMode:
    """The IEEE mode for a rounding mode of Tile IR.

    Approximate modes round to nearest, which is within every error bound of the specification.
    """
    return RoundingMode.NEAREST_EVEN if name in _APPROXIMATE else RoundingMode(name)


@dataclass(frozen=True)
class FloatFormat:
    """A binary floating-point format.

    `precision` counts the implicit bit, and `bits` is the width in memory. `min_exponent` and
    `max_exponent` are the exponents of the smallest and of the largest normal number, written as
    `1.f * 2**e`. `canonical_nan` is the bit pattern of NaN results of arithmetic (PTX ISA).
    """

    name: str
    dtype: np.dtype[Any]
    bits: int
    precision: int
    min_exponent: int
    max_finite: float
    canonical_nan: int
    has_infinity: bool = True
    has_nan: bool = True

    @property
    def min_normal(self) -> float:
        """The smallest positive normal number."""
        return 2.0**self.min_exponent


def _format(
    name: str,
    dtype: Any,
    bits: int,
    precision: int,
    min_exponent: int,
    max_finite: float,
    canonical_nan: int,
    has_infinity: bool = True,
    has_nan: bool = True,
) -> FloatFormat:
    return FloatFormat(
        name,
        np.dtype(dtype),
        bits,
        precision,
        min_exponent,
        max_finite,
        canonical_nan,
        has_infinity,
        has_nan,
    )


F16 = _format("f16", np.float16, 16, 11, -14, 65504.0, 0x7FFF)
BF16 = _format("bf16", ml_dtypes.bfloat16, 16, 8, -126, (2 - 2.0**-7) * 2.0**127, 0x7FFF)
TF32 = _format("tf32", np.float32, 32, 11, -126, (2 - 2.0**-10) * 2.0**127, 0x7FFFFFFF)
F32 = _format("f32", np.float32, 32, 24, -126, (2 - 2.0**-23) * 2.0**127, 0x7FFFFFFF)
F64 = _format("f64", np.float64, 64, 53, -1022, float(np.finfo(np.float64).max), 0x7FF8000000000000)
F8E4M3FN = _format("f8E4M3FN", ml_dtypes.float8_e4m3fn, 8, 4, -6, 448.0, 0x7F, has_infinity=False)
F8E5M2 = _format("f8E5M2", ml_dtypes.float8_e5m2, 8, 3, -14, 57344.0, 0x7F)
# A power of two without sign, zero or subnormals: precision 1, smallest value 2**-127.
F8E8M0FNU = _format(
    "f8E8M0FNU", ml_dtypes.float8_e8m0fnu, 8, 1, -127, 2.0**127, 0xFF, has_infinity=False
)
F4E2M1FN = _format(
    "f4E2M1FN", ml_dtypes.float4_e2m1fn, 4, 2, 0, 6.0, 0, has_infinity=False, has_nan=False
)
# Without a sign: the magnitude of a negative number.
F8E5M3FNU = _format(
    "fnv8E5M3FNU", np.float32, 8, 4, -14, 1.75 * 2.0**16, 0x7FFFFFFF, has_infinity=False
)

FLOAT_FORMATS = {
    f.name: f for f in (F16, BF16, TF32, F32, F64, F8E4M3FN, F8E5M2, F8E8M0FNU, F4E2M1FN, F8E5M3FNU)
}
"""All float formats, by the name of the element type."""

INTEGER_DTYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.bool_),
    4: np.dtype(ml_dtypes.int4),
    8: np.dtype(np.int8),
    16: np.dtype(np.int16),
    32: np.dtype(np.int32),
    64: np.dtype(np.int64),
}
"""The storage of the signless integers, by width."""


@dataclass(frozen=True)
class Element:
    """An element type: its name, its storage in numpy, and its bits in global memory.

    In memory an `i1` takes one byte and a `tf32` four bytes. `float_format` is None for integers
    and pointers.
    """

    name: str
    dtype: np.dtype[Any]
    bits: int
    float_format: FloatFormat | None = None


ELEMENTS: dict[str, Element] = {
    **{f"i{w}": Element(f"i{w}", dtype, max(w, 8)) for w, dtype in INTEGER_DTYPES.items()},
    **{name: Element(name, fmt.dtype, fmt.bits, fmt) for name, fmt in FLOAT_FORMATS.items()},
}
"""All element types that are numbers, by name."""

ADDRESS_DTYPE: np.dtype[Any] = np.dtype(np.int64)
"""The storage of a pointer: its byte address."""

POINTER = Element("ptr", ADDRESS_DTYPE, 64)
"""The element type of a tile of pointers."""


def to_bits(values: Array, element: Element) -> Array:
    """The bits of elements in memory; `i1` and every small float fill a byte."""
    if element.float_format is F8E5M3FNU:
        return np.searchsorted(E5M3_NUMBERS, values).astype(np.uint8)
    return np.asarray(values, element.dtype).view(memory_dtype(element))


def from_bits(bits: Array, element: Element) -> Array:
    """Converts bits in memory to elements. Each nonzero byte is a true `i1`."""
    if element.float_format is F8E5M3FNU:
        return np.asarray(E5M3_NUMBERS[bits])
    # Tile IR specification, `load_ptr_tko`.
    return np.asarray(bits != 0) if element.dtype == np.bool_ else bits.view(element.dtype)


def memory_dtype(element: Element) -> np.dtype[Any]:
    """The numpy type for the bits of an element in memory."""
    return np.dtype(f"u{max(element.bits // 8, 1)}")


def with_canonical_nan(values: Array, fmt: FloatFormat) -> Array:
    """`values` with every NaN replaced by the canonical NaN of `fmt`.

    A CPU propagates payloads and signs of NaN operands; GPU arithmetic does not.
    """
    if _has_no_nan(values):
        return values
    nan = np.isnan(values)
    bits = np.dtype(f"u{values.dtype.itemsize}")
    patterns = values.view(bits)
    return np.where(nan, bits.type(fmt.canonical_nan), patterns).view(values.dtype)


def _has_no_nan(values: Array) -> bool:
    if values.dtype in _DOT_DTYPES and values.flags.c_contiguous:
        # A sum of squares, in which infinities cannot cancel: much faster than a test of each.
        flat = values.reshape(-1)
        with np.errstate(all="ignore"):
            return not np.isnan(np.dot(flat, flat))
    return not np.isnan(values).any()


_DOT_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))
"""Types for which numpy calls BLAS."""


def flush_subnormals(values: Array) -> Array:
    """`values` (float32) with every subnormal replaced by the zero of the same sign."""
    tiny = np.abs(values) < np.float32(F32.min_normal)
    return np.where(tiny, np.copysign(np.float32(0), values), values)


def _is_exact(remainder_sign: Array | int) -> bool:
    return isinstance(remainder_sign, int) and remainder_sign == 0


def round_to_format(
    values: Array,
    fmt: FloatFormat,
    mode: RoundingMode = RoundingMode.NEAREST_EVEN,
    remainder_sign: Array | int = 0,
) -> Array:
    """Round double-precision `values` once to `fmt`.

    The exact number to round is `values + r`. Here, `r` is smaller than half a unit in the last
    place of the double. The sign of `r` is `remainder_sign` (-1, 0 or 1, one per element or for
    all). Given the remainder of a previous operation, the result is the correctly rounded exact
    result of that operation in any mode.

    Overflow gives infinity or the largest finite number as IEEE 754 prescribes for the mode. A
    format without infinity gives NaN instead, and a format without NaN its largest number. `fmt`
    may be any format but `F64`.
    """
    values = np.asarray(values, dtype=np.float64)
    if fmt is F32 and mode is RoundingMode.NEAREST_EVEN and _is_exact(remainder_sign):
        with np.errstate(over="ignore"):
            return with_canonical_nan(values.astype(np.float32), F32)  # the CPU rounds this way
    negative = np.signbit(values)
    magnitude = np.abs(values)
    finite = np.isfinite(magnitude)
    magnitude = np.where(finite, magnitude, 0.0)
    below = np.where(negative, -1, 1) * np.asarray(remainder_sign, dtype=np.int64)

    _, exponent = np.frexp(magnitude)  # magnitude = m * 2**exponent, 0.5 <= m < 1
    quantum_of_min = fmt.min_exponent - fmt.precision + 1
    quantum = np.maximum(exponent - fmt.precision, quantum_of_min)
    # Just under a power of two the exact number belongs to the binade below, whose grid is finer.
    leaves_binade = (below < 0) & (np.ldexp(1.0, exponent - 1) == magnitude)
    quantum = np.where(leaves_binade, np.maximum(quantum - 1, quantum_of_min), quantum)

    scaled = np.ldexp(magnitude, -quantum)
    whole = np.floor(scaled)
    fraction = scaled - whole
    borrow = (fraction == 0) & (below < 0) & (scaled > 0)
    whole = np.where(borrow, whole - 1, whole)
    above_half = (fraction > 0.5) | ((fraction == 0.5) & (below > 0)) | borrow
    exact, is_half = (((fraction == part) & (below == 0)) for part in (0, 0.5))
    up = _rounds_up(mode, whole, exact, is_half, above_half, negative)
    rounded = np.ldexp(whole + up, quantum)

    overflows = finite & (rounded > fmt.max_finite)
    if overflows.any():
        towards_zero = (
            (mode is RoundingMode.ZERO)
            | ((mode is RoundingMode.POSITIVE_INF) & negative)
            | ((mode is RoundingMode.NEGATIVE_INF) & ~negative)
        )
        rounded = np.where(overflows, np.where(towards_zero, fmt.max_finite, np.inf), rounded)
    rounded = np.where(finite, rounded, np.abs(values))
    return _store(np.where(negative, -rounded, rounded), fmt)


def _rounds_up(
    mode: RoundingMode,
    whole: Array,
    exact: Array,
    is_half: Array,
    above_half: Array,
    negative: Array,
) -> Array:
    """Whether magnitudes are rounded up, from `whole` to the next number."""
    match mode:
        case RoundingMode.NEAREST_EVEN:
            return above_half | (is_half & (whole % 2 == 1))
        case RoundingMode.NEAREST_AWAY:
            return above_half | is_half
        case RoundingMode.ZERO:
            return np.zeros_like(exact)
        case RoundingMode.POSITIVE_INF:
            return ~exact & ~negative
        case RoundingMode.NEGATIVE_INF:
            return ~exact & negative


def _store(values: Array, fmt: FloatFormat) -> Array:
    """Converts values that `fmt` represents exactly, infinities and NaNs to its dtype."""
    if not fmt.has_nan:
        values = np.where(np.isnan(values), fmt.max_finite, values)
        values = np.clip(values, -fmt.max_finite, fmt.max_finite)
    elif not fmt.has_infinity:
        values = np.where(np.isinf(values), np.nan, values)
    if fmt is F8E5M3FNU:
        values = np.abs(values)
    if fmt.dtype.kind == "f":
        stored = values.astype(fmt.dtype)
    else:
        # ml_dtypes converts exactly from float32, which holds every value of its formats.
        stored = values.astype(np.float32).astype(fmt.dtype)
    return stored if not fmt.has_nan else with_canonical_nan(stored, fmt)


def to_double(values: Array) -> Array:
    """Converts `values` of any float format to double precision, exactly."""
    if values.dtype.kind == "f":
        return values.astype(np.float64)
    return values.astype(np.float32).astype(np.float64)
