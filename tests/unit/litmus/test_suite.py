"""The litmus suite: what its tests state, what the axioms allow and what the emulator does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.litmus.checks import check, check_model
from tests.litmus.shapes import SUITE
from tests.litmus.syntax import read_test
from tests.litmus.writing import all_shapes, path_of
from tileir_xdsl.emulator.late import LateWork
from tileir_xdsl.emulator.races.barriers import Barriers
from tileir_xdsl.emulator.races.flags import Flags

_PATHS = sorted(SUITE.rglob("*.litmus"))
_NAMES = [str(path.relative_to(SUITE)) for path in _PATHS]
_SHARE = 7
"""Of so many tests one is run by `make test`."""


def test_the_suite_is_what_the_shapes_say() -> None:
    shapes = {path_of(shape): shape.text() for shape in all_shapes()}
    assert shapes == {path: path.read_text(encoding="utf-8") for path in _PATHS}
    assert len(_PATHS) >= 150


def test_what_the_tests_state_follows_from_the_axioms() -> None:
    found = {str(path.relative_to(SUITE)): check_model(read_test(path)) for path in _PATHS}
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.parametrize("path", _PATHS[::_SHARE], ids=_NAMES[::_SHARE])
def test_the_emulator_does_what_the_model_allows(path: Path) -> None:
    assert check(read_test(path), 40).problems == ()


@pytest.mark.soak
@pytest.mark.parametrize("path", _PATHS, ids=_NAMES)
def test_the_emulator_does_what_the_model_allows_in_many_orders(path: Path) -> None:
    assert check(read_test(path), 1000).problems == ()


def _nothing(*_: Any, **__: Any) -> None:
    """In place of what orders accesses."""


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
        (LateWork, "wait", _nothing, "cp.async/wait_group"),
        (LateWork, "finish", _nothing, "cp.async/wait_all"),
    ],
)
def test_a_fault_in_what_orders_accesses_is_found(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, fault: Any, test: str
) -> None:
    monkeypatch.setattr(owner, name, fault)
    assert check(read_test(SUITE / f"{test}.litmus"), 40).problems
