"""Matmuls of one and the same bytes, where programs name the operands in different ways.

An operand is a tile of a matrix in memory, as it lies there (`straight`) or with its dimensions
exchanged (`permuted`). Programs say so by the order of a view, a permutation or a reshape of the
tile, the strides of the array, or with dimensions of one element for a batch and a head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cuda.tile as ct
import numpy as np
from cuda.tile.compilation import ArrayConstraint, ScalarConstraint

from bench.sweep.kinds import (
    DIVISOR,
    ELEMENTS,
    MMA,
    WITH_EIGHT_BIT_FLOATS,
    Axes,
    Element,
    Generated,
    Kind,
    Values,
    argument,
    case,
    number,
    random_array,
)
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, kernel
from tileir_xdsl.testing.kernels.problems import cdiv

ZERO = ct.PaddingMode.ZERO
HEADS = 2
"""The heads of an array with a dimension for them; the first one is read."""

Load = Callable[[Any, Any, Any, int, int], Any]
"""A tile of so many rows and columns, by its number along both."""


def transpose(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    return ct.transpose(ct.load(x, index=(j, i), shape=(columns, rows), padding_mode=ZERO))


def order(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    return ct.load(x, index=(i, j), shape=(rows, columns), order=(1, 0), padding_mode=ZERO)


def batch_transpose(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(0, j, i), shape=(1, columns, rows), padding_mode=ZERO)
    return ct.transpose(ct.reshape(tile, (columns, rows)))


def batch_permute(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(0, j, i), shape=(1, columns, rows), padding_mode=ZERO)
    return ct.reshape(ct.permute(tile, (0, 2, 1)), (rows, columns))


def batch_order(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(0, i, j), shape=(1, rows, columns), order=(0, 2, 1), padding_mode=ZERO)
    return ct.reshape(tile, (rows, columns))


def heads_transpose(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(0, j, 0, i), shape=(1, columns, 1, rows), padding_mode=ZERO)
    return ct.transpose(ct.reshape(tile, (columns, rows)))


def heads_permute(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(0, j, 0, i), shape=(1, columns, 1, rows), padding_mode=ZERO)
    return ct.reshape(ct.permute(tile, (0, 2, 3, 1)), (rows, columns))


def heads_order(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(
        x,
        index=(0, 0, i, j),
        shape=(1, 1, rows, columns),
        order=(0, 2, 3, 1),
        padding_mode=ZERO,
    )
    return ct.reshape(tile, (rows, columns))


def halves(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(j, i), shape=(columns, rows), padding_mode=ZERO)
    parts = ct.permute(ct.reshape(tile, (2, columns // 2, rows)), (2, 0, 1))
    return ct.reshape(parts, (rows, columns))


def plain(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    return ct.load(x, index=(i, j), shape=(rows, columns), padding_mode=ZERO)


def batch(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(0, i, j), shape=(1, rows, columns), padding_mode=ZERO)
    return ct.reshape(tile, (rows, columns))


def heads(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(x, index=(0, i, 0, j), shape=(1, rows, 1, columns), padding_mode=ZERO)
    return ct.reshape(tile, (rows, columns))


def heads_by_order(x: Any, i: Any, j: Any, rows: Any, columns: Any) -> Any:
    tile = ct.load(
        x,
        index=(0, 0, i, j),
        shape=(1, 1, rows, columns),
        order=(0, 2, 1, 3),
        padding_mode=ZERO,
    )
    return ct.reshape(tile, (rows, columns))


@dataclass(frozen=True)
class Spelling:
    """How a program loads an operand, and of which array."""

    load: Load
    is_permuted: bool
    """Whether the bytes of a column of the operand, not of a row, are next to each other."""
    rank: int = 2
    has_columns: bool = False
    """Whether the first dimension of the array has elements next to each other."""


SPELLINGS: Mapping[str, Spelling] = {
    "transpose": Spelling(transpose, True),
    "order": Spelling(order, True),
    "strides": Spelling(plain, True, has_columns=True),
    "halves": Spelling(halves, True),
    "batch_transpose": Spelling(batch_transpose, True, 3),
    "batch_permute": Spelling(batch_permute, True, 3),
    "batch_order": Spelling(batch_order, True, 3),
    "heads_transpose": Spelling(heads_transpose, True, 4),
    "heads_permute": Spelling(heads_permute, True, 4),
    "heads_order": Spelling(heads_order, True, 4),
    "plain": Spelling(plain, False),
    "transpose_of_strides": Spelling(transpose, False, has_columns=True),
    "order_of_strides": Spelling(order, False, has_columns=True),
    "batch": Spelling(batch, False, 3),
    "heads": Spelling(heads, False, 4),
    "heads_by_order": Spelling(heads_by_order, False, 4),
}
"""By their names, the permuted ones first."""

RESULTS = {"i8": "i32", "e4m3": "f16"}


def axes(gpu: str) -> Axes:
    return {
        "operand": ("a", "b"),
        "spelling": tuple(SPELLINGS),
        "type": ("bf16", "f32", "i8", *(["e4m3"] if gpu in WITH_EIGHT_BIT_FLOATS else [])),
        "m": (16, 64, 128),
        "n": (16, 64, 128),
        "k": (32, 64),
    }


def _parameter(spelling: Spelling, element: Element) -> ArrayConstraint:
    if not spelling.has_columns:
        return argument(element, spelling.rank)
    return ArrayConstraint(
        element.tile,
        2,
        index_dtype=ct.int32,
        stride_lower_bound_incl=0,
        alias_groups=(),
        may_alias_internally=False,
        stride_constant=(1, None),
        stride_divisible_by=(1, DIVISOR),
        shape_divisible_by=(DIVISOR, 1),
        base_addr_divisible_by=16,
    )


def _stored(spelling: Spelling, matrix: Array) -> Array:
    """The array of which a spelling loads tiles of a matrix."""
    rows = np.ascontiguousarray(matrix.T if spelling.is_permuted else matrix)
    if spelling.has_columns:
        return rows.T
    if spelling.rank == 2:
        return rows
    if spelling.rank == 3:
        return rows[None]
    return np.ascontiguousarray(np.repeat(rows[None, :, None], HEADS, axis=2))


def make(values: Values) -> Generated:
    m, n, k = (number(values, axis) for axis in "mnk")
    type_, of_a = str(values["type"]), values["operand"] == "a"
    spelling = SPELLINGS[str(values["spelling"])]
    element, result = ELEMENTS[type_], ELEMENTS[RESULTS.get(type_, type_)]
    sums = ct.int32 if type_ == "i8" else ct.float32
    size_m, size_n, size_k = m + 16, n + 16, 2 * k + 16
    load_a, load_b = (spelling.load, plain) if of_a else (plain, spelling.load)
    straight = SPELLINGS["plain"]
    left, right = (spelling, straight) if of_a else (straight, spelling)

    @kernel
    def matmul(a: Any, b: Any, c: Any, steps: int) -> None:
        i, j = ct.bid(0), ct.bid(1)
        acc = ct.zeros((m, n), dtype=sums)
        for step in range(steps):
            acc = ct.mma(load_a(a, i, step, m, k), load_b(b, step, j, k, n), acc)
        ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        a = random_array((size_m, size_k), element, rng)
        b = random_array((size_k, size_n), element, rng)
        c = np.zeros((size_m, size_n), result.numpy)
        return [_stored(left, a), _stored(right, b), c, cdiv(size_k, k)]

    def matrix_of(spelling: Spelling, stored: Array) -> Array:
        rows = stored.T if spelling.has_columns else stored
        rows = rows[0] if spelling.rank > 2 else rows
        rows = rows[:, 0] if spelling.rank > 3 else rows
        return rows.T if spelling.is_permuted else rows

    def reference(a: Array, b: Array, c: Array, steps: int) -> list[Expected]:
        wide = np.int64 if type_ == "i8" else np.float64
        x, y = matrix_of(left, a).astype(wide), matrix_of(right, b).astype(wide)
        if type_ == "i8":
            return [Expected((x @ y).astype(np.int32))]
        return [within_roundings(x @ y, np.abs(x) @ np.abs(y), c.dtype, 64, np.float32)]

    arrays = [_parameter(left, element), _parameter(right, element), argument(result, 2)]
    parameters = [*arrays, ScalarConstraint(ct.int32)]
    grid = (cdiv(size_m, m), cdiv(size_n, n), 1)
    return Generated(
        case("matmul", matmul, parameters, arguments, grid, reference, (2,)),
        m * n * k / MMA,
        "mma",
        1,
    )


KIND = Kind("spelling", 1, axes, make)
