"""Conversion to and from pairs of floating-point numbers of 6 and 4 bits (PTX ISA, "cvt").

A pair of 6-bit numbers has a byte for each, a pair of 4-bit numbers shares one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator.instructions.elementwise import Function, elementwise
from tileir_xdsl.emulator.instructions.floating_point import relu
from tileir_xdsl.emulator.instructions.form import Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.types import Array

_TYPES: Mapping[str, Any] = {
    "e3m2x2": ml_dtypes.float6_e3m2fn,
    "e2m3x2": ml_dtypes.float6_e2m3fn,
    "e2m1x2": ml_dtypes.float4_e2m1fn,
}


def _to_pair(match: Match) -> Function:
    """Rounded to nearest even and clamped; NaN becomes the largest number."""
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
)
