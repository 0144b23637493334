"""Floating-point operations: each op computes with its own function, mode and modifiers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.interpreters import oracle
from tests.unit.interpreters.evaluation import apply
from tileir_xdsl.interpreters import float_operations as floats
from tileir_xdsl.interpreters.numerics import FLOAT_FORMATS, Array, RoundingMode
from tileir_xdsl.testing.kernels.agreement import assert_agrees, within_ulps

ELEMENTS = ("f16", "bf16", "f32", "f64")


def _tile(element: str, values: Array) -> tuple[str, Array]:
    return f"{values.size}x{element}", values.astype(FLOAT_FORMATS[element].dtype)


def _operands(element: str, count: int = 3, size: int = 256) -> list[tuple[str, Array]]:
    fmt = FLOAT_FORMATS[element]
    rng = np.random.default_rng(5)
    corners = oracle.corner_values(fmt.dtype, random=40)
    return [_tile(element, rng.choice(corners, size)) for _ in range(count)]


ROUNDED: dict[str, Callable[..., Array]] = {
    "addf": floats.add,
    "subf": floats.subtract,
    "mulf": floats.multiply,
    "divf": floats.divide,
    "fma": floats.fused_multiply_add,
    "sqrt": floats.square_root,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", oracle.ARITHMETIC_MODES)
@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ROUNDED)
def test_rounding_modes_reach_the_operation(name: str, element: str, mode: RoundingMode) -> None:
    count = {"fma": 3, "sqrt": 1}.get(name, 2)
    operands = _operands(element, count)
    names = ", ".join(f"%in{i}" for i in range(count))
    result = operands[0][0]
    actual = apply(f"{name} {names} rounding<{mode}> : T", result, *operands)
    with np.errstate(all="ignore"):
        expected = ROUNDED[name](*(v for _, v in operands), FLOAT_FORMATS[element], mode)
    bits = np.dtype(f"u{actual.itemsize}")
    assert (actual.view(bits) == expected.view(bits)).all()


@pytest.mark.parametrize("name", [*ROUNDED, "maxf", "minf", "exp2", "rsqrt"])
def test_flush_to_zero(name: str) -> None:
    tiny, normal = np.float32(2.0**-130), np.float32(2.0**-126)
    # The power of 2 to the last but one is subnormal.
    values = np.array([tiny, -tiny, normal, 1.0, 3.0, 0.5, -130.0, 2.0])
    zeros = np.where(np.abs(values) < normal, np.copysign(0, values), values)
    count = {"fma": 3, "sqrt": 1, "exp2": 1, "rsqrt": 1}.get(name, 2)
    names = ", ".join(f"%in{number}" for number in range(count))
    given, cleared = (
        [_tile("f32", np.roll(tile, number)) for number in range(count)] for tile in (values, zeros)
    )
    flushed = apply(f"{name} {names} flush_to_zero : T", given[0][0], *given)
    expected = apply(f"{name} {names} : T", given[0][0], *cleared)
    expected = np.where(np.abs(expected) < normal, np.copysign(0, expected), expected)
    assert oracle.same(flushed, expected).all()


def test_divf_approx() -> None:
    lhs = _tile("f32", np.array([1.0, math.inf, 6.0, math.nan]))
    rhs = _tile("f32", np.array([2.0**127, 2.0**127, 3.0, 2.0**127]))
    actual = apply("divf %in0, %in1 rounding<approx> : T", lhs[0], lhs, rhs)
    assert oracle.same(actual, np.array([0.0, math.nan, 2.0, math.nan])).all()
    full = apply("divf %in0, %in1 rounding<full> : T", lhs[0], lhs, rhs)
    assert oracle.same(full, np.array([2.0**-127, math.inf, 2.0, math.nan])).all()


def test_extrema() -> None:
    nan = math.nan
    a = _tile("f32", np.array([0.0, 1.0, nan, 2.0]))
    b = _tile("f32", np.array([-0.0, 3.0, 1.0, nan]))
    for op, expected in {
        "maxf %in0, %in1 : T": [0.0, 3.0, 1.0, 2.0],
        "maxf %in0, %in1 propagate_nan : T": [0.0, 3.0, nan, nan],
        "minf %in0, %in1 : T": [-0.0, 1.0, 1.0, 2.0],
        "minf %in0, %in1 propagate_nan : T": [-0.0, 1.0, nan, nan],
    }.items():
        assert oracle.same(apply(op, a[0], a, b), np.array(expected)).all(), op


ELEMENTARY: dict[str, Callable[..., Any]] = {
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "exp": np.exp,
    "exp rounding<approx>": np.exp,
    "exp2": np.exp2,
    "floor": np.floor,
    "log": np.log,
    "log2": np.log2,
    "rsqrt": floats.reciprocal_square_root,
    "sin": np.sin,
    "sinh": np.sinh,
    "tan": np.tan,
    "tanh": np.tanh,
    "tanh rounding<approx>": np.tanh,
}


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions_are_within_an_ulp(name: str, element: str) -> None:
    if "approx" in name:
        element = "f32"
    mnemonic, _, flags = name.partition(" ")
    values = _tile(element, np.linspace(0.05, 9.5, 128))
    actual = apply(f"{mnemonic} %in0 {flags} : T", values[0], values)
    exact = ELEMENTARY[name](values[1].astype(np.float64))
    assert_agrees(actual, within_ulps(exact, actual.dtype, 1))


def test_corners_of_elementary_functions() -> None:
    inf, nan = math.inf, math.nan
    values = _tile("f32", np.array([0.0, -0.0, inf, -inf, nan, -1.0, 1000.0, -1000.0]))
    for op, expected in {
        "exp": [1.0, 1.0, inf, 0.0, nan, math.exp(-1), inf, 0.0],
        "log": [-inf, -inf, inf, nan, nan, nan, math.log(1000), nan],
        "rsqrt": [inf, -inf, 0.0, nan, nan, nan, 1000**-0.5, nan],
        "sqrt": [0.0, -0.0, inf, nan, nan, nan, 1000**0.5, nan],
        "absf": [0.0, 0.0, inf, inf, nan, 1.0, 1000.0, 1000.0],
        "negf": [-0.0, 0.0, -inf, inf, nan, 1.0, -1000.0, 1000.0],
        "ceil": [0.0, -0.0, inf, -inf, nan, -1.0, 1000.0, -1000.0],
        "tanh": [0.0, -0.0, 1.0, -1.0, nan, math.tanh(-1), 1.0, -1.0],
    }.items():
        actual = apply(f"{op} %in0 : T", values[0], values)
        assert oracle.same(actual, np.array(expected, np.float32)).all(), op


def test_two_operand_functions() -> None:
    inf, nan = math.inf, math.nan
    a = _tile("f32", np.array([2.0, 1.0, 0.0, -8.0, -1.0, 5.5, -5.5, inf]))
    b = _tile("f32", np.array([3.0, nan, 0.0, 2.0, inf, 2.0, 2.0, 1.0]))
    power = apply("pow %in0, %in1 : T", a[0], a, b)
    assert oracle.same(power, np.array([8, 1, 1, 64, 1, 5.5**2, 5.5**2, inf], np.float32)).all()
    rest = apply("remf %in0, %in1 : T", a[0], a, b)
    assert oracle.same(rest, np.array([2.0, nan, nan, -0.0, -1.0, 1.5, -1.5, nan])).all()
    x = _tile("f32", np.array([1.0, -1.0, 0.0, 2.0, 0.0, -0.0, inf, -0.0]))
    y = _tile("f32", np.array([1.0, 1.0, 1.0, 0.0, -1.0, -1.0, -inf, 0.0]))
    angle = apply("atan2 %in0, %in1 : T", x[0], x, y)
    pi = math.pi
    expected = [pi / 4, -pi / 4, 0, pi / 2, pi, -pi, 3 * pi / 4, -0.0]
    assert oracle.same(angle, np.array(expected, np.float32)).all()


@pytest.mark.parametrize("predicate", ["equal", "not_equal", "less_than", "greater_than_or_equal"])
def test_cmpf(predicate: str) -> None:
    a = _tile("bf16", np.array([1.0, 2.0, 0.0, math.nan]))
    b = _tile("bf16", np.array([2.0, 2.0, -0.0, 1.0]))
    relation = {
        "equal": [False, True, True],
        "not_equal": [True, False, False],
        "less_than": [True, False, False],
        "greater_than_or_equal": [False, True, True],
    }[predicate]
    for ordering, with_nan in (("ordered", False), ("unordered", True)):
        op = f"cmpf {predicate} {ordering} %in0, %in1 : T -> R"
        assert apply(op, "4xi1", a, b).tolist() == [*relation, with_nan]


def test_results_are_rounded_to_the_element_type() -> None:
    one = _tile("bf16", np.array([1.0]))
    tiny = _tile("bf16", np.array([2.0**-9]))
    total = apply("addf %in0, %in1 : T", "1xbf16", one, tiny)
    assert total.dtype == ml_dtypes.bfloat16 and float(total[0]) == 1.0
