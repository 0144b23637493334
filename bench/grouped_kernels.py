"""Grouped dots, as mixtures of experts have them: tiles of rows go to different matrices.

`python -m bench.grouped_kernels` writes their Tile IR.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
from cuda.tile.compilation import ConstantConstraint

from bench.matrix_kernels import DIVISOR, FOLDER, matmul_case
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.problems import cdiv

EXPERTS = 3

GROUPED_FOLDER = FOLDER / "grouped"


@kernel
def grouped_matmul(
    a: Any,
    b: Any,
    experts: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    i, j = ct.bid(0), ct.bid(1)
    expert: Any = ct.load(experts, index=(i,), shape=()).item()
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(expert, k, j), shape=(1, depth, columns), padding_mode=zero)
        acc = ct.mma(x, ct.reshape(y, (depth, columns)), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def grouped_matmul_case(rows: int, columns: int, depth: int) -> KernelCase:
    """`c[i] = a[i] @ b[experts[i]]` of bfloat16 matrices, for each tile of rows `i`."""

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        shapes = (m, k), (EXPERTS, k, n)
        a, b = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in shapes)
        experts = rng.integers(0, EXPERTS, cdiv(m, rows)).astype(np.int32)
        return [a, b, experts, np.zeros((m, n), ml_dtypes.bfloat16)]

    def reference(a: Array, b: Array, experts: Array, c: Array) -> list[Expected]:
        x, y = a.astype(np.float64), b.astype(np.float64)

        def grouped_dot(x: Array, y: Array) -> Array:
            tiles = [x[i * rows :][:rows] @ y[expert] for i, expert in enumerate(experts)]
            return np.concatenate(tiles)

        size = grouped_dot(np.abs(x), np.abs(y))
        return [within_roundings(grouped_dot(x, y), size, c.dtype, depth, np.float32)]

    matrix, matrices = (array(ct.bfloat16, r, divisible=DIVISOR, any_size=r - 1) for r in (2, 3))
    constants = map(ConstantConstraint, (rows, columns, depth))
    return replace(
        matmul_case(rows, columns, depth),
        name=f"grouped_{rows}x{columns}x{depth}",
        kernel=grouped_matmul,
        parameters=(matrix, matrices, array(ct.int32), matrix, *constants),
        arguments=arguments,
        reference=reference,
        outputs=(3,),
        folder=GROUPED_FOLDER,
    )


GROUPED_CASES = {
    case.name: case
    for case in (grouped_matmul_case(128, 128, 64), grouped_matmul_case(64, 128, 64))
}


def main() -> None:
    for case in GROUPED_CASES.values():
        case.text_path.write_text(text(case), "utf-8")


if __name__ == "__main__":
    main()
