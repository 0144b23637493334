"""Square roots, differences and fused multiplications in every rounding mode, f32 and f64."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_TILE, short_tiles

ROWS = 12


@kernel
def directed_rounding(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    rn, rz = ct.RoundingMode.RN, ct.RoundingMode.RZ
    rm, rp = ct.RoundingMode.RM, ct.RoundingMode.RP
    ct.store(out, index=(0, i), tile=ct.reshape(ct.sqrt(x, rounding_mode=rn), (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(ct.sqrt(x, rounding_mode=rz), (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(ct.sqrt(x, rounding_mode=rm), (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(ct.sqrt(x, rounding_mode=rp), (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(ct.sub(x, y, rounding_mode=rn), (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.sub(x, y, rounding_mode=rz), (1, tile)))
    ct.store(out, index=(6, i), tile=ct.reshape(ct.sub(x, y, rounding_mode=rm), (1, tile)))
    ct.store(out, index=(7, i), tile=ct.reshape(ct.sub(x, y, rounding_mode=rp), (1, tile)))
    # Product and sum of the same rounding mode are fused.
    nearest = ct.add(ct.mul(x, y, rounding_mode=rn), y, rounding_mode=rn)
    ct.store(out, index=(8, i), tile=ct.reshape(nearest, (1, tile)))
    towards_zero = ct.add(ct.mul(x, y, rounding_mode=rz), y, rounding_mode=rz)
    ct.store(out, index=(9, i), tile=ct.reshape(towards_zero, (1, tile)))
    down = ct.add(ct.mul(x, y, rounding_mode=rm), y, rounding_mode=rm)
    ct.store(out, index=(10, i), tile=ct.reshape(down, (1, tile)))
    up = ct.add(ct.mul(x, y, rounding_mode=rp), y, rounding_mode=rp)
    ct.store(out, index=(11, i), tile=ct.reshape(up, (1, tile)))


def _bracket(exact: Fraction, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Numbers of `dtype` next to `exact`, below and above; both are `exact` if `dtype` has it."""
    near = dtype.type(float(exact))
    if Fraction(float(near)) == exact:
        return near, near
    if Fraction(float(near)) < exact:
        return near, np.nextafter(near, dtype.type(np.inf))
    return np.nextafter(near, dtype.type(-np.inf)), near


def _roundings(exact: Fraction, dtype: np.dtype[Any]) -> list[Any]:
    """`exact` rounded to nearest, towards zero, down and up."""
    low, high = _bracket(exact, dtype)
    below, above = exact - Fraction(float(low)), Fraction(float(high)) - exact
    even = int(low.view(f"u{dtype.itemsize}")) % 2 == 0
    nearest = low if below < above or (below == above and even) else high
    return [nearest, high if exact < 0 else low, low, high]


def _root(value: Fraction) -> Fraction:
    """The square root with error below 2 ** -200; exact if 200 fraction bits suffice."""
    scaled = value * 4**200
    root = math.isqrt(scaled.numerator // scaled.denominator)
    exact = root * root == scaled
    # A root that goes on lies above the part that is kept.
    return Fraction(root, 2**200) + (0 if exact else Fraction(1, 2**201))


def reference(a: Array, b: Array, out: Array) -> list[Expected]:
    expected = np.zeros_like(out)
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        p, q = Fraction(float(x)), Fraction(float(y))
        exact = (_root(p), p - q, p * q + q)
        expected[:, i] = [r for value in exact for r in _roundings(value, out.dtype)]
    return [Expected(expected)]


def _case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = rng.uniform(0.01, 4, problem).astype(storage)
        y = (1e-3 * rng.standard_normal(problem)).astype(storage)
        return [x, y, np.zeros((ROWS, *problem), storage)]

    return KernelCase(
        name=f"directed_rounding_{name}",
        kernel=directed_rounding,
        parameters=(array(dtype), array(dtype), array(dtype, 2), ConstantConstraint(SHORT_TILE)),
        problems=((1,), (200,)),
        arguments=arguments,
        grid=short_tiles,
        reference=reference,
        outputs=(2,),
    )


CASES = (_case("f32", ct.float32, np.float32), _case("f64", ct.float64, np.float64))
