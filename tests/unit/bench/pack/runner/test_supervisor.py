"""Processes that take the place of others: when there is a device for them, and when there is not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.pack.runner.clock import SimulatedClock
from bench.pack.runner.costs import Costs
from bench.pack.runner.memory import Pack
from bench.pack.runner.processes import Answer
from bench.pack.runner.results import PackError, Results
from bench.pack.runner.supervisor import OPEN_AGAIN, Run
from tests.unit.bench.pack import made_pack

ITEMS = [made_pack.launched(f"b/{number}") for number in range(3)]


class Scripted:
    """A process that opens the device, or says why not, and loses it at each item."""

    has_torch = False

    def __init__(self, problem: str | None) -> None:
        opened = {"device": {"name": "GPU"}} if problem is None else {"no_device": problem}
        self.lines: Iterator[dict[str, Any]] = iter([{"ready": 1.0}, opened])

    def line(self, _seconds: float) -> dict[str, Any]:
        return next(self.lines)

    def send(self, _order: dict[str, Any]) -> None:
        pass

    def ask(self, _order: dict[str, Any], _silence: float, _end: float) -> Answer:
        return Answer({"status": "fault", "detail": "lost"}, None, lost=True, ended=True)

    def stop(self) -> None:
        pass


def run_of(
    folder: Path, monkeypatch: pytest.MonkeyPatch, problems: list[str | None]
) -> tuple[Run, SimulatedClock]:
    """A run whose processes have these problems, one after the other."""
    pack = Pack(made_pack.write(folder / "pack", ITEMS))
    results, clock = Results.open(folder / "results.json", "made", "fake"), SimulatedClock()
    results.save()
    workers = iter(map(Scripted, problems))

    def start(_run: Run, *, has_torch: bool) -> Scripted:
        assert not has_torch
        return next(workers)

    monkeypatch.setattr(Run, "start", start)
    return Run(pack, results, "fake", "", clock, Costs(), 540.0), clock


def test_a_device_that_is_busy_with_the_end_of_a_process_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, clock = run_of(tmp_path, monkeypatch, [None, "busy", "busy", None, None])
    run.all(ITEMS)
    assert [result["status"] for result in run.results.items.values()] == ["fault"] * 3
    assert clock.now() == sum(OPEN_AGAIN[:2])


def test_a_device_that_is_gone_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = run_of(tmp_path, monkeypatch, [None, *["no GPU"] * (1 + len(OPEN_AGAIN))])
    with pytest.raises(PackError, match="no GPU"):
        run.all(ITEMS)
    assert list(run.results.items) == ["b/0"]


def test_no_device_at_first_is_no_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, clock = run_of(tmp_path, monkeypatch, ["no GPU"])
    with pytest.raises(PackError, match="no GPU"):
        run.all(ITEMS)
    assert clock.now() == 0
