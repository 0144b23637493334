"""The timed kernels compute what their references say, at sizes that the emulator runs."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from bench.pack.devices import DEVICES
from bench.pack.problems import Problem, problems
from bench.pack.runner.formats import as_doubles, storage_of
from bench.pack.runner.memory import Filled, pattern_of
from bench.pack.runner.references import REFERENCES
from bench.pack.tuner import TUNED
from tests.unit.tools import parse
from tileir_xdsl.runtime.launching import run

ALL = problems(DEVICES["sm_100a"])
FAMILIES = {problem.family: problem for problem in ALL}
"""Of the GPU that has every one."""

ROWS = 6


def scaled_shapes(problem: Problem) -> list[tuple[int, ...]]:
    """Two steps along the sum of one tile of a product with block scales."""
    settings = problem.settings
    # Rows of scales that are row-major have strides of a multiple of 16.
    k = 256 if settings["ordered"] else 16 * settings["block"]
    blocks = k // settings["block"]
    operand = (128, k // (1 + settings["packed"]))
    scales = (1, blocks // 4, 32, 16) if settings["ordered"] else (128, blocks)
    return [operand, scales, operand, scales, (128, 128)]


def small(problem: Problem) -> tuple[list[tuple[int, ...]], tuple[int, int, int]]:
    """The shapes of the arrays of a small problem, and its grid."""
    if problem.tile:
        m, n, depth = problem.tile
        k = 3 * depth
        return [(m, k), (n, k) if problem.settings["transposed"] else (k, n), (m, n)], (1, 1, 1)
    if problem.reference == "scaled_matmul":
        return scaled_shapes(problem), (1, 1, 1)
    if problem.family.startswith("attention"):
        depth = problem.arrays[0][1][2]
        return [(2, 2 * problem.settings["queries"], depth)] * 4, (2, 2, 1)
    if problem.family == "transpose":
        return [(128, 64), (64, 128)], (2, 1, 1)
    if problem.family == "rope":
        return [(ROWS, 128), (4, 64), (4, 64), (ROWS, 128)], (ROWS, 1, 1)
    count = problem.arrays[0][1][0]
    shapes = [tuple(ROWS if n == count else n for n in shape) for _, shape, _ in problem.arrays]
    return shapes, (ROWS, 1, 1)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_kernel_agrees_with_its_reference(family: str) -> None:
    problem = FAMILIES[family]
    shapes, grid = small(problem)
    random = np.random.default_rng(1)
    filled: list[Filled] = []
    arrays: list[Any] = []
    for shape, (dtype, _, recipe) in zip(shapes, problem.arrays, strict=True):
        fill = {**recipe, "dtype": dtype, "elements": int(np.prod(shape))}
        if "permutation" in fill:
            fill["permutation"] = ROWS
        filled.append(Filled(pattern_of(fill, random), dtype, shape))
        stored = filled[-1].take(np.arange(fill["elements"])).reshape(shape)
        arrays.append(stored.view(np.dtype(getattr(ml_dtypes, dtype, None) or dtype)))
    gpu = "sm_100a" if problem.reference == "scaled_matmul" else "sm_90a"
    run(parse(problem.text()), grid, [*arrays, *problem.scalars], level="ptx", gpu=gpu)
    reference = REFERENCES[problem.reference]
    segments = reference(filled, dict(problem.settings), np.random.default_rng(2))
    dtype = problem.arrays[problem.output][0]
    got = as_doubles(np.ascontiguousarray(arrays[problem.output]).view(storage_of(dtype)), dtype)
    assert segments
    for segment in segments:
        found = got.ravel()[segment.start : segment.start + len(segment.expected)]
        scale = float(np.sqrt(np.mean(segment.expected**2)))
        off = np.abs(found - segment.expected) / (np.abs(segment.expected) + scale)
        assert off.max() <= problem.tolerance


def test_names_are_unique_and_the_important_come_first() -> None:
    every = ALL
    assert len({problem.name for problem in every}) == len(every)
    flags = [problem.second_half for problem in every]
    assert flags == sorted(flags)
    assert {problem.name for problem in every} >= set(TUNED)
    assert len(TUNED) == 10
