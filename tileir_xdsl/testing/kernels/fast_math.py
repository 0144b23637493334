"""Fast approximations, and operations that flush subnormal numbers to zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, stacked, within_bound
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

APPROXIMATIONS = (
    "exp rounding<approx>",
    "tanh rounding<approx>",
    "tanh",
    "divf rounding<approx>",
    "divf rounding<full>",
    "sqrt rounding<approx>",
    "exp",
    "rsqrt",
)
"""The operation for each row of the result."""

FLUSHED_ROWS = 9
SMALLEST = 2.0**-126
"""The smallest normal number."""


@kernel
def approximations(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    approx, full = ct.RoundingMode.APPROX, ct.RoundingMode.FULL
    ct.store(out, index=(0, i), tile=ct.reshape(ct.exp(x, rounding_mode=approx), (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(ct.tanh(x, rounding_mode=approx), (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(ct.tanh(x, rounding_mode=full), (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(ct.truediv(x, y, rounding_mode=approx), (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(ct.truediv(x, y, rounding_mode=full), (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.sqrt(y, rounding_mode=approx), (1, tile)))
    ct.store(out, index=(6, i), tile=ct.reshape(ct.exp(x, rounding_mode=full), (1, tile)))
    ct.store(out, index=(7, i), tile=ct.reshape(ct.rsqrt(y, flush_to_zero=True), (1, tile)))


def approximations_reference(a: Array, b: Array, out: Array) -> list[Expected]:
    x, y = a.astype(np.float64), b.astype(np.float64)
    rows = [
        np.exp(x),
        np.tanh(x),
        np.tanh(x),
        x / y,
        x / y,
        np.sqrt(y),
        np.exp(x),
        1 / np.sqrt(y),
    ]
    pairs = zip(APPROXIMATIONS, rows, strict=True)
    return [stacked([within_bound(op, row, out.dtype) for op, row in pairs])]


def approximations_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.uniform(-4, 4, problem).astype(np.float32)
    y = rng.uniform(0.1, 10, problem).astype(np.float32)
    return [x, y, np.zeros((len(APPROXIMATIONS), *problem), np.float32)]


@kernel
def flush_to_zero(a: Any, b: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(0, i), tile=ct.reshape(ct.add(x, y, flush_to_zero=True), (1, tile)))
    ct.store(out, index=(1, i), tile=ct.reshape(ct.sub(x, y, flush_to_zero=True), (1, tile)))
    ct.store(out, index=(2, i), tile=ct.reshape(ct.mul(x, 0.5, flush_to_zero=True), (1, tile)))
    ct.store(out, index=(3, i), tile=ct.reshape(ct.truediv(x, 2.0, flush_to_zero=True), (1, tile)))
    ct.store(out, index=(4, i), tile=ct.reshape(ct.maximum(x, y, flush_to_zero=True), (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.minimum(x, y, flush_to_zero=True), (1, tile)))
    ct.store(out, index=(6, i), tile=ct.reshape(ct.sqrt(x * x, flush_to_zero=True), (1, tile)))
    ct.store(out, index=(7, i), tile=ct.reshape(ct.exp2(x, flush_to_zero=True), (1, tile)))
    fused = ct.add(ct.mul(x, 0.5, flush_to_zero=True), y, flush_to_zero=True)
    ct.store(out, index=(8, i), tile=ct.reshape(fused, (1, tile)))


def _flush(x: Array) -> Array:
    """Replaces subnormal numbers by zeros of the same sign."""
    return np.where(np.abs(x) < SMALLEST, np.copysign(np.float32(0), x), x)


def flush_reference(a: Array, b: Array, _out: Array) -> list[Expected]:
    x, y = _flush(a), _flush(b)
    half = x * np.float32(0.5)
    rows = [
        x + y,
        x - y,
        half,
        half,
        # Of zeros of both signs the positive one is the larger.
        np.where((x == 0) & (y == 0), x + y, np.maximum(x, y)),
        np.where((x == 0) & (y == 0), -(-x - y), np.minimum(x, y)),
        np.zeros_like(x),
        np.ones_like(x),
        half + y,
    ]
    return [Expected(np.stack([_flush(row) for row in rows]))]


def flush_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    # Multiples of 2 ** -130, from subnormal to normal: sums and halves are exact.
    a, b = (rng.integers(-64, 64, (2, *problem)) * 2.0**-130).astype(np.float32)
    return [a, b, np.zeros((FLUSHED_ROWS, *problem), np.float32)]


CASES = (
    KernelCase(
        name="approximations",
        kernel=approximations,
        parameters=(
            array(ct.float32),
            array(ct.float32),
            array(ct.float32, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=approximations_arguments,
        grid=short_tiles,
        reference=approximations_reference,
        outputs=(2,),
        since="13.3",
    ),
    KernelCase(
        name="flush_to_zero",
        kernel=flush_to_zero,
        parameters=(
            array(ct.float32),
            array(ct.float32),
            array(ct.float32, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=flush_arguments,
        grid=short_tiles,
        reference=flush_reference,
        outputs=(2,),
    ),
)
