"""Matmuls whose weights are stored in fewer bits than they are multiplied in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
import numpy as np

from bench.sweep.kinds import (
    ELEMENTS,
    FLAG,
    MMA,
    WITH_EIGHT_BIT_FLOATS,
    Axes,
    Generated,
    Kind,
    Values,
    argument,
    case,
    flag,
    number,
    random_array,
)
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, array, kernel
from tileir_xdsl.testing.kernels.problems import cdiv


def axes(gpu: str) -> Axes:
    return {
        "m": (16, 64, 128),
        "n": (64, 128),
        "k": (32, 64),
        "weights": ("i8", "f16", *(["e4m3"] if gpu in WITH_EIGHT_BIT_FLOATS else [])),
        "form": ("plain", "scaled", "masked"),
        "transposed": FLAG,
    }


def make(values: Values) -> Generated:
    m, n, k = (number(values, axis) for axis in "mnk")
    form, transposed = str(values["form"]), flag(values, "transposed")
    stored, wide = ELEMENTS[str(values["weights"])], ELEMENTS["bf16"]
    size_m, size_n, size_k = m + 16, n + 16, 2 * k + 16
    zero = ct.PaddingMode.ZERO

    @kernel
    def matmul(a: Any, b: Any, scales: Any, c: Any) -> None:
        """Columns of weights are scaled; those from an odd row on are left out where masked."""
        i, j = ct.bid(0), ct.bid(1)
        acc = ct.zeros((m, n), dtype=ct.float32)
        steps: Any = ct.cdiv(a.shape[1], k)
        for step in range(steps):
            x = ct.load(a, index=(i, step), shape=(m, k), padding_mode=zero)
            if transposed:
                w = ct.transpose(ct.load(b, index=(j, step), shape=(n, k), padding_mode=zero))
            else:
                w = ct.load(b, index=(step, j), shape=(k, n), padding_mode=zero)
            y = ct.astype(w, ct.bfloat16)
            if form == "scaled":
                scale = ct.load(scales, index=(j,), shape=(n,), padding_mode=zero)
                y = ct.astype(ct.astype(y, ct.float32) * ct.expand_dims(scale, 0), ct.bfloat16)
            if form == "masked":
                rows = ct.expand_dims(step * k + ct.arange(k, dtype=ct.int32), 1)
                y = ct.where(rows < a.shape[1] - 7, y, ct.zeros((k, n), dtype=ct.bfloat16))
            acc = ct.mma(x, y, acc)
        ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        a = random_array((size_m, size_k), wide, rng)
        b = random_array((size_n, size_k) if transposed else (size_k, size_n), stored, rng)
        scales = rng.uniform(0.5, 2, size_n).astype(np.float32)
        return [a, b, scales, np.zeros((size_m, size_n), wide.numpy)]

    def reference(a: Array, b: Array, scales: Array, c: Array) -> list[Expected]:
        x = a.astype(np.float64)
        y = (b.T if transposed else b).astype(wide.numpy).astype(np.float32)
        if form == "scaled":
            y = (y * scales).astype(wide.numpy)
        if form == "masked":
            y[size_k - 7 :] = 0
        y = y.astype(np.float64)
        return [within_roundings(x @ y, np.abs(x) @ np.abs(y), c.dtype, 64, np.float32)]

    parameters = [argument(wide, 2), argument(stored, 2), array(ct.float32), argument(wide, 2)]
    grid = (cdiv(size_m, m), cdiv(size_n, n), 1)
    return Generated(
        case("matmul", matmul, parameters, arguments, grid, reference, (3,)),
        m * n * k / MMA,
        "mma",
        1,
    )


KIND = Kind("dequantised", 1, axes, make)
