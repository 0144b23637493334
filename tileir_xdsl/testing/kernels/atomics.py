"""Kernels with atomics: a histogram, exchanges, a spin lock, and raw offsets."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

BINS = 8


@kernel
def atomic_updates(x: Any, bins: Any, tile: ct.Constant[int]) -> None:
    positions = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    value = ct.gather(x, positions)
    # Beyond the end of `x` the bin is out of bounds: nothing is updated.
    bin_ = ct.where(positions < x.shape[0], positions % bins.shape[1], -1)
    ct.atomic_add(bins, (0, bin_), value)
    ct.atomic_max(bins, (1, bin_), value)
    ct.atomic_min(bins, (2, bin_), value)
    ct.atomic_and(bins, (3, bin_), value)
    ct.atomic_or(bins, (4, bin_), value)
    ct.atomic_xor(bins, (5, bin_), value)


UPDATES = (np.add, np.maximum, np.minimum, np.bitwise_and, np.bitwise_or, np.bitwise_xor)


def updates_reference(x: Array, bins: Array) -> list[Expected]:
    bin_ = np.arange(len(x)) % BINS
    for row, update in zip(bins, UPDATES, strict=True):
        update.at(row, bin_, x)
    return [Expected(bins)]


def _updates_case(name: str, dtype: ct.DType, storage: type[np.integer[Any]]) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        info = np.iinfo(storage)
        x = rng.integers(info.min, info.max, problem, storage, endpoint=True)
        bins = rng.integers(info.min, info.max, (len(UPDATES), BINS), storage, endpoint=True)
        return [x, bins]

    return KernelCase(
        name=f"atomic_updates_{name}",
        kernel=atomic_updates,
        parameters=(array(dtype), array(dtype, 2), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=updates_reference,
        outputs=(1,),
    )


@kernel
def atomic_sums(x: Any, sums: Any, tile: ct.Constant[int]) -> None:
    positions = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    bin_ = ct.where(positions < x.shape[0], positions % sums.shape[0], -1)
    ct.atomic_add(sums, bin_, ct.gather(x, positions), memory_order=ct.MemoryOrder.RELAXED)


def sums_reference(x: Array, sums: Array) -> list[Expected]:
    bin_ = np.arange(len(x)) % BINS
    total, size = sums.astype(np.float64), np.abs(sums).astype(np.float64)
    np.add.at(total, bin_, x.astype(np.float64))
    np.add.at(size, bin_, np.abs(x).astype(np.float64))
    # One rounding per addition.
    return [within_roundings(total, size, sums.dtype, -(-len(x) // BINS), sums.dtype)]


def _sums_case(name: str, dtype: ct.DType, storage: DTypeLike, since: str = "13.1") -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x, sums = rng.standard_normal(problem), rng.standard_normal(BINS)
        return [x.astype(storage), sums.astype(storage)]

    return KernelCase(
        name=f"atomic_sums_{name}",
        kernel=atomic_sums,
        parameters=(array(dtype), array(dtype), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=sums_reference,
        outputs=(1,),
        since=since,
    )


@kernel
def atomic_swaps(x: Any, slots: Any, claims: Any, old: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    positions = i * tile + ct.arange(tile, dtype=ct.int32)
    value = ct.gather(x, positions)
    was = ct.atomic_xchg(slots, positions, value)
    # Claims that are still 7 are taken.
    found = ct.atomic_cas(claims, positions, 7, value)
    ct.store(old, index=(0, i), tile=ct.reshape(was, (1, tile)))
    ct.store(old, index=(1, i), tile=ct.reshape(found, (1, tile)))


def swaps_reference(x: Array, slots: Array, claims: Array, _old: Array) -> list[Expected]:
    taken = np.where(claims == 7, x, claims)
    return [Expected(x), Expected(taken), Expected(np.stack([slots, claims]))]


def _swaps_case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x, slots, claims = rng.integers(6, 9, (3, *problem)).astype(storage)
        return [x, slots, claims, np.zeros((2, *problem), storage)]

    return KernelCase(
        name=f"atomic_swaps_{name}",
        kernel=atomic_swaps,
        parameters=(*(array(dtype),) * 3, array(dtype, 2), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=swaps_reference,
        outputs=(1, 2, 3),
    )


@kernel
def spin_lock(x: Any, lock: Any, totals: Any, columns: ct.Constant[int]) -> None:
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, columns))
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) != 0:
        pass
    largest = ct.load(totals, index=(0, 0), shape=(1, columns))
    ct.store(totals, index=(0, 0), tile=ct.maximum(largest, row))
    total = ct.load(totals, index=(1, 0), shape=(1, columns))
    ct.store(totals, index=(1, 0), tile=total + row)
    ct.atomic_xchg(lock, 0, 0, memory_order=ct.MemoryOrder.RELEASE)


def lock_reference(x: Array, lock: Array, totals: Array) -> list[Expected]:
    highest, sums = np.maximum(totals[0], x.max(axis=0)), totals[1] + x.sum(axis=0)
    return [Expected(lock), Expected(np.stack([highest, sums]).astype(totals.dtype))]


def lock_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.integers(-100, 100, (*problem, 16)).astype(np.int32)
    return [x, np.zeros(1, np.int32), np.zeros((2, 16), np.int32)]


@kernel
def raw_offsets(x: Any, out: Any, counts: Any, count: int, tile: ct.Constant[int]) -> None:
    source, target, counters = x.get_raw_memory(), out.get_raw_memory(), counts.get_raw_memory()
    offset = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    inside = offset < count
    # The last element first.
    value = source.load_offset(count - 1 - offset, mask=inside, padding_value=-1)
    target.store_offset(offset, value * 2, mask=inside)
    counters.atomic_add_offset(value & 3, 1, mask=inside)
    counters.atomic_max_offset((value & 3) + 4, value, mask=inside)
    counters.atomic_cas_offset(8, 0, count)


def raw_reference(x: Array, _out: Array, counts: Array, count: int) -> list[Expected]:
    counts[:4] += np.bincount(x & 3, minlength=4).astype(counts.dtype)
    np.maximum.at(counts, (x & 3) + 4, x)
    counts[8] = count
    return [Expected(x[::-1] * 2), Expected(counts)]


def raw_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    x = rng.integers(0, 1000, length).astype(np.int32)
    return [x, np.zeros(length, np.int32), np.zeros(9, np.int32), length]


CASES = (
    _updates_case("i32", ct.int32, np.int32),
    _updates_case("u32", ct.uint32, np.uint32),
    _updates_case("i64", ct.int64, np.int64),
    _updates_case("u64", ct.uint64, np.uint64),
    _sums_case("f16", ct.float16, np.float16),
    _sums_case("bf16", ct.bfloat16, ml_dtypes.bfloat16, since="13.3"),
    _sums_case("f32", ct.float32, np.float32),
    _sums_case("f64", ct.float64, np.float64),
    _swaps_case("i32", ct.int32, np.int32),
    _swaps_case("i64", ct.int64, np.int64),
    _swaps_case("f32", ct.float32, np.float32),
    KernelCase(
        name="spin_lock",
        kernel=spin_lock,
        parameters=(
            array(ct.int32, 2),
            array(ct.int32),
            array(ct.int32, 2),
            ConstantConstraint(16),
        ),
        problems=((1,), (5,)),
        arguments=lock_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=lock_reference,
        outputs=(1, 2),
    ),
    KernelCase(
        name="raw_offsets",
        kernel=raw_offsets,
        parameters=(
            *(array(ct.int32),) * 3,
            ScalarConstraint(ct.int32),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=raw_arguments,
        grid=short_tiles,
        reference=raw_reference,
        outputs=(1, 2),
    ),
)
