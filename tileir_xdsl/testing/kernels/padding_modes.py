"""Loads beyond the end of an array, in every padding mode."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, cdiv, short_tiles

PADDING = (0.0, -0.0, np.nan, np.inf, -np.inf)


@kernel
def padding_modes(x: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    shape = (tile,)
    zero = ct.load(x, index=(i,), shape=shape, padding_mode=ct.PaddingMode.ZERO)
    negative_zero = ct.load(x, index=(i,), shape=shape, padding_mode=ct.PaddingMode.NEG_ZERO)
    nan = ct.load(x, index=(i,), shape=shape, padding_mode=ct.PaddingMode.NAN)
    infinity = ct.load(x, index=(i,), shape=shape, padding_mode=ct.PaddingMode.POS_INF)
    negative = ct.load(x, index=(i,), shape=shape, padding_mode=ct.PaddingMode.NEG_INF)
    # The tiles of the result are whole: what lies beyond the end of `x` is seen.
    ct.store(out, index=(0, i), tile=ct.reshape(zero, (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(negative_zero, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(nan, (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(infinity, (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(negative, (1, tile)))


def padding_reference(x: Array, out: Array) -> list[Expected]:
    for row, padding in zip(out, PADDING, strict=True):
        row[...] = padding
        row[: len(x)] = x
    return [Expected(out)]


def _padding_case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        (length,) = problem
        x = rng.standard_normal(length).astype(storage)
        return [x, np.zeros((len(PADDING), cdiv(length, SHORT_TILE) * SHORT_TILE), storage)]

    return KernelCase(
        name=f"padding_modes_{name}",
        kernel=padding_modes,
        parameters=(array(dtype), array(dtype, 2), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=padding_reference,
        outputs=(1,),
    )


CASES = (
    _padding_case("f16", ct.float16, np.float16),
    _padding_case("f32", ct.float32, np.float32),
    _padding_case("f64", ct.float64, np.float64),
)
