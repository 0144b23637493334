"""A matrix product whose tiles span all of K: each tile block loads its operands without a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.matmul import expected_matmul
from tileir_xdsl.testing.kernels.problems import cdiv

TILE, DEPTH = 64, 1024


@kernel
def deep_matmul(a: Any, b: Any, c: Any, tile: ct.Constant[int], depth: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    zero = ct.PaddingMode.ZERO
    x = ct.load(a, index=(i, 0), shape=(tile, depth), padding_mode=zero)
    y = ct.load(b, index=(0, j), shape=(depth, tile), padding_mode=zero)
    acc = ct.mma(x, y, ct.zeros((tile, tile), dtype=ct.float32))
    ct.store(c, index=(i, j), tile=acc)


def reference(a: Array, b: Array, c: Array) -> list[Expected]:
    return [expected_matmul(a, b, c.dtype, np.float32)]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n, k = problem
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    return [a, b, np.zeros((m, n), np.float32)]


CASES = (
    KernelCase(
        name="deep_matmul",
        kernel=deep_matmul,
        parameters=(
            *(array(ct.float16, 2),) * 2,
            array(ct.float32, 2),
            ConstantConstraint(TILE),
            ConstantConstraint(DEPTH),
        ),
        problems=((64, 64, 1024), (70, 60, 700)),
        arguments=_arguments,
        grid=lambda problem: (cdiv(problem[0], TILE), cdiv(problem[1], TILE), 1),
        reference=reference,
        outputs=(2,),
    ),
)
