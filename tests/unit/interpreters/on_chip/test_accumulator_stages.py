"""Accumulators in stages of tensor memory: MMAs fill them, and agents transfer them."""

from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tests.unit.interpreters.on_chip.compiled import races_of_case
from tests.unit.road.persistent_tiles import Tiles
from tileir_xdsl import load
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.synchronization import FenceSide
from tileir_xdsl.options import Options
from tileir_xdsl.testing import tools

FORMS: dict[str, tuple[Tiles, Options]] = {
    "one": (Tiles(columns=32), Options()),
    "one on request": (Tiles(columns=32), Options(dynamic_persistent=True)),
    "two a tile": (Tiles(columns=32, is_gated=True), Options()),
}


@cache
def _text(name: str, folder: Path) -> str:
    tiles, options = FORMS[name]
    program = load(tiles.case(folder).text_path, "sm_100a", options)
    return program.lower("tileas-insert-barriers").text


@pytest.fixture(scope="module", name="folder")
def fixture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


def missing_in(module: ModuleOp, name: str, folder: Path) -> set[str]:
    """What the races of a launch lack, of five tiles that one thread block computes."""
    tiles, _ = FORMS[name]
    problem = (4 * tiles.rows + 9, tiles.columns, tiles.depth + 16, 0)
    return {race.missing for race in races_of_case(module, tiles.case(folder), problem)}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FORMS)
def test_agents_that_hand_them_over_do_not_race(name: str, folder: Path):
    module = tools.parse(_text(name, folder))
    assert any(isinstance(op, nv_tileas.ProducerWriteOp) for op in module.walk())
    assert missing_in(module, name, folder) == set()


def _the(module: ModuleOp, is_wanted: type[Operation], before: type[Operation]) -> Operation:
    """The op of one kind that is right before one of another kind."""
    (found,) = (
        op for op in module.walk() if isinstance(op, is_wanted) and isinstance(op.next_op, before)
    )
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("side", FenceSide)
@pytest.mark.parametrize("name", FORMS)
def test_a_fence_is_missing(name: str, side: FenceSide, folder: Path):
    """MMAs of a later tile begin after the epilogue has read, by fences on both sides."""
    module = tools.parse(_text(name, folder))
    next_op = nv_tileas.ConsumerReleaseOp if side is FenceSide.BEFORE else nv_tileas.ToAsyncOp
    _the(module, nv_tileas.FenceTmemOp, next_op).detach()
    missing = "no fence_tmem before and after a barrier is between them"
    assert missing_in(module, name, folder) == {missing}
