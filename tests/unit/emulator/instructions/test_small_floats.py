"""Pairs of `ue5m3`, and of 6-bit and 4-bit numbers, against exact rounding, and against all bit patterns."""

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import TYPES, Array, Case, check, round_exact

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


# Bias 15, exponent 0 without the implicit bit; the last is where NaN stands in their place.
_UE5M3 = np.array(
    [
        digits * 2.0**-17 if exponent == 0 else (8 + digits) * 2.0 ** (exponent - 18)
        for exponent in range(32)
        for digits in range(8)
    ]
)


def _ue5m3(value: float, mode: str, *, saturates: bool) -> int:
    """The code of a magnitude."""
    magnitude = abs(value)
    if math.isnan(value) or math.isinf(value):
        return 254 if saturates and math.isinf(value) else 255
    above = int(np.searchsorted(_UE5M3, magnitude))
    below = above if above < 256 and _UE5M3[above] == magnitude else above - 1
    if mode == "rn" and above != below and above < 256:
        sides = magnitude - _UE5M3[below], _UE5M3[above] - magnitude
        above = below if sides[0] < sides[1] or (sides[0] == sides[1] and below % 2 == 0) else above
    code = below if mode == "rz" else above
    return min(code, 254 if saturates or mode == "rz" else 255)


_NEIGHBOURS = (_UE5M3[1:] + _UE5M3[:-1]) / 2
_UNSIGNED = np.concatenate([_UE5M3, _NEIGHBOURS, -_UE5M3[::16], [1e9, 3e38, 2.0**-140]])


def to_ue5m3(mode: str, suffix: str, source: str) -> Case:
    def meaning(a: Array, b: Array | None = None) -> Array:
        pair = a if b is None else np.stack([b, a], axis=-1)
        saturates = bool(suffix)
        low, high = (
            [_ue5m3(float(x), mode, saturates=saturates) for x in pair[:, part]] for part in (0, 1)
        )
        return np.array(high, np.uint16) << 8 | np.array(low, np.uint16)

    operands = "%a, %b" if source == "f32" else "%a"
    inputs = "a:f32 b:f32" if source == "f32" else f"a:{source}"
    text = f"cvt.{mode}{suffix}.ue5m3x2.{source} %d, {operands};"
    with np.errstate(over="ignore"):
        a = _UNSIGNED.astype(TYPES[source].dtype)
    near = np.nextafter(_UNSIGNED.astype(np.float32), np.float32(1e30))
    values = {"a": a, "b": near} if source == "f32" else {"a": a}
    return Case(text, inputs, "d:b16", meaning, "sm_107a", values=values)


def from_ue5m3(result: str, suffix: str) -> Case:
    def meaning(a: Array) -> Array:
        numbers = np.append(_UE5M3[:255], math.nan)
        with np.errstate(over="ignore"):
            return numbers[np.stack([a & 255, a >> 8], axis=-1)].astype(TYPES[result].dtype)

    codes = np.arange(256, dtype=np.uint16)
    values = {"a": codes << 8 | codes[::-1]}
    text = f"cvt.rn{suffix}.{result}.ue5m3x2 %d, %a;"
    return Case(text, "a:b16", f"d:{result}", meaning, "sm_107a", values=values)


CASES: tuple[Case, ...] = (
    *(
        case(name, suffix)
        for case in (to_pair, from_pair)
        for name in _TYPES
        for suffix in ("", ".relu")
    ),
    *(
        to_ue5m3(mode, suffix, source)
        for mode in ("rn", "rz", "rp")
        for suffix in ("", ".satfinite")
        for source in ("f32", "f16x2", "bf16x2")
    ),
    *(from_ue5m3(*form) for form in (("f16x2", ""), ("bf16x2", ""), ("bf16x2", ".satfinite"))),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)
