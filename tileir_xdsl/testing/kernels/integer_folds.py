"""Reductions and scans of integers, along several axes, and with user-defined functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ct

ROWS, COLUMNS = 4, 32
BLOCK_RESULTS, SCANS = 4, 3


def _both(a: Any, b: Any) -> Any:
    return a & b


def _either(a: Any, b: Any) -> Any:
    return a | b


def _larger(a: Any, b: Any) -> Any:
    return max(a, b)


def _smaller(a: Any, b: Any) -> Any:
    return min(a, b)


@kernel
def integer_folds(x: Any, blocks: Any, rows: Any, columns: Any, found: Any) -> None:
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0, 0), shape=(2, 4, 32))
    ct.store(blocks, index=(i, 0), tile=ct.sum(tile))
    ct.store(blocks, index=(i, 1), tile=ct.prod(tile | 1))
    ct.store(blocks, index=(i, 2), tile=ct.max(tile))
    ct.store(blocks, index=(i, 3), tile=ct.min(tile))
    # Over both matrices and all their columns.
    ct.store(rows, index=(i, 0), tile=ct.sum(tile, (0, 2), keepdims=False)[None, :])
    every = ct.reduce(tile, 1, _both, -1)
    ct.store(columns, index=(i, 0, 0), tile=ct.expand_dims(every, 0))
    large = ct.reduce(tile > 90, 2, _either, False)
    ct.store(found, index=(i, 0, 0), tile=ct.expand_dims(large, 0))


def folds_reference(
    x: Array, blocks: Array, rows: Array, columns: Array, found: Array
) -> list[Expected]:
    tiles = x.reshape(-1, 2, ROWS, COLUMNS)
    axes = (1, 2, 3)
    with np.errstate(over="ignore"):
        results = [
            tiles.sum(axis=axes, dtype=x.dtype),
            (tiles | x.dtype.type(1)).prod(axis=axes, dtype=x.dtype),
            tiles.max(axis=axes),
            tiles.min(axis=axes),
        ]
    return [
        Expected(np.stack(results, axis=1)),
        Expected(tiles.sum(axis=(1, 3), dtype=x.dtype)),
        Expected(np.bitwise_and.reduce(tiles, axis=2)),
        Expected(np.logical_or.reduce(tiles > 90, axis=3)),
    ]


def _folds_case(name: str, dtype: ct.DType, storage: type[np.integer[Any]]) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        (count,) = problem
        info = np.iinfo(storage)
        x = rng.integers(max(info.min, -100), 100, (2 * count, ROWS, COLUMNS)).astype(storage)
        return [
            x,
            np.zeros((count, BLOCK_RESULTS), storage),
            np.zeros((count, ROWS), storage),
            np.zeros((count, 2, COLUMNS), storage),
            np.zeros((count, 2, ROWS), np.bool_),
        ]

    return KernelCase(
        name=f"integer_folds_{name}",
        kernel=integer_folds,
        parameters=(
            array(dtype, 3),
            array(dtype, 2),
            array(dtype, 2),
            array(dtype, 3),
            array(ct.bool_, 3),
        ),
        problems=((1,), (3,)),
        arguments=arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=folds_reference,
        outputs=(1, 2, 3, 4),
    )


@kernel
def running_extrema(x: Any, out: Any) -> None:
    i = ct.bid(0)
    tile = ct.load(x, index=(i, 0), shape=(1, 32))
    largest: Any = ct.scan(tile, 1, _larger, -2147483648)
    ct.store(out, index=(3 * i, 0), tile=largest)
    smallest: Any = ct.scan(tile, 1, _smaller, 2147483647, reverse=True)
    ct.store(out, index=(3 * i + 1, 0), tile=smallest)
    ct.store(out, index=(3 * i + 2, 0), tile=ct.cumprod(tile % 3 - 1, 1, reverse=True))


def extrema_reference(x: Array, out: Array) -> list[Expected]:
    factors = x % 3 - 1
    scans = [
        np.maximum.accumulate(x, axis=1),
        np.minimum.accumulate(x[:, ::-1], axis=1)[:, ::-1],
        np.multiply.accumulate(factors[:, ::-1], axis=1)[:, ::-1],
    ]
    return [Expected(np.stack(scans, axis=1).reshape(-1, COLUMNS).astype(out.dtype))]


def extrema_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    x = rng.integers(-1000, 1000, (count, COLUMNS)).astype(np.int32)
    return [x, np.zeros((SCANS * count, COLUMNS), np.int32)]


CASES = (
    _folds_case("i8", ct.int8, np.int8),
    _folds_case("i32", ct.int32, np.int32),
    _folds_case("i64", ct.int64, np.int64),
    KernelCase(
        name="running_extrema",
        kernel=running_extrema,
        parameters=(array(ct.int32, 2), array(ct.int32, 2)),
        problems=((1,), (3,)),
        arguments=extrema_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=extrema_reference,
        outputs=(1,),
    ),
)
