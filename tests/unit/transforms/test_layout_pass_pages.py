"""The examples on the pages of the clean-up passes of layouts are what the passes do."""

import re

import pytest

from tests.unit import tools

PASSES = ("tileas-remove-layout-conversions", "tileas-remove-dead-args")


@pytest.mark.parametrize("name", PASSES)
def test_the_example_is_what_the_pass_does(name: str):
    page = (tools.REPOSITORY / "docs" / "passes" / f"{name}.md").read_text()
    examples = re.findall(r"```mlir\n(.*?)// becomes\n(.*?)```", page, re.DOTALL)
    assert examples
    for before, after in examples:
        module = tools.run_passes(tools.parse(before), name)
        assert tools.to_text(module) == tools.to_text(tools.parse(after))
