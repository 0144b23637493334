"""The examples of the page on slicing are what the pass does."""

import re

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass

PAGE = (REPOSITORY / "docs" / "passes" / "tileas-slicing.md").read_text()
EXAMPLES = re.findall(r"```mlir(?: schematic)?\n(.*?)// becomes\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(2))
def test_example(number: int):
    before, after = EXAMPLES[number]
    module = tools.parse(before)
    TileASSlicingPass().apply(tools.context(), module)
    module.verify()
    assert tools.to_text(module) == tools.to_text(tools.parse(after))
