"""Pairs of 6-bit and 4-bit numbers against exact rounding, and against all bit patterns."""

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import Array, Case, check, round_exact

_TYPES: dict[str, Any] = {
    "e3m2x2": ml_dtypes.float6_e3m2fn,
    "e2m3x2": ml_dtypes.float6_e2m3fn,
    "e2m1x2": ml_dtypes.float4_e2m1fn,
}


def _narrow(value: float, dtype: Any, *, relu: bool) -> int:
    """The bits of a number after rounding and clamping."""
    largest = float(ml_dtypes.finfo(dtype).max)
    if math.isnan(value):
        value = largest
    if relu and value < 0:
        value = 0.0
    value = max(-largest, min(largest, value))
    exact = round_exact(Fraction(value), np.dtype(dtype), "rn") if value else value
    clamped = math.copysign(min(abs(exact), largest), value)
    return int(np.array([clamped]).astype(np.float32).astype(dtype).view(np.uint8)[0])


def to_pair(name: str, suffix: str) -> Case:
    dtype, bits = _TYPES[name], 4 if name == "e2m1x2" else 8

    def meaning(a: Array, b: Array) -> Array:
        return np.array(
            [
                _narrow(float(x), dtype, relu=bool(suffix)) << bits
                | _narrow(float(y), dtype, relu=bool(suffix))
                for x, y in zip(a, b, strict=True)
            ]
        )

    text = f"cvt.rn.satfinite{suffix}.{name}.f32 %d, %a, %b;"
    if bits == 4:
        text = "{ .reg .b8 %t; " + text.replace("%d", "%t") + " mov.b16 %d, {%t, 0}; }"
    ties = [0.1, 0.24, 0.25, 0.26, 0.74, 1.75, 2.5, 5, 7, 26, 30, -0.06, -6.5]
    values = {"a": np.array(ties, np.float32)}
    return Case(text, "a:f32 b:f32", "d:b16", meaning, "sm_100a", values=values)


def from_pair(name: str, suffix: str) -> Case:
    dtype, bits = _TYPES[name], 4 if name == "e2m1x2" else 8

    def meaning(a: Array) -> Array:
        parts = np.stack([a & (2**bits - 1), a >> bits & (2**bits - 1)], axis=-1).astype(np.uint8)
        if bits == 8:
            parts &= 63
        values = parts.view(dtype).astype(np.float32).astype(np.float16)
        return np.where(values < 0, np.float16(0), values) if suffix else values

    text = f"cvt.rn{suffix}.f16x2.{name} %d, %a;"
    if bits == 4:
        text = "{ .reg .b8 %t, %u; mov.b16 {%t, %u}, %a; " + text.replace("%a", "%t") + " }"
    numbers = np.arange(256) if bits == 4 else np.arange(4096) // 64 * 256 + np.arange(4096) % 64
    return Case(
        text, "a:b16", "d:f16x2", meaning, "sm_100a", values={"a": numbers.astype(np.uint16)}
    )


CASES: tuple[Case, ...] = tuple(
    case(name, suffix)
    for case in (to_pair, from_pair)
    for name in _TYPES
    for suffix in ("", ".relu")
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)
