"""PTX computes what random programs compute, bit for bit and without races."""

from __future__ import annotations

from collections import Counter

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.programs import Disagreement, generate, machine
from tests.programs.__main__ import main
from tests.programs.machine import NotConvertedError, compare_with_machine
from tests.programs.program import Program
from tileir_xdsl.checking.observation import Observation

PROGRAMS = 200
BATCH = 20
SIZE = 4


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_ptx_computes_what_programs_compute(first: int):
    missing: Counter[str] = Counter()
    for seed in range(first, first + BATCH):
        try:
            compare_with_machine(generate(seed, SIZE, exact=True))
        except NotConvertedError as error:
            missing[str(error)] += 1
    # Enough programs go all the way for the test to mean something.
    assert missing.total() <= 0.9 * BATCH, missing


def _converted() -> Program:
    """A program that goes all the way."""
    for seed in range(100):
        program = generate(seed, SIZE, exact=True)
        try:
            compare_with_machine(program)
        except NotConvertedError:
            continue
        return program
    raise AssertionError("no program is converted")


def test_another_result_is_a_disagreement(monkeypatch: pytest.MonkeyPatch):
    program = _converted()
    run = machine.run_machine

    def spoil(program: Program, module: ModuleOp, gpu: str) -> Observation:
        after = run(program, module, gpu)
        for array in after.arrays.values():
            array.view("u1")[0] ^= 1
        return after

    monkeypatch.setattr(machine, "run_machine", spoil)
    with pytest.raises(Disagreement, match=r"elements differ, the first at 0"):
        compare_with_machine(program, reduce=False)


def test_the_command_counts_what_is_not_converted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def refuse(program: Program, module: ModuleOp, gpu: str) -> Observation:
        raise NotConvertedError("nv_tileaa.exp")

    monkeypatch.setattr(machine, "run_machine", refuse)
    assert main(["--seeds", "3", "--ptx"]) == 0
    assert capsys.readouterr().out == (
        "3 programs with nv_tileaa.exp, which is not converted yet\n3 programs, 0 disagreements\n"
    )
