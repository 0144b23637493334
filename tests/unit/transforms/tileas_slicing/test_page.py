"""The example of the page on slicing is what the pass does."""

import re

from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing import TileASSlicingPass

PAGE = (REPOSITORY / "docs" / "passes" / "tileas-slicing.md").read_text()


def test_example():
    ((before, after),) = re.findall(
        r"```mlir(?: schematic)?\n(.*?)// becomes\n(.*?)```", PAGE, re.DOTALL
    )
    module = tools.parse(before)
    TileASSlicingPass().apply(tools.context(), module)
    module.verify()
    assert tools.to_text(module) == tools.to_text(tools.parse(after))
