"""What `bench.cpu` compares computes the same: our kernels, the rivals, and the loops by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bench.cpu.hand_written import LOOPS, hand_written
from bench.cpu.kernels import CASES, COLUMNS
from bench.cpu.rivals import NUMPY
from tileir_xdsl.runtime.cpu.programs import program_on_cpu
from tileir_xdsl.runtime.program import load
from tileir_xdsl.testing.kernels.case import KernelCase
from tileir_xdsl.testing.kernels.generate import text


def case_id(case: KernelCase) -> str:
    return case.name


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES.values(), ids=case_id)
def test_compiled(case: KernelCase):
    program = program_on_cpu(load(case.text_path), "cpu")
    for problem in case.problems:
        arguments = case.make_arguments(problem)
        expected = case.expected(arguments)
        program.launch(case.grid(problem), *arguments, threads=1)
        case.check(arguments, expected)


@pytest.mark.parametrize("case", CASES.values(), ids=case_id)
def test_numpy(case: KernelCase):
    arguments = [np.asarray(each) for each in case.make_arguments(case.typical)]
    expected = case.expected(arguments)
    NUMPY[case.name](*arguments)()
    case.check(arguments, expected)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_by_hand(name: str):
    case = CASES[name]
    problem = (4096,) if name in ("add", "gelu") else (4,)
    arguments = [np.asarray(each) for each in case.make_arguments(problem)]
    assert arguments[0].size == 4 * COLUMNS
    expected = case.expected(arguments)
    hand_written(name, arguments)()
    case.check(arguments, expected)


@pytest.mark.parametrize("case", [CASES["add"], CASES["attention"]], ids=case_id)
def test_checked_in_text(case: KernelCase):
    assert case.text_path.read_text() == text(case)
