"""Tiles that are assembled from smaller tiles at positions computed at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ct

SIDE = 8


@kernel
def block_diagonal(x: Any, out: Any) -> None:
    i = ct.bid(0)
    first = ct.load(x, index=(i, 0), shape=(4, 4))
    second = ct.load(x, index=(i, 1), shape=(4, 4))
    swap = i % 2
    matrix = ct.zeros((8, 8), dtype=out.dtype)
    matrix = ct.insert(matrix, (0, swap), first)
    matrix = ct.insert(matrix, (1, 1 - swap), second)
    # One element more, in the lower left corner.
    matrix = ct.insert(matrix, (7, 0), ct.full((), 9, dtype=out.dtype))
    ct.store(out, index=(i, 0), tile=matrix)


def diagonal_reference(x: Array, out: Array) -> list[Expected]:
    for i in range(len(x) // 4):
        rows, swap = x[4 * i : 4 * i + 4], i % 2
        matrix = np.zeros((SIDE, SIDE), x.dtype)
        matrix[:4, 4 * swap : 4 * swap + 4] = rows[:, :4]
        matrix[4:, 4 - 4 * swap : 8 - 4 * swap] = rows[:, 4:]
        matrix[7, 0] = 9
        out[SIDE * i : SIDE * i + SIDE] = matrix
    return [Expected(out)]


def diagonal_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    x = rng.standard_normal((4 * count, SIDE)).astype(np.float32)
    return [x, np.ones((SIDE * count, SIDE), np.float32)]


CASES = (
    KernelCase(
        name="block_diagonal",
        kernel=block_diagonal,
        parameters=(array(ct.float32, 2), array(ct.float32, 2)),
        problems=((1,), (3,)),
        arguments=diagonal_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=diagonal_reference,
        outputs=(1,),
        since="13.4",
    ),
)
