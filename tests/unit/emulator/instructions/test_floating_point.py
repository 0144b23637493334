"""Floating-point arithmetic against exact fractions and double precision."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.emulator.instructions.cases import (
    TYPES,
    Array,
    Case,
    check,
    exactly,
)

_MODES = ("rn", "rz", "rm", "rp")
_HALVES = ("f16", "f16x2", "bf16", "bf16x2")


def flush(x: Array) -> Array:
    """Subnormal singles and halves become zeros of their sign."""
    tiny = float(ml_dtypes.finfo(x.dtype).tiny)
    return np.where(np.abs(x.astype(np.float64)) < tiny, np.copysign(x * 0, x), x).astype(x.dtype)


def flushed(meaning: Callable[..., Array]) -> Callable[..., Array]:
    return lambda *arrays: flush(meaning(*(flush(array) for array in arrays)))


def saturated(meaning: Callable[..., Array]) -> Callable[..., Array]:
    def apply(*arrays: Array) -> Array:
        value = meaning(*arrays)
        clipped = np.clip(np.where(np.isnan(value), 0, value), 0, 1).astype(value.dtype)
        # Both zeros become +0.
        return np.where(clipped == 0, 0, clipped).astype(value.dtype)

    return apply


def rectified(meaning: Callable[..., Array]) -> Callable[..., Array]:
    def apply(*arrays: Array) -> Array:
        value = meaning(*arrays)
        return np.where(value < 0, 0, value).astype(value.dtype)

    return apply


def plus(a: Any, b: Any) -> Any:
    return a + b


def minus(a: Any, b: Any) -> Any:
    return a - b


def times(a: Any, b: Any) -> Any:
    return a * b


def over(a: Any, b: Any) -> Any:
    return a / b


def inverse(a: Any) -> Any:
    return 1 / a


def fused(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def signs_differ(a: Any, b: Any) -> Any:
    return np.signbit(a) != np.signbit(b)


def signs_agree(a: Any, b: Any) -> Any:
    return np.signbit(a) == np.signbit(b)


def product_opposes(a: Any, b: Any, c: Any) -> Any:
    return signs_differ(a, b) != np.signbit(c)


# Sums that cancel exactly are -0 when they are rounded down.
_CANCELLING: dict[str, Callable[..., bool]] = {
    "add": signs_differ,
    "sub": signs_agree,
    "fma": product_opposes,
    "mad": product_opposes,
}


def meaning_of(op: str, type_: str, mode: str) -> Callable[..., Array]:
    functions = {"add": plus, "sub": minus, "mul": times, "div": over, "fma": fused, "mad": fused}
    cancels = _CANCELLING.get(op) if mode == "rm" else None
    return exactly(functions[op], TYPES[type_].dtype, mode, cancels)


def binary(op: str, type_: str, mode: str, suffix: str = "") -> Case:
    spelled = f".{mode}" if mode else ""
    meaning = meaning_of(op, type_, mode or "rn")
    if ".ftz" in suffix:
        meaning = flushed(meaning)
    if ".sat" in suffix:
        meaning = saturated(meaning)
    target = "sm_100a" if type_ == "f32x2" else "sm_90a"
    operands = f"a:{type_} b:{type_}"
    return Case(
        f"{op}{spelled}{suffix}.{type_} %d, %a, %b;", operands, f"d:{type_}", meaning, target
    )


def ternary(op: str, type_: str, mode: str, suffix: str = "") -> Case:
    meaning = meaning_of(op, type_, mode)
    if ".ftz" in suffix:
        meaning = flushed(meaning)
    if ".sat" in suffix:
        meaning = saturated(meaning)
    if ".relu" in suffix:
        meaning = rectified(meaning)
    target = "sm_100a" if type_ == "f32x2" else "sm_90a"
    return Case(
        f"{op}.{mode}{suffix}.{type_} %d, %a, %b, %c;",
        f"a:{type_} b:{type_} c:{type_}",
        f"d:{type_}",
        meaning,
        target,
    )


def mixed(op: str, narrow: str, mode: str, suffix: str = "") -> Case:
    """Halves as the first operands of an instruction on singles."""
    meaning = meaning_of(op, "f32", mode or "rn")
    if suffix:
        meaning = saturated(meaning)
    spelled = f".{mode}" if mode else ""
    third = op == "fma"
    return Case(
        f"{op}{spelled}{suffix}.f32.{narrow} %d, %a, %b{', %c' if third else ''};",
        f"a:{narrow} b:{narrow if third else 'f32'}{' c:f32' if third else ''}",
        "d:f32",
        meaning,
        "sm_100a",
    )


def square_root(type_: str, mode: str) -> Callable[..., Array]:
    """The root by search: the neighbours of the rounded root whose squares enclose the operand."""
    dtype = TYPES[type_].dtype

    def element(value: float) -> float:
        if not value > 0 or np.isinf(value):
            return float(np.sqrt(np.float64(value)))
        root = dtype.type(np.sqrt(np.float64(value)))
        while Fraction(float(root)) ** 2 > Fraction(value):
            root = np.nextafter(root, dtype.type(0))
        above = np.nextafter(root, dtype.type(np.inf))
        if Fraction(float(root)) ** 2 == Fraction(value) or mode in ("rz", "rm"):
            return float(root)
        if mode == "rp":
            return float(above)
        middle = (Fraction(float(root)) + Fraction(float(above))) / 2
        return float(root if middle**2 > Fraction(value) else above)

    def apply(a: Array) -> Array:
        return np.array([element(float(x)) for x in a]).astype(dtype)

    return apply


def in_double(function: Callable[[Array], Array], type_: str) -> Callable[[Array], Array]:
    return lambda a: function(a.astype(np.float64)).astype(TYPES[type_].dtype)


def approximate(
    op: str, function: Callable[[Array], Array], type_: str, suffix: str = "", ulps: int = 1
) -> Case:
    meaning: Callable[..., Array] = in_double(function, type_)
    if ".ftz" in suffix:
        meaning = flushed(meaning)
    return Case(f"{op}{suffix}.{type_} %d, %a;", f"a:{type_}", f"d:{type_}", meaning, ulps=ulps)


def extremum(op: str, suffix: str, count: int = 2) -> Callable[..., Array]:
    """`min` and `max` value by value."""

    def pick(a: float, b: float) -> float:
        if "xorsign" in suffix:
            sign = -1.0 if np.signbit(a) != np.signbit(b) else 1.0
            return sign * pick_plain(abs(a), abs(b))
        return pick_plain(a, b)

    def pick_plain(a: float, b: float) -> float:
        if np.isnan(a) or np.isnan(b):
            both = np.isnan(a) and np.isnan(b)
            number = b if np.isnan(a) else a
            return float("nan") if both or "NaN" in suffix else number
        key = [(x, not np.signbit(x)) for x in (a, b)]
        return (a, b)[key.index(min(key) if op == "min" else max(key))]

    def apply(*arrays: Array) -> Array:
        if ".ftz" in suffix:
            arrays = tuple(flush(array) for array in arrays)
        flat = [array.astype(np.float64).ravel().tolist() for array in arrays]
        values: list[float] = []
        for lane in zip(*flat, strict=True):
            result = pick(lane[0], lane[1])
            values.append(pick(result, lane[2]) if count == 3 else result)
        return np.array(values).reshape(arrays[0].shape).astype(arrays[0].dtype)

    return apply


def extremum_cases() -> list[Case]:
    cases: list[Case] = []
    for op in ("min", "max"):
        for type_, suffixes in {
            "f32": ("", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"),
            "f64": ("",),
            "f16": ("", ".ftz", ".NaN", ".NaN.xorsign.abs"),
            "f16x2": ("", ".NaN", ".xorsign.abs"),
            "bf16": ("", ".NaN", ".xorsign.abs"),
            "bf16x2": ("", ".NaN"),
        }.items():
            for suffix in suffixes:
                operands = f"a:{type_} b:{type_}"
                cases.append(
                    Case(
                        f"{op}{suffix}.{type_} %d, %a, %b;",
                        operands,
                        f"d:{type_}",
                        extremum(op, suffix),
                    )
                )
        cases.append(
            Case(
                f"{op}.f32 %d, %a, %b, %c;",
                "a:f32 b:f32 c:f32",
                "d:f32",
                extremum(op, "", 3),
                "sm_100a",
            )
        )
    return cases


def divide_approximately(a: Array, b: Array) -> Array:
    quotient = (a.astype(np.float64) / b).astype(np.float32)
    large = np.isfinite(b) & (np.abs(b) > 2.0**126)
    zero = np.where(signs_differ(a, b), np.float32(-0.0), np.float32(0))
    special = np.where(np.isinf(a), np.nan, zero)
    return np.where(large & ~np.isnan(a), special, quotient)


def upper_half(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """The coarse f64 approximations read and write the upper 32 bits only."""
    keep = np.uint64(0xFFFFFFFF00000000)

    def apply(a: Array) -> Array:
        short = flush((a.view(np.uint64) & keep).view(np.float64))
        return (flush(function(short)).view(np.uint64) & keep).view(np.float64)

    return apply


def reciprocal_root(a: Array) -> Array:
    return np.copysign(1 / np.sqrt(np.abs(a)), a) * np.where(a < 0, np.nan, 1)


def has_property(name: str, a: Array) -> Array:
    tiny = float(ml_dtypes.finfo(a.dtype).tiny)
    return {
        "finite": np.abs(a) < np.inf,
        "infinite": np.abs(a) == np.inf,
        "number": a == a,
        "notanumber": a != a,
        "normal": (np.abs(a) >= tiny) & (np.abs(a) < np.inf),
        "subnormal": (np.abs(a) > 0) & (np.abs(a) < tiny),
    }[name]


def _of_three_magnitudes(a: Array, b: Array, c: Array, *, choose: np.ufunc) -> Array:
    return choose(choose(np.abs(a), np.abs(b)), np.abs(c))


CASES: tuple[Case, ...] = (
    *(
        Case(
            f"{op}.NaN.abs.f32 %d, %a, %b, %c;",
            "a:f32 b:f32 c:f32",
            "d:f32",
            partial(_of_three_magnitudes, choose=choose),
            target="sm_100a",
        )
        for op, choose in (("min", np.minimum), ("max", np.maximum))
    ),
    *(
        binary(op, type_, mode)
        for op in ("add", "sub", "mul")
        for type_ in ("f32", "f64")
        for mode in ("", *_MODES)
    ),
    *(binary(op, "f32", mode) for op in ("div",) for mode in _MODES),
    *(binary("div", "f64", mode) for mode in _MODES),
    *(binary(op, type_, "rn") for op in ("add", "sub", "mul") for type_ in _HALVES),
    *(binary(op, "f32", "rz", ".ftz.sat") for op in ("add", "sub", "mul")),
    *(binary(op, "f32", "", ".ftz") for op in ("add", "sub", "mul")),
    *(binary(op, "f16", "", ".ftz.sat") for op in ("add", "sub", "mul")),
    *(binary(op, "f16x2", "", ".ftz") for op in ("add", "sub", "mul")),
    *(binary(op, "bf16x2", "") for op in ("add", "sub", "mul")),
    *(binary(op, "f32x2", "rn") for op in ("add", "sub", "mul")),
    *(binary("add", "f32x2", "rm", ".ftz") for _ in "1"),
    binary("div", "f32", "rn", ".ftz"),
    *(ternary("fma", type_, mode) for type_ in ("f32", "f64") for mode in _MODES),
    *(ternary("mad", type_, mode) for type_ in ("f32", "f64") for mode in ("rn", "rp")),
    *(ternary("fma", type_, "rn") for type_ in (*_HALVES, "f32x2")),
    ternary("fma", "f32", "rn", ".ftz"),
    ternary("fma", "f32", "rz", ".ftz.sat"),
    ternary("fma", "f16", "rn", ".ftz.sat"),
    ternary("fma", "f16x2", "rn", ".relu"),
    ternary("fma", "bf16", "rn", ".relu"),
    mixed("add", "f16", ""),
    mixed("add", "bf16", "rz"),
    mixed("sub", "f16", "rm", ".sat"),
    mixed("sub", "bf16", "rn"),
    mixed("fma", "f16", "rn"),
    mixed("fma", "bf16", "rp", ".sat"),
    *extremum_cases(),
    *(
        Case(f"abs{suffix}.{t} %d, %a;", f"a:{t}", f"d:{t}", meaning)
        for suffix, types, meaning in (
            ("", ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64"), np.abs),
            (".ftz", ("f32", "f16"), flushed(np.abs)),
        )
        for t in types
    ),
    *(
        Case(f"neg{suffix}.{t} %d, %a;", f"a:{t}", f"d:{t}", meaning)
        for suffix, types, meaning in (
            ("", ("f16", "f16x2", "bf16", "bf16x2", "f32", "f64"), np.negative),
            (".ftz", ("f32", "f16"), flushed(np.negative)),
        )
        for t in types
    ),
    Case("div.approx.f32 %d, %a, %b;", "a:f32 b:f32", "d:f32", divide_approximately, ulps=2),
    Case(
        "div.approx.ftz.f32 %d, %a, %b;",
        "a:f32 b:f32",
        "d:f32",
        flushed(divide_approximately),
        ulps=2,
    ),
    Case(
        "div.full.f32 %d, %a, %b;",
        "a:f32 b:f32",
        "d:f32",
        lambda a, b: (a.astype(np.float64) / b).astype(np.float32),
        ulps=2,
    ),
    *(
        Case(
            f"rcp.{mode}.{t} %d, %a;",
            f"a:{t}",
            f"d:{t}",
            exactly(inverse, TYPES[t].dtype, mode),
        )
        for t in ("f32", "f64")
        for mode in _MODES
    ),
    *(
        Case(f"sqrt.{mode}.{t} %d, %a;", f"a:{t}", f"d:{t}", square_root(t, mode))
        for t in ("f32", "f64")
        for mode in _MODES
    ),
    Case("sqrt.rn.ftz.f32 %d, %a;", "a:f32", "d:f32", flushed(square_root("f32", "rn"))),
    approximate("rcp.approx", lambda a: 1 / a, "f32"),
    approximate("rcp.approx", lambda a: 1 / a, "f32", ".ftz"),
    approximate("sqrt.approx", np.sqrt, "f32"),
    approximate("rsqrt.approx", reciprocal_root, "f32"),
    approximate("sin.approx", np.sin, "f32"),
    approximate("cos.approx", np.cos, "f32", ".ftz"),
    approximate("lg2.approx", np.log2, "f32"),
    approximate("ex2.approx", np.exp2, "f32"),
    approximate("ex2.approx", np.exp2, "f32", ".ftz"),
    approximate("ex2.approx", np.exp2, "f16"),
    approximate("ex2.approx", np.exp2, "f16x2"),
    approximate("ex2.approx", np.exp2, "bf16", ".ftz"),
    approximate("ex2.approx", np.exp2, "bf16x2", ".ftz"),
    *(approximate("tanh.approx", np.tanh, t) for t in ("f32", "f16", "f16x2", "bf16", "bf16x2")),
    approximate("rsqrt.approx", reciprocal_root, "f64"),
    Case("rcp.approx.ftz.f64 %d, %a;", "a:f64", "d:f64", upper_half(lambda a: 1 / a)),
    Case("rsqrt.approx.ftz.f64 %d, %a;", "a:f64", "d:f64", upper_half(reciprocal_root)),
    *(
        Case(f"copysign.{t} %d, %a, %b;", f"a:{t} b:{t}", f"d:{t}", lambda a, b: np.copysign(b, a))
        for t in ("f32", "f64")
    ),
    *(
        Case(
            f"testp.{name}.{t} %d, %a;",
            f"a:{t}",
            "d:pred",
            partial(has_property, name),
        )
        for t in ("f32", "f64")
        for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal")
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_meaning(case: Case):
    check(case)
