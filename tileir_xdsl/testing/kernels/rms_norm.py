"""Root-mean-square normalisation of bfloat16 rows."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct

COLUMNS = 256
EPSILON = 1e-6


@kernel
def rms_norm(x: Any, weight: Any, out: Any, epsilon: float, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.ZERO)
    row = ct.astype(row, ct.float32)
    mean_square = ct.sum(row * row, 1, keepdims=True) / x.shape[1]
    w = ct.load(weight, index=(0,), shape=(columns,), padding_mode=ct.PaddingMode.ZERO)
    scaled = row * ct.rsqrt(mean_square + epsilon) * ct.astype(ct.expand_dims(w, 0), ct.float32)
    ct.store(out, index=(i, 0), tile=ct.astype(scaled, out.dtype))


def reference(x: Array, weight: Array, out: Array, epsilon: float) -> list[Expected]:
    wide = x.astype(np.float64)
    scale = 1 / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + epsilon)
    values = wide * scale * weight.astype(np.float64)
    return [within_roundings(values, np.abs(values), out.dtype, 32, np.float32)]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.standard_normal(problem).astype(ml_dtypes.bfloat16)
    weight = rng.standard_normal(problem[1]).astype(ml_dtypes.bfloat16)
    return [x, weight, np.zeros_like(x), EPSILON]


CASES = (
    KernelCase(
        name="rms_norm",
        kernel=rms_norm,
        parameters=(
            array(ct.bfloat16, 2),
            array(ct.bfloat16),
            array(ct.bfloat16, 2),
            ScalarConstraint(ct.float32),
            ConstantConstraint(COLUMNS),
        ),
        problems=((1, 256), (4, 200)),
        arguments=_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reference,
        outputs=(2,),
    ),
)
