"""The kernels of `bench.rows`: both compilers' PTX computes what numpy does, in at most as much code."""

import numpy as np
import pytest

from bench.rows import ROWS, SIZE, Row
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.case import launch_arguments

PROBLEMS = {"row_vector_add": (SIZE + 400,), "row_of_softmax": (16, 400)}
"""Sizes that are multiples of 16; that of a layer normalisation is the softmax's."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case.name)
def test_ptx_equals_numpy(row: Row):
    case = row.case
    problem = PROBLEMS.get(case.name, PROBLEMS["row_of_softmax"])
    arguments = case.make_arguments(problem)
    expected = case.expected(arguments)
    module = tools.run_passes(tools.parse(row.text_path.read_text()), "tileir-pipeline{gpu=sm_90a}")
    loaded = emulator.load(emit(module, "sm_90a"))
    loaded.launch(case.name, case.grid(problem), launch_arguments(arguments), races=True)
    case.check(arguments, expected)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case.name)
def test_triton_solves_the_same_problem(row: Row):
    case, kernel = row.case, row.by_triton()
    problem = PROBLEMS.get(case.name, PROBLEMS["row_of_softmax"])
    arguments = case.make_arguments(problem)
    expected = case.expected(arguments)
    arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
    numbers = [argument for argument in arguments if not isinstance(argument, np.ndarray)]
    # Triton appends two pointers of its own.
    launched = [*arrays, problem[-1], *numbers, 0, 0]
    threads = (kernel.threads, 1, 1)
    loaded = emulator.load(kernel.ptx)
    loaded.launch(
        kernel.name, case.grid(problem), launched, block=threads, dynamic_shared=kernel.shared
    )
    case.check(arguments, expected)


def test_positions_are_compared_once_for_a_vector():
    """Two vectors in a thread: what is left of the row is compared once for each."""
    (row,) = (row for row in ROWS if row.case.name == "row_of_layer_norm")
    module = tools.run_passes(tools.parse(row.text_path.read_text()), "tileir-pipeline{gpu=sm_90a}")
    assert emit(module, "sm_90a").count("setp.lt.s32") == 2
