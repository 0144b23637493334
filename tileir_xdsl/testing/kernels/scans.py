"""Running sums, products and extrema along rows, forwards and backwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ct

COLUMNS = 64


@kernel
def cumulative(x: Any, sums: Any, products: Any, counts: Any) -> None:
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(4, 64))
    ct.store(sums, index=(i, 0), tile=ct.cumsum(tile, 1))
    ct.store(products, index=(i, 0), tile=ct.cumprod(tile, 1))
    above = ct.astype(tile > 1.0, ct.int32)
    ct.store(counts, index=(i, 0), tile=ct.cumsum(above, 1, reverse=True))


def cumulative_reference(x: Array, sums: Array, products: Array, counts: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    total, product = np.cumsum(wide, axis=1), np.cumprod(wide, axis=1)
    count = np.cumsum((x > 1)[:, ::-1], axis=1)[:, ::-1]
    return [
        within_roundings(total, np.cumsum(np.abs(wide), axis=1), sums.dtype, 64, sums.dtype),
        within_roundings(product, np.abs(product), products.dtype, 64, products.dtype),
        Expected(count.astype(counts.dtype)),
    ]


def cumulative_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    shape = (4 * problem[0], COLUMNS)
    x = rng.uniform(0.8, 1.2, shape).astype(np.float32)
    return [x, np.zeros_like(x), np.zeros_like(x), np.zeros(shape, np.int32)]


def _linear(a: Any, b: Any, c: Any, d: Any) -> Any:
    # (a, b) then (c, d): x -> c * (a * x + b) + d.
    return a * c, b * c + d


@kernel
def linear_recurrence(a: Any, b: Any, out: Any) -> None:
    i = ct.bid(0)
    factor = ct.load(a, index=(i, 0), shape=(1, 64))
    term = ct.load(b, index=(i, 0), shape=(1, 64))
    running: Any = ct.scan((factor, term), 1, _linear, (1.0, 0.0))
    _, value = running
    ct.store(out, index=(i, 0), tile=value)


def linear_reference(a: Array, b: Array, out: Array) -> list[Expected]:
    value, size = np.zeros(len(a)), np.zeros(len(a))
    values, sizes = np.zeros(out.shape), np.zeros(out.shape)
    for k in range(COLUMNS):
        value = a[:, k].astype(np.float64) * value + b[:, k]
        size = np.abs(a[:, k]).astype(np.float64) * size + np.abs(b[:, k])
        values[:, k], sizes[:, k] = value, size
    return [within_roundings(values, sizes, out.dtype, 64, out.dtype)]


def linear_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    shape = (problem[0], COLUMNS)
    a = rng.uniform(-0.9, 0.9, shape).astype(np.float32)
    return [a, rng.standard_normal(shape).astype(np.float32), np.zeros(shape, np.float32)]


CASES = (
    KernelCase(
        name="cumulative",
        kernel=cumulative,
        parameters=(*(array(ct.float32, 2),) * 3, array(ct.int32, 2)),
        problems=((1,), (2,)),
        arguments=cumulative_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=cumulative_reference,
        outputs=(1, 2, 3),
    ),
    KernelCase(
        name="linear_recurrence",
        kernel=linear_recurrence,
        parameters=(array(ct.float32, 2),) * 3,
        problems=((1,), (3,)),
        arguments=linear_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=linear_reference,
        outputs=(2,),
    ),
)
