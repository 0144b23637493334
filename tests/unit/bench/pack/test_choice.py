"""Which units a pack takes: by worth, while there is room, by stored costs that are true."""

import random
from pathlib import Path

import pytest

from bench.pack.build import make_units, units
from bench.pack.choice import (
    ROOM,
    Cost,
    Room,
    costs_of,
    fitting,
    store_costs,
    stored_costs,
)
from bench.pack.devices import DEVICES
from bench.pack.runner.plan import STAGES, stage_of

COSTS = {
    "f/softmax": Cost(10, 1.0, 1),
    "b/forms/0": Cost(40, 1.0, 1),
    "c/other": Cost(10, 1.0, 1),
    "d/matmul_bf16": Cost(30, 5.0, 1),
    "c/vector_add": Cost(20, 1.0, 1),
    "a": Cost(10, 1.0, 1),
}
OTHER_TIMES = next(n for n, stage in enumerate(STAGES) if "other types" in stage.title)
FIRST = {"a", "c/vector_add", "d/matmul_bf16"}


@pytest.mark.parametrize(
    ("room", "taken"),
    [
        (Room(9, 99.0), set[str]()),
        (Room(30, 99.0), {"a", "c/vector_add"}),
        (Room(60, 99.0), FIRST),
        # What does not fit leaves its room to what is worth less.
        (Room(70, 99.0), {*FIRST, "c/other"}),
        (Room(110, 99.0), {*FIRST, "b/forms/0", "c/other"}),
        (Room(999, 99.0), set(COSTS)),
        (Room(999, 3.0), {"a", "c/vector_add", "b/forms/0"}),
    ],
)
def test_units_go_in_by_worth(room: Room, taken: set[str]) -> None:
    assert fitting(COSTS, room) == taken


def test_a_unit_that_is_not_known_costs_what_those_of_its_group_do() -> None:
    known = {"c/a": Cost(10, 1.0, 2), "c/b": Cost(30, 2.0, 4), "d/a": Cost(80, 3.0, 6)}
    found = costs_of(["c/a", "c/new", "x/new"], known)
    assert found["c/a"] == known["c/a"]
    assert found["c/new"] == Cost(20, 1.5, 3)
    assert found["x/new"] == Cost(40, 2.0, 4)
    assert costs_of(["a"], {}) == {"a": Cost(0, 0.0, 0)}


def test_costs_of_a_target_leave_those_of_others(tmp_path: Path) -> None:
    path = tmp_path / "sizes.json"
    path.write_text("{}\n")
    store_costs("sm_90a", COSTS, path)
    store_costs("sm_100a", {"a": Cost(1, 2.0, 3)}, path)
    assert stored_costs("sm_90a", path) == COSTS
    assert stored_costs("sm_100a", path) == {"a": Cost(1, 2.0, 3)}
    assert stored_costs("sm_120a", path) == {}


@pytest.mark.parametrize("target", DEVICES)
def test_nearly_all_units_are_known(target: str) -> None:
    names = {unit.name for unit in units(DEVICES[target])}
    known = stored_costs(target).keys()
    assert len(names & known) > 0.9 * len(names), "run python -m bench.pack sizes"
    assert len(known - names) < 0.1 * len(names), "run python -m bench.pack sizes"


@pytest.mark.parametrize("target", DEVICES)
def test_what_is_worth_most_is_in_the_pack(target: str) -> None:
    """Also where there is no room for all."""
    costs = costs_of((unit.name for unit in units(DEVICES[target])), stored_costs(target))
    half = Room(sum(cost.size for cost in costs.values()) // 2, ROOM.seconds)
    for room in (ROOM, half):
        assert fitting(costs, room) >= {n for n in costs if stage_of({"id": n}) < OTHER_TIMES}


DRAWN, SEED = 3, 0
CHEAP_SECONDS = 1.5


def test_stored_costs_are_true(tmp_path: Path) -> None:
    """Of a few units, each of them cheap; continuous integration draws others."""
    device = DEVICES["sm_90a"]
    known = stored_costs(device.target)
    cheap = [
        u for u in units(device) if 0 < costs_of([u.name], known)[u.name].seconds < CHEAP_SECONDS
    ]
    drawn = random.Random(SEED).sample(cheap, DRAWN)
    made = make_units(device, drawn, 1, tmp_path)
    for name, cost in made.costs.items():
        assert cost.size == pytest.approx(known[name].size, rel=0.3, abs=4096), name
        assert cost.items == known[name].items, name
