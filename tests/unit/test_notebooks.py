"""Every notebook runs from top to bottom, and the outputs stored in it are what its cells show."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import FOLDER, code_cells, run_cell, run_notebook, store_outputs
from tests.unit.tools import REPOSITORY

MAX_BYTES = 100_000
"""Outputs are stored small."""


NOTEBOOKS = sorted([*FOLDER.glob("*.ipynb"), *REPOSITORY.glob("docs/examples/*/*.ipynb")])


def markdown_cells(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_shows_what_its_cells_do(notebook: Path):
    assert notebook.stat().st_size < MAX_BYTES
    for cell, shown in run_notebook(notebook):
        assert shown == cell["outputs"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_asks_and_sets_an_exercise(notebook: Path):
    first, *_, last = markdown_cells(notebook)
    title, question, *_ = first.split("\n\n")
    assert re.fullmatch(r"# .+", title)
    assert re.fullmatch(r"\*\*.+\?\*\*", question, re.DOTALL)
    assert re.search(r"^## Exercise$", last, re.MULTILINE)


@pytest.mark.parametrize("notebook", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook_begins_with_a_launch(notebook: Path):
    first = code_cells(json.loads(notebook.read_text("utf-8")))[0]
    assert re.search(r"^cutile\.launch\(", "".join(first["source"]), re.MULTILINE)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_has_a_picture_and_links_that_lead_somewhere(notebook: Path):
    text = notebook.read_text("utf-8")
    assert '"image/svg+xml"' in text
    for cell in markdown_cells(notebook):
        for target, anchor in re.findall(r"\]\(([^)#:\s]+)(?:#([^)]*))?\)", cell):
            page = notebook.parent / target
            assert page.exists() and page.resolve().is_relative_to(REPOSITORY)
            titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]
            assert not anchor or anchor in slugs


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
    assert (first["outputs"], first["execution_count"]) == ([], 1)
    (output,) = second["outputs"]
    assert (output["text"], second["execution_count"]) == (["3\n", "6\n"], 2)


def test_pictures_are_stored():
    source = "from tileir_xdsl.layout.constructors import blocked\nblocked((4, 8), 1, 1)"
    (output,) = run_cell(source, {}, "cell")
    assert output["output_type"] == "display_data"
    assert output["data"]["image/svg+xml"][0].startswith("<svg")
    assert output["data"]["text/plain"][0].startswith("A tile of 4x8")


def test_a_cell_that_fails_is_an_error():
    with pytest.raises(ZeroDivisionError):
        run_cell("1 / 0", {}, "cell")
