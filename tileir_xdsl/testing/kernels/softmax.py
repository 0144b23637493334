"""Softmax of each row, which fits into one tile; elements beyond the row count as -inf."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct

COLUMNS = 256


@kernel
def softmax(x: Any, out: Any, columns: ct.Constant[int]) -> None:
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    row = ct.astype(row, ct.float32)
    largest = ct.max(row, 1, keepdims=True)
    numerator = ct.exp(row - largest)
    total = ct.sum(numerator, 1, keepdims=True)
    ct.store(out, index=(ct.bid(0), 0), tile=ct.astype(numerator / total, out.dtype))


def reference(x: Array, out: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    numerator = np.exp(wide - wide.max(axis=1, keepdims=True))
    values = numerator / numerator.sum(axis=1, keepdims=True)
    return [within_roundings(values, values, out.dtype, 32, np.float32)]


def _case(name: str, dtype: ct.DType, storage: DTypeLike) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = (5 * rng.standard_normal(problem)).astype(storage)
        return [x, np.zeros(problem, storage)]

    return KernelCase(
        name=f"softmax_{name}",
        kernel=softmax,
        parameters=(array(dtype, 2), array(dtype, 2), ConstantConstraint(COLUMNS)),
        problems=((1, 1), (4, 256), (3, 200)),
        arguments=arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reference,
        outputs=(1,),
    )


CASES = (_case("f32", ct.float32, np.float32), _case("f16", ct.float16, np.float16))
