"""The PTX of random `nv_tileas` programs computes what the programs do, agents among them."""

from __future__ import annotations

from collections import Counter

import pytest
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.checking.observation import Observation
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.programs import Disagreement, Program
from tileir_xdsl.testing.tileas_programs import machine
from tileir_xdsl.testing.tileas_programs.__main__ import main
from tileir_xdsl.testing.tileas_programs.machine import compare_with_machine, generate_for_machine

BATCHES = [range(first, first + 12) for first in range(0, 48, 12)]
SIZE = 8


def _shares_computed_tiles(module: ModuleOp) -> bool:
    """Whether an agent uses a tile that was computed, not only loaded, before the agents began."""
    return any(
        isinstance(operand.type, TensorType)
        and isinstance(operand.owner, Operation)
        and not isinstance(operand.owner, nv_tileas.TiledLoadOp | nv_tileas.AllocTensorOp)
        and not switch.is_ancestor(operand.owner)
        for switch in module.walk()
        if isinstance(switch, nv_tileas.AgentSwitchOp)
        for op in switch.walk()
        for operand in op.operands
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seeds", BATCHES, ids=str)
def test_ptx_computes_what_programs_do(seeds: range) -> None:
    """Asynchronous work is late, races are faults, and few programs are refused."""
    ran: Counter[str] = Counter()
    for seed in seeds:
        program = generate_for_machine(seed, SIZE)
        if compare_with_machine(program) is None:
            ran["all"] += 1
            ran["agents"] += _shares_computed_tiles(program.module)
    assert ran["all"] >= 0.6 * len(seeds), "too many programs are refused"
    assert ran["agents"], "no program has agents that share computed tiles"


def test_what_is_wrong_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(program: Program, lowered: ModuleOp) -> Observation:
        right = run_machine(program, lowered)
        return Observation(
            {i: array + array.dtype.type(1) for i, array in right.arrays.items()}, ""
        )

    run_machine = machine.run_machine
    monkeypatch.setattr(machine, "run_machine", run)
    program = generate_for_machine(1, 3)
    with pytest.raises(Disagreement, match=r"seed 1, size 3, sm_\w+: argument \d+: ") as found:
        compare_with_machine(program)
    assert len(str(found.value).splitlines()) < len(tools.to_text(program.module).splitlines())


def test_refusals_are_diagnostics_and_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert machine.refusal(PassFailedException(f"x: {machine.REFUSALS[0]}")) == machine.REFUSALS[0]
    assert machine.refusal(KeyError(machine.REFUSALS[0])) is None
    assert machine.refusal(PassFailedException("another")) is None


def test_the_command_counts_refusals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_arguments: object) -> ModuleOp:
        raise PassFailedException(machine.REFUSALS[0])

    monkeypatch.setattr(machine, "lower", refuse)
    assert main(["--ptx", "--seeds", "2", "--size", "2"]) == 0
    assert capsys.readouterr().out == (
        f"2 refused: {machine.REFUSALS[0]}\n2 programs, 0 disagreements\n"
    )

    def crash(*_arguments: object) -> ModuleOp:
        raise KeyError("never")

    monkeypatch.setattr(machine, "lower", crash)
    assert main(["--ptx", "--seeds", "1", "--size", "2", "--whole"]) == 1
    assert "KeyError" in capsys.readouterr().out
