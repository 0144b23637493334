"""Pytest fixtures; `pytest_plugins = ["tileir_xdsl.testing.plugin"]` enables them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import testing


@pytest.fixture
def filecheck() -> Callable[[str, str], None]:
    """FileCheck in process: `filecheck(text, checks)`, where `checks` holds `// CHECK` lines."""
    return testing.check


@pytest.fixture
def run_passes() -> Callable[[str, str], ModuleOp]:
    """A function: `run_passes(text, "canonicalize")` returns the module after the passes."""

    def run(text: str, pipeline: str) -> ModuleOp:
        return testing.run_passes(testing.parse(text), pipeline)

    return run


@pytest.fixture
def assert_same_meaning() -> Callable[..., None]:
    """`tileir_xdsl.testing.assert_same_meaning`."""
    return testing.assert_same_meaning


@pytest.fixture(params=testing.zoo_names())
def zoo_kernel(request: pytest.FixtureRequest) -> ModuleOp:
    """Runs a test once for each kernel of the zoo."""
    return testing.zoo_module(request.param)
