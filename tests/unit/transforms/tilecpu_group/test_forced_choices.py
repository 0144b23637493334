"""Programs compute the same with other choices than those of the pass."""

from random import Random

import pytest

from tests.forced.drawing import offered
from tests.unit.interpreters.evaluation import Tile
from tests.unit.transforms.convert_tileaa_to_tilecpu.programs import PROGRAMS
from tests.unit.transforms.convert_tileaa_to_tilecpu.test_execution import inputs, parsed
from tests.unit.transforms.convert_tilecpu_to_llvm.test_execution import compiled, run
from tileir_xdsl.interpreters import launch
from tileir_xdsl.report.forcing import read_forced
from tileir_xdsl.transforms.tilecpu_group import TileCPUGroupPass

GPUS = ("cpu-x86-64-v3", "cpu-x86-64-v4")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_forced_programs_agree(name: str, gpu: str):
    case, random = PROGRAMS[name], Random(f"{name} {gpu}")
    candidates = offered(TileCPUGroupPass(gpu=gpu), parsed(case))
    assert candidates
    chosen = [random.choice(texts) for texts in candidates]
    force = read_forced(chosen).choices[TileCPUGroupPass.name]
    expected, found = ([Tile(text).empty() for text in case.results] for _ in range(2))
    launch(parsed(case), "k", (1, 1, 1), [*inputs(case), *expected])
    run(compiled(case, gpu, force), [*inputs(case), *found])
    for one, other in zip(found, expected, strict=True):
        assert (one == other).all()


@pytest.mark.parametrize("gpu", GPUS)
def test_dots_offer_register_blocks_and_packing(gpu: str):
    texts = offered(TileCPUGroupPass(gpu=gpu), parsed(PROGRAMS["dot"]))
    (dot,) = (each for each in texts if any("/" in text for text in each))
    assert {text.rpartition("/")[2] for text in dot} == {"rows}", "panels}"}
    assert len({text.rpartition("=")[2].partition("/")[0] for text in dot}) > 3
