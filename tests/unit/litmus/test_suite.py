"""The litmus suite: what its tests state, what the axioms allow and what the emulator does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.litmus.__main__ import main
from tests.litmus.checks import check, check_model
from tests.litmus.drawn import drawn_test
from tests.litmus.runs import observe
from tests.litmus.shapes import SUITE
from tests.litmus.syntax import read_test
from tests.litmus.writing import all_shapes, path_of
from tileir_xdsl.emulator.late import LateWork
from tileir_xdsl.emulator.races.barriers import Barriers
from tileir_xdsl.emulator.races.clocks import Clocks
from tileir_xdsl.emulator.races.flags import Flags
from tileir_xdsl.emulator.races.histories import Histories

_PATHS = sorted(SUITE.rglob("*.litmus"))
_NAMES = [str(path.relative_to(SUITE)) for path in _PATHS]


def test_the_suite_is_what_the_shapes_say() -> None:
    shapes = {path_of(shape): shape.text() for shape in all_shapes()}
    assert shapes == {path: path.read_text(encoding="utf-8") for path in _PATHS}
    assert len(_PATHS) >= 150


def test_what_the_tests_state_follows_from_the_axioms() -> None:
    found = {str(path.relative_to(SUITE)): check_model(read_test(path)) for path in _PATHS}
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.one_in(24)
@pytest.mark.parametrize("path", _PATHS, ids=_NAMES)
def test_the_emulator_does_what_the_model_allows(path: Path) -> None:
    assert check(read_test(path), 40).problems == ()


@pytest.mark.soak
@pytest.mark.parametrize("path", _PATHS, ids=_NAMES)
def test_the_emulator_does_what_the_model_allows_in_many_orders(path: Path) -> None:
    assert check(read_test(path), 1000).problems == ()


_WEAK = (
    "2+2W/2+2W+relaxed",
    "IRIW/IRIW+acquire",
    "IRIW/IRIW+fence.acq_rel.gpu",
    "LB/LB+acquire+acquire",
    "LB/LB+data+relaxed",
    "LB/LB+relaxed+relaxed",
    "LB/LB+release+release",
    "MP/MP+data.relaxed+release-relaxed",
    "R/R+fence.acq_rel.gpu",
    "S/S+relaxed",
    "SB/SB+atoms",
    "SB/SB+fence.sc.cta.gpu",
    "SB/SB+release+acquire",
    "WRC/WRC+relaxed",
)
"""Tests that no interleaving of the threads shows all outcomes of: a share of those there are."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", _WEAK)
def test_weak_outcomes_are_shown(name: str) -> None:
    report = check(read_test(SUITE / f"{name}.litmus"), 150)
    assert report.weak and not report.unseen


@pytest.mark.parametrize("name", ["relaxed", "release+acquire", "fence.acq_rel.gpu"])
def test_a_race_that_only_old_values_show_is_reported(name: str) -> None:
    test = read_test(SUITE / "Dekker" / f"Dekker+{name}.litmus")
    assert test.is_racy and not observe(test, 60, races=True).races
    assert check(test, 60).problems == ()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(4))
def test_drawn_tests_show_nothing_that_is_forbidden(seed: int) -> None:
    assert check(drawn_test(seed), 40).is_allowed


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 400))
def test_many_drawn_tests_show_nothing_that_is_forbidden(seed: int) -> None:
    assert check(drawn_test(seed), 300).is_allowed


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "LB/", "--limit", "4"]) == 0
    printed = capsys.readouterr().out
    assert "LB/LB+relaxed+relaxed: allowed, not shown in so many launches: " in printed
    assert main(["--only", "LB/", "--limit", "200"]) == 0
    assert "| LB | 9 | 0 | 4 | 0 |" in capsys.readouterr().out


def test_the_command_draws_tests(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--drawn", "2", "--limit", "20"]) == 0
    assert "2 tests, " in capsys.readouterr().out


def _nothing(*_: Any, **__: Any) -> None:
    """In place of what orders accesses."""


def _at_the_end_of_what_it_knows(histories: Any, history: Any, thread: Any) -> int:
    return histories._oldest(history, thread) + 1


_FENCE: Callable[..., None] = Flags.fence


def _both_ways(*arguments: Any, **_: Any) -> None:
    _FENCE(*arguments, acquires=True, releases=True)


def _wide(flags: Flags, group: Any, mask: Any, _scope: str, **ways: bool) -> None:
    _FENCE(flags, group, mask, "sys", **ways)


@pytest.mark.parametrize(
    ("owner", "name", "fault", "test"),
    [
        (Flags, "fence", _nothing, "MP/MP+fences.gpu.gpu"),
        (Flags, "fence", _both_ways, "MP/MP+fence.acquire-fence.acquire.gpu"),
        (Flags, "fence", _wide, "MP/MP+fences.cta.gpu"),
        (Flags, "proxy_fence", _nothing, "bulk/store"),
        (Flags, "read", _nothing, "MP/MP+release-acquire.gpu.gpu"),
        (Barriers, "complete", _nothing, "barriers/bar.arrive"),
        (Barriers, "leave_cluster", _nothing, "barriers/cluster"),
        (Flags, "see", _nothing, "MP/MP+data.relaxed+release-acquire"),
        (Flags, "_fence_sc", _nothing, "SB/SB+fence.sc.gpu.gpu"),
        (Clocks, "knows_any", _nothing, "coherence/CoRR+relaxed.gpu"),
        (Histories, "_place", _at_the_end_of_what_it_knows, "atomics/add.gpu.gpu"),
        (LateWork, "wait", _nothing, "cp.async/wait_group"),
        (LateWork, "finish", _nothing, "cp.async/wait_all"),
    ],
)
def test_a_fault_in_what_orders_accesses_is_found(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, fault: Any, test: str
) -> None:
    monkeypatch.setattr(owner, name, fault)
    assert check(read_test(SUITE / f"{test}.litmus"), 40).problems
