"""Tiled views of arrays: a moving average over overlapping tiles, sampling, and atomics."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 64
WINDOW = 4


@kernel
def moving_sum(x: Any, out: Any, window: ct.Constant[int]) -> None:
    # Consecutive tiles start one element apart.
    windows = x.tiled_view(window, padding_mode=ct.PaddingMode.ZERO, traversal_steps=(1,))
    i = ct.bid(0)
    ct.store(out, index=(i,), tile=ct.sum(windows.load(i)))


def moving_sum_reference(x: Array, out: Array) -> list[Expected]:
    padded = np.concatenate([x, np.zeros(WINDOW - 1, x.dtype)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)
    return [Expected(windows.sum(axis=1).astype(out.dtype))]


def moving_sum_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.integers(-100, 100, problem).astype(np.int32), np.zeros(problem, np.int32)]


@kernel
def sample_tiles(x: Any, out: Any) -> None:
    # Of every 8 x 16 elements the first 2 x 4; the result has gaps of the same size.
    source = x.tiled_view((2, 4), padding_mode=ct.PaddingMode.ZERO, traversal_steps=(8, 16))
    target = out.tiled_view((2, 4), traversal_steps=(4, 8))
    for i in range(source.num_tiles(0)):
        for j in range(ct.bid(0), source.num_tiles(1), ct.num_blocks(0)):
            target.store((i, j), source.load((i, j)))


def sample_reference(x: Array, out: Array) -> list[Expected]:
    for i in range(cdiv(x.shape[0], 8)):
        for j in range(cdiv(x.shape[1], 16)):
            tile = x[8 * i : 8 * i + 2, 16 * j : 16 * j + 4]
            padded = np.zeros((2, 4), x.dtype)
            padded[: tile.shape[0], : tile.shape[1]] = tile
            target = out[4 * i : 4 * i + 2, 8 * j : 8 * j + 4]
            target[...] = padded[: target.shape[0], : target.shape[1]]
    return [Expected(out)]


def sample_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    out = np.full((4 * cdiv(rows, 8) - 1, 8 * cdiv(columns, 16) - 1), -1, np.float32)
    return [rng.standard_normal(problem).astype(np.float32), out]


@kernel
def reduce_into_view(x: Any, bins: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    value = x.tiled_view((1, tile), padding_mode=ct.PaddingMode.ZERO).load((i, 0))
    target = bins.tiled_view((1, tile))
    target.atomic_store_add((0, 0), value)
    target.atomic_store_max((1, 0), value)
    target.atomic_store_min((2, 0), value)
    target.atomic_store_and((3, 0), value)
    target.atomic_store_or((4, 0), value)
    target.atomic_store_xor((5, 0), value)


UPDATES = (np.add, np.maximum, np.minimum, np.bitwise_and, np.bitwise_or, np.bitwise_xor)


def reduce_reference(x: Array, bins: Array) -> list[Expected]:
    rows = [
        update.reduce(np.concatenate([row[None], x])).astype(bins.dtype)
        for update, row in zip(UPDATES, bins, strict=True)
    ]
    return [Expected(np.stack(rows))]


def _reduce_case(name: str, dtype: ct.DType, storage: type[np.integer[Any]]) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        _, columns = problem
        info = np.iinfo(storage)
        x = rng.integers(info.min, info.max, problem, storage, endpoint=True)
        bins = rng.integers(info.min, info.max, (len(UPDATES), columns), storage, endpoint=True)
        return [x, bins]

    return KernelCase(
        name=f"reduce_into_view_{name}",
        kernel=reduce_into_view,
        parameters=(array(dtype, 2), array(dtype, 2), ConstantConstraint(TILE)),
        problems=((1, 64), (5, 50)),
        arguments=arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reduce_reference,
        outputs=(1,),
        since="13.3",
    )


@kernel
def sum_into_view(x: Any, total: Any, tile: ct.Constant[int]) -> None:
    value = ct.load(x, index=(ct.bid(0), 0), shape=(1, tile))
    total.tiled_view(tile).atomic_store_add(0, ct.reshape(value, (tile,)))


def sum_reference(x: Array, total: Array) -> list[Expected]:
    return [Expected((x.sum(axis=0) + total).astype(total.dtype))]


def sum_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    # Small integers: every order of summation is exact.
    x = rng.integers(-20, 20, (*problem, TILE)).astype(np.float32)
    return [x, rng.integers(-20, 20, TILE).astype(np.float32)]


CASES = (
    KernelCase(
        name="moving_sum",
        kernel=moving_sum,
        parameters=(array(ct.int32), array(ct.int32), ConstantConstraint(WINDOW)),
        problems=((1,), (20,)),
        arguments=moving_sum_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=moving_sum_reference,
        outputs=(1,),
        since="13.3",
    ),
    KernelCase(
        name="sample_tiles",
        kernel=sample_tiles,
        parameters=(array(ct.float32, 2), array(ct.float32, 2)),
        problems=((8, 16), (17, 50)),
        arguments=sample_arguments,
        grid=lambda problem: (2, 1, 1),
        reference=sample_reference,
        outputs=(1,),
        since="13.3",
    ),
    _reduce_case("i32", ct.int32, np.int32),
    _reduce_case("u64", ct.uint64, np.uint64),
    KernelCase(
        name="sum_into_view",
        kernel=sum_into_view,
        parameters=(array(ct.float32, 2), array(ct.float32), ConstantConstraint(TILE)),
        problems=((1,), (5,)),
        arguments=sum_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=sum_reference,
        outputs=(1,),
        since="13.3",
    ),
)
