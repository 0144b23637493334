"""Conversions to narrower floats in all supported rounding modes, and to scale factors."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.number_formats import cut_to_tf32, round_to_tf32
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

SINGLE_ROWS, TF32_ROWS = 4, 2


@kernel
def conversion_rounding(
    x: Any, single: Any, half: Any, brain: Any, tf32: Any, tile: ct.Constant[int]
) -> None:
    i = ct.bid(0)
    rz, rm, rp = ct.RoundingMode.RZ, ct.RoundingMode.RM, ct.RoundingMode.RP
    wide = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    shape = (1, tile)
    nearest = ct.astype(wide, ct.float32)
    ct.store(single, index=(0, i), tile=ct.reshape(nearest, shape))
    zero = ct.astype(wide, ct.float32, rounding_mode=rz)
    ct.store(single, index=(1, i), tile=ct.reshape(zero, shape))
    down = ct.astype(wide, ct.float32, rounding_mode=rm)
    ct.store(single, index=(2, i), tile=ct.reshape(down, shape))
    up = ct.astype(wide, ct.float32, rounding_mode=rp)
    ct.store(single, index=(3, i), tile=ct.reshape(up, shape))
    ct.store(half, index=(i,), tile=ct.astype(nearest, ct.float16, rounding_mode=rz))
    ct.store(brain, index=(i,), tile=ct.astype(nearest, ct.bfloat16, rounding_mode=rz))
    t = ct.astype(nearest, ct.tfloat32)
    ct.store(tf32, index=(0, i), tile=ct.reshape(ct.astype(t, ct.float32), shape))
    t = ct.astype(nearest, ct.tfloat32, rounding_mode=rz)
    ct.store(tf32, index=(1, i), tile=ct.reshape(ct.astype(t, ct.float32), shape))


def _directed(values: Array, dtype: DTypeLike, upwards: Array) -> Array:
    """`values` (doubles) rounded up or down to `dtype`; the results are normal numbers."""
    rounded = values.astype(dtype)
    bits = rounded.view(f"i{rounded.itemsize}")
    difference = rounded.astype(np.float64) - values
    # A step of the bits goes away from zero.
    away = np.where(values > 0, 1, -1)
    step = np.where(upwards & (difference < 0), away, 0)
    step = np.where(~upwards & (difference > 0), -away, step)
    return (bits + step).astype(bits.dtype).view(rounded.dtype)


def rounding_reference(
    x: Array, _single: Array, half: Array, brain: Array, _tf32: Array
) -> list[Expected]:
    nearest = x.astype(np.float32)
    wide, low = nearest.astype(np.float64), np.zeros(x.shape, np.bool_)
    return [
        Expected(
            np.stack(
                [
                    nearest,
                    _directed(x, np.float32, x < 0),
                    _directed(x, np.float32, low),
                    _directed(x, np.float32, ~low),
                ]
            )
        ),
        Expected(_directed(wide, half.dtype, wide < 0)),
        Expected(_directed(wide, brain.dtype, wide < 0)),
        Expected(np.stack([round_to_tf32(nearest), cut_to_tf32(nearest)])),
    ]


def rounding_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.uniform(0.01, 100, problem) * rng.choice([-1, 1], problem)
    # Some lie halfway between two numbers of 10 fraction bits.
    x[::3] = rng.integers(1024, 2048, x[::3].shape) + 0.5
    return [
        x,
        np.zeros((SINGLE_ROWS, *problem), np.float32),
        np.zeros(problem, np.float16),
        np.zeros(problem, ml_dtypes.bfloat16),
        np.zeros((TF32_ROWS, *problem), np.float32),
    ]


@kernel
def ties_away_from_zero(x: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    rounded = ct.astype(value, ct.tfloat32, rounding_mode=ct.RoundingMode.RA)
    ct.store(out, index=(i,), tile=ct.astype(rounded, ct.float32))


def ties_reference(x: Array, _out: Array) -> list[Expected]:
    return [Expected(cut_to_tf32(x, 0x1000))]


def ties_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    # All lie halfway between two numbers of 10 fraction bits, or at one.
    x = rng.integers(2048, 4096, problem) / 2 * rng.choice([-1, 1], problem)
    return [x.astype(np.float32), np.zeros(problem, np.float32)]


@kernel
def scale_factors(x: Any, low: Any, high: Any, back: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    down = ct.astype(value, ct.float8_e8m0fnu, rounding_mode=ct.RoundingMode.RZ)
    up = ct.astype(value, ct.float8_e8m0fnu, rounding_mode=ct.RoundingMode.RP)
    ct.store(low, index=(i,), tile=down)
    ct.store(high, index=(i,), tile=up)
    ct.store(back, index=(i,), tile=ct.astype(up, ct.float32))


def scale_reference(x: Array, low: Array, high: Array, back: Array) -> list[Expected]:
    mantissa, exponent = np.frexp(x)
    below, above = 2.0 ** (exponent - 1), 2.0 ** (exponent - (mantissa == 0.5))
    return [
        Expected(below.astype(low.dtype)),
        Expected(above.astype(high.dtype)),
        Expected(above.astype(back.dtype)),
    ]


def scale_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    # Powers of two, and numbers between them.
    x = 2.0 ** rng.integers(-100, 100, problem) * rng.choice([1.0, 1.25, 1.5], problem)
    return [
        x.astype(np.float32),
        *(np.zeros(problem, ml_dtypes.float8_e8m0fnu) for _ in range(2)),
        np.zeros(problem, np.float32),
    ]


CASES = (
    KernelCase(
        name="conversion_rounding",
        kernel=conversion_rounding,
        parameters=(
            array(ct.float64),
            array(ct.float32, 2),
            array(ct.float16),
            array(ct.bfloat16),
            array(ct.float32, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=rounding_arguments,
        grid=short_tiles,
        reference=rounding_reference,
        outputs=(1, 2, 3, 4),
        since="13.4",
    ),
    KernelCase(
        name="ties_away_from_zero",
        kernel=ties_away_from_zero,
        parameters=(array(ct.float32), array(ct.float32), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=ties_arguments,
        grid=short_tiles,
        reference=ties_reference,
        outputs=(1,),
        since="13.4",
    ),
    KernelCase(
        name="scale_factors",
        kernel=scale_factors,
        parameters=(
            array(ct.float32),
            array(ct.float8_e8m0fnu),
            array(ct.float8_e8m0fnu),
            array(ct.float32),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=scale_arguments,
        grid=short_tiles,
        reference=scale_reference,
        outputs=(1, 2, 3),
        since="13.3",
    ),
)
