"""The timed kernels compute what their references say, at sizes that the emulator runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from bench.pack.devices import DEVICES
from bench.pack.layers import EXPERTS
from bench.pack.problem import Problem
from bench.pack.problems import problems
from bench.pack.runner.checks import filled_with
from bench.pack.runner.formats import as_doubles, storage_of
from bench.pack.runner.memory import Filled
from bench.pack.runner.references import REFERENCES
from bench.pack.tuner import TUNED
from tileir_xdsl.runtime.launching import run
from tileir_xdsl.testing.tools import parse

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
    if problem.reference == "grouped_matmul":
        m, n, depth = problem.tile
        return [(2 * m, 2 * depth), (EXPERTS, 2 * depth, n), (2,), (2 * m, n)], (2, 1, 1)
    if problem.tile:
        m, n, depth = problem.tile
        k = 3 * depth
        return [(m, k), (n, k) if problem.settings["transposed"] else (k, n), (m, n)], (1, 1, 1)
    if problem.reference == "scaled_matmul":
        return scaled_shapes(problem), (1, 1, 1)
    if problem.family.startswith("attention"):
        _, length, depth = 2, 2 * problem.settings["queries"], problem.arrays[0][1][2]
        every = [(2, length, depth)[: len(shape)] for _, shape, _ in problem.arrays]
        return every, (2, 2, 1)
    if problem.family == "transpose":
        return [(128, 64), (64, 128)], (2, 1, 1)
    if problem.family == "rope":
        return [(ROWS, 128), (4, 64), (4, 64), (ROWS, 128)], (ROWS, 1, 1)
    count = problem.arrays[0][1][0]
    shapes = [tuple(ROWS if n == count else n for n in shape) for _, shape, _ in problem.arrays]
    return shapes, (ROWS, 1, 1)


def smaller(problem: Problem) -> Problem:
    """The same problem at a size that the emulator runs."""
    shapes, grid = small(problem)
    arrays: list[tuple[str, tuple[int, ...], Mapping[str, Any]]] = []
    for shape, (dtype, _, recipe) in zip(shapes, problem.arrays, strict=True):
        changed = {"period": int(np.prod(shape[1:]))} if "period" in recipe else {}
        changed |= {"permutation": ROWS} if "permutation" in recipe else {}
        arrays.append((dtype, shape, {**recipe, **changed}))
    then = [replace(step, grid=grid) for step in problem.then]
    return replace(problem, arrays=arrays, grid=grid, then=then)


def filled_arrays(problem: Problem) -> tuple[list[Filled], list[Any]]:
    """What the runner fills the arrays with, and the arrays themselves."""
    described = [
        {"region": number, "dtype": dtype, "shape": shape}
        for number, (dtype, shape, _) in enumerate(problem.arrays)
    ]
    fills = [
        {"fill": {**recipe, "dtype": dtype, "elements": int(np.prod(shape))}}
        for dtype, shape, recipe in problem.arrays
    ]
    item = {"arrays": described, "regions": fills, "settings": problem.settings}
    found = [each for each in filled_with(item, np.random.default_rng(1)) if each is not None]
    arrays: list[Any] = []
    for each in found:
        stored = each.run(0, int(np.prod(each.shape))).reshape(each.shape).copy()
        arrays.append(stored.view(np.dtype(getattr(ml_dtypes, each.dtype, None) or each.dtype)))
    return found, arrays


def assert_right(problem: Problem, found: Sequence[Filled], arrays: Sequence[Any]) -> None:
    """Compares the outputs with the reference, as the runner does."""
    settings = dict(problem.settings)
    segments = REFERENCES[problem.reference](found, settings, np.random.default_rng(2))
    assert {segment.output for segment in segments} == set(range(len(problem.outputs)))
    for segment in segments:
        number = problem.outputs[segment.output]
        dtype = problem.arrays[number][0]
        stored = np.ascontiguousarray(arrays[number]).view(storage_of(dtype)).ravel()
        got = as_doubles(stored[segment.start : segment.start + len(segment.expected)], dtype)
        scale = float(np.sqrt(np.mean(segment.expected**2)))
        off = np.abs(got - segment.expected) / (np.abs(segment.expected) + scale)
        assert off.max() <= problem.tolerance


SLOW = ("attention_backward", "attention_256", "attention_128")
"""Like others, and slower."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize(
    "family",
    [pytest.param(each, marks=pytest.mark.soak if each in SLOW else ()) for each in FAMILIES],
)
def test_a_kernel_agrees_with_its_reference(family: str) -> None:
    problem = smaller(FAMILIES[family])
    found, arrays = filled_arrays(problem)
    gpu = "sm_100a" if problem.reference == "scaled_matmul" else "sm_90a"
    for step in problem.steps:
        given = [*(arrays[number] for number in step.arrays), *step.scalars]
        run(parse(step.text()), step.grid, given, level="ptx", gpu=gpu)
    assert_right(problem, found, arrays)


def test_names_are_unique_and_the_important_come_first() -> None:
    every = ALL
    assert len({problem.name for problem in every}) == len(every)
    flags = [problem.second_half for problem in every]
    assert flags == sorted(flags)
    assert {problem.name for problem in every} >= set(TUNED)
    assert len(TUNED) == 10
