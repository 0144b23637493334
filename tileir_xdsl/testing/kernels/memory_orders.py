"""Memory orders and scopes: the last block to finish reduces the results of all blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 64
MAX_BLOCKS = 8


@kernel
def last_block_sum(
    x: Any, partial: Any, done: Any, total: Any, tile: ct.Constant[int], blocks: ct.Constant[int]
) -> None:
    i = ct.bid(0)
    part = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(
        partial,
        index=(i,),
        tile=ct.reshape(ct.sum(part), (1,)),
        memory_order=ct.MemoryOrder.RELEASE,
        memory_scope=ct.MemoryScope.DEVICE,
    )
    before = ct.atomic_add(done, 0, 1, memory_order=ct.MemoryOrder.ACQ_REL)
    if before == ct.num_blocks(0) - 1:
        parts = ct.load(
            partial,
            index=(0,),
            shape=(blocks,),
            padding_mode=ct.PaddingMode.ZERO,
            memory_order=ct.MemoryOrder.ACQUIRE,
            memory_scope=ct.MemoryScope.DEVICE,
        )
        ct.store(total, index=(0,), tile=ct.reshape(ct.sum(parts), (1,)))


def last_block_reference(x: Array, partial: Array, done: Array, total: Array) -> list[Expected]:
    blocks = len(partial)
    tiles = np.zeros(blocks * TILE, x.dtype)
    tiles[: len(x)] = x
    return [
        Expected(tiles.reshape(blocks, TILE).sum(axis=1).astype(partial.dtype)),
        Expected(done + np.int32(blocks)),
        Expected(np.full_like(total, x.sum())),
    ]


def last_block_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    x = rng.integers(-1000, 1000, length).astype(np.int32)
    blocks = cdiv(length, TILE)
    return [x, np.zeros(blocks, np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)]


@kernel
def memory_scopes(x: Any, out: Any, counts: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    relaxed, release = ct.MemoryOrder.RELAXED, ct.MemoryOrder.RELEASE
    block, device, system = ct.MemoryScope.BLOCK, ct.MemoryScope.DEVICE, ct.MemoryScope.SYS
    a = ct.load(x, index=(i,), shape=(tile,), memory_order=relaxed, memory_scope=block)
    b = ct.load(x, index=(i,), shape=(tile,), memory_order=relaxed, memory_scope=system)
    ct.store(out, index=(i,), tile=a + b, memory_order=release, memory_scope=system)
    c = ct.load(out, index=(i,), shape=(tile,), memory_order=relaxed, memory_scope=device)
    ct.store(out, index=(i,), tile=c + 1, memory_order=relaxed, memory_scope=block)
    ct.atomic_add(counts, 0, 1, memory_order=relaxed, memory_scope=system)
    ct.atomic_max(counts, 1, i, memory_order=ct.MemoryOrder.ACQUIRE, memory_scope=device)
    ct.atomic_or(counts, 2, 1 << i, memory_order=release, memory_scope=device)
    ct.atomic_min(counts, 3, i, memory_order=ct.MemoryOrder.ACQ_REL, memory_scope=system)


def scopes_reference(x: Array, _out: Array, counts: Array) -> list[Expected]:
    blocks = len(x) // TILE
    counts += np.array([blocks, 0, 0, 0], np.int32)
    counts[1] = max(counts[1], blocks - 1)
    counts[2] |= (1 << blocks) - 1
    counts[3] = min(counts[3], 0)
    return [Expected(2 * x + 1), Expected(counts)]


def scopes_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.integers(-100, 100, problem[0] * TILE).astype(np.int32)
    return [x, np.zeros_like(x), np.array([3, -1, 0, 100], np.int32)]


CASES = (
    KernelCase(
        name="last_block_sum",
        kernel=last_block_sum,
        parameters=(
            *(array(ct.int32),) * 4,
            ConstantConstraint(TILE),
            ConstantConstraint(MAX_BLOCKS),
        ),
        problems=((1,), (512,), (300,)),
        arguments=last_block_arguments,
        grid=lambda problem: (cdiv(problem[0], TILE), 1, 1),
        reference=last_block_reference,
        outputs=(1, 2, 3),
    ),
    KernelCase(
        name="memory_scopes",
        kernel=memory_scopes,
        parameters=(*(array(ct.int32),) * 3, ConstantConstraint(TILE)),
        problems=((1,), (3,)),
        arguments=scopes_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=scopes_reference,
        outputs=(1, 2),
    ),
)
