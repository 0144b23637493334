"""Sizes, grids and arguments that several kernels share."""

from __future__ import annotations

import numpy as np

from tileir_xdsl.testing.kernels.case import Argument, Problem

TILE = 1024
"""Elements of a tile of the one-dimensional kernels."""

LENGTHS: tuple[Problem, ...] = ((0,), (1,), (127,), (128,), (65536,), (1000,))
"""Lengths below, at and above a tile, with and without a partial last tile."""


def cdiv(dividend: int, divisor: int) -> int:
    """The quotient rounded up."""
    return -(-dividend // divisor)


def tiles_of_length(problem: Problem) -> tuple[int, int, int]:
    """One tile block per tile of a vector, at least one."""
    (length,) = problem
    return max(1, cdiv(length, TILE)), 1, 1


def three_vectors(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    """Two random vectors, and a vector of NaN for the result."""
    (length,) = problem
    a, b = (rng.standard_normal(length).astype(np.float32) for _ in range(2))
    return [a, b, np.full(length, np.nan, np.float32)]


SHORT_TILE = 128
"""Elements of a tile in kernels with many operations per element."""

SHORT_LENGTHS: tuple[Problem, ...] = ((1,), (128,), (300,))
"""Lengths of one element, of a tile, and with a partial last tile."""


def short_tiles(problem: Problem) -> tuple[int, int, int]:
    """One tile block per short tile of a vector."""
    return cdiv(problem[0], SHORT_TILE), 1, 1
