"""The slice of continuous integration: what it draws, and what it finds wrong."""

from pathlib import Path

import pytest

from bench.pack.build import build, pack_size
from bench.pack.choice import SIZE_LIMIT, WITH_TREE_LIMIT, Cost
from bench.pack.devices import DEVICES
from bench.pack.runner.results import MOST_BYTES
from bench.pack.slice import Whole, check, drawn, off, rehearsed, tracked_bytes

COSTS = {f"{group}/{n}": Cost(10_000, 1.0 + n, 3) for group in "bcd" for n in range(9)}


@pytest.mark.parametrize("target", DEVICES)
def test_the_whole_keeps_all_limits(target: str) -> None:
    whole, tree = Whole.of(DEVICES[target]), tracked_bytes()
    assert whole.problems(tree) == []
    assert whole.line().startswith(f"{target}: ")
    # They are those that are asked about.
    large = Whole(target, {"c/a": Cost(SIZE_LIMIT + 1, 6000.0, 1)}, ())
    assert len(large.problems(0)) == 2
    assert len(large.problems(WITH_TREE_LIMIT)) == 3


def test_a_part_has_all_groups_and_differs_by_seed() -> None:
    parts = [drawn(COSTS, 30.0, seed) for seed in range(8)]
    for part in parts:
        assert {name[0] for name in part} == set("bcd")
        assert len(part) == len(set(part))
        assert 20 < sum(COSTS[name].seconds for name in part) <= 30
    assert len(set(map(tuple, parts))) > 1
    assert drawn(COSTS, 30.0, 3) == parts[3]
    assert drawn(COSTS, 0.5, 0) == []


@pytest.mark.parametrize(
    ("changed", "problems"),
    [
        ({}, []),
        ({"c/0": Cost(13_000, 1.0, 3)}, []),
        ({"c/0": Cost(16_000, 1.0, 3)}, ["c/0 has 16000 bytes, stored are 10000"]),
        ({n: Cost(14_500, 1.0, 3) for n in COSTS}, ["the part has 391500 bytes"]),
        ({n: Cost(10_000, 20.0, 3) for n in COSTS}, ["the part took 540 s of a processor"]),
        ({"x/new": Cost(99_999, 99.0, 1)}, []),
    ],
)
def test_costs_that_are_not_the_stored_ones(changed: dict[str, Cost], problems: list[str]) -> None:
    found = off({**COSTS, **changed}, COSTS)
    assert [f[: len(p)] for f, p in zip(found, problems, strict=True)] == problems


def test_a_small_slice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path / "pack", "sm_90a", 0, 1, 1.0, tmp_path / "cache") == []
    said = capsys.readouterr().out
    assert said.startswith("seed 0, sm_90a: ")
    assert "results of the whole have " in said
    assert all(f"\n{target}: " in said for target in DEVICES)


@pytest.mark.soak
@pytest.mark.parametrize("target", DEVICES)
def test_the_whole_pack(target: str, tmp_path: Path) -> None:
    manifest = build(tmp_path / "pack", cache=tmp_path / "cache", target=target)
    assert manifest["failed"] == []
    assert pack_size(tmp_path / "pack") < SIZE_LIMIT
    items, bad = rehearsed(tmp_path / "pack")
    assert items.keys() == {item["id"] for item in manifest["items"]}
    assert bad == []
    assert (tmp_path / "pack" / "results.json").stat().st_size < MOST_BYTES
