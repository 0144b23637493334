"""Breaks of rows of `docs/seeds.md`: a named test that fails is told from one that stays green."""

from pathlib import Path

import pytest

from docs.seed_rows import SeedRow, seed_rows
from tests.mutations.fault import MutationError
from tests.mutations.rows import RowResult, broken, drawn, run_rows
from tests.mutations.running import Runner
from tests.unit.mutations.small_repository import SOURCE, write_repository


def row(test: str) -> SeedRow:
    return SeedRow("000", "Sums", "`-`", test, SOURCE, "first - second", "second - first")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Runs tests in a small repository."""
    tests = (
        "from tileir_xdsl.sum import minus\n\n"
        "def test_minus():\n    assert minus(3, 1) == 2\n\n"
        "def test_blind():\n    assert minus(3, 3) == 0\n\n"
        "def test_never():\n    assert False\n"
    )
    return Runner(write_repository(tmp_path, test_sum=tests), 60.0)


def test_a_named_test_that_stays_green_is_told(runner: Runner):
    rows = [row("test_sum.py::test_minus"), row("test_sum.py::test_blind")]
    assert list(broken(runner, rows)) == [RowResult(rows[0], True), RowResult(rows[1], False)]
    assert "first - second" in (runner.root / SOURCE).read_text()


@pytest.mark.parametrize("name", ["test_never", "test_none"])
def test_a_named_test_must_pass_without_a_break(runner: Runner, name: str):
    with pytest.raises(MutationError, match=f"{name}: fails without a break"):
        list(broken(runner, [row(f"test_sum.py::{name}")]))


def test_a_tenth_is_drawn_by_its_seed():
    rows = seed_rows()
    assert drawn(rows, "all", 0) == rows
    first, second = drawn(rows, "tenth", 0), drawn(rows, "tenth", 1)
    assert len(first) == len(second) == -(-len(rows) // 10)
    assert first == drawn(rows, "tenth", 0) != second


def test_a_row_that_was_red_is_not_broken_again(
    runner: Runner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    rows = [row("test_sum.py::test_minus"), row("test_sum.py::test_blind")]
    monkeypatch.setattr("tests.mutations.rows.seed_rows", lambda: rows)
    log = runner.root / "log.jsonl"
    assert run_rows(runner, "all", 0, log=log) == 1
    assert len(log.read_text().splitlines()) == 2
    first = capsys.readouterr().out
    assert "red    000 Sums: `-`  test_sum.py::test_minus" in first
    assert run_rows(runner, "all", 0, log=log) == 1
    second = capsys.readouterr().out
    assert "test_minus" not in second and "GREEN  000 Sums: `-`  test_sum.py::test_blind" in second
    assert second.endswith("1 of 2 named tests fail when their row is broken\n")
