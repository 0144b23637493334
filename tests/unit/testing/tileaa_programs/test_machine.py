"""PTX and passes keep what random `nv_tileaa` programs compute, and what is wrong is made small."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.checking.observation import Observation
from tileir_xdsl.dialects.nv_tileaa import ExecuteOp
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import Disagreement, Program
from tileir_xdsl.testing.tileaa_programs import generate, machine
from tileir_xdsl.testing.tileaa_programs.__main__ import main
from tileir_xdsl.testing.tileaa_programs.machine import check

SIZE = 8
PROGRAMS, BATCH = 400, 4


@pytest.mark.one_in(25)
@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_ptx_computes_what_programs_do(first: int) -> None:
    for seed in range(first, first + BATCH):
        check(generate(seed, SIZE))


@pytest.mark.one_in(100)
@pytest.mark.parametrize("first", range(1000, 1000 + PROGRAMS, BATCH))
def test_so_does_each_level(first: int) -> None:
    for seed in range(first, first + BATCH):
        check(generate(seed, SIZE), levels=True)


def test_agents_hand_over_what_they_compute() -> None:
    programs = (generate(seed, 6, target="sm_90a") for seed in range(60))
    with_agents = [p for p in programs if any(isinstance(o, ExecuteOp) for o in p.module.walk())]
    for program in with_agents[:2]:
        check(program)
    assert len(with_agents) >= 2


def test_what_is_wrong_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    run_machine = machine.run_machine

    def run(program: Program, lowered: ModuleOp) -> Observation:
        right = run_machine(program, lowered)
        return Observation(
            {i: ~array.view("u1") for i, array in right.arrays.items()}, right.printed
        )

    monkeypatch.setattr(machine, "run_machine", run)
    program = generate(2, 2)
    with pytest.raises(Disagreement, match=r"seed 2, size 2, sm_\w+: argument \d+: ") as found:
        check(program)
    assert len(str(found.value).splitlines()) < len(tools.to_text(program.module).splitlines())


def test_the_command_counts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_arguments: object) -> ModuleOp:
        raise PassFailedException("never")

    assert main(["--seeds", "1", "--size", "1", "--levels"]) == 0
    assert capsys.readouterr().out == "1 programs, 0 disagreements\n"
    monkeypatch.setattr(machine, "lower", fail)
    assert main(["--seeds", "1", "--size", "1", "--whole"]) == 1
    assert "PassFailedException: never" in capsys.readouterr().out
