"""The page of the seeds is what the table says, every named test is there, and every break applies."""

import re
from dataclasses import replace

import pytest

from docs import seeds
from docs.seed_rows import ROWS, SeedRow, seed_rows, to_text
from tests.mutations.rows import fault_of
from tests.unit.tools import REPOSITORY

ROW = SeedRow("000", "", "", "tests/unit/docs/test_seeds.py::test_rows_are_named_once", "", "", "")


def missing(row: SeedRow) -> str | None:
    """What a row names that is not there; parameters of a test are seen when it runs."""
    file, _, name = row.test.partition("::")
    path = REPOSITORY / file
    if not path.exists():
        return file
    function = name.partition("[")[0]
    named = not name or re.search(rf"^def {function}\(", path.read_text("utf-8"), re.MULTILINE)
    return None if named else row.test


def test_every_named_test_exists():
    assert [found for row in seed_rows() if (found := missing(row)) is not None] == []


@pytest.mark.parametrize(
    ("test", "is_missing"),
    [
        ("tests/unit/none.py::test_message", True),
        ("tests/unit/docs/test_seeds.py::test_none", True),
        ("tests/filecheck/dialects/nv_tileas/none.mlir", True),
        ("tests/filecheck/dialects/nv_tileas/ops_tma.mlir", False),
        (ROW.test, False),
    ],
)
def test_a_missing_test_is_found(test: str, is_missing: bool):
    assert (missing(replace(ROW, test=test)) is not None) is is_missing


def test_every_break_applies():
    """The old text occurs once, and Python can read the new one."""
    for row in seed_rows():
        text = fault_of(row).planted_in((REPOSITORY / row.file).read_text("utf-8"))
        compile(text, row.file, "exec")
        assert row.old != row.new


def test_rows_are_named_once():
    rows = [(row.seed, row.section, row.row) for row in seed_rows()]
    assert sorted(set(rows)) == sorted(rows)


def test_the_table_is_stored_as_it_is_written():
    assert to_text(seed_rows()) == ROWS.read_text("utf-8")


def test_the_page_is_current():
    assert seeds.PAGE.read_text("utf-8") == seeds.page(), "run `python -m docs.seeds`"
