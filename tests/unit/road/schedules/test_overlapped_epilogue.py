"""Persistent products whose epilogue runs under the MMAs of the next tile, in the emulator."""

import random
from pathlib import Path
from typing import Any

import pytest

from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.persistent_tiles import BIAS, BIAS_AND_RELU, Tiles
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.accumulators import accumulators_of
from tileir_xdsl.testing import tools

GPU = "sm_100a"

MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
)

TILES = {
    "bf16": Tiles(columns=32),
    "f16 and a bias": Tiles(operands="f16", columns=32, epilogue=BIAS),
    "f8 and a maximum": Tiles(operands="f8", columns=32, depth=128, epilogue=BIAS_AND_RELU),
    "64 rows": Tiles(rows=64, columns=32),
    "two accumulators a tile": Tiles(columns=32, is_gated=True),
}


def accumulators(tiles: Tiles, folder: Path, hints: str = "") -> tuple[Lowered, int | None]:
    """A kernel, and how many accumulators its agent of MMAs has in turn."""
    seen: list[int | None] = []

    def look(_step: Any, module: Any) -> None:
        switches = (op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp))
        seen.append(next((accumulators_of(op) for op in switches), None))

    case = tiles.case(folder, hints)
    return lower(tools.parse(case.text_path.read_text()), GPU, look), seen[-1]


def drawn_problem(tiles: Tiles, count: int, first: int, rng: random.Random) -> tuple[int, ...]:
    """So many tiles with ragged edges, and some steps along K of which the first are left out."""
    m = tiles.rows * (count - 1) + rng.randrange(1, tiles.rows + 1)
    n = 16 * rng.randrange(1, tiles.columns // 16 + 1)
    k = tiles.depth * rng.randrange(1, 4) + 16 * rng.randrange(tiles.depth // 16)
    return m, n, k, first


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", TILES)
def test_tiles_in_turn(name: str, tmp_path: Path):
    """No, one, two and an odd number of tiles a block, and tiles without a step."""
    tiles, rng = TILES[name], random.Random(name)
    lowered, count = accumulators(tiles, tmp_path)
    assert count == 2
    case = tiles.case(tmp_path)
    # Tiles, blocks, and the steps that are left out: of the first type all of these.
    drawn = ((1, 2, 0), (2, 1, 0), (5, 1, 0), (3, 2, 0), (3, 1, 9))
    for number in range(len(drawn)) if name == "bf16" else rng.sample(range(len(drawn)), 2):
        count, blocks, first = drawn[number]
        problem = drawn_problem(tiles, count, first, rng)
        run(case, lowered, problem, (blocks, 1, 1), **MODES[number % 2])
    assert "C75" not in assemble(lowered.ptx, GPU)


def test_a_block_without_accumulators_for_two(tmp_path: Path):
    """Two blocks on a multiprocessor share its tensor memory: one of 256 columns each."""
    tiles = Tiles(columns=256)
    lowered, count = accumulators(tiles, tmp_path, "occupancy = 2")
    assert count == 1
    case = tiles.case(tmp_path)
    run(case, lowered, (300, 240, 144, 0), (1, 1, 1), late=True, races=True)


def test_one_agent_does_both(tmp_path: Path):
    """With no room in tensor memory for the tiles of five blocks, tiles without a step are zeros."""
    tiles = Tiles(columns=128)
    lowered, count = accumulators(tiles, tmp_path, "occupancy = 5")
    assert count == 0
    case = tiles.case(tmp_path)
    for first in (0, 1, 9):
        run(case, lowered, (300, 112, 144, first), (1, 1, 1), late=True, races=True)
