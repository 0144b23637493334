"""PTX computes what random programs compute, bit for bit and without races.

These are the first of the programs of `python -m tileir_xdsl.testing.programs --ptx --seeds 3000`, shortened.
"""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl.checking.observation import Observation
from tileir_xdsl.testing.programs import Disagreement, generate, machine
from tileir_xdsl.testing.programs.__main__ import main
from tileir_xdsl.testing.programs.generator import DEFAULT_SIZE
from tileir_xdsl.testing.programs.machine import compare_with_machine
from tileir_xdsl.testing.programs.program import Program
from tileir_xdsl.testing.programs.scale import PIPELINED

PROGRAMS, BATCH = 80, 5
SIZE = 4


@pytest.mark.one_in(16)
@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_ptx_computes_what_programs_compute(first: int):
    for seed in range(first, first + BATCH):
        compare_with_machine(generate(seed, SIZE, exact=True))


def test_loops_around_asynchronous_work(capsys: pytest.CaptureFixture[str]):
    assert main(["--ptx", "--loops", "--seeds", "3", "--size", "0", "--gpu", "sm_100a"]) == 0
    assert capsys.readouterr().out == "3 programs, 0 disagreements\n"


def test_loops_cut_at_their_test_forward_views_of_stages():
    """The last dot reads a stage through a transposition, which no allocation is traced to."""
    program = generate(373, DEFAULT_SIZE, exact=True, target="sm_90a", scale=PIPELINED)
    compare_with_machine(program)


def test_another_result_is_a_disagreement(monkeypatch: pytest.MonkeyPatch):
    run = machine.run_machine

    def spoil(program: Program, module: ModuleOp) -> Observation:
        after = run(program, module)
        for array in after.arrays.values():
            array.view("u1")[0] ^= 1
        return after

    monkeypatch.setattr(machine, "run_machine", spoil)
    with pytest.raises(Disagreement, match=r"elements differ, the first at 0"):
        compare_with_machine(generate(0, SIZE, exact=True), reduce=False)


def test_what_is_not_converted_is_a_disagreement(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def refuse(program: Program, module: ModuleOp) -> Observation:
        raise ValueError("'nv_tileaa.exp' op cannot be converted to llvm")

    monkeypatch.setattr(machine, "run_machine", refuse)
    assert main(["--seeds", "2", "--ptx", "--whole"]) == 1
    printed = capsys.readouterr().out
    assert printed.count("'nv_tileaa.exp' op cannot be converted to llvm") == 2
    assert printed.endswith("2 programs, 2 disagreements\n")
