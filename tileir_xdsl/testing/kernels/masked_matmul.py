"""Matrix products of operands that masks set to zero in part."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.matmul import expected_matmul
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 64
HEAD = 64
"""The number of columns of a head, which fills a tile."""


@kernel
def block_sparse_matmul(a: Any, b: Any, kept: Any, c: Any, tile: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tile, tile), dtype=c.dtype)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(tile, tile))):
        is_kept: Any = ct.load(kept, index=(i, k), shape=(1, 1)) != 0
        x = ct.load(a, index=(i, k), shape=(tile, tile), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(tile, tile), padding_mode=zero)
        acc = ct.mma(ct.where(is_kept, x, 0), y, acc)
    ct.store(c, index=(i, j), tile=acc)


@kernel
def ragged_matmul(a: Any, b: Any, c: Any, depth: Any, tile: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tile, tile), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    count: Any = ct.cdiv(depth, tile)
    for k in range(count):
        x = ct.load(a, index=(i, k), shape=(tile, tile), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(tile, tile), padding_mode=zero)
        columns = ct.arange(tile, dtype=ct.int32) + k * tile
        acc = ct.mma(ct.where(ct.expand_dims(columns < depth, 0), x, 0), y, acc)
    ct.store(c, index=(i, j), tile=acc)


@kernel
def head_scores(
    q: Any, k: Any, scores: Any, head: ct.Constant[int], tile: ct.Constant[int]
) -> None:
    i, j = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    columns = ct.expand_dims(ct.arange(tile, dtype=ct.int32) < head, 0)
    x = ct.load(q, index=(i, 0), shape=(tile, tile), padding_mode=zero)
    y = ct.load(k, index=(j, 0), shape=(tile, tile), padding_mode=zero)
    x, y = ct.where(columns, x, 0), ct.transpose(ct.where(columns, y, 0))
    acc = ct.mma(x, y, ct.zeros((tile, tile), dtype=ct.float32))
    ct.store(scores, index=(i, j), tile=acc)


def expected_block_sparse(a: Array, b: Array, kept: Array, c: Array) -> list[Expected]:
    """The product with only the kept blocks of `a`."""
    mask = np.repeat(np.repeat(kept != 0, TILE, axis=0), TILE, axis=1)
    left = np.where(mask[: a.shape[0], : a.shape[1]], a, 0)
    return [expected_matmul(left, b, c.dtype, np.int32)]


def expected_ragged(a: Array, b: Array, c: Array, depth: int) -> list[Expected]:
    """The product of the first `depth` columns of `a`."""
    return [expected_matmul(a[:, :depth], b[:depth], c.dtype, np.float32)]


def expected_scores(q: Array, k: Array, scores: Array) -> list[Expected]:
    """The dot products of all rows of `q` with all rows of `k`."""
    return [expected_matmul(q, k.T, scores.dtype, np.float32)]


def _blocks(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n, k = problem
    a, b = (rng.integers(-128, 128, shape, dtype=np.int8) for shape in ((m, k), (k, n)))
    kept = rng.integers(0, 2, (cdiv(m, TILE), cdiv(k, TILE)), np.int8)
    return [a, b, kept, np.zeros((m, n), np.int32)]


def _columns(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n, k = problem
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    return [a, b, np.zeros((m, n), np.float32), k - k // 3]


def _heads(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n = problem
    q, k = (rng.standard_normal((rows, HEAD)).astype(np.float16) for rows in (m, n))
    return [q, k, np.zeros((m, n), np.float32)]


def _grid(problem: Problem) -> tuple[int, int, int]:
    return (cdiv(problem[0], TILE), cdiv(problem[1], TILE), 1)


_HALVES = (array(ct.float16, 2),) * 2

CASES = (
    KernelCase(
        name="block_sparse_matmul",
        kernel=block_sparse_matmul,
        parameters=(
            *(array(ct.int8, 2),) * 3,
            array(ct.int32, 2),
            ConstantConstraint(TILE),
        ),
        problems=((64, 64, 64), (70, 80, 300)),
        arguments=_blocks,
        grid=_grid,
        reference=expected_block_sparse,
        outputs=(3,),
    ),
    KernelCase(
        name="ragged_matmul",
        kernel=ragged_matmul,
        parameters=(
            *_HALVES,
            array(ct.float32, 2),
            ScalarConstraint(ct.int32),
            ConstantConstraint(TILE),
        ),
        problems=((64, 64, 64), (70, 80, 300)),
        arguments=_columns,
        grid=_grid,
        reference=expected_ragged,
        outputs=(2,),
    ),
    KernelCase(
        name="head_scores",
        kernel=head_scores,
        parameters=(
            *_HALVES,
            array(ct.float32, 2),
            ConstantConstraint(HEAD),
            ConstantConstraint(TILE),
        ),
        problems=((64, 64), (70, 100)),
        arguments=_heads,
        grid=_grid,
        reference=expected_scores,
        outputs=(2,),
    ),
)
