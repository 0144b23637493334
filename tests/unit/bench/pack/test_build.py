"""What a build does with units that there is no room for, and with those that fail."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.pack import build as building
from bench.pack.build import build
from bench.pack.choice import Cost, Room
from bench.pack.devices import PackDevice
from bench.pack.items import Unit, UnitSpec
from bench.pack.runner.memory import Pack


def _of_bytes(device: PackDevice, name: str, size: int) -> Unit:
    """A unit with an item and a module of random bytes."""
    code = np.random.default_rng(0).bytes(size)
    return Unit(device, cubins={name: code}, items=[{"id": f"{name}", "group": name[0]}])


def _failing(_device: PackDevice) -> Unit:
    raise ValueError("no such kernel")


KNOWN = {"a": Cost(0, 1.0, 1), "c/x": Cost(0, 99.0, 1)}
UNITS = [
    UnitSpec("a", _of_bytes, ("a", 1000)),
    UnitSpec("c/x", _failing),
    UnitSpec("d/x", _of_bytes, ("d/x", 3000)),
    UnitSpec("f/x", _of_bytes, ("f/x", 2000)),
]


def returning(value: Any) -> Callable[[object], Any]:
    def function(_given: object) -> Any:
        return value

    return function


@pytest.fixture(autouse=True)
def made_up_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "units", returning(UNITS))
    monkeypatch.setattr(building, "stored_costs", returning({}))


def test_what_there_is_no_room_for_is_named(tmp_path: Path) -> None:
    """Nothing is known of these units before they are made."""
    manifest = build(tmp_path / "pack", ["a", "d", "f"], 1, tmp_path / "cache", room=Room(4000))
    assert [item["id"] for item in manifest["items"]] == ["a", "f/x"]
    assert manifest["notes"] == ["no room for d/x"]
    assert [path.name for path in sorted((tmp_path / "pack" / "units").iterdir())] == [
        "a.xz",
        "f_x.xz",
    ]


def test_a_pack_has_what_the_newest_run_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = {"steps": {"start": 9.0}}
    for stored, expected in (({"costs": costs}, costs), (None, {})):
        monkeypatch.setattr(building, "newest", lambda stored=stored: stored)
        manifest = build(tmp_path / "pack", ["a"], 1, tmp_path / "cache")
        assert manifest["costs"] == expected


def test_stored_costs_keep_a_unit_from_being_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "stored_costs", returning(KNOWN))
    manifest = build(tmp_path, ["a", "c"], 1, tmp_path / "cache", room=Room(4000, 50.0))
    assert manifest["notes"] == ["no room for c/x"]
    assert manifest["failed"] == []


def test_a_unit_that_fails_does_not_cost_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = build(tmp_path / "pack", (), 1, tmp_path / "cache")
    assert [item["id"] for item in manifest["items"]] == ["a", "d/x", "f/x"]
    assert manifest["failed"] == ["c/x"]
    assert manifest["notes"] == ["c/x cannot be made: ValueError('no such kernel')"]
    assert "in _failing" in capsys.readouterr().err
    # Its other units are kept, and are read from the cache.
    assert len(list((tmp_path / "cache").glob("*/*.unit"))) == 3
    assert len(Pack(tmp_path / "pack").cubin("d/x")) == 3000
