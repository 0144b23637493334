"""Segments of an array between offsets that the kernel loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct

TILE = 16


@kernel
def segment_sums(x: Any, offsets: Any, sums: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    start: Any = ct.load(offsets, index=(i,), shape=()).item()
    stop: Any = ct.load(offsets, index=(i + 1,), shape=()).item()
    part = x.slice(axis=0, start=start, stop=stop)
    total = ct.zeros((tile,), dtype=ct.int32)
    for k in range(ct.num_tiles(part, axis=0, shape=(tile,))):
        # The padding begins at the end of the segment.
        total += ct.load(part, index=(k,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(sums, index=(i,), tile=ct.sum(total))


def sums_reference(x: Array, offsets: Array, sums: Array) -> list[Expected]:
    pieces = np.split(x, offsets[1:-1])
    return [Expected(np.array([piece.sum() for piece in pieces], sums.dtype))]


def _offsets(count: int, length: int, rng: np.random.Generator) -> Array:
    inner = np.sort(rng.integers(0, length, count - 1, endpoint=True))
    return np.concatenate([[0], inner, [length]]).astype(np.int32)


def sums_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    count, length = problem
    x = rng.integers(-100, 100, length).astype(np.int32)
    return [x, _offsets(count, length, rng), np.zeros(count, np.int32)]


@kernel
def first_long_segment(
    x: Any, offsets: Any, shortest: int, out: Any, number: Any, tile: ct.Constant[int]
) -> None:
    k = 0
    while True:
        start: Any = ct.load(offsets, index=(k,), shape=()).item()
        stop: Any = ct.load(offsets, index=(k + 1,), shape=()).item()
        part = x.slice(axis=0, start=start, stop=stop)
        if stop - start >= shortest:
            break
        k += 1
    ct.store(number, index=(0,), tile=k)
    begin = ct.load(part, index=(0,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0,), tile=begin)


def long_reference(
    x: Array, offsets: Array, shortest: int, out: Array, number: Array
) -> list[Expected]:
    k = int(np.argmax(np.diff(offsets) >= shortest))
    begin = x[offsets[k] : offsets[k + 1]][:TILE]
    out[...] = 0
    out[: len(begin)] = begin
    return [Expected(out), Expected(np.full_like(number, k))]


def long_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    count, length = problem
    x = rng.integers(-100, 100, length).astype(np.int32)
    offsets = _offsets(count, length, rng)
    shortest = int(np.diff(offsets).max())
    return [x, offsets, shortest, np.ones(TILE, np.int32), np.zeros(1, np.int32)]


CASES = (
    KernelCase(
        name="segment_sums",
        kernel=segment_sums,
        parameters=(*(array(ct.int32),) * 3, ConstantConstraint(TILE)),
        problems=((1, 1), (5, 100)),
        arguments=sums_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=sums_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="first_long_segment",
        kernel=first_long_segment,
        parameters=(
            array(ct.int32),
            array(ct.int32),
            ScalarConstraint(ct.int32),
            array(ct.int32),
            array(ct.int32),
            ConstantConstraint(TILE),
        ),
        problems=((1, 5), (6, 60)),
        arguments=long_arguments,
        grid=lambda problem: (1, 1, 1),
        reference=long_reference,
        outputs=(3, 4),
    ),
)
