"""What items cost: by the table, by predictions, and by what a run has measured."""

import pytest

from bench.pack.runner.costs import COSTS, Costs, device_seconds, estimated_seconds, kernel_seconds
from tests.unit.bench.pack import made_pack

PROBLEM = made_pack.timed("d/softmax", ["m0", "m1"], work=3e14)
KERNEL = made_pack.launched("c/k")


def test_a_launch_takes_what_is_predicted_or_what_its_work_says() -> None:
    launch = PROBLEM["contenders"][0]
    assert kernel_seconds(PROBLEM, {**launch, "predicted": 0.5}, COSTS) == 0.5
    assert kernel_seconds(PROBLEM, launch, COSTS) == pytest.approx(1.0)
    moved = {**PROBLEM, "work": 2e12, "unit": "B"}
    assert kernel_seconds(moved, launch, COSTS) == pytest.approx(1.0)
    assert kernel_seconds(KERNEL, KERNEL["launch"], COSTS) == COSTS["kernel"]


def test_slow_launches_are_repeated_less() -> None:
    fast = made_pack.timed("d/softmax", ["m"], work=3e11)
    assert device_seconds(fast, COSTS) < 0.2
    # Two contenders and two of torch, of a second each: five rounds, and what is before them.
    rivals = 2 + 1
    assert device_seconds(PROBLEM, COSTS) == pytest.approx(rivals * (1 + 5 + 1), rel=0.2)


def test_a_run_corrects_the_table() -> None:
    costs = Costs()
    estimated = estimated_seconds(KERNEL, COSTS)
    for _ in range(2):
        costs.note(KERNEL, 3 * estimated)
    assert costs.seconds(KERNEL) == estimated
    costs.note(KERNEL, 3 * estimated)
    assert costs.seconds(KERNEL) == pytest.approx(3 * estimated)
    costs.steps["start"] = 7.0
    # Stored, it corrects the table of a later run from its beginning.
    later = Costs.corrected({}, costs.measured())
    assert later.seconds(KERNEL) == pytest.approx(3 * estimated, rel=0.01)
    assert later.start_seconds(has_torch=True) == 7.0 + COSTS["open"]
    assert later.seconds(PROBLEM) == costs.seconds(PROBLEM)
    assert Costs.corrected(costs.measured(), {"factors": {"launch": 0.5}}).factors["launch"] == 0.5


def test_nothing_is_expected_to_take_no_time() -> None:
    costs = Costs()
    for _ in range(5):
        costs.note(KERNEL, 0.0)
    assert costs.seconds(KERNEL) > 0
