"""Every notebook runs from top to bottom, and the outputs stored in it are what its cells show."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import FOLDER, run_cell, run_notebook, store_outputs, stored_text

MAX_BYTES = 100_000
"""Outputs are stored small."""


@pytest.mark.parametrize("notebook", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook_shows_what_its_cells_do(notebook: Path):
    assert notebook.stat().st_size < MAX_BYTES
    for cell, shown in run_notebook(notebook):
        assert shown == stored_text(cell)


def test_outputs_are_stored(tmp_path: Path):
    def code(source: str) -> dict[str, Any]:
        return {"cell_type": "code", "source": [source], "outputs": [], "execution_count": None}

    cells = [
        {"cell_type": "markdown", "source": ["# Text"]},
        code("x = 3"),
        code("print(x)\nx * 2"),
    ]
    file = tmp_path / "small.ipynb"
    file.write_text(json.dumps({"cells": cells}))
    store_outputs(file)
    _, first, second = json.loads(file.read_text())["cells"]
    assert (stored_text(first), first["execution_count"]) == ("", 1)
    assert (stored_text(second), second["execution_count"]) == ("3\n6\n", 2)


def test_a_cell_that_fails_is_an_error():
    with pytest.raises(ZeroDivisionError):
        run_cell("1 / 0", {}, "cell")
