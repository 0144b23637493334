"""Number formats on numpy alone: bits to doubles, floats to bits, and how results are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

BITS_OF_FORMAT: dict[str, Any] = {
    "bfloat16": np.uint16,
    "float8_e4m3fn": np.uint8,
    "float8_e5m2": np.uint8,
    "float8_e8m0fnu": np.uint8,
}
"""Formats that numpy lacks, and the integers that hold their bits."""


def storage_of(name: str) -> np.dtype[Any]:
    """The numpy type that an array of a format is stored in: its own, or that of its bits."""
    return np.dtype(BITS_OF_FORMAT.get(name, name))


def _byte_float(exponents: int, mantissas: int, bias: int, fn: bool) -> Array:
    """The values of all 256 bytes of an 8-bit float; `fn` has no infinity and one NaN a sign."""
    bits = np.arange(256)
    exponent = bits >> mantissas & (1 << exponents) - 1
    mantissa = bits & (1 << mantissas) - 1
    normal = exponent > 0
    significand = np.where(normal, 1.0, 0.0) + mantissa / (1 << mantissas)
    values = significand * 2.0 ** (np.where(normal, exponent, 1) - bias)
    last = exponent == (1 << exponents) - 1
    if fn:
        values[last & (mantissa == (1 << mantissas) - 1)] = np.nan
    else:
        values[last] = np.where(mantissa[last] == 0, np.inf, np.nan)
    return np.where(bits & 128, -values, values)


BYTE_VALUES: dict[str, Array] = {
    "float8_e4m3fn": _byte_float(4, 3, 7, fn=True),
    "float8_e5m2": _byte_float(5, 2, 15, fn=False),
    "float8_e8m0fnu": np.where(np.arange(256) == 255, np.nan, 2.0 ** (np.arange(256) - 127.0)),
}
"""What each byte means (OCP 8-bit floating point and microscaling formats)."""


def as_doubles(stored: Array, name: str) -> Array:
    """The numbers in an array of a format as float64; integers beyond 2**53 are rounded."""
    if name in BYTE_VALUES:
        return BYTE_VALUES[name][stored]
    if name == "bfloat16":
        stored = as_singles(stored, name)
    # numpy warns of signaling NaN.
    with np.errstate(invalid="ignore"):
        return stored.astype(np.float64)


def as_singles(stored: Array, name: str) -> Array:
    """The numbers in an array of a format of at most 32 bits as float32."""
    if name == "bfloat16":
        return (stored.astype(np.uint32) << 16).view(np.float32)
    return as_doubles(stored, name).astype(np.float32)


def as_stored(values: Array, name: str) -> Array:
    """Finite floats rounded to nearest, ties to even, and stored in a format."""
    if name == "bfloat16":
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
        return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)
    if name in BYTE_VALUES:
        positive = BYTE_VALUES[name][:128]
        finite = positive[np.isfinite(positive)]
        sizes = np.abs(np.asarray(values, np.float64))
        above = np.searchsorted(finite, sizes).clip(1, len(finite) - 1)
        low, high = finite[above - 1], finite[above]
        odd_below = (above - 1) % 2 == 1
        up = (sizes - low > high - sizes) | ((sizes - low == high - sizes) & odd_below)
        code = np.where(up, above, above - 1)
        return (code | np.where(np.signbit(values), 128, 0)).astype(np.uint8)
    return np.asarray(values).astype(storage_of(name))


def is_float(name: str) -> bool:
    """Whether NaNs of a format count as equal."""
    return name in BITS_OF_FORMAT or np.dtype(name).kind == "f"


def bits_of_array(stored: Array) -> Array:
    """The bits of the elements, as unsigned integers."""
    plain = np.ascontiguousarray(stored)
    return plain.view(np.dtype(f"u{plain.itemsize}"))


def differs(got: Array, expected: Array, name: str, error: Array | float) -> Array:
    """Where a result is wrong: bits for an error of zero, else doubles; NaN is equal to NaN."""
    with np.errstate(all="ignore"):
        exact = isinstance(error, float | int) and error == 0
        equal = bits_of_array(got) == bits_of_array(expected)
        if exact and not is_float(name):
            return ~equal
        a, b = as_doubles(got, name), as_doubles(expected, name)
        nan = np.isnan(a) & np.isnan(b)
        if exact:
            return ~(equal | nan)
        return ~((a == b) | (np.abs(a - b) <= error) | nan)
