"""`bench.worst_cases` runs every tool, and tells growth beyond a bound and a failure from results."""

import sys

import pytest

from bench import worst_cases
from bench.worst_cases import GROWTHS, TOOLS, Growth, Program, Tool

# A command that takes time as the square of a number.
_SQUARE = "import sys\nfor _ in range(int(sys.argv[1]) ** 2 * 400): pass"


def test_every_growth_has_a_bound():
    assert {growth for tool in TOOLS.values() for growth in tool.bounds} == set(GROWTHS)
    assert all(growth in TOOLS["check"].bounds for growth in GROWTHS)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("growth", GROWTHS)
def test_small_programs(
    growth: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    grown = GROWTHS[growth]
    monkeypatch.setitem(GROWTHS, growth, Growth(grown.program, grown.sizes[:1]))
    tool = "lint" if growth in TOOLS["lint"].bounds else "emulator"
    assert worst_cases.main([tool, "--growth", growth]) == 0
    shown = capsys.readouterr().out
    assert f"{grown.sizes[0]:,}" in shown
    assert "refuse" not in shown


@pytest.mark.parametrize(("bound", "status"), [(1.0, 1), (3.0, 0)])
def test_a_bound_that_is_exceeded(
    bound: float, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    tool = Tool(
        lambda _, program: (sys.executable, "-c", _SQUARE, str(program.number)),
        ".mlir",
        {"flat": bound},
    )
    monkeypatch.setitem(TOOLS, "square", tool)
    monkeypatch.setattr(worst_cases, "LEAST_SECONDS", 0.1)
    monkeypatch.setitem(
        GROWTHS, "flat", Growth(lambda size: Program("", number=size), (1, 100, 200))
    )
    assert worst_cases.main(["square"]) == status
    assert ("square, flat: grows faster" in capsys.readouterr().out) == bool(status)


def test_a_command_that_fails():
    with pytest.raises(RuntimeError, match="status 7"):
        worst_cases.cost((sys.executable, "-c", "raise SystemExit(7)"))
    refused = "import sys; sys.exit('k.mlir:1:1: error: too deep')"
    assert worst_cases.cost((sys.executable, "-c", refused)).refused.endswith("too deep")
