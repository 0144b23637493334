"""Accesses by index: a histogram, embeddings, rows gathered and scattered as tiles, and RoPE."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_ulps
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 256
BINS = 16


@kernel
def histogram(x: Any, counts: Any, tile: ct.Constant[int]) -> None:
    positions = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    # Beyond the end of `x` the bin is negative: out of bounds, not counted.
    bins = ct.gather(x, positions, padding_value=-1)
    ct.atomic_add(counts, bins, 1)


def histogram_reference(x: Array, counts: Array) -> list[Expected]:
    return [Expected(counts + np.bincount(x, minlength=BINS).astype(np.int32))]


def histogram_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.integers(0, BINS, problem).astype(np.int32)
    return [x, rng.integers(0, 5, BINS).astype(np.int32)]


@kernel
def embedding(table: Any, tokens: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    token: Any = ct.load(tokens, index=(i,), shape=()).item()
    row = ct.load(table, index=(token, 0), shape=(1, columns))
    ct.store(out, index=(i, 0), tile=row)


def embedding_reference(table: Array, tokens: Array, _out: Array) -> list[Expected]:
    return [Expected(table[tokens])]


def embedding_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    vocabulary, length = problem
    table = rng.standard_normal((vocabulary, 64)).astype(np.float16)
    tokens = rng.integers(0, vocabulary, length).astype(np.int32)
    return [table, tokens, np.zeros((length, 64), np.float16)]


@kernel
def gather_rows(x: Any, rows: Any, out: Any, back: Any) -> None:
    i = ct.bid(0)
    chosen = ct.load(rows, index=(i,), shape=(8,), padding_mode=ct.PaddingMode.ZERO)
    tile = ct.load_advanced_indexing(x, (chosen, ct.Slice(4, 32)), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i, 0), tile=tile)
    ct.store_advanced_indexing(back, (chosen, ct.Slice(0, 32)), tile)


def gather_rows_reference(x: Array, rows: Array, _out: Array, back: Array) -> list[Expected]:
    padded = np.zeros((len(x), 36), x.dtype)
    padded[:, : x.shape[1]] = x[:, :36]
    taken = padded[rows, 4:]
    scattered = back.copy()
    scattered[rows] = taken
    return [Expected(taken), Expected(scattered)]


def gather_rows_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    count, columns = problem
    x = rng.standard_normal((8 * count, columns)).astype(np.float32)
    rows = rng.permutation(8 * count).astype(np.int32)
    return [x, rows, np.zeros((8 * count, 32), np.float32), np.zeros((8 * count, 32), np.float32)]


@kernel
def rope(x: Any, frequencies: Any, out: Any, half: ct.Constant[int]) -> None:
    position, head = ct.bid(0), ct.bid(1)
    frequency = ct.load(frequencies, index=(0,), shape=(half,))
    angle = frequency * ct.astype(position, ct.float32)
    c, s = ct.cos(angle), ct.sin(angle)
    a = ct.reshape(ct.load(x, index=(position, head, 0), shape=(1, 1, half)), (half,))
    b = ct.reshape(ct.load(x, index=(position, head, 1), shape=(1, 1, half)), (half,))
    shape = (1, 1, half)
    ct.store(out, index=(position, head, 0), tile=ct.reshape(a * c - b * s, shape))
    ct.store(out, index=(position, head, 1), tile=ct.reshape(b * c + a * s, shape))


def rope_reference(x: Array, frequencies: Array, out: Array) -> list[Expected]:
    positions = np.arange(len(x), dtype=np.float32)
    angle = (frequencies[None, :] * positions[:, None]).astype(np.float64)[:, None, :]
    half = x.shape[2] // 2
    a, b = x[..., :half].astype(np.float64), x[..., half:].astype(np.float64)
    values = np.concatenate(
        [a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], axis=2
    )
    size = np.concatenate([np.abs(a) + np.abs(b)] * 2, axis=2)
    expected = within_ulps(size, out.dtype, 8)
    return [Expected(values.astype(out.dtype), expected.error)]


def rope_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    length, heads = problem
    frequencies = (10000.0 ** -(np.arange(32) / 32)).astype(np.float32)
    x = rng.standard_normal((length, heads, 64)).astype(np.float32)
    return [x, frequencies, np.zeros_like(x)]


CASES = (
    KernelCase(
        name="histogram",
        kernel=histogram,
        parameters=(array(ct.int32), array(ct.int32), ConstantConstraint(TILE)),
        problems=((1,), (1024,), (700,)),
        arguments=histogram_arguments,
        grid=lambda problem: (cdiv(problem[0], TILE), 1, 1),
        reference=histogram_reference,
        outputs=(1,),
    ),
    KernelCase(
        name="embedding",
        kernel=embedding,
        parameters=(
            array(ct.float16, 2),
            array(ct.int32),
            array(ct.float16, 2),
            ConstantConstraint(64),
        ),
        problems=((1, 1), (50, 7)),
        arguments=embedding_arguments,
        grid=lambda problem: (problem[1], 1, 1),
        reference=embedding_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="gather_rows",
        kernel=gather_rows,
        parameters=(
            array(ct.float32, 2),
            array(ct.int32),
            array(ct.float32, 2),
            array(ct.float32, 2),
        ),
        problems=((1, 40), (3, 30)),
        arguments=gather_rows_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=gather_rows_reference,
        outputs=(2, 3),
        since="13.3",
    ),
    KernelCase(
        name="rope",
        kernel=rope,
        parameters=(
            array(ct.float32, 3),
            array(ct.float32),
            array(ct.float32, 3),
            ConstantConstraint(32),
        ),
        problems=((1, 1), (5, 2)),
        arguments=rope_arguments,
        grid=lambda problem: (problem[0], problem[1], 1),
        reference=rope_reference,
        outputs=(2,),
    ),
)
