"""Products with tiles of any number of rows, for two thread blocks of a cluster to divide."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cuda.tile as ct
import ml_dtypes
import numpy as np
from cuda.tile.compilation import ConstantConstraint

from bench.matrix_kernels import matmul_case
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, Problem, kernel

Shape = tuple[int, int]


@kernel
def transposed(
    a: Any,
    b: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    """`c = a.T @ b.T`: neither operand has its rows along the sum as it is multiplied."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=0, shape=(depth, rows))):
        x = ct.load(a, index=(k, i), shape=(depth, rows), padding_mode=zero)
        y = ct.load(b, index=(j, k), shape=(columns, depth), padding_mode=zero)
        acc = ct.mma(ct.transpose(x), ct.transpose(y), acc)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def gated(
    a: Any,
    b: Any,
    g: Any,
    c: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    """`c = (a @ b) * (a @ g)`: two accumulators at a time."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    gate = ct.zeros((rows, columns), dtype=ct.float32)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(rows, depth))):
        x = ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(depth, columns), padding_mode=zero)
        z = ct.load(g, index=(k, j), shape=(depth, columns), padding_mode=zero)
        acc = ct.mma(x, y, acc)
        gate = ct.mma(x, z, gate)
    ct.store(c, index=(i, j), tile=ct.astype(acc * gate, c.dtype))


def _case(
    name: str,
    function: Any,
    shapes: Callable[[int, int, int], tuple[Shape, ...]],
    value: Callable[..., tuple[Array, Array]],
) -> KernelCase:
    """A case with tiles of 256 x 128; `value` has the result, and the sum of magnitudes."""
    plain = matmul_case(256, 128, 64)

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        made = [rng.standard_normal(s).astype(ml_dtypes.bfloat16) for s in shapes(m, n, k)]
        return [*made, np.zeros((m, n), ml_dtypes.bfloat16)]

    def reference(*arrays: Array) -> list[Expected]:
        *operands, c = arrays
        result, magnitude = value(*(each.astype(np.float64) for each in operands))
        return [within_roundings(result, magnitude, c.dtype, 64, np.float32)]

    count = len(shapes(1, 1, 1))
    array, *_ = plain.parameters
    sizes = map(ConstantConstraint, (256, 128, 64))
    return replace(
        plain,
        name=name,
        kernel=function,
        parameters=(*(array,) * (count + 1), *sizes),
        arguments=arguments,
        reference=reference,
        outputs=(count,),
    )


def _transposed(a: Array, b: Array) -> tuple[Array, Array]:
    return a.T @ b.T, np.abs(a.T) @ np.abs(b.T)


def _gated(a: Array, b: Array, g: Array) -> tuple[Array, Array]:
    return (a @ b) * (a @ g), (np.abs(a) @ np.abs(b)) * (np.abs(a) @ np.abs(g))


CASES = {
    "transposed": _case(
        "pair_transposed", transposed, lambda m, n, k: ((k, m), (n, k)), _transposed
    ),
    "gated": _case("pair_gated", gated, lambda m, n, k: ((m, k), (k, n), (k, n)), _gated),
}
