"""The examples of packages pass their own tests, without being installed."""

import json
import tokenize
from pathlib import Path

import pytest

from tests.examples import EXAMPLES, printed, pytest_command, run_from_source, sources_of
from tests.notebooks import store_outputs

NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)


# `make examples` runs them all, from their wheels.
@pytest.mark.one_in(4)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_passes_its_tests(example: Path, tmp_path: Path):
    done = run_from_source(example, pytest_command(example), tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_test_that_fails_is_told(tmp_path: Path):
    """A package whose test fails unless its entry point is found."""
    example, folder = tmp_path / "example", tmp_path / "empty"
    (example / "tests").mkdir(parents=True)
    folder.mkdir()
    (example / "pyproject.toml").write_text(
        '[project]\nname = "example"\nversion = "1"\n'
        '[project.entry-points."some.group"]\nsome = "example:THING"\n'
    )
    (example / "example.py").write_text("THING = 3\n")
    (example / "tests" / "test_it.py").write_text(
        "from importlib.metadata import entry_points\n"
        "def test_found():\n    (point,) = entry_points(group='some.group')\n"
        "    assert point.load() == 3\n"
        "def test_wrong():\n    assert False\n"
    )
    done = run_from_source(example, pytest_command(example), folder)
    assert done.returncode == 1 and "1 failed, 1 passed" in done.stdout


def test_values_and_prints_of_cells_are_text(tmp_path: Path):
    """Jupyter keeps the value of a last line apart from what is printed."""
    source = {"cell_type": "code", "source": ["print(3)\n", "[4]"], "execution_count": None}
    (stored := tmp_path / "stored.ipynb").write_text(json.dumps({"cells": [source]}), "utf-8")
    store_outputs(stored)
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": "3\n"},
        {"output_type": "execute_result", "data": {"text/plain": ["[4]"]}},
    ]
    cells = json.dumps({"cells": [{**source, "outputs": outputs}]})
    (executed := tmp_path / "executed.ipynb").write_text(cells, "utf-8")
    assert printed(stored) == printed(executed) == ["3\n[4]"]


def test_the_door_for_a_dialect_is_small():
    """It is read from begin to end: 500 lines with code."""
    (door,) = (example for example in EXAMPLES if example.name == "linalg_door")
    lines = 0
    for file in sources_of(door).rglob("*.py"):
        with tokenize.open(file) as source:
            tokens = [t for t in tokenize.generate_tokens(source.readline) if t.type not in NO_CODE]
        # A string that is a statement is documentation.
        tokens = [t for t in tokens if t.string != t.line.strip() or t.type != tokenize.STRING]
        lines += len({line for t in tokens for line in range(t.start[0], t.end[0] + 1)})
    assert 300 < lines <= 500
