"""Facts that shorter pages still have: bounds, undefined behaviour, orders, ABIs, IR, predictions."""

import re
from pathlib import Path

import pytest

from tests.doc_blocks import blocks, commands, pages
from tests.unit.tools import REPOSITORY
from tileir_xdsl.testing.kernels.agreement import ULPS

DOCS = REPOSITORY / "docs"
PASSES = sorted((DOCS / "passes").glob("*.md"))

UNDEFINED = (
    "division by zero",
    "`overflow` flag",
    "shifts by the width",
    "`ftoi` of infinity",
    "leave the address space",
    "`get_tensor_shape`",
    "outside of the index space",
    "`assume` that does not hold",
    "outside of a view without padding",
    "`alloca`",
)

HIDDEN = (
    "nv_tileas.dynamic_shared_memory",
    "nv_tileas.tensor_maps",
    "nvvm.reqntid",
    "nvvm.cluster_dim",
    "nvvm.blocksareclusters",
)
"""What a launch of a kernel does besides passing its parameters."""

COMMANDS = 196
"""Commands of pages that tests run or look up."""


def rows(page: str, columns: int) -> list[list[str]]:
    """The rows of tables of a page with so many columns, without headers."""
    text = (DOCS / page).read_text("utf-8")
    cells = [line.strip("|").split(" | ") for line in text.splitlines() if line[:2] == "| "]
    return [[cell.strip() for cell in row] for row in cells if len(row) == columns]


def test_the_bounds_of_functions_have_rows():
    found = {(row[0].strip("`"), row[1]): row for row in rows("numerics.md", 6)[1:]}
    assert len(found) >= 50
    plain = {name.partition(" ")[0] for name, _ in found}
    assert {str(name).partition(" ")[0] for name in ULPS} - plain <= {
        "divf",
        "sqrt",
        "fpowi",
        "fpowf",
    }
    assert all(float(row[3]) <= float(row[4]) for row in found.values())


@pytest.mark.parametrize("text", UNDEFINED)
def test_undefined_behaviour_is_listed(text: str):
    assert text in " ".join((DOCS / "semantics.md").read_text("utf-8").split())


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_parameters_are_listed(name: str):
    assert f"`{name}`" in (DOCS / "runtime.md").read_text("utf-8")


def test_the_orders_of_fences_have_rows():
    assert len(rows("memory_model.md", 5)) > 35


@pytest.mark.parametrize("page", PASSES, ids=lambda page: page.stem)
def test_a_pass_has_its_ir(page: Path):
    assert any(block.is_ir for block in blocks(page.read_text("utf-8")))


def test_predictions_stand_beside_outcomes():
    found = [row for row in rows("predictions.md", 3) if row[0] not in ("change", "---")]
    assert len(found) > 80
    assert all(all(row) for row in found)


def test_commands_are_still_run():
    found = {
        tuple(words)
        for page in pages()
        for block in blocks((REPOSITORY / page).read_text("utf-8"))
        for words in commands(block)
    }
    assert len(found) >= COMMANDS


def test_rows_lead_to_tests():
    text = (DOCS / "trust.md").read_text("utf-8")
    assert len(re.findall(r"`tests/[\w/.*-]+`", text)) > 30
