"""The results file, and what a run has time for."""

from pathlib import Path

import pytest

from bench.pack.runner.plan import GROUPS, plan_for
from bench.pack.runner.results import PackError, Results, read_json, write_json

EVERY = "".join(GROUPS)


def test_a_run_goes_on_where_another_ended(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    first = Results.open(path, "pack", "gpu")
    first.put("a", {"status": "right"})
    first.put("b", {"status": "hung"})
    first.put("c", {"status": "cut"})
    first.save()
    again = Results.open(path, "pack", "gpu")
    assert [again.is_done(item) for item in "abcd"] == [True, True, False, False]


@pytest.mark.parametrize(
    ("pack", "device", "problem"),
    [("other", "gpu", "results of another pack"), ("pack", "fake", "results of another on")],
)
def test_results_of_something_else_stay(
    tmp_path: Path, pack: str, device: str, problem: str
) -> None:
    path = tmp_path / "results.json"
    Results.open(path, "pack", "gpu").save()
    before = path.read_bytes()
    with pytest.raises(PackError, match=problem):
        Results.open(path, pack, device)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"format": 99}'])
def test_a_file_that_is_none_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(text)
    with pytest.raises(PackError, match="no results file"):
        Results.open(path, "pack", "gpu")
    assert path.read_text() == text


def test_a_file_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the process while the new contents are written."""
    path = tmp_path / "results.json"
    write_json(path, {"old": True})

    def ended(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bench.pack.runner.results.os.fsync", ended)
    with pytest.raises(KeyboardInterrupt):
        write_json(path, {"new": list(range(1000))})
    assert read_json(path, "results file") == {"old": True}


@pytest.mark.parametrize(
    ("minutes", "cut", "left"),
    [
        (30, (), "abcdef"),
        (27, ("f",), "abcde"),
        (22, ("f", "e"), "abcd"),
        (17, ("f", "e", "half of d"), "abcd"),
        (5, ("f", "e", "half of d"), "abcd"),
    ],
)
def test_what_is_cut_first(minutes: float, cut: tuple[str, ...], left: str) -> None:
    plan = plan_for(minutes, EVERY)
    assert plan.cut == cut
    assert "".join(plan.seconds) == left
    assert sum(plan.seconds.values()) <= 60 * minutes + 1e-6


def test_half_of_the_times_is_the_second_half() -> None:
    plan = plan_for(17, EVERY)
    assert plan.takes({"group": "d"})
    assert not plan.takes({"group": "d", "second_half": True})
    assert plan.takes({"group": "c", "second_half": True})
    assert not plan.takes({"group": "f"})
