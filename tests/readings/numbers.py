"""Special numbers by name, as bits of an element type, and bits as words."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.unit.interpreters.cuda_tile.elementwise import width_of as _width_of
from tileir_xdsl.dialects.cuda_tile.stored_elements import E5M3_NUMBERS
from tileir_xdsl.interpreters.numerics import ELEMENTS, FLOAT_FORMATS, Array

UNSIGNED = "fnv8E5M3FNU"
"""The one float that numpy lacks: its codes stand for it."""

TF32_STEP = 1 << 13
"""The last bit of a tf32 that an f32 has."""


def width_of(element: str) -> int:
    """The bits that hold one element: 4 of an f4E2M1FN, 32 of a tf32."""
    return 4 if element == "f4E2M1FN" else _width_of(element)


def is_float(element: str) -> bool:
    """Whether numbers of the type are floats."""
    return element in FLOAT_FORMATS or element == "tf32"


def _unsigned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{dtype.itemsize}")


def _unsigned_float_bits(symbol: str) -> int | None:
    """The code of a number of fnv8E5M3FNU, which numpy has no type for."""
    if symbol == "nan":
        return 0xFF
    wanted = E5M3_NUMBERS[1] if symbol == "subnormal" else _number(symbol)
    found = np.flatnonzero(wanted == E5M3_NUMBERS)
    return None if wanted is None or np.signbit(wanted) or not found.size else int(found[0])


def _number(symbol: str) -> np.float64 | None:
    if symbol == "least":
        return None
    return np.float64(2.0 ** int(symbol[2:]) if symbol.startswith("2^") else symbol)


def _float_bits(symbol: str, element: str) -> int | None:
    if element == UNSIGNED:
        return _unsigned_float_bits(symbol)
    dtype = ELEMENTS[element].dtype
    unsigned = _unsigned(dtype)
    if symbol == "subnormal":
        # The least number of an f8E8M0FNU is a normal one.
        return None if element == "f8E8M0FNU" else TF32_STEP if element == "tf32" else 1
    if symbol == "least":
        return 0 if element == "f8E8M0FNU" else None
    wanted = _number(symbol)
    assert wanted is not None
    with np.errstate(over="ignore", invalid="ignore"):
        made = np.array([wanted]).astype(np.float32 if dtype.itemsize < 4 else dtype).astype(dtype)
        back = np.float64(made.astype(np.float32 if dtype.itemsize < 4 else dtype)[0])
    same = np.isnan(back) if np.isnan(wanted) else back == wanted
    if not same or np.signbit(back) != np.signbit(wanted):
        return None
    if element == "f8E4M3FN" and np.isinf(wanted):
        return None
    return int(made.view(unsigned)[0])


def _integer_bits(symbol: str, element: str) -> int | None:
    width = width_of(element)
    named = {"least": 1 << (width - 1), "greatest": (1 << (width - 1)) - 1, "width": width}
    value = named[symbol] if symbol in named else int(symbol)
    # A width that the type cannot hold is not a number of it.
    return value % (1 << width) if -(1 << (width - 1)) <= value < 1 << width else None


def bits_of(symbol: str, element: str) -> int | None:
    """The bits of a special number of a type; None where the type lacks it.

    Floats: `nan`, `inf`, `subnormal` (the least one), `2^N` or a decimal number. Integers: `least`
    and `greatest` as signed, `width`, or a decimal number.
    """
    return (_float_bits if is_float(element) else _integer_bits)(symbol, element)


def array_of(bits: list[int], element: str) -> Array:
    """The elements with these bits, as the interpreters hold them."""
    if element == UNSIGNED:
        return np.array(bits, np.uint8)
    dtype = ELEMENTS[element].dtype
    if dtype == np.bool_:
        return np.array(bits, np.bool_)
    return np.array(bits, np.uint64).astype(_unsigned(dtype)).view(dtype)


def literal(bits: int, element: str) -> str:
    """The number in a `constant`."""
    if is_float(element):
        width = 19 if element == "tf32" else width_of(element)
        # A tf32 literal has no bits but its own.
        return f"0x{bits >> 13 if element == 'tf32' else bits:0{-(-width // 4)}X}"
    width = width_of(element)
    return str(bits - (1 << width) if width > 1 and bits >> (width - 1) else bits)


def _value(bits: int, element: str) -> float:
    if element == UNSIGNED:
        return float(E5M3_NUMBERS[bits])
    wide = np.float32 if width_of(element) < 32 else np.float64
    return float(array_of([bits], element).astype(wide)[0])


def word_of(bits: int, element: str) -> str:
    """What the bits stand for: `-0`, `inf`, `NaN`, `least subnormal`, or a number."""
    width = width_of(element)
    bits %= 1 << width
    if not is_float(element):
        if width == 1:
            return ("false", "true")[bits]
        named = {1 << (width - 1): "least", (1 << (width - 1)) - 1: "greatest"}
        return named.get(bits, str(bits - (1 << width) if bits >> (width - 1) else bits))
    value = _value(bits, element)
    step = TF32_STEP if element == "tf32" else 1
    if np.isnan(value):
        return "NaN"
    if bits == step and element != "f8E8M0FNU":
        return "least subnormal"
    return "-0" if value == 0 and np.signbit(value) else f"{value:.6g}"
