"""The detector shares nothing with the pass that it is an oracle for."""

from pathlib import Path

import pytest

from tests.imports import imported_modules
from tests.unit.tools import REPOSITORY

FOLDER = REPOSITORY / "tileir_xdsl" / "interpreters" / "on_chip"
FORBIDDEN = ("tileir_xdsl.analysis", "tileir_xdsl.builders", "tileir_xdsl.transforms")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.name)
def test_no_analysis_is_imported(path: Path):
    source = path.read_text(encoding="utf-8")
    imports = imported_modules(source, "tileir_xdsl.interpreters.on_chip.module", is_package=False)
    assert [name for name in imports if name.startswith(FORBIDDEN)] == []
