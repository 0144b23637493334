"""Reductions: sums and extrema along either axis, positions of extrema, and the k largest."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct

ROWS, COLUMNS = 16, 64
TOP = 4


@kernel
def reductions(x: Any, rows: Any, columns: Any, extrema: Any) -> None:
    tile = ct.load(x, index=(ct.bid(0), 0), shape=(16, 64))
    i = ct.bid(0)
    ct.store(rows, index=(i,), tile=ct.sum(tile, 1))
    ct.store(columns, index=(i, 0), tile=ct.sum(tile, 0, keepdims=True))
    high = ct.max(tile, 1, keepdims=True)
    low = ct.min(tile, 1, keepdims=True)
    ct.store(extrema, index=(i, 0), tile=ct.cat((high, low), 1))


def reductions_reference(x: Array, rows: Array, columns: Array, extrema: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    blocks = wide.reshape(-1, ROWS, COLUMNS)
    sizes = np.abs(blocks)
    return [
        within_roundings(wide.sum(axis=1), np.abs(wide).sum(axis=1), rows.dtype, 8, rows.dtype),
        within_roundings(blocks.sum(axis=1), sizes.sum(axis=1), columns.dtype, 8, columns.dtype),
        Expected(np.stack([x.max(axis=1), x.min(axis=1)], axis=1)),
    ]


def reductions_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    return [
        rng.standard_normal((ROWS * count, COLUMNS)).astype(np.float32),
        np.zeros(ROWS * count, np.float32),
        np.zeros((count, COLUMNS), np.float32),
        np.zeros((ROWS * count, 2), np.float32),
    ]


@kernel
def argmax_rows(x: Any, highest: Any, lowest: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, tile), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(highest, index=(i,), tile=ct.argmax(row, 1))
    other = ct.load(x, index=(i, 0), shape=(1, tile), padding_mode=ct.PaddingMode.POS_INF)
    ct.store(lowest, index=(i,), tile=ct.argmin(other, 1))


def argmax_reference(x: Array, highest: Array, lowest: Array) -> list[Expected]:
    return [
        Expected(x.argmax(axis=1).astype(highest.dtype)),
        Expected(x.argmin(axis=1).astype(lowest.dtype)),
    ]


def argmax_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    # Few different values: ties go to the smallest position.
    x = rng.integers(0, 20, (rows, columns)).astype(np.float32)
    return [x, np.zeros(rows, np.int32), np.zeros(rows, np.int32)]


def _larger(a: Any, i: Any, b: Any, j: Any) -> Any:
    first = (a > b) | ((a == b) & (i < j))
    return ct.where(first, a, b), ct.where(first, i, j)


@kernel
def top_k(
    x: Any, values: Any, positions: Any, tile: ct.Constant[int], count: ct.Constant[int]
) -> None:
    row = ct.bid(0)
    x_row = ct.load(x, index=(row, 0), shape=(1, tile), padding_mode=ct.PaddingMode.NEG_INF)
    rest = ct.reshape(x_row, (tile,))
    numbers = ct.arange(tile, dtype=ct.int32)
    for k in range(count):
        largest: Any = ct.reduce((rest, numbers), 0, _larger, (float("-inf"), 2147483647))
        best, where = largest
        ct.store(values, index=(row, k), tile=ct.reshape(best, (1, 1)))
        ct.store(positions, index=(row, k), tile=ct.reshape(where, (1, 1)))
        rest = ct.where(numbers == where, float("-inf"), rest)


def top_k_reference(x: Array, values: Array, positions: Array) -> list[Expected]:
    order = np.argsort(-x, axis=1, kind="stable")[:, :TOP]
    return [
        Expected(np.take_along_axis(x, order, axis=1)),
        Expected(order.astype(positions.dtype)),
    ]


def top_k_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    x = rng.integers(0, 50, (rows, columns)).astype(np.float32)
    return [x, np.zeros((rows, TOP), np.float32), np.zeros((rows, TOP), np.int32)]


CASES = (
    KernelCase(
        name="reductions",
        kernel=reductions,
        parameters=(
            array(ct.float32, 2),
            array(ct.float32),
            array(ct.float32, 2),
            array(ct.float32, 2),
        ),
        problems=((1,), (3,)),
        arguments=reductions_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reductions_reference,
        outputs=(1, 2, 3),
    ),
    KernelCase(
        name="argmax_rows",
        kernel=argmax_rows,
        parameters=(
            array(ct.float32, 2),
            array(ct.int32),
            array(ct.int32),
            ConstantConstraint(COLUMNS),
        ),
        problems=((1, 1), (5, 64), (4, 50)),
        arguments=argmax_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=argmax_reference,
        outputs=(1, 2),
    ),
    KernelCase(
        name="top_k",
        kernel=top_k,
        parameters=(
            array(ct.float32, 2),
            array(ct.float32, 2),
            array(ct.int32, 2),
            ConstantConstraint(COLUMNS),
            ConstantConstraint(TOP),
        ),
        problems=((1, 64), (3, 50)),
        arguments=top_k_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=top_k_reference,
        outputs=(1, 2),
    ),
)
