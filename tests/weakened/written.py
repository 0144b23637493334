"""A kernel whose first thread block passes data to the others by a flag."""

from __future__ import annotations

from typing import Any

import cuda.tile as ct
import numpy as np
from cuda.tile.compilation import ConstantConstraint

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel

TILE = 64


@kernel
def flag(data: Any, told: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    if i == 0:
        ct.store(data, index=(0,), tile=ct.full((tile,), 7, ct.int32))
        ct.store(
            told,
            index=(0,),
            tile=ct.full((1,), 1, ct.int32),
            memory_order=ct.MemoryOrder.RELEASE,
            memory_scope=ct.MemoryScope.DEVICE,
        )
    else:
        seen = 0
        while seen == 0:
            read = ct.load(
                told,
                index=(0,),
                shape=(1,),
                memory_order=ct.MemoryOrder.ACQUIRE,
                memory_scope=ct.MemoryScope.DEVICE,
            )
            seen = read.item()
        ct.store(out, index=(i,), tile=ct.load(data, index=(0,), shape=(tile,)))


def _arguments(problem: Problem, _rng: np.random.Generator) -> list[Argument]:
    (blocks,) = problem
    return [np.zeros(n, np.int32) for n in (TILE, 1, TILE * blocks)]


def _reference(_data: Array, _told: Array, out: Array) -> list[Expected]:
    return [Expected(np.where(np.arange(len(out)) < TILE, 0, 7).astype(np.int32))]


FLAG = KernelCase(
    name="flag",
    kernel=flag,
    parameters=(*(array(ct.int32),) * 3, ConstantConstraint(TILE)),
    problems=((3,),),
    arguments=_arguments,
    grid=lambda problem: (problem[0], 1, 1),
    reference=_reference,
    outputs=(2,),
)
