"""Quantization of rows to eight-bit floats, with a scale for each row."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct

COLUMNS = 64


@kernel
def quantize_rows(x: Any, out: Any, scales: Any, columns: ct.Constant[int], top: float) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.ZERO)
    scale = ct.max(ct.abs(row), 1, keepdims=True) / top
    ct.store(out, index=(i, 0), tile=ct.astype(row / scale, out.dtype))
    ct.store(scales, index=(i,), tile=ct.reshape(scale, (1,)))


@kernel
def expand_rows(x: Any, scales: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i, 0), tile=ct.astype(row, ct.float32) * ct.load(scales, (i,), (1,)))


def quantize_reference(x: Array, out: Array, _scales: Array, top: float) -> list[Expected]:
    scale = np.abs(x).max(axis=1) / np.float32(top)
    return [Expected((x / scale[:, None]).astype(out.dtype)), Expected(scale)]


def expand_reference(x: Array, scales: Array, out: Array) -> list[Expected]:
    return [Expected(x.astype(out.dtype) * scales[:, None])]


def _cases(name: str, dtype: ct.DType, storage: DTypeLike) -> tuple[KernelCase, KernelCase]:
    top = float(ml_dtypes.finfo(storage).max)

    def quantize_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = (10 * rng.standard_normal(problem)).astype(np.float32)
        return [x, np.zeros(problem, storage), np.zeros(problem[0], np.float32), top]

    def expand_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = (10 * rng.standard_normal(problem)).astype(storage)
        scales = rng.uniform(0.1, 2, problem[0]).astype(np.float32)
        return [x, scales, np.zeros(problem, np.float32)]

    quantize = KernelCase(
        name=f"quantize_rows_{name}",
        kernel=quantize_rows,
        parameters=(
            array(ct.float32, 2),
            array(dtype, 2),
            array(ct.float32),
            ConstantConstraint(COLUMNS),
            ScalarConstraint(ct.float32),
        ),
        problems=((1, 64), (5, 50)),
        arguments=quantize_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=quantize_reference,
        outputs=(1, 2),
    )
    expand = KernelCase(
        name=f"expand_rows_{name}",
        kernel=expand_rows,
        parameters=(
            array(dtype, 2),
            array(ct.float32),
            array(ct.float32, 2),
            ConstantConstraint(COLUMNS),
        ),
        problems=((1, 64), (5, 50)),
        arguments=expand_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=expand_reference,
        outputs=(2,),
    )
    return quantize, expand


CASES = (
    *_cases("e4m3", ct.float8_e4m3fn, ml_dtypes.float8_e4m3fn),
    *_cases("e5m2", ct.float8_e5m2, ml_dtypes.float8_e5m2),
)
