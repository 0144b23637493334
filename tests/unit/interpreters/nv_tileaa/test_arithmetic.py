"""Elementwise arithmetic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.unit.interpreters import oracle
from tests.unit.interpreters.nv_tileaa.evaluation import apply
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.numerics import FLOAT_FORMATS, Array, RoundingMode

ELEMENTS = ("f16", "bf16", "f32", "f64")


def _operands(element: str, count: int) -> list[tuple[str, Array]]:
    corners = oracle.corner_values(FLOAT_FORMATS[element].dtype, random=40)
    rng = np.random.default_rng(7)
    return [(f"256x{element}", rng.choice(corners, 256)) for _ in range(count)]


ROUNDED: dict[str, tuple[Callable[..., Array], int]] = {
    "addf": (floats.add, 2),
    "subf": (floats.subtract, 2),
    "mulf": (floats.multiply, 2),
    "divf": (floats.divide, 2),
    "fma": (floats.fused_multiply_add, 3),
    "sqrt": (floats.square_root, 1),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("mode", oracle.ARITHMETIC_MODES)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ROUNDED)
def test_rounding_modes_reach_the_operation(name: str, element: str, mode: RoundingMode) -> None:
    function, count = ROUNDED[name]
    operands = _operands(element, count)
    names = ", ".join(f"%in{i}" for i in range(count))
    actual = apply(f"{name} {names} rounding<{mode}> : T0", operands[0][0], *operands)
    with np.errstate(all="ignore"):
        expected = function(*(v for _, v in operands), FLOAT_FORMATS[element], mode)
    assert actual.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", [*ROUNDED, "maxf", "minf", "exp2", "rsqrt"])
def test_flush_to_zero(name: str) -> None:
    tiny, normal = np.float32(2.0**-130), np.float32(2.0**-126)
    values = ("4xf32", np.array([tiny, -tiny, normal, 1.0], np.float32))
    count = {"fma": 3, "sqrt": 1, "exp2": 1, "rsqrt": 1}.get(name, 2)
    names = ", ".join(["%in0"] * count)
    flushed = apply(f"{name} {names} flush_to_zero : T0", "4xf32", values)
    zeros = ("4xf32", np.array([0.0, -0.0, normal, 1.0], np.float32))
    expected = apply(f"{name} {names} : T0", "4xf32", zeros)
    expected = np.where(np.abs(expected) < normal, np.copysign(0, expected), expected)
    assert oracle.same(flushed, expected).all()


def test_approximate_division_by_huge_numbers_gives_zero() -> None:
    lhs = ("4xf32", np.array([1.0, -1.0, np.inf, 6.0], np.float32))
    rhs = ("4xf32", np.array([2.0**127, 2.0**127, 2.0**127, 2.0], np.float32))
    actual = apply("divf %in0, %in1 rounding<approx> : T0", "4xf32", lhs, rhs)
    assert oracle.same(actual, np.array([0.0, -0.0, np.nan, 3.0])).all()


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("element", ("f16", "f32"))
def test_functions_of_the_reals(name: str, element: str) -> None:
    dtype = FLOAT_FORMATS[element].dtype
    values = np.random.default_rng(3).uniform(0.1, 8, 64).astype(dtype)
    actual = apply(f"{name} %in0 : T0", f"64x{element}", (f"64x{element}", values))
    expected = FUNCTIONS[name](values.astype(np.float64)).astype(dtype)
    assert oracle.same(actual, expected).all()


def test_approximate_functions_parse() -> None:
    one = ("2xf32", np.array([0.0, 1.0], np.float32))
    actual = apply("exp %in0 rounding<approx> : T0", "2xf32", one)
    assert oracle.same(actual, np.exp([0.0, 1.0]).astype(np.float32)).all()


def test_minimum_and_maximum() -> None:
    lhs = ("4xf32", np.array([1.0, np.nan, -0.0, 5.0], np.float32))
    rhs = ("4xf32", np.array([2.0, 3.0, 0.0, np.nan], np.float32))
    number = apply("maxf %in0, %in1 : T0", "4xf32", lhs, rhs)
    assert oracle.same(number, np.array([2.0, 3.0, 0.0, 5.0])).all()
    nan = apply("minf %in0, %in1 propagate_nan : T0", "4xf32", lhs, rhs)
    assert oracle.same(nan, np.array([1.0, np.nan, -0.0, np.nan])).all()


def test_clamp() -> None:
    x = ("4xf32", np.array([-3.0, 0.5, 9.0, np.nan], np.float32))
    low, high = (("4xf32", np.full(4, v, np.float32)) for v in (-1, 1))
    actual = apply("clampf %in0, %in1, %in2 : T0", "4xf32", x, low, high)
    assert oracle.same(actual, np.array([-1.0, 0.5, 1.0, -1.0])).all()
    nan = apply("clampf %in0, %in1, %in2 propagate_nan : T0", "4xf32", x, low, high)
    assert oracle.same(nan, np.array([-1.0, 0.5, 1.0, np.nan])).all()


def test_remainder_has_the_sign_of_the_dividend() -> None:
    lhs = ("4xf32", np.array([7.5, -7.5, 1e10, np.inf], np.float32))
    rhs = ("4xf32", np.array([2.0, 2.0, -3.0, 2.0], np.float32))
    actual = apply("remf %in0, %in1 : T0", "4xf32", lhs, rhs)
    expected = np.array([1.5, -1.5, float(np.float32(1e10)) % 3, np.nan])
    assert oracle.same(actual, expected).all()


def test_integer_power() -> None:
    bases = ("4xf32", np.array([2.0, -2.0, 0.0, 3.0], np.float32))
    exponents = ("4xi32", np.array([10, 3, 0, -1], np.int32))
    actual = apply("fpowi %in0, %in1 : T0, T1", "4xf32", bases, exponents)
    assert oracle.same(actual, np.array([1024, -8, 1, 1 / 3], np.float32)).all()


def test_integer_addition_wraps() -> None:
    values = ("4xi8", np.array([127, -128, 100, -1], np.int8))
    actual = apply("addi %in0, %in0 overflow<nsw> : T0", "4xi8", values)
    assert actual.tolist() == [-2, 0, -56, -2]


@pytest.mark.parametrize("width", (8, 16, 32, 64))
def test_high_half_of_products(width: int) -> None:
    dtype = np.dtype(f"u{width // 8}")
    values = np.random.default_rng(1).integers(0, 1 << width, 16, dtype=dtype, endpoint=False)
    values[:2] = (1 << width) - 1
    tile = (f"16xi{width}", values)
    actual = apply("mulhiui %in0, %in0 : T0", tile[0], tile)
    assert [int(v) for v in actual.view(dtype)] == [int(v) ** 2 >> width for v in values]
