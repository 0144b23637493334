"""Kernels written as Tile IR, since cuTile Python cannot express their operations.

The kernels have the parameters of cuTile kernels: an array is an address, sizes and strides. The
kernels' text, written by hand, is checked in here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_bound, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array
from tileir_xdsl.testing.kernels.cutile import ParameterConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.divisible import with_pitch
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, cdiv, short_tiles

FOLDER = Path(__file__).parent
DIVISOR = 12_345
LEVELS = np.array(
    [
        *(-1.0, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.091050036, 0.0),
        *(0.079580299, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0),
    ],
    np.float32,
)
"""The values of the 16 codes of the format NF4."""
ROWS = 8
"""The extents of a tile in `row_means`."""
RATE = 0.125
PANEL = (16, 128)
"""The rows and columns of a panel in `doubled_panels`."""
GROUP = 32
"""The number of elements that share a scale in `grouped_codes`."""
TILE_ROWS = 64
"""The rows and columns of a tile in the matrix products."""


def _written(
    name: str,
    parameters: Sequence[ParameterConstraint],
    arguments: Callable[[Problem, np.random.Generator], Sequence[Argument]],
    reference: Callable[..., Sequence[Expected]],
    outputs: tuple[int, ...] = (1,),
    problems: tuple[Problem, ...] = SHORT_LENGTHS,
    grid: Callable[[Problem], tuple[int, int, int]] = short_tiles,
) -> KernelCase:
    return KernelCase(
        name=name,
        kernel=None,
        parameters=tuple(parameters),
        problems=problems,
        arguments=arguments,
        grid=grid,
        reference=reference,
        outputs=outputs,
        folder=FOLDER,
    )


def remainders(x: Array, _out: Array, divisor: int, _reciprocal: int) -> list[Expected]:
    """Remainders of unsigned numbers, computed by a multiplication with the reciprocal."""
    return [Expected(x % np.uint32(divisor))]


def _numbers(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = rng.integers(0, 2**32, problem, dtype=np.uint32)
    return [x, np.zeros(problem, np.uint32), DIVISOR, 2**32 // DIVISOR]


def gamma_correction(x: Array, _out: Array, gamma: float) -> list[Expected]:
    """Powers with a base between 0 and 1."""
    power = np.power(x.astype(np.float64), np.float64(np.float32(gamma)))
    return [within_bound("fpowf", power, x.dtype)]


def _lights(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.random(problem, np.float32), np.zeros(problem, np.float32), 1 / 2.2]


def codebook(codes: Array, _out: Array, scale: float) -> list[Expected]:
    """The values of codes, looked up in a table that is a global constant of the module."""
    return [Expected(LEVELS[codes] * np.float32(scale))]


def _codes(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.integers(0, 16, problem, np.int8), np.zeros(problem, np.float32), 1.5]


def reversed_blocks(x: Array, _out: Array) -> list[Expected]:
    """Transposes each tile through memory that its tile block allocates."""
    padded = np.zeros(cdiv(len(x), 128) * 128, x.dtype)
    padded[: len(x)] = x
    return [Expected(padded.reshape(-1, 128)[:, ::-1].ravel()[: len(x)])]


def _vectors(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.standard_normal(problem).astype(np.float32), np.zeros(problem, np.float32)]


def arena(pool: Array, out: Array, used: int) -> list[Expected]:
    """Doubles the elements of a memory pool from the first multiple of 16 bytes after `used` on."""
    start = cdiv(used, 16) * 16
    numbers = pool[start : start + 4 * len(out)].view(np.float32)
    return [Expected(numbers + numbers)]


def _pool(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    used = 21
    pool = np.zeros(32 + 4 * length, np.int8)
    pool[32:] = rng.standard_normal(length).astype(np.float32).view(np.int8)
    return [pool, np.zeros(length, np.float32), used]


def row_means(x: Array, _out: Array) -> list[Expected]:
    """Means of rows whose length the kernel gets from the tensor."""
    wide, columns = x.astype(np.float64), x.shape[1]
    size = np.abs(wide).sum(axis=1) / columns
    return [within_roundings(wide.mean(axis=1), size, x.dtype, columns + 1, x.dtype)]


def _rows(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.standard_normal(problem).astype(np.float32), np.zeros(problem[0], np.float32)]


def long_sums(x: Array, _out: Array) -> list[Expected]:
    """Running sums of integers stored as floats, which are exact in any order."""
    return [Expected(np.cumsum(x, axis=1, dtype=x.dtype))]


def _long_rows(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.integers(-9, 9, problem).astype(np.float32), np.zeros(problem, np.float32)]


def multicast_update(grad: Array, _sum: Array, weight: Array, rate: float) -> list[Expected]:
    """A step of gradient descent on a multicast object of one device."""
    return [Expected(grad), Expected(weight + grad * np.float32(rate))]


def _gradients(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    # Multiples of 1/16, so that every sum here is exact.
    grad, weight = (rng.integers(-64, 64, (2, *problem)) / 16).astype(np.float32)
    return [grad, np.zeros(problem, np.float32), weight, RATE]


def with_functions(x: Array, _out: Array) -> list[Expected]:
    """Doubles a vector, in a module with functions that are never called."""
    return [Expected(x + x)]


def gathered_product(a: Array, b: Array, c: Array, rows: Array) -> list[Expected]:
    """Rows of a matrix, gathered in any order, times another matrix, and scattered back."""
    taken, result = rows[rows >= 0], c.copy()
    # Small integers, so that every sum here is exact.
    result[taken] = a[taken].astype(np.float32) @ b.astype(np.float32)
    return [Expected(result)]


def _listed(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    height, depth = problem
    a, b = (
        with_pitch(rng.integers(-3, 4, shape).astype(np.float16))
        for shape in ((height, depth), (depth, TILE_ROWS))
    )
    rows = np.full(cdiv(height, TILE_ROWS) * TILE_ROWS, -1, np.int32)
    rows[rng.permutation(len(rows))[:height]] = np.arange(height)
    return [a, b, with_pitch(np.zeros((height, TILE_ROWS), np.float32)), rows]


def product_by_pointers(a: Array, b: Array, _c: Array) -> list[Expected]:
    """A matrix product whose right operand is loaded through tiles of pointers."""
    # Small integers, so that every sum here is exact.
    return [Expected(a.astype(np.float32) @ b.astype(np.float32))]


def _two_matrices(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    height, depth, width = problem
    a, b = (
        with_pitch(rng.integers(-3, 4, shape).astype(np.float16))
        for shape in ((height, depth), (depth, width))
    )
    return [a, b, with_pitch(np.zeros((height, width), np.float32))]


def joined_product(a: Array, h: Array, b: Array, _c: Array) -> list[Expected]:
    """The product of two concatenated matrices with a third, as in gates of a recurrent cell."""
    joined = np.concatenate((a, h), axis=2).astype(np.float32)
    return [Expected(joined @ b.astype(np.float32))]


def _joined_matrices(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    samples, height, depth, more, width = problem
    shapes = (samples, height, depth), (samples, height, more), (depth + more, width)
    a, h, b = (with_pitch(rng.integers(-3, 4, shape).astype(np.float16)) for shape in shapes)
    return [a, h, b, with_pitch(np.zeros((samples, height, width), np.float32))]


def doubled_panels(x: Array, _out: Array) -> list[Expected]:
    """Doubles a matrix in panels of 2x4 tiles, over which two nested loops iterate."""
    return [Expected(x + x)]


def _matrices(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    return [rng.standard_normal(problem).astype(np.float32), np.zeros(problem, np.float32)]


def dropped_branch(x: Array, f: Array, kept: Array, _out: Array, scale: float) -> list[Expected]:
    """A residual branch, applied only to selected samples (Huang et al. 2016, stochastic depth)."""
    added = x + f * np.float32(scale)
    return [Expected(np.where(kept[:, None, None] > 0, added, x))]


def _samples(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x, f = rng.standard_normal((2, *problem)).astype(np.float32)
    kept = np.arange(problem[0], dtype=np.float32) % 2
    return [x, f, kept, np.zeros(problem, np.float32), 1.25]


def grouped_codes(x: Array, codes: Array, scales: Array) -> list[Expected]:
    """Numbers quantized to multiples of 1/127 of the largest magnitude in each row of 32."""
    rows, columns = scales.shape
    groups = x.reshape(rows, columns, GROUP)
    largest = np.maximum(np.abs(groups).max(axis=2), np.float32(1e-30))
    scale = largest / np.float32(127)
    return [
        Expected((groups / scale[:, :, None]).astype(codes.dtype).reshape(x.shape)),
        Expected(scale),
    ]


def summed_heads(x: Array, _out: Array) -> list[Expected]:
    """Sums of groups of four consecutive heads."""
    return [Expected(((x[0::4] + x[1::4]) + x[2::4]) + x[3::4])]


def _heads(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    heads, rows, columns = problem
    x = rng.standard_normal(problem).astype(np.float32)
    return [x, np.zeros((heads // 4, rows, columns), np.float32)]


def _groups(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    x = rng.standard_normal(problem).astype(np.float32)
    return [x, np.zeros(problem, np.int8), np.zeros((rows, columns // GROUP), np.float32)]


_SINGLE = ScalarConstraint(ct.float32)
_INTEGER = ScalarConstraint(ct.int32)
_TWO = (array(ct.float32),) * 2

WRITTEN: dict[str, KernelCase] = {
    case.name: case
    for case in (
        _written(
            "remainders",
            (*(array(ct.uint32),) * 2, *(ScalarConstraint(ct.uint32),) * 2),
            _numbers,
            remainders,
        ),
        _written("gamma_correction", (*_TWO, _SINGLE), _lights, gamma_correction),
        _written("codebook", (array(ct.int8), array(ct.float32), _SINGLE), _codes, codebook),
        _written("reversed_blocks", _TWO, _vectors, reversed_blocks),
        _written("arena", (array(ct.int8), array(ct.float32), _INTEGER), _pool, arena),
        _written(
            "row_means",
            (array(ct.float32, 2), array(ct.float32)),
            _rows,
            row_means,
            problems=((1, 1), (8, 32), (19, 70)),
            grid=lambda problem: (cdiv(problem[0], ROWS), 1, 1),
        ),
        _written(
            "long_sums",
            (array(ct.float32, 2),) * 2,
            _long_rows,
            long_sums,
            problems=((1, 40_000),),
            grid=lambda problem: (problem[0], 1, 1),
        ),
        _written(
            "multicast_update",
            (*(array(ct.float32),) * 3, _SINGLE),
            _gradients,
            multicast_update,
            outputs=(1, 2),
        ),
        _written("with_functions", _TWO, _vectors, with_functions),
        _written(
            "product_by_pointers",
            (*(array(ct.float16, 2),) * 2, array(ct.float32, 2)),
            _two_matrices,
            product_by_pointers,
            outputs=(2,),
            problems=((1, 16, 16), (70, 144, 80)),
            grid=lambda problem: (cdiv(problem[0], TILE_ROWS), cdiv(problem[2], TILE_ROWS), 1),
        ),
        _written(
            "joined_product",
            (*(array(ct.float16, 3),) * 2, array(ct.float16, 2), array(ct.float32, 3)),
            _joined_matrices,
            joined_product,
            outputs=(3,),
            problems=((1, 1, 64, 1, 1), (2, 70, 64, 80, 48)),
            grid=lambda problem: (
                cdiv(problem[1], TILE_ROWS),
                cdiv(problem[4], TILE_ROWS),
                problem[0],
            ),
        ),
        _written(
            "doubled_panels",
            (array(ct.float32, 2),) * 2,
            _matrices,
            doubled_panels,
            problems=((1, 1), (16, 128), (37, 150)),
            grid=lambda problem: (cdiv(problem[0], PANEL[0]), cdiv(problem[1], PANEL[1]), 1),
        ),
        _written(
            "dropped_branch",
            (*(array(ct.float32, 3),) * 2, array(ct.float32), array(ct.float32, 3), _SINGLE),
            _samples,
            dropped_branch,
            outputs=(3,),
            problems=((2, 130, 40),),
            grid=lambda problem: (cdiv(problem[2], 512), cdiv(problem[1], 128), problem[0]),
        ),
        _written(
            "grouped_codes",
            (array(ct.float32, 2), array(ct.int8, 2), array(ct.float32, 2)),
            _groups,
            grouped_codes,
            outputs=(1, 2),
            problems=((3, 32), (40, 224)),
            grid=lambda problem: (cdiv(problem[0], 32), cdiv(problem[1], 128), 1),
        ),
        _written(
            "summed_heads",
            (array(ct.float32, 3),) * 2,
            _heads,
            summed_heads,
            problems=((4, 1, 1), (8, 19, 70)),
            grid=lambda problem: (cdiv(problem[2], 64), cdiv(problem[1], 16), problem[0] // 4),
        ),
        _written(
            "gathered_product",
            (*(array(ct.float16, 2),) * 2, array(ct.float32, 2), array(ct.int32)),
            _listed,
            gathered_product,
            outputs=(2,),
            problems=((1, 1), (70, 100)),
            grid=lambda problem: (cdiv(problem[0], TILE_ROWS), 1, 1),
        ),
    )
}
"""The kernels written as Tile IR, by name."""
