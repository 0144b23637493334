"""Hints to the compiler: for a target, on memory accesses, and that accesses are in bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import (
    LENGTHS,
    SHORT_TILE,
    TILE,
    three_vectors,
    tiles_of_length,
)


def add_reference(a: Array, b: Array, _c: Array) -> list[Expected]:
    return [Expected(a + b)]


@kernel(num_ctas=ct.ByTarget(sm_100=2, default=1), occupancy=ct.ByTarget(sm_90=4, sm_100=8))
def hinted_add(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=zero, latency=2)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=zero, allow_tma=False)
    ct.store(c, index=(i,), tile=x + y, latency=10, allow_tma=True)


@kernel(num_worker_warps=8)
def hinted_gather(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    positions = ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32)
    x: Any = ct.gather(a, positions, latency=5)
    # Only odd elements are loaded; the even ones are those of `x`.
    y = ct.gather(b, positions, mask=positions % 2 == 1, padding_value=x, latency=1)
    ct.scatter(c, positions, x + y, latency=3)


def hinted_reference(a: Array, b: Array, _c: Array) -> list[Expected]:
    odd = np.arange(len(a)) % 2 == 1
    return [Expected(np.where(odd, a + b, a + a))]


@kernel
def unchecked_add(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i, 0), shape=(1, tile), check_bounds=False)
    y = b.tiled_view((1, tile)).load((i, 0), check_bounds=False)
    ct.store(c, index=(i, 0), tile=x + y, check_bounds=False)


def rows_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    a, b = rng.standard_normal((2, problem[0], SHORT_TILE)).astype(np.float32)
    return [a, b, np.zeros_like(a)]


_THREE = (*(array(ct.float32),) * 3, ConstantConstraint(TILE))

CASES = (
    KernelCase(
        name="hinted_add",
        kernel=hinted_add,
        parameters=_THREE,
        problems=LENGTHS,
        arguments=three_vectors,
        grid=tiles_of_length,
        reference=add_reference,
        outputs=(2,),
    ),
    KernelCase(
        name="hinted_gather",
        kernel=hinted_gather,
        parameters=_THREE,
        problems=LENGTHS,
        arguments=three_vectors,
        grid=tiles_of_length,
        reference=hinted_reference,
        outputs=(2,),
        since="13.3",
    ),
    KernelCase(
        name="unchecked_add",
        kernel=unchecked_add,
        parameters=(*(array(ct.float32, 2),) * 3, ConstantConstraint(SHORT_TILE)),
        problems=((1,), (3,)),
        arguments=rows_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=add_reference,
        outputs=(2,),
        since="13.4",
    ),
)
