"""Taking turns, and what is counted."""

import subprocess
import sys

import pytest

from bench.framework.timing import Ratios, interleaved, medians, process_seconds, seconds_of


def test_candidates_take_turns_and_the_first_round_is_not_counted():
    order: list[str] = []

    def measure(name: str) -> float:
        order.append(name)
        return float(len(order))

    found = interleaved({"a": lambda: measure("a"), "b": lambda: measure("b")}, 2)
    assert order == ["a", "b"] * 3
    assert found == {"a": [3.0, 5.0], "b": [4.0, 6.0]}


def test_medians():
    values = iter([9.0, 1.0, 100.0, 3.0])
    assert medians({"a": lambda: next(values)}, 3) == {"a": 3.0}


def test_a_call_is_timed_by_the_given_clock():
    ticks = iter([2.0, 7.0])
    assert seconds_of(lambda: None, clock=lambda: next(ticks)) == 5.0


def test_a_command_that_fails():
    assert process_seconds([sys.executable, "-c", ""]) > 0
    with pytest.raises(subprocess.CalledProcessError):
        process_seconds([sys.executable, "-c", "raise SystemExit(3)"])


def test_ratios():
    assert str(Ratios({"a": 0.5, "b": 2.0, "c": 1.0})) == (
        "3 kernels, median ratio 1.00, worst 2.00 (b)"
    )
