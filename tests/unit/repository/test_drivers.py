"""Code that walks the road goes by what passes declare, and compares no name of a pass."""

import ast
from collections.abc import Iterator

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.passes import OURS, PASSES

PACKAGE = REPOSITORY / "tileir_xdsl"

DRIVERS = (
    "checking",
    "cli",
    "report",
    "runtime",
    "transforms/pipeline_step.py",
    "transforms/placed_passes.py",
    "transforms/resource_ladder.py",
    "transforms/tileir_pipeline.py",
)
"""The compiler, reports, checks and commands; `transforms/pipeline_road.py` has names as data."""

# The pipeline itself is not a step of the road.
NAMES = {name for name, entry in PASSES.items() if entry.origin == OURS} - {"tileir-pipeline"}


def named_in(source: str) -> Iterator[str]:
    """The names of passes that a source has as values."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in NAMES:
            yield str(node.value)


@pytest.mark.parametrize("driver", DRIVERS)
def test_no_driver_names_a_pass(driver: str):
    path = PACKAGE / driver
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert files
    found = {str(file): [*named_in(file.read_text("utf-8"))] for file in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_a_name_that_is_compared_is_found():
    assert [*named_in("if step.name == 'tileas-plan-cta': pass")] == ["tileas-plan-cta"]
