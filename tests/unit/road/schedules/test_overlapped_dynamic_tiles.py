"""Kernels whose blocks ask for tile blocks, and whose epilogues run under the MMAs of the next one."""

import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from bench.matrix_kernels import matmul_case
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.persistent_tiles import BIAS, Tiles
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.interpreters import launch
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.case import KernelCase, Problem
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass

GPU = "sm_100a"

MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
    {"late": True, "races": True, "warp_seed": 2},
)

READ = "clusterlaunchcontrol.query_cancel.is_canceled"


def persistent(program: str) -> Lowered:
    """A kernel of three agents, which all read which tile block is next."""
    kernel = lower(tools.parse(program), GPU, dynamic_persistent=True)
    assert kernel.ptx.count("clusterlaunchcontrol.try_cancel") == 1
    assert kernel.ptx.count(READ) == 3
    report = assemble(kernel.ptx, GPU)
    assert " 0 bytes spill stores" in report
    assert "C75" not in report
    return kernel


def drawn(sizes: tuple[int, int, int], counts: tuple[int, int], rng: random.Random) -> Problem:
    """So many tiles along rows and columns with ragged edges, and up to three steps along K."""
    rows, columns, depth = sizes
    m = rows * (counts[0] - 1) + rng.randrange(1, rows + 1)
    n = columns * (counts[1] - 1) + 16 * rng.randrange(1, columns // 16 + 1)
    return m, n, 16 * rng.randrange(1, 3 * depth // 16)


@cache
def dot(folder: Path) -> tuple[KernelCase, Lowered]:
    """A product of tiles of 128x64."""
    case = replace(matmul_case(128, 64, 64), folder=folder)
    program = text(case)
    case.text_path.write_text(program)
    return case, persistent(program)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the text of the product is."""
    return tmp_path_factory.mktemp("dot")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("counts", [(1, 1), (1, 2), (3, 1), (2, 3), (5, 2)], ids=str)
def test_grids(counts: tuple[int, int], folder: Path):
    """Of one tile none is taken over; of more all but those that start at once."""
    case, kernel = dot(folder)
    rng = random.Random(str(counts))
    for mode in MODES:
        problem = drawn((128, 64, 64), counts, rng)
        launched = run(case, kernel, problem, case.grid(problem), **mode)
        tiles = counts[0] * counts[1]
        assert launched.canceled_blocks < tiles
        # A request with a seed may be refused though tile blocks are left.
        if "warp_seed" not in mode:
            assert launched.canceled_blocks == tiles - max(1, tiles // 4)


FORMS: Mapping[str, Tiles] = {
    "a loop over tiles in the loop over tile blocks": Tiles(columns=32),
    "two accumulators a tile": Tiles(columns=32, is_gated=True),
    "64 rows and a bias": Tiles(rows=64, columns=32, epilogue=BIAS),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FORMS)
def test_loops_over_tiles(name: str, tmp_path: Path):
    """Tile blocks that each have some tiles, or none, and tiles without a step."""
    tiles, rng = FORMS[name], random.Random(name)
    case = tiles.case(tmp_path)
    kernel = persistent(case.text_path.read_text())
    for mode, (count, blocks, first) in zip(MODES, ((5, 3, 0), (2, 4, 0), (3, 2, 9)), strict=True):
        m = tiles.rows * (count - 1) + rng.randrange(1, tiles.rows + 1)
        run(case, kernel, (m, 32, 16 * rng.randrange(4, 12), first), (blocks, 1, 1), **mode)


def test_the_interpreter(folder: Path):
    """At level `nv_tileas`: accumulators in flight are put in stages, and each agent has answers."""
    case, _ = dot(folder)
    problem = (300, 112, 144)
    arguments = case.make_arguments(problem)
    expected = case.expected(arguments)
    program = case.text_path.read_text()
    kernel = find_kernel(tools.parse(program), case.name, case.name)
    values = bind_arguments(kernel, [Argument(None, as_argument(a, case.name)) for a in arguments])

    def interpret(step: ModulePass, module: ModuleOp) -> None:
        if isinstance(step, ConvertTileASToLLVMPass):
            launch(module, case.name, case.grid(problem), values)

    lower(tools.parse(program), GPU, interpret, dynamic_persistent=True)
    case.check(arguments, expected)
