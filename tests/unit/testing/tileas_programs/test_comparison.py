"""The check of passes finds what is wrong with them, and shows it in a small program."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import Disagreement, Program
from tileir_xdsl.testing.tileas_programs import generate
from tileir_xdsl.testing.tileas_programs.__main__ import main
from tileir_xdsl.testing.tileas_programs.comparison import REFUSALS, compare


def _pass(monkeypatch: pytest.MonkeyPatch, change: Callable[[ModuleOp], None]) -> None:
    """Lets every pipeline do nothing but `change`."""

    def run(module: ModuleOp, _pipeline: str, **_options: bool) -> ModuleOp:
        change(module)
        return module

    monkeypatch.setattr(tools, "run_passes", run)


def _choose_the_other(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, SelectOp):
            op.operands[1], op.operands[2] = op.false_value, op.true_value


def _program_that_fails() -> tuple[Program, str]:
    for seed in range(100):
        program = generate(seed)
        try:
            compare(program, ["wrong"])
        except Disagreement as disagreement:
            return program, str(disagreement)
    pytest.fail("no program notices that all choices are wrong")


def test_a_wrong_value_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    _pass(monkeypatch, _choose_the_other)
    program, text = _program_that_fails()
    head, _, rest = text.partition("\n")
    assert head.startswith(f"seed {program.seed}, size 10, wrong: ")
    assert " differ, the first at " in head
    assert "tile.select" in rest
    assert 2 * len(rest.splitlines()) < len(tools.to_text(program.module).splitlines())


def test_passes_run_in_order_and_may_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(module: ModuleOp, pipeline: str, **_options: bool) -> ModuleOp:
        ran.append(pipeline)
        if pipeline == "tileas-slicing":
            raise PassFailedException(REFUSALS[pipeline][0])
        return module

    monkeypatch.setattr(tools, "run_passes", run)
    assert compare(generate(0), ["first", "tileas-slicing", "last"]) == 2
    assert ran == ["first", "tileas-slicing", "last"]


def test_another_failure_is_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_module: ModuleOp) -> None:
        raise PassFailedException("never")

    _pass(monkeypatch, fail)
    with pytest.raises(Disagreement, match="tileas-slicing: never"):
        compare(generate(0), ["tileas-slicing"], reduce=False)


def test_the_command_counts_disagreements(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pass(monkeypatch, lambda module: None)
    assert main(["--seeds", "3", "--passes", "nothing"]) == 0
    assert capsys.readouterr().out == (
        "nothing: took 3 of 3 programs\n3 programs, 0 disagreements\n"
    )

    def fail(_module: ModuleOp) -> None:
        raise PassFailedException("never")

    _pass(monkeypatch, fail)
    assert main(["--seeds", "2", "--first", "5", "--passes", "wrong", "--whole"]) == 1
    out = capsys.readouterr().out
    assert "seed 5, size 10, wrong" in out and "seed 6, size 10, wrong" in out
    assert out.endswith("2 programs, 2 disagreements\n")
