"""The examples on the pages of passes on layouts and memory are what the passes do."""

import re

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing import tools

PASSES = (
    "tileas-allocate-shared-memory",
    "tileas-allocate-tensor-memory",
    "tileas-canonicalize",
    "tileas-remove-dead-args",
    "tileas-remove-layout-conversions",
    "tileas-select-lowering",
)


@pytest.mark.parametrize("name", PASSES)
def test_the_example_is_what_the_pass_does(name: str):
    page = (REPOSITORY / "docs" / "passes" / f"{name}.md").read_text()
    examples = re.findall(r"```mlir(?: schematic)?\n(.*?)// becomes\n(.*?)```", page, re.DOTALL)
    assert examples
    for before, after in examples:
        module = tools.run_passes(tools.parse(before), name)
        assert tools.to_text(module) == tools.to_text(tools.parse(after))
