"""Convolutions, and transposed ones, over planes and volumes, as matmuls of gathered patches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
import numpy as np

from bench.sweep.kinds import (
    ELEMENTS,
    FLAG,
    MMA,
    Axes,
    Generated,
    Kind,
    Values,
    argument,
    case,
    flag,
    number,
)
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, kernel
from tileir_xdsl.testing.kernels.problems import cdiv

SIDE, STRIDE = 3, 2
"""Taps along a dimension; what a transposed convolution widens its input by."""


def axes(_gpu: str) -> Axes:
    return {
        "dimensions": (2, 3),
        "pixels": (16, 64, 128),
        "inputs": (16, 32, 64),
        "outputs": (16, 64, 128),
        "type": ("f16", "bf16", "tf32"),
        "transposed": FLAG,
    }


def make(values: Values) -> Generated:
    pixels, inputs, outputs = (number(values, axis) for axis in ("pixels", "inputs", "outputs"))
    volume, transposed = values["dimensions"] == 3, flag(values, "transposed")
    is_tf32 = values["type"] == "tf32"
    element = ELEMENTS["f32" if is_tf32 else str(values["type"])]
    taps = SIDE**3 if volume else SIDE**2
    shape = (3 if volume else 1, 4, 5)
    out_shape = tuple(
        1 if extent == 1 else extent * STRIDE if transposed else extent for extent in shape
    )
    total = int(np.prod(out_shape))

    @kernel
    def convolution(x: Any, weight: Any, out: Any) -> None:
        high, wide = out.shape[1], out.shape[2]
        numbers = ct.bid(0) * pixels + ct.arange(pixels, dtype=ct.int32)
        inside = numbers < out.shape[0] * high * wide
        plane, rest = numbers // (high * wide), numbers % (high * wide)
        row, column = rest // wide, rest % wide
        depth = ct.expand_dims(ct.arange(inputs, dtype=ct.int32), 0)
        acc = ct.zeros((pixels, outputs), dtype=ct.float32)
        for tap in range(taps):
            z = plane
            if volume:
                z = plane + tap // (SIDE * SIDE) - 1
            y, u = row + tap // SIDE % SIDE - 1, column + tap % SIDE - 1
            taken = inside
            if transposed:
                taken = taken & (y % STRIDE == 0) & (u % STRIDE == 0)
                y, u = y // STRIDE, u // STRIDE
                if volume:
                    taken = taken & (z % STRIDE == 0)
                    z = z // STRIDE
            patch = ct.gather(
                x,
                (ct.expand_dims(z, 1), ct.expand_dims(y, 1), ct.expand_dims(u, 1), depth),
                mask=ct.expand_dims(taken, 1),
                padding_value=0,
            )
            w = ct.reshape(
                ct.load(weight, index=(tap, 0, 0), shape=(1, inputs, outputs)), (inputs, outputs)
            )
            if is_tf32:
                patch, w = ct.astype(patch, ct.tfloat32), ct.astype(w, ct.tfloat32)
            acc = ct.mma(patch, w, acc)
        at = ct.expand_dims(ct.arange(outputs, dtype=ct.int32), 0)
        where = (ct.expand_dims(plane, 1), ct.expand_dims(row, 1), ct.expand_dims(column, 1), at)
        ct.scatter(out, where, ct.astype(acc, out.dtype), mask=ct.expand_dims(inside, 1))

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        def small(*extents: int) -> Array:
            # Exact in every type.
            return rng.integers(-4, 5, extents).astype(element.numpy)

        x, weight = small(*shape, inputs), small(taps, inputs, outputs)
        return [x, weight, np.zeros((*out_shape, outputs), element.numpy)]

    def reference(x: Array, weight: Array, out: Array) -> list[Expected]:
        wide = x.astype(np.float64)
        if transposed:
            spread = np.zeros((*out_shape, inputs))
            step = [1 if extent == 1 else STRIDE for extent in shape]
            spread[:: step[0], :: step[1], :: step[2]] = wide
            wide = spread
        padded = np.pad(wide, ((1, 1), (1, 1), (1, 1), (0, 0)))
        value, size = np.zeros(out.shape), np.zeros(out.shape)
        for tap in range(taps):
            z, rest = divmod(tap, SIDE * SIDE) if volume else (1, tap)
            y, u = divmod(rest, SIDE)
            patch = padded[z : z + out_shape[0], y : y + out_shape[1], u : u + out_shape[2]]
            w = weight[tap].astype(np.float64)
            value, size = value + patch @ w, size + np.abs(patch) @ np.abs(w)
        return [within_roundings(value, size, out.dtype, 64, np.float32)]

    parameters = [argument(element, 4), argument(element, 3), argument(element, 4)]
    grid = (cdiv(total, pixels), 1, 1)
    return Generated(
        case("convolution", convolution, parameters, arguments, grid, reference, (2,)),
        pixels * inputs * outputs / MMA,
        "mma",
        1,
    )


KIND = Kind("convolution", 5, axes, make)
