"""Every kernel of the zoo, run by the interpreter, against its numpy meaning."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.bytecode import read
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import RandomOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import (
    KERNELS,
    LAUNCHES,
    Problem,
    generate,
    launch_arguments,
    launch_id,
)


@cache
def module_of(name: str) -> ModuleOp:
    """The module of a kernel of the zoo, parsed once."""
    case = KERNELS[name]
    return tools.parse(case.text_path.read_text(), name=case.text_path.name)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", LAUNCHES, ids=launch_id)
def test_kernel_computes_its_meaning(case: tuple[str, Problem]) -> None:
    name, problem = case
    kernel = KERNELS[name]
    arguments = kernel.make_arguments(problem)
    expected = kernel.expected(arguments)
    launch(module_of(name), name, kernel.grid(problem), launch_arguments(arguments))
    kernel.check(arguments, expected)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", KERNELS)
def test_its_bytecode_computes_the_same(name: str) -> None:
    kernel = KERNELS[name]
    problem = kernel.typical
    arguments = kernel.make_arguments(problem, seed=5)
    expected = kernel.expected(arguments)
    # The earliest version: its operations are not all those of the text.
    module = read(generate.bytecode(kernel, kernel.since))
    launch(module, name, kernel.grid(problem), launch_arguments(arguments))
    kernel.check(arguments, expected)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", KERNELS)
def test_tokens_alone_order_memory(name: str) -> None:
    kernel = KERNELS[name]
    problem = kernel.typical
    arguments = kernel.make_arguments(problem, seed=3)
    expected = kernel.expected(arguments)
    launch(
        module_of(name),
        name,
        kernel.grid(problem),
        launch_arguments(arguments),
        memory_order=RandomOrder(seed=4),
    )
    kernel.check(arguments, expected)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", KERNELS)
def test_blocks_may_run_in_any_order(name: str) -> None:
    kernel = KERNELS[name]
    problem = kernel.typical
    arguments = kernel.make_arguments(problem, seed=1)
    expected = kernel.expected(arguments)
    grid = kernel.grid(problem)
    order = np.random.default_rng(2).permutation(int(np.prod(grid))).tolist()
    launch(module_of(name), name, grid, launch_arguments(arguments), order=order)
    kernel.check(arguments, expected)
