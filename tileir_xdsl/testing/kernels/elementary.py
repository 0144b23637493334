"""Elementary functions, one row of the result per function."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected, stacked, within_bound
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

ROWS = 14


@kernel
def elementary(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, i), tile=ct.reshape(ct.exp(x), (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(ct.exp2(x), (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(ct.log(y), (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(ct.log2(y), (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(ct.sqrt(y), (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.rsqrt(y), (1, tile)))
    ct.store(out, index=(6, i), tile=ct.reshape(ct.sin(x), (1, tile)))
    ct.store(out, index=(7, i), tile=ct.reshape(ct.cos(x), (1, tile)))
    ct.store(out, index=(8, i), tile=ct.reshape(ct.tan(x), (1, tile)))
    ct.store(out, index=(9, i), tile=ct.reshape(ct.sinh(x), (1, tile)))
    ct.store(out, index=(10, i), tile=ct.reshape(ct.cosh(x), (1, tile)))
    ct.store(out, index=(11, i), tile=ct.reshape(ct.tanh(x), (1, tile)))
    ct.store(out, index=(12, i), tile=ct.reshape(ct.pow(y, x), (1, tile)))
    ct.store(out, index=(13, i), tile=ct.reshape(ct.atan2(x, y), (1, tile)))


def reference(a: Array, b: Array, out: Array) -> list[Expected]:
    x, y = a.astype(np.float64), b.astype(np.float64)
    rows = {
        "exp": np.exp(x),
        "exp2": np.exp2(x),
        "log": np.log(y),
        "log2": np.log2(y),
        "sqrt": np.sqrt(y),
        "rsqrt": 1 / np.sqrt(y),
        "sin": np.sin(x),
        "cos": np.cos(x),
        "tan": np.tan(x),
        "sinh": np.sinh(x),
        "cosh": np.cosh(x),
        "tanh": np.tanh(x),
        "pow": np.power(y, x),
        "atan2": np.arctan2(x, y),
    }
    return [stacked([within_bound(op, row, out.dtype) for op, row in rows.items()])]


def _case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        (length,) = problem
        x = rng.uniform(-3, 3, length).astype(storage)
        y = rng.uniform(0.25, 8, length).astype(storage)
        return [x, y, np.zeros((ROWS, length), storage)]

    return KernelCase(
        name=f"elementary_{name}",
        kernel=elementary,
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
        since="13.2",
    )


CASES = (
    _case("f16", ct.float16, np.float16),
    _case("f32", ct.float32, np.float32),
    _case("f64", ct.float64, np.float64),
)
