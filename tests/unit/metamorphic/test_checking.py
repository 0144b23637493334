"""Seeds stand for kernels in other forms; what differs is told."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.metamorphic import checking
from tests.metamorphic.__main__ import main
from tests.metamorphic.checking import Drawn, check_kernel, draw, find_program_failure
from tests.metamorphic.forms import FORMS, Launch
from tileir_xdsl.dialects.cuda_tile import AddFOp, AddIOp, SubFOp, SubIOp
from tileir_xdsl.options import Options
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.testing.programs import Program, generate
from tileir_xdsl.testing.programs.targets import TARGETS


def test_seeds_stand_for_everything() -> None:
    drawn = [draw(seed) for seed in range(60)]
    assert {name for each in drawn for name in each.forms} == set(FORMS)
    assert {each.target for each in drawn} >= set(TARGETS)
    assert {each.options.opt_level for each in drawn} == {0, 1, 2, 3}
    assert any(each.options.ctas for each in drawn)
    assert any(each.options.dynamic_persistent for each in drawn)
    programs = sum(isinstance(each.subject, Program) for each in drawn)
    assert 30 <= programs <= 55
    assert str(drawn[0]).startswith("seed 0: ")


@pytest.mark.parametrize("form", ["permute", "split", "persist"])
def test_a_kernel_of_the_zoo_agrees_with_numpy(form: str) -> None:
    check_kernel(
        Drawn(1, KERNELS["vector_add"], [form], "sm_90a", Options(opt_level=0)),
        KERNELS["vector_add"],
    )


def test_names_have_no_effect() -> None:
    program = generate(3, 4, exact=True)
    drawn = Drawn(3, program, ["rename"], program.target, Options())
    assert find_program_failure(drawn, program, program.module) is None


def _subtract(launch: Launch, _random: Random) -> Launch:
    """Another meaning: sums become differences."""
    for op in list(launch.module.walk()):
        if isinstance(op, AddIOp | AddFOp) and op.parent is not None:
            made = (SubIOp if isinstance(op, AddIOp) else SubFOp)(op.lhs, op.rhs)
            op.parent.insert_op_before(made, op)
            op.result.replace_all_uses_with(made.result)
            op.detach()
            op.erase()
    return launch


def test_another_meaning_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(FORMS, "permute", _subtract)
    program = generate(0, 4, exact=True)
    drawn = Drawn(0, program, ["permute"], program.target, Options())
    failure = find_program_failure(drawn, program, program.module)
    assert failure is not None and failure.kind == "another form has another result"
    kernel = Drawn(0, KERNELS["vector_add"], ["permute"], "sm_80", Options())

    def draw_it(seed: int) -> Drawn:
        return replace(kernel, seed=seed)

    monkeypatch.setattr(checking, "draw", draw_it)
    monkeypatch.setattr("tests.metamorphic.__main__.draw", draw_it)
    assert main(["--seeds", "1"]) == 1
    assert "seed 0: vector_add, permute, for sm_80" in capsys.readouterr().out
