"""Two-dimensional convolution as a matrix product over gathered patches."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

PIXELS, CHANNELS, SIDE = 32, 16, 3


@kernel
def convolution(
    x: Any,
    weight: Any,
    out: Any,
    pixels: ct.Constant[int],
    channels: ct.Constant[int],
    side: ct.Constant[int],
) -> None:
    height, width = x.shape[0] - side + 1, x.shape[1] - side + 1
    numbers = ct.bid(0) * pixels + ct.arange(pixels, dtype=ct.int32)
    inside = ct.expand_dims(numbers < height * width, 1)
    row, column = ct.expand_dims(numbers // width, 1), ct.expand_dims(numbers % width, 1)
    depth = ct.expand_dims(ct.arange(channels, dtype=ct.int32), 0)
    acc = ct.zeros((pixels, channels), dtype=ct.float32)
    for tap in range(side * side):
        patch = ct.gather(x, (row + tap // side, column + tap % side, depth), mask=inside)
        w = ct.load(weight, index=(tap, 0, 0), shape=(1, channels, channels))
        acc = ct.mma(patch, ct.reshape(w, (channels, channels)), acc)
    ct.scatter(out, (row, column, depth), ct.astype(acc, out.dtype), mask=inside)


def reference(x: Array, weight: Array, out: Array) -> list[Expected]:
    height, width, _ = out.shape
    values, sizes = np.zeros(out.shape), np.zeros(out.shape)
    for tap in range(SIDE * SIDE):
        dy, dx = divmod(tap, SIDE)
        patch = x[dy : dy + height, dx : dx + width].astype(np.float64)
        values += patch @ weight[tap].astype(np.float64)
        sizes += np.abs(patch) @ np.abs(weight[tap].astype(np.float64))
    return [within_roundings(values, sizes, out.dtype, 64, np.float32)]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    height, width = problem
    x = rng.standard_normal((height, width, CHANNELS)).astype(np.float16)
    weight = rng.standard_normal((SIDE * SIDE, CHANNELS, CHANNELS)).astype(np.float16)
    return [x, weight, np.zeros((height - 2, width - 2, CHANNELS), np.float16)]


def _grid(problem: Problem) -> tuple[int, int, int]:
    return cdiv((problem[0] - 2) * (problem[1] - 2), PIXELS), 1, 1


CASES = (
    KernelCase(
        name="convolution",
        kernel=convolution,
        parameters=(
            *(array(ct.float16, 3),) * 3,
            ConstantConstraint(PIXELS),
            ConstantConstraint(CHANNELS),
            ConstantConstraint(SIDE),
        ),
        problems=((3, 3), (9, 11)),
        arguments=_arguments,
        grid=_grid,
        reference=reference,
        outputs=(2,),
    ),
)
