"""A loop that ends when the whole tile has converged: cube roots by Newton's method."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_ulps
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles


@kernel
def cube_roots(x: Any, out: Any, tolerance: float, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    # Beyond the end, the root of 1 is found at once.
    value = ct.where(value == 0.0, 1.0, value)
    root = ct.maximum(value, 1.0)
    for _ in range(50):
        following = root - (root - value / (root * root)) / 3.0
        change = ct.max(ct.abs(following - root) / root)
        root = following
        if change < tolerance:
            break
    ct.store(out, index=(i,), tile=root)


def reference(x: Array, out: Array, _tolerance: float) -> list[Expected]:
    return [within_ulps(np.cbrt(x.astype(np.float64)), out.dtype, 8)]


def _case(name: str, dtype: ct.DType, storage: DTypeLike, tolerance: float) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = rng.uniform(0.1, 1000, problem).astype(storage)
        # Convergence is quadratic: one step less exact than the result.
        return [x, np.zeros(problem, storage), tolerance]

    return KernelCase(
        name=f"cube_roots_{name}",
        kernel=cube_roots,
        parameters=(
            array(dtype),
            array(dtype),
            ScalarConstraint(dtype),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=reference,
        outputs=(1,),
    )


CASES = (
    _case("f32", ct.float32, np.float32, 1e-4),
    _case("f64", ct.float64, np.float64, 1e-8),
)
