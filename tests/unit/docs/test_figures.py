"""The table of figures of the README is that of the stored rows, and each command exists."""

import importlib.util

import pytest

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


def test_a_readme_without_a_place_is_an_error():
    with pytest.raises(ValueError, match="0 places"):
        figures.page("# No table")
