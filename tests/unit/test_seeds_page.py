"""The page of the seeds is what the tables say, and every test that it names is there."""

import pytest

from docs import seeds
from docs.seed_rows import SeedRow, seed_rows
from tests.unit.tools import REPOSITORY


def missing(row: SeedRow) -> str | None:
    """What a row names that is not there."""
    path = REPOSITORY / row.file
    if not path.exists():
        return row.file
    named = f"def {row.anchor}(" if path.suffix == ".py" else row.anchor
    return None if named in path.read_text("utf-8") else f"{row.file}: {row.anchor}"


def test_every_named_test_exists():
    assert [found for row in seed_rows() if (found := missing(row)) is not None] == []


@pytest.mark.parametrize(
    ("file", "anchor"),
    [
        ("tests/unit/none.py", "test_message"),
        ("tests/unit/dialects/nv_tileas/test_invalid.py", "test_none"),
        ("tests/filecheck/dialects/nv_tileas/ops_tma.mlir", "nv_tileas.none"),
    ],
)
def test_a_missing_test_is_found(file: str, anchor: str):
    assert missing(SeedRow("000", "", "", file, anchor)) is not None


def test_rows_are_named_once():
    rows = [(row.seed, row.section, row.row) for row in seed_rows()]
    assert sorted(set(rows)) == sorted(rows)


def test_the_page_is_current():
    assert seeds.PAGE.read_text("utf-8") == seeds.page(), "run `python -m docs.seeds`"
