"""Triton's kernels compute what the references of their problems say."""

import math

import pytest

from bench.pack.devices import DEVICES
from bench.pack.problems import problems
from bench.pack.triton_rivals import RIVALS, Choice, triton_arguments
from tests.triton_compiler import compile_triton
from tests.unit.bench.pack.test_problems import assert_right, filled_arrays, smaller
from tileir_xdsl import emulator

FAMILIES = {problem.family: problem for problem in problems(DEVICES["sm_90a"])}
EVERY = {family: next(each for each in RIVALS if family.startswith(each[0])) for family in FAMILIES}
DRAWN = ("matmul_tf32", "matmul_grouped", "attention_64_causal", "attention_backward_causal")
SMALL = [family for family in FAMILIES if not family.startswith(("matmul", "attention"))]


@pytest.mark.parametrize(
    "family",
    [
        pytest.param(each, marks=() if each in (*DRAWN, *SMALL) else pytest.mark.soak)
        for each in FAMILIES
    ],
)
def test_a_kernel_agrees_with_its_reference(family: str) -> None:
    problem = smaller(FAMILIES[family])
    found, arrays = filled_arrays(problem)
    _, make, choices = EVERY[family]
    choice = min(choices, key=lambda each: math.prod(each.tile))
    for launch in make(problem, arrays, choice):
        made = compile_triton(
            launch.function,
            launch.types,
            launch.constants,
            warps=choice.warps,
            stages=choice.stages,
            multiples=launch.multiples,
        )
        given = triton_arguments(launch, made.boxes)
        module = emulator.load(made.ptx)
        module.launch(made.name, launch.grid, given, dynamic_shared=made.shared)
    assert_right(problem, found, arrays)


def test_six_choices_of_every_family() -> None:
    assert {len(set(choices)) for _, _, choices in EVERY.values()} == {6}
    assert str(Choice(8, 3, (128, 64))) == "8 warps, 3 stages, 128x64"
    assert str(Choice(4)) == "4 warps"
