"""Quotients and remainders with the rounding of Python, and absolute values of integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

INTEGER_ROWS, FLOAT_ROWS = 4, 3


@kernel
def integer_division(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    # There is no division by zero: beyond the end, 0 is divided by 1.
    y = ct.where(y == 0, 1, y)
    quotient, remainder = divmod(x, y)
    ct.store(out, index=(0, i), tile=ct.reshape(quotient, (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(remainder, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(ct.cdiv(x, y), (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(ct.abs(x) - ct.abs(y), (1, tile)))


def integer_reference(x: Array, y: Array, _out: Array) -> list[Expected]:
    y = np.where(y == 0, np.ones_like(y), y)
    return [Expected(np.stack([x // y, x % y, -(-x // y), np.abs(x) - np.abs(y)]))]


def _integer_case(name: str, dtype: ct.DType, storage: type[np.integer[Any]]) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        limit = np.iinfo(storage).max
        x = rng.integers(-limit, limit, problem, storage, endpoint=True)
        y = rng.integers(-20, 20, problem, storage)
        return [x, y, np.zeros((INTEGER_ROWS, *problem), storage)]

    return KernelCase(
        name=f"integer_division_{name}",
        kernel=integer_division,
        parameters=(array(dtype), array(dtype), array(dtype, 2), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=integer_reference,
        outputs=(2,),
    )


@kernel
def float_division(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, i), tile=ct.reshape(x / y, (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(x // y, (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(x % y, (1, tile)))


def float_reference(x: Array, y: Array, _out: Array) -> list[Expected]:
    # The remainder of truncation, which is exact, moved to the sign of the divisor.
    remainder = np.fmod(x, y)
    remainder = np.where((remainder != 0) & ((remainder < 0) != (y < 0)), remainder + y, remainder)
    return [Expected(np.stack([x / y, np.floor(x / y), remainder]))]


def _float_case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = (100 * rng.standard_normal(problem)).astype(storage)
        y = (rng.uniform(0.5, 8, problem) * rng.choice([-1, 1], problem)).astype(storage)
        return [x, y, np.zeros((FLOAT_ROWS, *problem), storage)]

    return KernelCase(
        name=f"float_division_{name}",
        kernel=float_division,
        parameters=(array(dtype), array(dtype), array(dtype, 2), ConstantConstraint(SHORT_TILE)),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=float_reference,
        outputs=(2,),
    )


CASES = (
    _integer_case("i8", ct.int8, np.int8),
    _integer_case("i16", ct.int16, np.int16),
    _integer_case("i32", ct.int32, np.int32),
    _integer_case("i64", ct.int64, np.int64),
    _float_case("f16", ct.float16, np.float16),
    _float_case("f32", ct.float32, np.float32),
    _float_case("f64", ct.float64, np.float64),
)
