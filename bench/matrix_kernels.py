"""Kernels of the sizes that matrix units are built for: products of matrices, and attention.

Each is a `KernelCase` like those of the zoo, with tiles that fill a multiprocessor and arrays whose
strides are multiples of 16 bytes, as real ones are.
`python -m bench.matrix_kernels` writes their Tile IR.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
from cuda.tile.compilation import ConstantConstraint, ScalarConstraint

from tests.kernels.agreement import Array, Expected, within_roundings
from tests.kernels.attention import attention
from tests.kernels.attention import reference_of as attention_reference
from tests.kernels.case import Argument, KernelCase, Problem, array, kernel
from tests.kernels.generate import text
from tests.kernels.problems import cdiv

FOLDER = Path(__file__).parent / "kernels"

DIVISOR = 16
"""What divides sizes and strides."""


@kernel
def matmul(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(depth, columns), padding_mode=zero)
        acc = ct.mma(x, y, acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


def matmul_case(rows: int, columns: int, depth: int) -> KernelCase:
    """`c = a @ b` of bfloat16 matrices, a tile of `c` per block, `depth` of the sum per step."""

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        a, b = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in ((m, k), (k, n)))
        return [a, b, np.zeros((m, n), ml_dtypes.bfloat16)]

    def reference(a: Array, b: Array, c: Array) -> list[Expected]:
        x, y = a.astype(np.float64), b.astype(np.float64)
        return [within_roundings(x @ y, np.abs(x) @ np.abs(y), c.dtype, depth, np.float32)]

    parameter = array(ct.bfloat16, 2, divisible=DIVISOR, any_size=1)
    return KernelCase(
        name=f"product_{rows}x{columns}x{depth}",
        kernel=matmul,
        parameters=(parameter,) * 3 + tuple(map(ConstantConstraint, (rows, columns, depth))),
        problems=((rows + 16, columns, 3 * depth + 16),),
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[0], rows), cdiv(problem[1], columns), 1),
        reference=reference,
        outputs=(2,),
        folder=FOLDER,
    )


def attention_case(queries: int, keys: int, depth: int, causal: bool) -> KernelCase:
    """Flash attention of bfloat16 heads of `depth`, `queries` per block, `keys` per step."""

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        heads, length = problem
        q, k, v = (
            rng.standard_normal((heads, length, depth)).astype(ml_dtypes.bfloat16) for _ in range(3)
        )
        return [q, k, v, np.zeros_like(q), float(np.float32(1.4426950408889634 / depth**0.5))]

    parameter = array(ct.bfloat16, 3, divisible=DIVISOR, any_size=2)
    return KernelCase(
        name=f"attention_{queries}x{keys}x{depth}" + ("_causal" if causal else ""),
        kernel=attention,
        parameters=(
            *(parameter,) * 4,
            ScalarConstraint(ct.float32),
            *map(ConstantConstraint, (queries, keys, depth, causal)),
        ),
        problems=((1, 2 * keys + 16),),
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[1], queries), problem[0], 1),
        reference=attention_reference(causal),
        outputs=(3,),
        folder=FOLDER,
    )


CASES = {
    case.name: case
    for case in (
        matmul_case(128, 256, 64),
        matmul_case(128, 128, 64),
        attention_case(128, 128, 128, causal=False),
        attention_case(128, 128, 128, causal=True),
    )
}


def main() -> None:
    for case in CASES.values():
        case.text_path.write_text(text(case))


if __name__ == "__main__":
    main()
