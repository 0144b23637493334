"""Comparisons by element type, booleans in memory, and NaN in comparisons, minima and maxima."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, cdiv, short_tiles

COMPARISONS = (
    np.equal,
    np.not_equal,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
)
COLUMNS = 64


@kernel
def comparisons(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, i), tile=ct.reshape(x == y, (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(x != y, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(x < y, (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(x <= y, (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(x > y, (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(x >= y, (1, tile)))


def comparisons_reference(a: Array, b: Array, _out: Array) -> list[Expected]:
    with np.errstate(invalid="ignore"):
        return [Expected(np.stack([compare(a, b) for compare in COMPARISONS]))]


def _comparisons_case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        # Few different values: many are equal.
        values = np.array([0, 1, 2, -1, -2, 3]).astype(storage)
        if np.dtype(storage).kind not in "iub":
            values = np.array([0, -0.0, 1, -2, np.nan, np.inf, -np.inf]).astype(storage)
        a, b = rng.choice(values, (2, *problem))
        return [a, b, np.zeros((len(COMPARISONS), *problem), np.bool_)]

    return KernelCase(
        name=f"comparisons_{name}",
        kernel=comparisons,
        parameters=(
            array(dtype),
            array(dtype),
            array(ct.bool_, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=comparisons_reference,
        outputs=(2,),
    )


@kernel
def boolean_logic(a: Any, b: Any, out: Any, counts: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    p = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    q = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, i), tile=ct.reshape(p & q, (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(p | q, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(p ^ q, (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(ct.bitwise_not(p), (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(ct.where(p, q, False), (1, tile)))
    ct.store(counts, index=(i,), tile=ct.reshape(ct.sum(ct.astype(p, ct.int32)), (1,)))


def logic_reference(p: Array, q: Array, _out: Array, counts: Array) -> list[Expected]:
    tiles = np.zeros(len(counts) * SHORT_TILE, np.bool_)
    tiles[: len(p)] = p
    count = tiles.reshape(-1, SHORT_TILE).sum(axis=1)
    return [Expected(np.stack([p & q, p | q, p ^ q, ~p, p & q])), Expected(count.astype(np.int32))]


def logic_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    p, q = rng.integers(0, 2, (2, *problem)).astype(np.bool_)
    blocks = cdiv(problem[0], SHORT_TILE)
    return [p, q, np.zeros((5, *problem), np.bool_), np.zeros(blocks, np.int32)]


@kernel
def nan_handling(a: Any, b: Any, out: Any, rows: Any, positions: Any) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i, 0), shape=(1, 64))
    y = ct.load(b, index=(i, 0), shape=(1, 64))
    ct.store(out, index=(i, 0), tile=ct.maximum(x, y))
    ct.store(out, index=(i, 1), tile=ct.minimum(x, y))
    ct.store(out, index=(i, 2), tile=ct.maximum(x, y, propagate_nan=True))
    ct.store(out, index=(i, 3), tile=ct.minimum(x, y, propagate_nan=True))
    ct.store(out, index=(i, 4), tile=ct.where(ct.isnan(x), 0.0, x))
    ct.store(rows, index=(i, 0), tile=ct.max(x, 1, keepdims=True))
    ct.store(rows, index=(i, 1), tile=ct.min(x, 1, keepdims=True, propagate_nan=True))
    ct.store(positions, index=(i, 0), tile=ct.argmax(x, 1, keepdims=True))
    ct.store(positions, index=(i, 1), tile=ct.argmin(x, 1, keepdims=True, propagate_nan=True))


def nan_reference(a: Array, b: Array, _out: Array, rows: Array, positions: Array) -> list[Expected]:
    pieces = [np.fmax(a, b), np.fmin(a, b), np.maximum(a, b), np.minimum(a, b), np.nan_to_num(a)]
    return [
        Expected(np.concatenate(pieces, axis=1)),
        Expected(np.stack([np.nanmax(a, axis=1), np.min(a, axis=1)], axis=1)),
        Expected(
            np.stack([np.nanargmax(a, axis=1), np.argmin(a, axis=1)], axis=1).astype(np.int32)
        ),
    ]


def nan_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    a, b = rng.standard_normal((2, count, COLUMNS)).astype(np.float32)
    for x in (a, b):
        x[rng.random(x.shape) < 0.1] = np.nan
    return [
        a,
        b,
        np.zeros((count, 5 * COLUMNS), np.float32),
        np.zeros((count, 2), np.float32),
        np.zeros((count, 2), np.int32),
    ]


CASES = (
    _comparisons_case("bool", ct.bool_, np.bool_),
    _comparisons_case("i8", ct.int8, np.int8),
    _comparisons_case("u8", ct.uint8, np.uint8),
    _comparisons_case("i32", ct.int32, np.int32),
    _comparisons_case("u32", ct.uint32, np.uint32),
    _comparisons_case("i64", ct.int64, np.int64),
    _comparisons_case("f16", ct.float16, np.float16),
    _comparisons_case("bf16", ct.bfloat16, ml_dtypes.bfloat16),
    _comparisons_case("f32", ct.float32, np.float32),
    _comparisons_case("f64", ct.float64, np.float64),
    KernelCase(
        name="boolean_logic",
        kernel=boolean_logic,
        parameters=(
            array(ct.bool_),
            array(ct.bool_),
            array(ct.bool_, 2),
            array(ct.int32),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=logic_arguments,
        grid=short_tiles,
        reference=logic_reference,
        outputs=(2, 3),
    ),
    KernelCase(
        name="nan_handling",
        kernel=nan_handling,
        parameters=(*(array(ct.float32, 2),) * 4, array(ct.int32, 2)),
        problems=((1,), (4,)),
        arguments=nan_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=nan_reference,
        outputs=(2, 3, 4),
    ),
)
