"""A slice of `python -m tests.forced`, and what it must be able to find."""

from dataclasses import replace

import pytest

from tests.forced import drawing
from tests.forced.__main__ import main
from tests.forced.drawing import CHOOSING, check, draw, lower_forced
from tests.unit.road.zoo import Lowered
from tileir_xdsl.options import Options
from tileir_xdsl.testing.kernels import KERNELS

SEEDS = (1, 4, 5, *range(20, 120))


@pytest.mark.one_in(35)
@pytest.mark.parametrize("seed", SEEDS)
def test_kernels_compute_the_same(seed: int):
    check(seed)


def test_the_same_seed_draws_the_same():
    assert [str(draw(seed)) for seed in range(20)] == [str(draw(seed)) for seed in range(20)]
    assert len({str(draw(seed)) for seed in range(20)}) > 15


def test_choices_of_every_pass_are_drawn():
    drawn = drawing.Drawn("cat_extract", KERNELS["cat_extract"], "sm_90a", Options(), 1.0)
    forcings = [lower_forced(drawn, seed) for seed in range(4)]
    forced = [text for forcing in forcings for text in forcing.forced]
    assert {text.partition("{")[0] for text in forced} == set(CHOOSING)
    # Others than those that the passes take.
    assert len({forcing.lowered.ptx for forcing in forcings}) > 1


def test_a_kernel_that_computes_something_else_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def broken(drawn: drawing.Drawn, seed: int) -> drawing.Forcing:
        forcing = lower_forced(drawn, seed)
        ptx = forcing.lowered.ptx.replace("add.rn.f32", "sub.rn.f32")
        return replace(forcing, lowered=Lowered(forcing.lowered.module, ptx))

    def drawn(_seed: int) -> drawing.Drawn:
        return drawing.Drawn("vector_add", KERNELS["vector_add"], "sm_80", Options(), 0.3)

    monkeypatch.setattr(drawing, "draw", drawn)
    assert main(["--seeds", "1"]) == 0
    monkeypatch.setattr(drawing, "lower_forced", broken)
    assert main(["--seeds", "1"]) == 1
    assert "seed 0: " in capsys.readouterr().out
