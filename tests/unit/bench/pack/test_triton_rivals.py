"""Triton's kernels compute what the references of their problems say."""

import math
from dataclasses import replace

import pytest

from bench.pack.devices import DEVICES
from bench.pack.problem import Problem
from bench.pack.problems import problems
from bench.pack.triton_rivals import PERSISTENT, RIVALS, Choice, triton_arguments
from tests.triton_compiler import compile_triton
from tests.unit.bench.pack.test_problems import assert_right, filled_arrays, smaller
from tileir_xdsl import emulator

FAMILIES = {problem.family: problem for problem in problems(DEVICES["sm_90a"])}
EVERY = {family: next(each for each in RIVALS if family.startswith(each[0])) for family in FAMILIES}
DRAWN = ("matmul_tf32", "matmul_grouped", "attention_64_causal", "attention_backward_causal")
SMALL = [family for family in FAMILIES if not family.startswith(("matmul", "attention"))]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "family",
    [
        pytest.param(each, marks=() if each in (*DRAWN, *SMALL) else pytest.mark.soak)
        for each in FAMILIES
    ],
)
def test_a_kernel_agrees_with_its_reference(family: str) -> None:
    _, _, choices = EVERY[family]
    smallest = min(choices, key=lambda each: math.prod(each.tile))
    assert_choice_is_right(smaller(FAMILIES[family]), smallest)


@pytest.mark.parametrize(
    "choice", [pytest.param(PERSISTENT[0], marks=pytest.mark.soak), PERSISTENT[1]]
)
def test_persistent_blocks_agree_too(choice: Choice) -> None:
    """One block, and two tiles."""
    problem = smaller(FAMILIES["matmul_bf16"])
    (dtype, (m, k), recipe), b, (_, (_, n), filling) = problem.arrays
    arrays = [(dtype, (2 * m, k), recipe), b, (dtype, (2 * m, n), filling)]
    assert_choice_is_right(replace(problem, arrays=arrays), choice, blocks=1)


def assert_choice_is_right(problem: Problem, choice: Choice, blocks: int | None = None) -> None:
    found, arrays = filled_arrays(problem)
    for launch in EVERY[problem.family][1](problem, arrays, choice):
        made = compile_triton(
            launch.function,
            launch.types,
            launch.constants,
            warps=choice.warps,
            stages=choice.stages,
            multiples=launch.multiples,
        )
        given = triton_arguments(launch, made.boxes)
        grid = launch.grid if blocks is None else (blocks, 1, 1)
        emulator.load(made.ptx).launch(made.name, grid, given, dynamic_shared=made.shared)
    assert_right(problem, found, arrays)


def test_six_choices_of_every_family() -> None:
    assert all(len({c for c in choices if not c.persistent}) == 6 for _, _, choices in RIVALS)
    assert str(Choice(8, 3, (128, 64))) == "8 warps, 3 stages, 128x64"
    assert str(PERSISTENT[0]) == "8 warps, 3 stages, 128x256, persistent"
    assert str(Choice(4)) == "4 warps"
