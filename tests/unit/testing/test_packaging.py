"""What `tileir_xdsl.testing` imports on use only, and how much of the wheel it takes."""

import ast
import sys
import zlib
from pathlib import Path

import pytest

from tests.imports import imported_modules
from tests.unit.tools import REPOSITORY

FOLDER = REPOSITORY / "tileir_xdsl" / "testing"
INSTALLED = {*sys.stdlib_module_names, "tileir_xdsl", "xdsl", "numpy", "ml_dtypes"}
"""What is there wherever the compiler is."""


def imported_at_once(source: str) -> set[str]:
    """The packages that a module imports when it is imported itself."""
    tree = ast.parse(source)
    lines = [
        ast.unparse(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = imported_modules("\n".join(lines), "tileir_xdsl.testing.module", is_package=False)
    return {name.partition(".")[0] for name in names}


# Only pytest imports the fixtures.
PATHS = sorted({*FOLDER.rglob("*.py")} - {FOLDER / "plugin.py"})


@pytest.mark.parametrize("path", PATHS, ids=lambda p: str(p.relative_to(FOLDER)))
def test_extras_are_imported_on_use(path: Path):
    assert imported_at_once(path.read_text("utf-8")) <= INSTALLED


def test_an_extra_is_found():
    source = "import filecheck.parser\ndef f():\n    import pytest\n"
    assert imported_at_once(source) - INSTALLED == {"filecheck"}


def test_the_folder_is_at_most_two_mebibytes_of_the_wheel():
    files = [path for path in FOLDER.rglob("*") if path.suffix in (".py", ".mlir")]
    assert len(files) > 300
    assert sum(len(zlib.compress(path.read_bytes())) for path in files) <= 2 * 2**20
