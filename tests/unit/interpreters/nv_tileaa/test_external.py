"""Functions from outside."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tests.unit.interpreters import oracle
from tests.unit.interpreters.nv_tileaa.evaluation import apply
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.external import LIBDEVICE
from tileir_xdsl.testing.kernels.agreement import assert_agrees, within_ulps

POINTS = np.array([0.25, 0.5, 0.75, 0.875])

EXPECTED: dict[str, Callable[[float], float]] = {
    "__nv_erf": math.erf,
    "__nv_lgamma": math.lgamma,
    "__nv_tgamma": math.gamma,
    "__nv_cospi": lambda x: math.cos(math.pi * x),
    "__nv_cbrt": lambda x: x ** (1 / 3),
    "__nv_round": lambda x: math.floor(x + 0.5),
    "__nv_exp10": lambda x: 10**x,
}


@pytest.mark.parametrize("symbol", EXPECTED)
@pytest.mark.parametrize("element", ("f32", "f64"))
def test_libdevice(symbol: str, element: str) -> None:
    suffix = "f" if element == "f32" else ""
    dtype = np.float32 if element == "f32" else np.float64
    values = (f"4x{element}", POINTS.astype(dtype))
    text = f'extern_elementwise "{symbol}{suffix}"(%in0) : (T0) -> R'
    actual = apply(text, values[0], values)
    expected = np.array([EXPECTED[symbol](float(x)) for x in POINTS])
    assert_agrees(actual, within_ulps(expected, dtype, 8))


def test_poles_of_the_gamma_function() -> None:
    values = ("4xf64", np.array([0.0, -1.0, 200.0, 3.0]))
    log = apply('extern_elementwise "__nv_lgamma"(%in0) : (T0) -> R', "4xf64", values)
    assert log[:2].tolist() == [math.inf] * 2
    gamma = apply('extern_elementwise "__nv_tgamma"(%in0) : (T0) -> R', "4xf64", values)
    assert oracle.same(gamma, np.array([np.nan, np.nan, np.inf, 2.0])).all()


def test_fma_is_rounded_once() -> None:
    x = ("1xf32", np.array([1 + 2.0**-12], np.float32))
    y = ("1xf32", np.array([-1 - 2.0**-11], np.float32))
    text = 'extern_elementwise "__nv_fmaf"(%in0, %in0, %in1) : (T0, T0, T1) -> R'
    assert apply(text, "1xf32", x, y).item() == 2.0**-24
    text = 'call_elementwise_intrinsic "llvm.fma.f32"(%in0, %in0, %in1) : (T0, T0, T1) -> R'
    assert apply(text, "1xf32", x, y).item() == 2.0**-24


ROUNDINGS: dict[str, Callable[[float], float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "rint": round,
    "roundeven": round,
    "trunc": math.trunc,
}


@pytest.mark.parametrize("name", ROUNDINGS)
@pytest.mark.parametrize("element", ("f32", "f64"))
def test_rounding_to_integers(name: str, element: str) -> None:
    numbers = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.25, -7.75])
    dtype = np.float32 if element == "f32" else np.float64
    values = (f"8x{element}", numbers.astype(dtype))
    text = f'call_elementwise_intrinsic "llvm.{name}.{element}"(%in0) : (T0) -> R'
    actual = apply(text, values[0], values)
    assert actual.tolist() == [ROUNDINGS[name](float(x)) for x in numbers]


def test_every_function_of_two_has_two() -> None:
    for name in ("atan2", "copysign", "fdim", "fmax", "fmin", "fmod", "hypot", "pow"):
        with np.errstate(all="ignore"):
            assert LIBDEVICE[name](np.array(3.0), np.array(2.0)).shape == ()


I32 = np.array([0, 1, -1, 0x12345678, -(2**31), 40], np.int32)


def _unsigned(values: Array) -> list[int]:
    return [int(v) for v in values.view(np.uint32)]


@pytest.mark.parametrize("name", ("ctpop", "bswap", "bitreverse"))
def test_intrinsics_on_bits(name: str) -> None:
    values = ("8xi32", np.resize(I32, 8))
    actual = apply(
        f'call_elementwise_intrinsic "llvm.{name}.i32"(%in0) : (T0) -> R', "8xi32", values
    )
    functions: dict[str, Callable[[int], int]] = {
        "ctpop": lambda x: x.bit_count(),
        "bswap": lambda x: int.from_bytes(x.to_bytes(4, "little"), "big"),
        "bitreverse": lambda x: int(f"{x:032b}"[::-1], 2),
    }
    assert _unsigned(actual) == [functions[name](x) for x in _unsigned(values[1])]


def test_intrinsics_that_count_zeros() -> None:
    values, flag = ("8xi32", np.resize(I32, 8)), ("8xi1", np.zeros(8, np.uint8))
    leading, trailing = (
        apply(
            f'call_elementwise_intrinsic "llvm.{n}"(%in0, %in1) : (T0, T1) -> R',
            "8xi32",
            values,
            flag,
        )
        for n in ("ctlz", "cttz")
    )
    bits = [f"{x:032b}" for x in _unsigned(values[1])]
    assert leading.tolist() == [len(b) - len(b.lstrip("0")) for b in bits]
    assert trailing.tolist() == [len(b) - len(b.rstrip("0")) for b in bits]


@pytest.mark.parametrize("name", ("fshl", "fshr"))
def test_funnel_shifts(name: str) -> None:
    rng = np.random.default_rng(1)
    high, low = (rng.integers(-(2**31), 2**31, 64).astype(np.int32) for _ in range(2))
    amount = np.arange(64, dtype=np.int32)
    tiles = [("64xi32", t) for t in (high, low, amount)]
    text = f'call_elementwise_intrinsic "llvm.{name}"(%in0, %in1, %in2) : (T0, T1, T2) -> R'
    actual = apply(text, "64xi32", *tiles)
    pairs = [h << 32 | w for h, w in zip(_unsigned(high), _unsigned(low), strict=True)]
    shifts = [s % 32 for s in range(64)]
    if name == "fshl":
        expected = [(p << s >> 32) % 2**32 for p, s in zip(pairs, shifts, strict=True)]
    else:
        expected = [(p >> s) % 2**32 for p, s in zip(pairs, shifts, strict=True)]
    assert _unsigned(actual) == expected


def test_extrema_and_absolute_values() -> None:
    lhs, rhs = ("4xi8", np.array([1, -1, -128, 5], np.int8)), ("4xi8", np.full(4, 2, np.int8))
    expected = {"smax": [2, 2, 2, 5], "smin": [1, -1, -128, 2], "umax": [2, -1, -128, 5]}
    for name, wanted in expected.items():
        text = f'call_elementwise_intrinsic "llvm.{name}"(%in0, %in1) : (T0, T1) -> R'
        assert apply(text, "4xi8", lhs, rhs).tolist() == wanted
    text = 'call_elementwise_intrinsic "llvm.abs"(%in0, %in1) : (T0, T1) -> R'
    flag = ("4xi1", np.zeros(4, np.uint8))
    assert apply(text, "4xi8", lhs, flag).tolist() == [1, 1, -128, 5]


@pytest.mark.parametrize(
    "text, message",
    (
        ('extern_elementwise "mine"(%in0) : (T0) -> R', "the function 'mine'"),
        (
            'extern_elementwise "__nv_nothing"(%in0) : (T0) -> R',
            "'__nv_nothing'",
        ),
        (
            'call_elementwise_intrinsic "llvm.none"(%in0) : (T0) -> R',
            "support the function 'none'",
        ),
        ('elementwise_inline_asm "mov.f32 $0, $1;", "=f,f"(%in0) : (T0) -> R', "external code"),
        ('inject_ir "ret"(%in0) : (T0) -> R', "the interpreter does not execute external code"),
        ('plugin "mine"(%in0) : (T0) -> R', "the interpreter does not execute external code"),
    ),
)
def test_what_has_no_meaning_here_is_reported(text: str, message: str) -> None:
    values = ("4xf32", POINTS.astype(np.float32))
    with pytest.raises(InterpreterError, match=message):
        apply(text, "4xf32", values)
