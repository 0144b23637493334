"""Dropout whose random numbers are a hash of the position and a seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 256
SEED = 12345


@kernel
def dropout(x: Any, out: Any, seed: int, threshold: int, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    number = ct.bitcast(i * tile + ct.arange(tile, dtype=ct.int32), ct.uint32)
    h = number ^ seed
    h = (h ^ (h >> 16)) * 0x7FEB352D
    h = (h ^ (h >> 15)) * 0x846CA68B
    h = h ^ (h >> 16)
    ct.store(out, index=(i,), tile=ct.where(h < threshold, 0.0, value * 2.0))


def reference(x: Array, _out: Array, seed: int, threshold: int) -> list[Expected]:
    h = np.arange(len(x), dtype=np.uint32) ^ np.uint32(seed)
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x7FEB352D)
    h = (h ^ (h >> np.uint32(15))) * np.uint32(0x846CA68B)
    h = h ^ (h >> np.uint32(16))
    return [Expected(np.where(h < np.uint32(threshold), np.float32(0), x * np.float32(2)))]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.standard_normal(problem).astype(np.float32)
    return [x, np.zeros_like(x), SEED, 1 << 31]


CASES = (
    KernelCase(
        name="dropout",
        kernel=dropout,
        parameters=(
            array(ct.float32),
            array(ct.float32),
            ScalarConstraint(ct.uint32),
            ScalarConstraint(ct.uint32),
            ConstantConstraint(TILE),
        ),
        problems=((1,), (512,), (700,)),
        arguments=_arguments,
        grid=lambda problem: (cdiv(problem[0], TILE), 1, 1),
        reference=reference,
        outputs=(1,),
    ),
)
