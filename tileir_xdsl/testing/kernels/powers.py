"""Floats to the power of integers, constant or not, and a polynomial by Horner's rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings, within_ulps
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, TupleConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

ROWS = 3
COEFFICIENTS = (0.25, -1.5, 3.0, 0.125, -2.0)
"""The coefficients of the polynomial, highest power first."""


@kernel
def integer_powers(x: Any, n: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    base = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    exponent = ct.load(n, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, i), tile=ct.reshape(ct.pow(base, exponent), (1, tile)))
    squared = ct.pow(base, ct.full((tile,), 2, dtype=ct.int8))
    ct.store(out, index=(1, i), tile=ct.reshape(squared, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(base**-3.0, (1, tile)))


def powers_reference(x: Array, n: Array, out: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    rows = [wide ** n.astype(np.float64), wide**2, wide**-3.0]
    return [within_ulps(np.stack(rows), out.dtype, 8)]


def _powers_case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = rng.uniform(0.5, 2, problem).astype(storage)
        n = rng.integers(-6, 7, problem).astype(np.int32)
        return [x, n, np.zeros((ROWS, *problem), storage)]

    return KernelCase(
        name=f"integer_powers_{name}",
        kernel=integer_powers,
        parameters=(
            array(dtype),
            array(ct.int32),
            array(dtype, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=powers_reference,
        outputs=(2,),
        text_version="13.4",
    )


@kernel
def polynomial(x: Any, out: Any, coefficients: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    result = ct.zeros((tile,), dtype=out.dtype)
    for coefficient in ct.static_iter(coefficients):
        result = result * value + coefficient
    ct.store(out, index=(i,), tile=result)


def polynomial_reference(x: Array, out: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    size = np.polyval(np.abs(COEFFICIENTS), np.abs(wide))
    return [within_roundings(np.polyval(COEFFICIENTS, wide), size, out.dtype, 8, out.dtype)]


def polynomial_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.uniform(-2, 2, problem).astype(np.float32), np.zeros(problem, np.float32)]


CASES = (
    _powers_case("f16", ct.float16, np.float16),
    _powers_case("f32", ct.float32, np.float32),
    _powers_case("f64", ct.float64, np.float64),
    KernelCase(
        name="polynomial",
        kernel=polynomial,
        parameters=(
            array(ct.float32),
            array(ct.float32),
            TupleConstraint(tuple(map(ConstantConstraint, COEFFICIENTS))),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=polynomial_arguments,
        grid=short_tiles,
        reference=polynomial_reference,
        outputs=(1,),
    ),
)
