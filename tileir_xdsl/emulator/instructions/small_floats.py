"""Conversion to and from pairs of `ue5m3` or of 6- or 4-bit numbers (PTX ISA, "cvt").

Each 8- or 6-bit number of a pair fills a byte; two 4-bit numbers share a byte.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator.instructions.elementwise import Function, elementwise
from tileir_xdsl.emulator.instructions.floating_point import canonical_nan, relu
from tileir_xdsl.emulator.instructions.form import Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.types import Array

_TYPES: Mapping[str, Any] = {
    "e3m2x2": ml_dtypes.float6_e3m2fn,
    "e2m3x2": ml_dtypes.float6_e2m3fn,
    "e2m1x2": ml_dtypes.float4_e2m1fn,
}


def _to_pair(match: Match) -> Function:
    """Rounds to nearest even and clamps; NaN becomes the largest number."""
    name = match["result"]
    dtype: Any = _TYPES[name]
    limit = float(ml_dtypes.finfo(dtype).max)
    bits = 4 if name == "e2m1x2" else 8

    def encode(value: Array) -> Array:
        clipped = np.where(np.isnan(value), np.float32(limit), np.clip(value, -limit, limit))
        if match.has("relu"):
            clipped = np.where(clipped < 0, np.float32(0), clipped)
        return clipped.astype(np.float32).astype(dtype).view(np.uint8).astype(np.uint16)

    def convert(high: Array, low: Array) -> Array:
        return encode(high) << np.uint16(bits) | encode(low)

    return convert


def _from_pair(match: Match) -> Function:
    name = match["type"]
    dtype: Any = _TYPES[name]

    def convert(pair: Array) -> Array:
        wide = pair.astype(np.uint16)
        shift = np.uint16(4 if name == "e2m1x2" else 8)
        mask = np.uint16(15 if name == "e2m1x2" else 63)
        parts = np.stack([wide & mask, wide >> shift & mask], axis=-1).astype(np.uint8)
        halves = parts.view(dtype).astype(np.float32).astype(np.float16)
        return relu(halves) if match.has("relu") else halves

    return convert


# ue5m3: exponents of 5 bits with bias 15, significands of 3, no sign; 0xFF is NaN (PTX ISA,
# "Alternate Floating-Point Data Formats").
_NAN, _LARGEST = 0xFF, 0xFE
_LOWEST_EXPONENT, _FRACTION_BITS = -14, 3
_TO_WHOLE: Mapping[str, Callable[[Array], Array]] = {"rn": np.rint, "rz": np.floor, "rp": np.ceil}


def _to_ue5m3(match: Match) -> Function:
    """Rounds magnitudes, since the type has no sign (CUDA Math API, `__nv_cvt_float_to_ue5m3`)."""
    to_whole, saturates = _TO_WHOLE[match["rounding"]], match.has("satfinite")

    def encode(value: Array) -> Array:
        wide = np.abs(value.astype(np.float64))
        magnitude = np.where(np.isfinite(wide), wide, 0)
        # Of 0, too, the exponent is the lowest.
        normal = np.maximum(magnitude, 2.0**_LOWEST_EXPONENT)
        exponent = np.frexp(normal)[1] - 1
        digits = to_whole(np.ldexp(magnitude, _FRACTION_BITS - exponent)).astype(np.int64)
        code = (exponent - _LOWEST_EXPONENT << _FRACTION_BITS) + digits
        # Nothing but an infinity is beyond all numbers that are rounded toward zero.
        overflow = _LARGEST if saturates or match["rounding"] == "rz" else _NAN
        code = np.where(code > _LARGEST, overflow, code)
        code = np.where(np.isinf(wide), _LARGEST if saturates else _NAN, code)
        return np.where(np.isnan(wide), _NAN, code).astype(np.uint16)

    def convert(high: Array, low: Array | None = None) -> Array:
        if low is None:
            high, low = high[..., 1], high[..., 0]
        return encode(high) << np.uint16(8) | encode(low)

    return convert


def _from_ue5m3(match: Match) -> Function:
    dtype = match.type("result").dtype
    exponent, digits = np.divmod(np.arange(256), 1 << _FRACTION_BITS)
    digits = np.where(exponent > 0, digits + (1 << _FRACTION_BITS), digits)
    scale = np.maximum(exponent - 1, 0) + _LOWEST_EXPONENT - _FRACTION_BITS
    numbers = np.ldexp(digits.astype(np.float32), scale)
    numbers[_NAN] = np.nan

    def convert(pair: Array) -> Array:
        codes = np.stack([pair & np.uint16(0xFF), pair >> np.uint16(8)], axis=-1)
        # An f16 ends before the format does.
        with np.errstate(over="ignore"):
            return canonical_nan(numbers[codes].astype(dtype))

    return convert


_SIX_BITS = "e3m2x2|e2m3x2"

FORMS: tuple[Form, ...] = (
    *(
        elementwise(
            f"cvt.rn.satfinite{{.relu}}.<result:{names}>.f32 d, a, b",
            f"{register} <- f32, f32",
            by=_to_pair,
        )
        for names, register in ((_SIX_BITS, "b16"), ("e2m1x2", "b8"))
    ),
    *(
        elementwise(
            f"cvt.rn{{.relu}}.f16x2.<type:{names}> d, a", f"f16x2 <- {register}", by=_from_pair
        )
        for names, register in ((_SIX_BITS, "b16"), ("e2m1x2", "b8"))
    ),
    elementwise(
        "cvt.<rounding:rn|rz|rp>{.satfinite}.ue5m3x2.f32 d, a, b", "b16 <- f32, f32", by=_to_ue5m3
    ),
    elementwise(
        "cvt.<rounding:rn|rz|rp>{.satfinite}.ue5m3x2.<type:f16x2|bf16x2> d, a",
        "b16 <- type",
        by=_to_ue5m3,
    ),
    elementwise("cvt.rn.<result:f16x2>.ue5m3x2 d, a", "result <- b16", by=_from_ue5m3),
    elementwise("cvt.rn{.satfinite}.<result:bf16x2>.ue5m3x2 d, a", "result <- b16", by=_from_ue5m3),
)
