"""`cvt` against exact fractions."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import (
    TYPES,
    Array,
    Case,
    check,
    each,
    exactly,
    round_exact,
)

_INTEGERS = ("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
_MODES = ("rn", "rz", "rm", "rp")


def limits(type_: str) -> tuple[int, int]:
    info = np.iinfo(TYPES[type_].dtype)
    return int(info.min), int(info.max)


def between_integers(result: str, source: str, *, sat: bool = False) -> Case:
    low, high = limits(result)
    suffix = ".sat" if sat else ""
    return Case(
        f"cvt{suffix}.{result}.{source} %d, %a;",
        f"a:{source}",
        f"d:{result}",
        each(lambda a: min(max(a, low), high) if sat else a),
    )


def from_integer(result: str, source: str, mode: str) -> Case:
    dtype = TYPES[result].dtype

    def meaning(a: Array) -> Array:
        values = [round_exact(Fraction(x), dtype, mode) if x else 0.0 for x in a.tolist()]
        return np.array(values)

    return Case(f"cvt.{mode}.{result}.{source} %d, %a;", f"a:{source}", f"d:{result}", meaning)


_TO_INTEGRAL: dict[str, Callable[[float], int]] = {
    "rni": round,
    "rzi": math.trunc,
    "rmi": math.floor,
    "rpi": math.ceil,
}


def flushed(a: Array) -> Array:
    """Subnormal singles become zeros of their sign."""
    return np.where(np.abs(a) < 2.0**-126, np.copysign(np.float32(0), a), a)


def to_integer(result: str, source: str, mode: str, suffix: str = "") -> Case:
    low, high = limits(result)
    bits = TYPES[result].bits

    def element(value: float) -> int:
        if math.isnan(value):
            return 1 << (bits - 1) if "64" in (source[-2:], result[-2:]) else 0
        if math.isinf(value):
            return high if value > 0 else low
        return min(max(_TO_INTEGRAL[mode](value), low), high)

    def meaning(a: Array) -> Array:
        a = flushed(a) if suffix else a
        values = [element(x) % (1 << bits) for x in a.astype(np.float64).tolist()]
        return np.array(values, np.uint64)

    text = f"cvt.{mode}{suffix}.{result}.{source} %d, %a;"
    return Case(text, f"a:{source}", f"d:{result}", meaning)


def unchanged(a: Any) -> Any:
    return a


def between_floats(result: str, source: str, mode: str = "", suffix: str = "") -> Case:
    dtype = TYPES[result].dtype
    rounded = exactly(unchanged, dtype, mode or "rn")

    def meaning(a: Array) -> Array:
        if ".ftz" in suffix and a.dtype == np.float32:
            a = flushed(a)
        value = rounded(a)
        if ".ftz" in suffix and dtype == np.float32:
            value = flushed(value)
        if ".satfinite" in suffix:
            largest = ml_dtypes.finfo(dtype).max
            value = np.where(np.isinf(value), np.copysign(largest, value), value)
        elif ".sat" in suffix:
            value = np.clip(np.where(np.isnan(value), 0, value), 0, 1)
            value = np.where(value == 0, 0, value)
        if ".relu" in suffix:
            value = np.where(value < 0, 0, value)
        return value.astype(dtype)

    spelled = f".{mode}" if mode else ""
    return Case(
        f"cvt{spelled}{suffix}.{result}.{source} %d, %a;", f"a:{source}", f"d:{result}", meaning
    )


def integral(type_: str, mode: str, suffix: str = "") -> Case:
    def meaning(a: Array) -> Array:
        a = flushed(a) if suffix else a
        function = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}[mode]
        return function(a.astype(np.float64))

    text = f"cvt.{mode}{suffix}.{type_}.{type_} %d, %a;"
    return Case(text, f"a:{type_}", f"d:{type_}", meaning)


def paired(result: str, mode: str, suffix: str = "") -> Case:
    single = between_floats(result.removesuffix("x2"), "f32", mode, suffix)

    def meaning(a: Array, b: Array) -> Array:
        return np.stack([single.expected(x)[0] for x in (b, a)], axis=-1)

    return Case(
        f"cvt.{mode}{suffix}.{result}.f32 %d, %a, %b;", "a:f32 b:f32", f"d:{result}", meaning
    )


def to_tf32(mode: str, suffix: str = "", target: str = "sm_90a") -> Case:
    def element(value: float) -> float:
        if not np.isfinite(value) or value == 0:
            return value
        exact = Fraction(value)
        exponent = max(math.frexp(value)[1] - 1, -126)
        quantum = Fraction(2) ** (exponent - 10)
        steps, rest = divmod(abs(exact), quantum)
        up = {
            "rna": rest >= quantum / 2,
            "rn": rest > quantum / 2 or (rest == quantum / 2 and steps % 2 == 1),
            "rz": False,
        }[mode]
        rounded = float((steps + up) * quantum)
        if rounded > 3.4e38 and rounded >= 2.0**128:
            rounded = math.inf
        return math.copysign(rounded, value)

    def meaning(a: Array) -> Array:
        value = np.array([element(float(x)) for x in a])
        return np.where(value < 0, 0, value) if ".relu" in suffix else value

    return Case(f"cvt.{mode}{suffix}.tf32.f32 %d, %a;", "a:f32", "d:tf32", meaning, target)


def to_fp8(result: str, source: str, suffix: str = "") -> Case:
    dtype = TYPES[result].dtype
    largest = float(ml_dtypes.finfo(dtype).max)

    def element(value: float) -> float:
        if math.isnan(value):
            return value
        if suffix and value < 0:
            return 0.0
        if math.isinf(value):
            return math.copysign(largest, value)
        rounded = round_exact(Fraction(value), dtype, "rn") if value else value
        return math.copysign(min(abs(rounded), largest), value)

    def meaning(*arrays: Array) -> Array:
        pair = arrays[0] if source == "f16x2" else np.stack([arrays[1], arrays[0]], axis=-1)
        values = [element(float(x)) for x in pair.ravel()]
        return np.array(values).reshape(pair.shape)

    operands = "a:f16x2" if source == "f16x2" else "a:f32 b:f32"
    registers = "%a" if source == "f16x2" else "%a, %b"
    return Case(
        f"cvt.rn.satfinite{suffix}.{result}.{source} %d, {registers};",
        operands,
        f"d:{result}",
        meaning,
    )


def from_fp8(source: str, suffix: str = "") -> Case:
    def meaning(a: Array) -> Array:
        value = a.astype(np.float64)
        return np.where(value < 0, 0, value) if suffix else value

    return Case(f"cvt.rn{suffix}.f16x2.{source} %d, %a;", f"a:{source}", "d:f16x2", meaning)


def packed(result: str, *, third: bool) -> Case:
    low, high = limits(result)
    bits = TYPES[result].bits

    def element(a: int, b: int, c: int = 0) -> int:
        parts = [min(max(x, low), high) % (1 << bits) for x in (a, b)]
        return parts[0] << bits | parts[1] | c << 2 * bits

    operands = "a:s32 b:s32 c:b32" if third else "a:s32 b:s32"
    text = (
        f"cvt.pack.sat.{result}.s32.b32 %d, %a, %b, %c;"
        if third
        else f"cvt.pack.sat.{result}.s32 %d, %a, %b;"
    )
    return Case(text, operands, "d:b32", each(element))


def scale(value: float, mode: str) -> float:
    """The power of two for `ue8m0`, as the value of its exponent byte."""
    if math.isnan(value):
        return 255
    if value == 0:
        return 0
    if math.isinf(value):
        return 254
    exponent = math.frexp(abs(value))[1] - 1
    if mode == "rp" and abs(value) > 2.0**exponent:
        exponent += 1
    return min(max(exponent + 127, 0), 254)


def to_scales(mode: str) -> Case:
    def meaning(a: Array, b: Array) -> Array:
        pair = np.stack([b, a], axis=-1)
        codes = [scale(float(x), mode) for x in pair.ravel()]
        return np.array(codes, np.uint8).reshape(pair.shape).view(TYPES["ue8m0x2"].dtype)

    positive = np.abs(np.array([1, 1.5, 2, 3, 0.7, 1e30, 1e-30, 2.0**-126, 6e37, 0], np.float32))
    return Case(
        f"cvt.{mode}.satfinite.ue8m0x2.f32 %d, %a, %b;",
        "a:f32 b:f32",
        "d:ue8m0x2",
        meaning,
        "sm_100a",
        values={"a": positive, "b": positive[::-1]},
    )


def scales_from_pair(a: Array) -> Array:
    codes = [scale(float(x), "rz") for x in a.ravel()]
    return np.array(codes, np.uint8).reshape(a.shape).view(TYPES["ue8m0x2"].dtype)


_SCALABLE = np.array([1, 3, 0.7, 1e30, 1e-30, 0], ml_dtypes.bfloat16)

CASES: tuple[Case, ...] = (
    *(between_integers(d, s) for d in _INTEGERS for s in _INTEGERS if d != s),
    *(
        between_integers(d, s, sat=True)
        for d, s in (
            ("u8", "s32"),
            ("s8", "s32"),
            ("u16", "s64"),
            ("s32", "u32"),
            ("u32", "s32"),
            ("s64", "u64"),
            ("s32", "s64"),
            ("u64", "s64"),
        )
    ),
    *(from_integer(d, s, "rn") for d in ("f16", "f32", "f64") for s in _INTEGERS),
    *(from_integer("bf16", s, "rn") for s in ("u16", "s32", "u64")),
    *(
        from_integer(d, s, m)
        for d in ("f32", "f64", "f16")
        for s in ("s64", "u64", "s32")
        for m in _MODES[1:]
    ),
    *(to_integer(d, s, "rzi") for d in _INTEGERS for s in ("f16", "f32", "f64")),
    *(to_integer(d, "bf16", "rzi") for d in ("u16", "s32", "u64")),
    *(
        to_integer(d, s, m)
        for d in ("s32", "u64", "s8")
        for s in ("f32", "f64")
        for m in ("rni", "rmi", "rpi")
    ),
    *(
        between_floats(d, s)
        for d, s in (("f32", "f16"), ("f32", "bf16"), ("f64", "f32"), ("f64", "f16"))
    ),
    *(between_floats("f32", "f64", m) for m in _MODES),
    *(between_floats("f16", s, m) for s in ("f32", "f64") for m in _MODES),
    *(between_floats("bf16", s, m) for s in ("f32",) for m in _MODES),
    between_floats("bf16", "f64", "rn"),
    between_floats("bf16", "f16", "rn"),
    between_floats("f16", "bf16", "rn"),
    between_floats("f32", "f64", "rn", ".ftz"),
    between_floats("f32", "f32", "", ".ftz"),
    between_floats("f32", "f32", "", ".sat"),
    between_floats("f64", "f32", "", ".ftz"),
    *(between_floats("f16", "f32", m, ".ftz") for m in _MODES),
    *(integral("f32", m, ".ftz") for m in _TO_INTEGRAL),
    *(to_integer("s32", "f32", m, ".ftz") for m in _TO_INTEGRAL),
    between_floats("f16", "f32", "rn", ".relu"),
    between_floats("bf16", "f32", "rn", ".relu"),
    between_floats("f16", "f32", "rn", ".satfinite"),
    between_floats("f16", "f32", "rn", ".relu.satfinite"),
    between_floats("f16", "f32", "rn", ".sat"),
    *(integral(t, m) for t in ("f16", "f32", "f64") for m in _TO_INTEGRAL),
    *(paired(d, m) for d in ("f16x2", "bf16x2") for m in ("rn", "rz")),
    paired("f16x2", "rn", ".relu"),
    paired("bf16x2", "rn", ".relu.satfinite"),
    to_tf32("rna"),
    to_tf32("rn"),
    to_tf32("rz"),
    to_tf32("rn", ".relu"),
    *(
        to_fp8(d, s, r)
        for d in ("e4m3x2", "e5m2x2")
        for s in ("f32", "f16x2")
        for r in ("", ".relu")
    ),
    *(from_fp8(s, r) for s in ("e4m3x2", "e5m2x2") for r in ("", ".relu")),
    packed("u16", third=False),
    packed("s16", third=False),
    packed("u8", third=True),
    packed("s8", third=True),
    to_scales("rz"),
    to_scales("rp"),
    Case(
        "cvt.rz.satfinite.ue8m0x2.bf16x2 %d, %a;",
        "a:bf16x2",
        "d:ue8m0x2",
        scales_from_pair,
        "sm_100a",
        values={"a": _SCALABLE},
    ),
    Case(
        "cvt.rn.bf16x2.ue8m0x2 %d, %a;",
        "a:ue8m0x2",
        "d:bf16x2",
        lambda a: a.astype(np.float32),
        "sm_100a",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)
