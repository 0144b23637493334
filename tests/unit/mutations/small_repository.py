"""A repository of one function, which faults are planted in."""

from pathlib import Path

from tests.mutations import Fault

SOURCE = "tileir_xdsl/sum.py"
FAULT = Fault(SOURCE, "swapped operands", "first - second", "second - first")
TEST = """
import pytest
from tileir_xdsl.sum import minus

@pytest.mark.parametrize('name', ['two words'])
def test_minus(name):
    assert minus(3, 1) == 2
"""
"""A test that finds the fault."""


def write_repository(folder: Path, **tests: str) -> Path:
    """Writes the function and files of tests, by name; returns the folder."""
    (folder / SOURCE).parent.mkdir()
    (folder / SOURCE).write_text("def minus(first, second):\n    return first - second\n")
    for name, text in tests.items():
        (folder / f"{name}.py").write_text(text)
    (folder / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\npythonpath = ['.']\naddopts = \"-m 'not soak'\"\n"
    )
    return folder
