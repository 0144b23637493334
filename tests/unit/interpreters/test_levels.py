"""Kernels mean the same at every level: each pass keeps the interpreter's results."""

from __future__ import annotations

import pytest

from tests.kernels import KERNELS, launch_arguments
from tests.unit import tools
from tests.unit.interpreters.test_kernels import module_of
from tileir_xdsl.interpreters import launch
from tileir_xdsl.stages import LLVM
from tileir_xdsl.transforms.tileir_pipeline import steps

LOWERED = ("vector_add", "vector_add_gather")
"""The kernels that the pipeline can lower."""


@pytest.mark.parametrize("name", LOWERED)
def test_every_pass_keeps_the_results(name: str) -> None:
    kernel = KERNELS[name]
    module, ctx = module_of(name).clone(), tools.context()
    for step in steps():
        if step.stage is LLVM:
            break
        step.module_pass.apply(ctx, module)
        module.verify()
        arguments = kernel.make_arguments(kernel.typical)
        expected = kernel.expected(arguments)
        launch(module, name, kernel.grid(kernel.typical), launch_arguments(arguments))
        kernel.check(arguments, expected)
