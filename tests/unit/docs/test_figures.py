"""The table of figures of the README is that of the stored rows, and each command exists."""

import importlib.util

import pytest

from bench.framework.results import Kind, Result
from docs import figures


def test_the_readme_has_the_stored_rows():
    text = figures.PAGE.read_text("utf-8")
    assert figures.page(text) == text


def test_the_commands_exist():
    for row in figures.figures():
        python, flag, module = row.command.split()
        assert (python, flag) == ("python", "-m")
        assert importlib.util.find_spec(module) is not None


def test_loops_that_are_bound_have_a_row_of_their_own():
    fast = (1.0, 0.4, *(0.0,) * 20)
    slow = (3.0, 0.6, *(0.0,) * 20)
    rival = (2.0, 0.2, *(0.0,) * 20)
    stored = {
        "sm_80 a: ours": fast,
        "sm_80 a: Triton": rival,
        "sm_80 b: ours": slow,
        "sm_80 b: Triton": rival,
    }
    assert [row.figure for row in figures.loops(stored)] == ["0.50", "1.50"]


def test_the_best_rival_on_a_cpu_counts():
    rows = {
        "gelu 1 MB": (1.0, 2.0, 4.0, None, 0.1),
        "add 1 MB": (3.0, 2.0, 4.0, 6.0, 0.1),
        "softmax 1 MB": (1.0, 4.0, 2.0, 4.0, 0.1),
        "matmul 512": (3.0, 2.0, None, None, None),
        "matmul 512, tiles of 64": (4.0, 2.0, 1.0, None, None),
        "attention 1x8192x64": (1.0, 5.0, 4.0, None, None),
    }
    names = ("ours", "numpy", "jax", "numba", "numba fast")
    measures: dict[str, Kind] = dict.fromkeys(names, "time")
    found = list(figures.cpu(Result("cpu", "a machine", measures, rows)))
    assert [row.figure for row in found] == ["0.50", "2.75", "0.25"]
    assert "median of 3" in found[0].measure


def test_a_readme_without_a_place_is_an_error():
    with pytest.raises(ValueError, match="0 places"):
        figures.page("# No table")
