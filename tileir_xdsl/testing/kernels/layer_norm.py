"""Layer normalisation of rows, forward with statistics, and backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct

COLUMNS = 128
EPSILON = 1e-5


@kernel
def layer_norm(
    x: Any,
    weight: Any,
    bias: Any,
    out: Any,
    mean: Any,
    rstd: Any,
    epsilon: float,
    columns: ct.Constant[int],
) -> None:
    i = ct.bid(0)
    size = x.shape[1]
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.ZERO)
    inside = ct.expand_dims(ct.arange(columns, dtype=ct.int32), 0) < size
    average = ct.sum(row, 1, keepdims=True) / size
    centred = ct.where(inside, row - average, 0.0)
    variance = ct.sum(centred * centred, 1, keepdims=True) / size
    scale = ct.rsqrt(variance + epsilon)
    w = ct.load(weight, index=(0,), shape=(columns,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(bias, index=(0,), shape=(columns,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i, 0), tile=centred * scale * ct.expand_dims(w, 0) + b)
    ct.store(mean, index=(i,), tile=ct.reshape(average, (1,)))
    ct.store(rstd, index=(i,), tile=ct.reshape(scale, (1,)))


def _statistics(x: Array, epsilon: float) -> tuple[Array, Array]:
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1, keepdims=True)
    return mean, 1 / np.sqrt(wide.var(axis=1, keepdims=True) + epsilon)


def reference(
    x: Array, weight: Array, bias: Array, out: Array, mean: Array, rstd: Array, epsilon: float
) -> list[Expected]:
    average, scale = _statistics(x, epsilon)
    w, b = weight.astype(np.float64), bias.astype(np.float64)
    values = (x - average) * scale * w + b
    magnitude = (np.abs(x) + np.abs(x).mean(axis=1, keepdims=True)) * scale * np.abs(w) + np.abs(b)
    return [
        within_roundings(values, magnitude, out.dtype, 64, np.float32),
        within_roundings(average[:, 0], np.abs(x).mean(axis=1), mean.dtype, 64, np.float32),
        within_roundings(scale[:, 0], scale[:, 0], rstd.dtype, 64, np.float32),
    ]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    x = rng.standard_normal(problem).astype(np.float32)
    weight, bias = rng.standard_normal((2, columns)).astype(np.float32)
    zeros = np.zeros(rows, np.float32)
    return [x, weight, bias, np.zeros_like(x), zeros, zeros.copy(), EPSILON]


@kernel
def layer_norm_backward(
    grad: Any,
    x: Any,
    weight: Any,
    mean: Any,
    rstd: Any,
    grad_x: Any,
    grad_weight: Any,
    columns: ct.Constant[int],
) -> None:
    i = ct.bid(0)
    size = x.shape[1]
    zero = ct.PaddingMode.ZERO
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=zero)
    g = ct.load(grad, index=(i, 0), shape=(1, columns), padding_mode=zero)
    w = ct.load(weight, index=(0,), shape=(columns,), padding_mode=zero)
    average = ct.load(mean, index=(i,), shape=(1,))
    scale = ct.load(rstd, index=(i,), shape=(1,))
    positions = ct.arange(columns, dtype=ct.int32)
    inside = ct.expand_dims(positions, 0) < size
    normal = ct.where(inside, (row - average) * scale, 0.0)
    scaled = g * ct.expand_dims(w, 0)
    along = ct.sum(normal * scaled, 1, keepdims=True) / size
    constant = ct.sum(scaled, 1, keepdims=True) / size
    ct.store(grad_x, index=(i, 0), tile=(scaled - (normal * along + constant)) * scale)
    ct.atomic_add(grad_weight, positions, ct.reshape(g * normal, (columns,)))


def backward_reference(
    grad: Array,
    x: Array,
    weight: Array,
    mean: Array,
    rstd: Array,
    grad_x: Array,
    grad_weight: Array,
) -> list[Expected]:
    g, wide, w = (a.astype(np.float64) for a in (grad, x, weight))
    scale = rstd[:, None].astype(np.float64)
    normal = (wide - mean[:, None]) * scale
    scaled = g * w
    along = (normal * scaled).mean(axis=1, keepdims=True)
    constant = scaled.mean(axis=1, keepdims=True)
    values = (scaled - (normal * along + constant)) * scale
    size = np.abs(scaled) + np.abs(normal) * np.abs(normal * scaled).mean(axis=1, keepdims=True)
    size = (size + np.abs(scaled).mean(axis=1, keepdims=True)) * scale
    return [
        within_roundings(values, 4 * size, grad_x.dtype, 64, np.float32),
        within_roundings(
            (g * normal).sum(axis=0),
            (np.abs(g) * (np.abs(wide) + np.abs(mean[:, None])) * scale).sum(axis=0),
            grad_weight.dtype,
            64,
            np.float32,
        ),
    ]


def _backward_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    _, columns = problem
    grad, x = rng.standard_normal((2, *problem)).astype(np.float32)
    weight = rng.standard_normal(columns).astype(np.float32)
    mean, rstd = (s[:, 0].astype(np.float32) for s in _statistics(x, EPSILON))
    return [grad, x, weight, mean, rstd, np.zeros_like(x), np.zeros(columns, np.float32)]


CASES = (
    KernelCase(
        name="layer_norm",
        kernel=layer_norm,
        parameters=(
            array(ct.float32, 2),
            array(ct.float32),
            array(ct.float32),
            array(ct.float32, 2),
            array(ct.float32),
            array(ct.float32),
            ScalarConstraint(ct.float32),
            ConstantConstraint(COLUMNS),
        ),
        problems=((1, 128), (5, 100)),
        arguments=_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reference,
        outputs=(3, 4, 5),
    ),
    KernelCase(
        name="layer_norm_backward",
        kernel=layer_norm_backward,
        parameters=(
            array(ct.float32, 2),
            array(ct.float32, 2),
            array(ct.float32),
            array(ct.float32),
            array(ct.float32),
            array(ct.float32, 2),
            array(ct.float32),
            ConstantConstraint(COLUMNS),
        ),
        problems=((1, 128), (5, 100)),
        arguments=_backward_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=backward_reference,
        outputs=(5, 6),
    ),
)
