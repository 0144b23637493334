"""Arrays of any strides and alignment, sizes of 64 bits, and arrays that overlap."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.problems import (
    SHORT_LENGTHS,
    SHORT_TILE,
    TILE,
    cdiv,
    short_tiles,
    three_vectors,
    tiles_of_length,
)

SIDE, COLUMNS = 16, 64


@kernel
def strided_copy(x: Any, out: Any, layout: Any, tile: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    ct.store(out, index=(i, j), tile=ct.load(x, index=(i, j), shape=(tile, tile)))
    if i + j == 0:
        for axis in ct.static_iter(range(2)):
            ct.store(layout, index=(0, axis), tile=x.shape[axis])
            ct.store(layout, index=(1, axis), tile=x.strides[axis])
            ct.store(layout, index=(2, axis), tile=out.strides[axis])


def strided_reference(x: Array, _out: Array, layout: Array) -> list[Expected]:
    rows, columns = x.shape
    sizes = [[rows, columns], [2 * columns, 2], [1, rows]]
    return [Expected(x), Expected(np.array(sizes, layout.dtype))]


def strided_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    # Every second column of a matrix, into columns that lie one behind the other.
    x = rng.integers(-100, 100, (rows, 2 * columns)).astype(np.int32)[:, ::2]
    return [x, np.zeros((columns, rows), np.int32).T, np.zeros((3, 2), np.int32)]


@kernel
def double_in_place(x: Any, out: Any, factor: int, tile: ct.Constant[int]) -> None:
    # Both parameters may be the same array.
    i = ct.bid(0)
    part = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i,), tile=part * factor)
    again = ct.load(out, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(x, index=(i,), tile=again + 1)


def in_place_reference(x: Array, _out: Array, factor: int) -> list[Expected]:
    return [Expected(x * np.int32(factor) + np.int32(1))]


def in_place_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.integers(-100, 100, problem).astype(np.int32)
    return [x, x, 3]


@kernel
def unaligned_add(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, index=(i,), tile=x + y)


def add_reference(a: Array, b: Array, _c: Array) -> list[Expected]:
    return [Expected(a + b)]


def unaligned_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    a, b = (rng.standard_normal(length + 1).astype(np.float32)[1:] for _ in range(2))
    return [a, b, np.zeros(length + 3, np.float32)[3:]]


@kernel
def known_sizes(x: Any, weight: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    w = ct.load(weight, index=(0,), shape=(columns,))
    ct.store(out, index=(i, 0), tile=ct.load(x, index=(i, 0), shape=(8, columns)) * w)


def known_reference(x: Array, weight: Array, _out: Array) -> list[Expected]:
    return [Expected(x * weight)]


def known_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.standard_normal((8 * problem[0], COLUMNS)).astype(np.float16)
    return [x, rng.standard_normal(COLUMNS).astype(np.float16), np.zeros_like(x)]


CASES = (
    KernelCase(
        name="strided_copy",
        kernel=strided_copy,
        parameters=(
            array(ct.int32, 2, contiguous=False),
            array(ct.int32, 2, contiguous=False),
            array(ct.int32, 2),
            ConstantConstraint(SIDE),
        ),
        problems=((16, 16), (20, 50)),
        arguments=strided_arguments,
        grid=lambda problem: (cdiv(problem[0], SIDE), cdiv(problem[1], SIDE), 1),
        reference=strided_reference,
        outputs=(1, 2),
    ),
    KernelCase(
        name="double_in_place",
        kernel=double_in_place,
        parameters=(
            *(array(ct.int32, alias_groups=("data",)),) * 2,
            ScalarConstraint(ct.int32),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=in_place_arguments,
        grid=short_tiles,
        reference=in_place_reference,
        outputs=(1,),
    ),
    KernelCase(
        name="unaligned_add",
        kernel=unaligned_add,
        parameters=(*(array(ct.float32, aligned=4),) * 3, ConstantConstraint(TILE)),
        problems=((1,), (1000,)),
        arguments=unaligned_arguments,
        grid=tiles_of_length,
        reference=add_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="add_with_wide_index",
        kernel=unaligned_add,
        parameters=(*(array(ct.float32, index=ct.int64),) * 3, ConstantConstraint(TILE)),
        problems=((1,), (1000,)),
        arguments=three_vectors,
        grid=tiles_of_length,
        reference=add_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="known_sizes",
        kernel=known_sizes,
        parameters=(
            array(ct.float16, 2, sizes=(None, COLUMNS), divisible=8),
            array(ct.float16, sizes=(COLUMNS,)),
            array(ct.float16, 2, sizes=(None, COLUMNS), divisible=8),
            ConstantConstraint(COLUMNS),
        ),
        problems=((1,), (3,)),
        arguments=known_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=known_reference,
        outputs=(2,),
    ),
)
