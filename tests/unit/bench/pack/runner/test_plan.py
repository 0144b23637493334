"""What a run has time for: items by worth, as the table of stages has them."""

from typing import Any

import pytest

from bench.pack.build import units
from bench.pack.devices import DEVICES
from bench.pack.kernels import cases
from bench.pack.runner.clock import SimulatedClock
from bench.pack.runner.costs import Costs
from bench.pack.runner.plan import (
    DRAWN,
    GROUPS,
    STAGES,
    Plan,
    in_time,
    plan_for,
    sorted_by_worth,
    stage_of,
)
from tests.unit.bench.pack import made_pack

TITLES = [stage.title for stage in STAGES]


def title(name: str) -> str:
    return TITLES[stage_of({"id": name})]


def test_names_of_items_and_units_have_a_stage() -> None:
    names = {
        "a": "driver facts",
        "a/k_plain": "driver facts",
        "c/vector_add": "correctness of drawn kernels",
        "c/tileiras/vector_add": "correctness of drawn kernels",
        "c/ours/vector_add_gather": "other kernels",
        "c/racecheck/3": "kernels under compute-sanitizer",
        "c/tools/0": "kernels under compute-sanitizer",
        "r/exp2": "disputed readings, litmus",
        "l/fences": "disputed readings, litmus",
        "d/matmul_bf16_8192": "times of bf16 matmul, attention, rows",
        "d/attention_128_causal": "times of bf16 matmul, attention, rows",
        "d/softmax": "times of bf16 matmul, attention, rows",
        "d/attention_backward_128": "times of other types, grouped, backward",
        "d/matmul_bf16_grouped": "times of other types, grouped, backward",
        "d/matmul_f8_4096": "times of other types, grouped, backward",
        "b/approximation/ex2": "instructions",
        "e/softmax": "model",
        "f/softmax": "tuner",
    }
    assert {name: title(name) for name in names} == names
    assert {spec.name[0] for spec in units(DEVICES["sm_90a"])} <= GROUPS.keys()
    assert all(title(spec.name) for target in DEVICES.values() for spec in units(target))


def test_thirty_kernels_are_drawn() -> None:
    assert len(set(DRAWN)) == 30
    assert set(DRAWN) <= cases(DEVICES["sm_90a"]).keys()


def costly(*names: str, seconds: float = 10) -> list[dict[str, Any]]:
    return [{"id": name, "group": name[0], "seconds": seconds} for name in names]


def planned(items: list[dict[str, Any]], seconds: float) -> Plan:
    return plan_for(items, seconds, lambda item: item["seconds"])


def test_worth_comes_before_the_order_of_the_pack() -> None:
    items = costly("f/1", "d/softmax", "b/1", "a/1", "d/copy")
    items[1]["second_half"] = True
    assert [item["id"] for item in sorted_by_worth(items)] == [
        *("a/1", "d/copy", "d/softmax", "b/1", "f/1"),
    ]
    plan = planned(items, 35)
    assert plan.seconds == 30
    assert [item["id"] for share in plan.shares for item in share.left_out] == ["b/1", "f/1"]
    assert plan.lines()[0] == "30 of 35 s are planned:"


def test_what_still_fits_is_taken() -> None:
    items = [*costly("d/copy", seconds=30), *costly("b/1", "b/2", seconds=4)]
    assert planned(items, 10).seconds == 8


def test_the_rest_of_a_stage_comes_last() -> None:
    facts = [f"a/{number}" for number in range(9)]
    items = costly(*facts, "f/1")
    clock, order = SimulatedClock(), list[str]()
    for item in in_time(items, lambda item: item["seconds"], clock, lambda: 85):
        order.append(item["id"])
        clock.charge(item["seconds"])
    assert order == [*facts[:6], "f/1", "a/6"]


def many_problems(rivals: int) -> list[dict[str, Any]]:
    """Sixty timed problems of so many contenders."""
    names = [f"d/matmul_bf16_big{n}" for n in range(30)] + [f"d/matmul_i8_{n}" for n in range(30)]
    modules = [f"m{number}" for number in range(rivals)]
    return [made_pack.timed(name, modules) for name in names]


def test_times_alone_fill_the_time() -> None:
    items, costs = many_problems(100), Costs()
    plan = plan_for(items, 540, costs.seconds, costs.start_seconds(has_torch=True))
    each = costs.seconds(items[0])
    assert 540 - 16 - each < plan.seconds <= 540 - 16
    left = [item["id"] for share in plan.shares for item in share.left_out]
    assert left == [item["id"] for item in items[60 - len(left) :]]
    assert plan.lines()[-1] == f"  left out: {', '.join(left)}"


def test_twelve_minutes_of_everything() -> None:
    """Times get most of it; model and tuner get the rest, if there is any."""
    items = made_pack.items() + many_problems(40)
    items += [made_pack.launched(f"e/more{number}") for number in range(30)]
    plan = plan_for(items, 720, Costs().seconds)
    shares = plan.shares
    assert [share.stage.title for share in shares] == TITLES[:9]
    assert 690 < plan.seconds <= 720
    assert [bool(share.left_out) for share in shares[:8]] == [False] * 7 + [True]
    assert sum(share.seconds for share in shares[:3]) < 60
    assert 450 < sum(share.seconds for share in shares[3:5]) < 650


@pytest.mark.parametrize("minutes", [0.05, 1, 3, 9, 30])
def test_more_time_takes_no_item_away(minutes: float) -> None:
    items, costs = made_pack.items(), Costs()
    taken = [
        {item["id"] for share in plan.shares for item in share.taken if stage_of(item) < 5}
        for plan in (plan_for(items, 60 * m, costs.seconds) for m in (minutes, minutes + 1))
    ]
    assert taken[0] <= taken[1]
