"""Kernels on the bits of floats, such as the reciprocal square root by a first guess."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_ulps
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles


@kernel
def guessed_rsqrt(x: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    guess = ct.bitcast(0x5F3759DF - (ct.bitcast(value, ct.int32) >> 1), ct.float32)
    for _ in range(3):
        guess = guess * (1.5 - 0.5 * value * guess * guess)
    ct.store(out, index=(i,), tile=guess)


def guessed_reference(x: Array, out: Array) -> list[Expected]:
    # Three steps of Newton's method from a guess within 4 % leave only roundings.
    return [within_ulps(1 / np.sqrt(x.astype(np.float64)), out.dtype, 4)]


def guessed_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.uniform(0.01, 100, problem).astype(np.float32), np.zeros(problem, np.float32)]


@kernel
def sign_bits(
    x: Any, signs: Any, sizes: Any, tile: ct.Constant[int], top: ct.Constant[int]
) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    pattern = ct.bitcast(value, signs.dtype)
    sign: Any = pattern >> top
    ct.store(signs, index=(i,), tile=sign)
    ct.store(sizes, index=(i,), tile=ct.bitcast(pattern ^ (sign << top), x.dtype))


def signs_reference(x: Array, signs: Array, _sizes: Array) -> list[Expected]:
    return [Expected(np.signbit(x).astype(signs.dtype)), Expected(np.abs(x))]


def _signs_case(
    name: str,
    float_type: tuple[ct.DType, DTypeLike],
    bits_type: tuple[ct.DType, DTypeLike],
) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        (length,) = problem
        x = rng.standard_normal(length).astype(float_type[1])
        special = np.array([-0.0, 0.0, np.inf, -np.inf, 1e-7, -1e-7], x.dtype)
        x[: special.size] = special[:length]
        return [x, np.zeros(length, bits_type[1]), np.zeros(length, float_type[1])]

    return KernelCase(
        name=f"sign_bits_{name}",
        kernel=sign_bits,
        parameters=(
            array(float_type[0]),
            array(bits_type[0]),
            array(float_type[0]),
            ConstantConstraint(SHORT_TILE),
            ConstantConstraint(8 * np.dtype(bits_type[1]).itemsize - 1),
        ),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=signs_reference,
        outputs=(1, 2),
    )


U16, U32, U64 = (ct.uint16, np.uint16), (ct.uint32, np.uint32), (ct.uint64, np.uint64)

CASES = (
    KernelCase(
        name="guessed_rsqrt",
        kernel=guessed_rsqrt,
        parameters=(array(ct.float32), array(ct.float32), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=guessed_arguments,
        grid=short_tiles,
        reference=guessed_reference,
        outputs=(1,),
    ),
    _signs_case("f16", (ct.float16, np.float16), U16),
    _signs_case("bf16", (ct.bfloat16, ml_dtypes.bfloat16), U16),
    _signs_case("f32", (ct.float32, np.float32), U32),
    _signs_case("f64", (ct.float64, np.float64), U64),
)
