"""Softmax of rows longer than a tile, in two loops; the first carries maximum and sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct

TILE = 128


@kernel
def softmax_online(x: Any, out: Any, tile: ct.Constant[int]) -> None:
    row = ct.bid(0)
    steps = ct.num_tiles(x, axis=1, shape=(1, tile))
    largest = ct.full((1, 1), -1e30, dtype=ct.float32)
    total = ct.zeros((1, 1), dtype=ct.float32)
    for k in range(steps):
        part = ct.load(x, index=(row, k), shape=(1, tile), padding_mode=ct.PaddingMode.NEG_INF)
        higher = ct.maximum(largest, ct.max(part, 1, keepdims=True))
        total = total * ct.exp(largest - higher)
        total = total + ct.sum(ct.exp(part - higher), 1, keepdims=True)
        largest = higher
    for k in range(steps):
        part = ct.load(x, index=(row, k), shape=(1, tile), padding_mode=ct.PaddingMode.NEG_INF)
        ct.store(out, index=(row, k), tile=ct.exp(part - largest) / total)


def reference(x: Array, out: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    numerator = np.exp(wide - wide.max(axis=1, keepdims=True))
    values = numerator / numerator.sum(axis=1, keepdims=True)
    return [within_roundings(values, values, out.dtype, 64, np.float32)]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = (5 * rng.standard_normal(problem)).astype(np.float32)
    return [x, np.zeros(problem, np.float32)]


CASES = (
    KernelCase(
        name="softmax_online",
        kernel=softmax_online,
        parameters=(array(ct.float32, 2), array(ct.float32, 2), ConstantConstraint(TILE)),
        problems=((1, 1), (2, 512), (3, 300)),
        arguments=_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reference,
        outputs=(1,),
    ),
)
