"""Correctly rounded arithmetic on floats, one row of the result per operation."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

ROWS = 12


@kernel
def elementwise_float(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, i), tile=ct.reshape(x + y, (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(x - y, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(x * y, (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(x / y, (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(ct.maximum(x, y), (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.minimum(x, y), (1, tile)))
    ct.store(out, index=(6, i), tile=ct.reshape(-x, (1, tile)))
    ct.store(out, index=(7, i), tile=ct.reshape(ct.abs(x), (1, tile)))
    ct.store(out, index=(8, i), tile=ct.reshape(ct.floor(x), (1, tile)))
    ct.store(out, index=(9, i), tile=ct.reshape(ct.ceil(x), (1, tile)))
    ct.store(out, index=(10, i), tile=ct.reshape(ct.where(x < y, x, y), (1, tile)))
    ct.store(out, index=(11, i), tile=ct.reshape(ct.where((x >= y) | (x != x), y, x), (1, tile)))


def reference(a: Array, b: Array, out: Array) -> list[Expected]:
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        rows = [
            x + y,
            x - y,
            x * y,
            x / y,
            np.fmax(x, y),
            np.fmin(x, y),
            -x,
            np.abs(x),
            np.floor(x),
            np.ceil(x),
            np.where(x < y, x, y),
            np.where((x >= y) | np.isnan(x), y, x),
        ]
        # Rounding the double to the type is rounding once: it has more than twice the digits.
        return [Expected(np.stack(rows).astype(out.dtype))]


def _case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        (length,) = problem
        a, b = (4 * rng.standard_normal((2, length))).astype(storage)
        return [a, b, np.zeros((ROWS, length), storage)]

    return KernelCase(
        name=f"elementwise_{name}",
        kernel=elementwise_float,
        parameters=(
            array(dtype),
            array(dtype),
            array(dtype, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=reference,
        outputs=(2,),
    )


CASES = (
    _case("f16", ct.float16, np.float16),
    _case("bf16", ct.bfloat16, ml_dtypes.bfloat16),
    _case("f32", ct.float32, np.float32),
    _case("f64", ct.float64, np.float64),
)
