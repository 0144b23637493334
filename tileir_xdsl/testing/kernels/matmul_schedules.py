"""Matrix products with other schedules: batched, split along K, persistent, block-scaled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.matmul import WARPGROUP_TILE, expected_matmul
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 32
SPLITS = 3
BLOCKS = 4


@kernel
def batched_matmul(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    batch, i, j = ct.bid(2), ct.bid(0), ct.bid(1)
    acc = ct.zeros((1, tile, tile), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=2, shape=(1, tile, tile))):
        x = ct.load(a, index=(batch, i, k), shape=(1, tile, tile), padding_mode=zero)
        y = ct.load(b, index=(batch, k, j), shape=(1, tile, tile), padding_mode=zero)
        acc = ct.mma(x, y, acc)
    ct.store(c, index=(batch, i, j), tile=ct.astype(acc, c.dtype))


def batched_reference(a: Array, b: Array, c: Array) -> list[Expected]:
    return [expected_matmul(a, b, c.dtype, np.float32)]


def batched_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    batch, m, n, k = problem
    a = rng.standard_normal((batch, m, k)).astype(np.float16)
    b = rng.standard_normal((batch, k, n)).astype(np.float16)
    return [a, b, np.zeros((batch, m, n), np.float16)]


def _batched_grid(problem: Problem) -> tuple[int, int, int]:
    batch, m, n, _ = problem
    return cdiv(m, TILE), cdiv(n, TILE), batch


@kernel
def split_k_matmul(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i, j, part, parts = ct.bid(0), ct.bid(1), ct.bid(2), ct.num_blocks(2)
    acc = ct.zeros((tile, tile), dtype=ct.float32)
    for k in range(part, ct.num_tiles(a, axis=1, shape=(tile, tile)), parts):
        x = ct.load(a, index=(i, k), shape=(tile, tile), padding_mode=ct.PaddingMode.ZERO)
        y = ct.load(b, index=(k, j), shape=(tile, tile), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(x, y, acc)
    rows = ct.expand_dims(i * tile + ct.arange(tile, dtype=ct.int32), 1)
    columns = ct.expand_dims(j * tile + ct.arange(tile, dtype=ct.int32), 0)
    ct.atomic_add(c, (rows, columns), acc)


def split_k_reference(a: Array, b: Array, c: Array) -> list[Expected]:
    return [expected_matmul(a, b, c.dtype, np.float32)]


def split_k_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n, k = problem
    a = rng.standard_normal((m, k)).astype(ml_dtypes.bfloat16)
    b = rng.standard_normal((k, n)).astype(ml_dtypes.bfloat16)
    return [a, b, np.zeros((m, n), np.float32)]


def _split_k_grid(problem: Problem) -> tuple[int, int, int]:
    return cdiv(problem[0], TILE), cdiv(problem[1], TILE), SPLITS


@kernel
def persistent_matmul(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    across = ct.num_tiles(c, axis=1, shape=(tile, tile))
    tiles = ct.num_tiles(c, axis=0, shape=(tile, tile)) * across
    steps = ct.num_tiles(a, axis=1, shape=(tile, tile))
    for number in range(ct.bid(0), tiles, ct.num_blocks(0)):
        i, j = number // across, number % across
        acc = ct.zeros((tile, tile), dtype=ct.float32)
        for k in range(steps):
            x = ct.load(a, index=(i, k), shape=(tile, tile), padding_mode=ct.PaddingMode.ZERO)
            # b is stored transposed.
            y = ct.load(
                b,
                index=(k, j),
                shape=(tile, tile),
                order="F",
                padding_mode=ct.PaddingMode.ZERO,
            )
            acc = ct.mma(x, y, acc)
        ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def persistent_reference(a: Array, b: Array, c: Array) -> list[Expected]:
    return [expected_matmul(a, b.T, c.dtype, np.float32)]


def persistent_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n, k = problem
    a = rng.standard_normal((m, k)).astype(np.float16)
    b = rng.standard_normal((n, k)).astype(np.float16)
    return [a, b, np.zeros((m, n), np.float16)]


@kernel
def scaled_matmul(a: Any, sa: Any, b: Any, sb: Any, c: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((32, 32), dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(32, 64))):
        x = ct.load(a, index=(i, k), shape=(32, 64))
        y = ct.load(b, index=(k, j), shape=(64, 32))
        x_scale = ct.load(sa, index=(i, k), shape=(32, 2))
        y_scale = ct.load(sb, index=(k, j), shape=(2, 32))
        acc = ct.mma_scaled(x, x_scale, y, y_scale, acc)
    ct.store(c, index=(i, j), tile=acc)


def scaled_reference(a: Array, sa: Array, b: Array, sb: Array, c: Array) -> list[Expected]:
    x = a.astype(np.float64) * np.repeat(sa.astype(np.float64), 32, axis=1)
    y = b.astype(np.float64) * np.repeat(sb.astype(np.float64), 32, axis=0)
    return [within_roundings(x @ y, np.abs(x) @ np.abs(y), c.dtype, 32, np.float32)]


def scaled_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n, k = problem
    a = rng.standard_normal((m, k)).astype(ml_dtypes.float8_e4m3fn)
    b = rng.standard_normal((k, n)).astype(ml_dtypes.float8_e4m3fn)
    sa = (2.0 ** rng.integers(-3, 4, (m, k // 32))).astype(ml_dtypes.float8_e8m0fnu)
    sb = (2.0 ** rng.integers(-3, 4, (k // 32, n))).astype(ml_dtypes.float8_e8m0fnu)
    return [a, sa, b, sb, np.zeros((m, n), np.float32)]


CASES = (
    KernelCase(
        name="batched_matmul",
        kernel=batched_matmul,
        parameters=(*(array(ct.float16, 3),) * 3, ConstantConstraint(TILE)),
        problems=((1, 32, 32, 32), (3, 40, 30, 50)),
        arguments=batched_arguments,
        grid=_batched_grid,
        reference=batched_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="split_k_matmul",
        kernel=split_k_matmul,
        parameters=(
            array(ct.bfloat16, 2),
            array(ct.bfloat16, 2),
            array(ct.float32, 2),
            ConstantConstraint(TILE),
        ),
        problems=((32, 32, 96), (40, 50, 200)),
        arguments=split_k_arguments,
        grid=_split_k_grid,
        reference=split_k_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="persistent_matmul",
        kernel=persistent_matmul,
        parameters=(*(array(ct.float16, 2),) * 3, ConstantConstraint(TILE)),
        problems=((32, 32, 32), (100, 70, 50)),
        arguments=persistent_arguments,
        grid=lambda problem: (BLOCKS, 1, 1),
        reference=persistent_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="scaled_matmul",
        kernel=scaled_matmul,
        parameters=(
            array(ct.float8_e4m3fn, 2),
            array(ct.float8_e8m0fnu, 2),
            array(ct.float8_e4m3fn, 2),
            array(ct.float8_e8m0fnu, 2),
            array(ct.float32, 2),
        ),
        problems=((32, 32, 64), (64, 64, 192)),
        arguments=scaled_arguments,
        grid=lambda problem: (problem[0] // 32, problem[1] // 32, 1),
        reference=scaled_reference,
        outputs=(4,),
        since="13.3",
    ),
)

_WARPGROUP = ConstantConstraint(WARPGROUP_TILE)


def _warpgroup_case(name: str, problem: Problem, grid: tuple[int, int, int]) -> KernelCase:
    """The kernel of `CASES` called `name`, with tiles of a warpgroup."""
    case = next(case for case in CASES if case.name == name)

    def blocks(_problem: Problem) -> tuple[int, int, int]:
        return grid

    return replace(
        case,
        name=f"{name}_warpgroup",
        parameters=(*case.parameters[:-1], _WARPGROUP),
        problems=(problem,),
        grid=blocks,
    )


WARPGROUP_CASES = (
    _warpgroup_case("batched_matmul", (2, 64, 72, 136), (1, 2, 2)),
    _warpgroup_case("persistent_matmul", (136, 72, 136), (BLOCKS, 1, 1)),
)
"""Products with tiles of a warpgroup; these kernels exist only with divisible strides."""
