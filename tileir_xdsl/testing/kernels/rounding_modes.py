"""Addition, multiplication and division in every rounding mode."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

MODES = ("nearest", "zero", "down", "up")
ROWS = 3 * len(MODES) + 1


@kernel
def rounding_modes(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    rn, rz = ct.RoundingMode.RN, ct.RoundingMode.RZ
    rm, rp = ct.RoundingMode.RM, ct.RoundingMode.RP
    ct.store(out, index=(0, i), tile=ct.reshape(ct.add(x, y, rounding_mode=rn), (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(ct.add(x, y, rounding_mode=rz), (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(ct.add(x, y, rounding_mode=rm), (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(ct.add(x, y, rounding_mode=rp), (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(ct.mul(x, y, rounding_mode=rn), (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.mul(x, y, rounding_mode=rz), (1, tile)))
    ct.store(out, index=(6, i), tile=ct.reshape(ct.mul(x, y, rounding_mode=rm), (1, tile)))
    ct.store(out, index=(7, i), tile=ct.reshape(ct.mul(x, y, rounding_mode=rp), (1, tile)))
    ct.store(out, index=(8, i), tile=ct.reshape(ct.truediv(x, y, rounding_mode=rn), (1, tile)))
    ct.store(out, index=(9, i), tile=ct.reshape(ct.truediv(x, y, rounding_mode=rz), (1, tile)))
    ct.store(out, index=(10, i), tile=ct.reshape(ct.truediv(x, y, rounding_mode=rm), (1, tile)))
    ct.store(out, index=(11, i), tile=ct.reshape(ct.truediv(x, y, rounding_mode=rp), (1, tile)))
    tiny = ct.mul(x, 2.0**-130, flush_to_zero=True)
    ct.store(out, index=(12, i), tile=ct.reshape(tiny, (1, tile)))


def _round(exact: Fraction, mode: str) -> np.float32:
    """`exact` rounded to a float in the given mode."""
    nearest = np.float32(float(exact))
    difference = Fraction(float(nearest)) - exact
    if mode == "nearest" or difference == 0:
        return nearest
    up = mode == "up" or (mode == "zero" and exact < 0)
    if up and difference < 0:
        return np.nextafter(nearest, np.float32(np.inf))
    if not up and difference > 0:
        return np.nextafter(nearest, np.float32(-np.inf))
    return nearest


def reference(a: Array, b: Array, out: Array) -> list[Expected]:
    expected = np.zeros_like(out)
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        p, q = Fraction(float(x)), Fraction(float(y))
        exact = (p + q, p * q, p / q)
        results = [_round(value, mode) for value in exact for mode in MODES]
        expected[:, i] = [*results, np.copysign(np.float32(0), x)]
    return [Expected(expected)]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    a, b = rng.standard_normal((2, length)).astype(np.float32)
    return [a, b, np.zeros((ROWS, length), np.float32)]


CASES = (
    KernelCase(
        name="rounding_modes",
        kernel=rounding_modes,
        parameters=(
            array(ct.float32),
            array(ct.float32),
            array(ct.float32, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=_arguments,
        grid=short_tiles,
        reference=reference,
        outputs=(2,),
    ),
)
