"""Block-scaled dots of more than 128 rows: an instruction, and scales, for each 128 rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from bench.matrix_kernels import SCALED_FORMATS, scaled_matmul_case
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.matrix_units.test_scaled_matrix import FORMATS, OPTIONS, scaled_mma
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase, Problem
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import steps

GPU = "sm_100a"
MMA = r"(tcgen05\.mma\.\S+ \[%r\d+\], \S+, \S+, %r\d+, )\[(%r\d+)\](, \[%r\d+\])"

Tile = tuple[str, int, int, int, bool]
"""The format, rows, columns, the extent of a step along K, and whether scales are ordered."""

TILES: tuple[Tile, ...] = (
    ("mxfp8", 256, 128, 128, False),
    ("nvfp4", 256, 128, 256, True),
    ("mxfp4", 256, 64, 128, False),
    ("mxfp8", 256, 128, 128, True),
    ("mxfp8", 256, 64, 256, False),
    ("mxfp8", 256, 128, 256, True),
    ("mxfp8", 512, 64, 128, False),
    ("mxfp4", 256, 128, 128, True),
    ("mxfp4", 256, 128, 256, False),
    ("nvfp4", 256, 64, 128, False),
    ("nvfp4", 256, 128, 128, True),
    ("nvfp4", 512, 64, 256, False),
)
"""Those that tensor memory holds, with one word of scales for each row and more."""

SLICED: tuple[Tile, ...] = (
    ("nvfp4", 256, 256, 256, True),
    ("mxfp8", 256, 256, 128, True),
    ("mxfp4", 256, 256, 128, False),
    ("nvfp4", 512, 128, 256, True),
    ("mxfp8", 256, 256, 256, False),
)
"""Those whose accumulators leave no column for scales."""

FEW: tuple[Tile, ...] = (
    ("mxfp8", 256, 16, 128, False),
    ("mxfp8", 256, 128, 64, False),
    ("mxfp8", 256, 64, 32, False),
)
"""Fewer columns than lanes, or blocks than a word has: threads store the scales."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@cache
def compiled(tile: Tile, folder: Path) -> tuple[KernelCase, Lowered]:
    name, rows, columns, depth, ordered = tile
    case = scaled_matmul_case(name, rows, columns, depth, ordered=ordered)
    case = replace(case, folder=folder)
    program = text(case)
    case.text_path.write_text(program)
    return case, lower(tools.parse(program), GPU)


def ragged(tile: Tile) -> Problem:
    """A problem that ends within tiles, and within a step along K."""
    name, rows, columns, depth, _ = tile
    return rows + 48, max(16, columns - 16), 2 * depth + 2 * SCALED_FORMATS[name].block


def launch(case: KernelCase, lowered: Lowered, problem: Problem) -> None:
    run(case, lowered, problem, case.grid(problem), late=True, races=True)


def assert_clean(ptx: str) -> None:
    report = assemble(ptx, GPU)
    assert "0 bytes spill stores" in report and not re.search(r"C75\d\d", report)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("tile", TILES)
def test_each_block_of_rows_has_scales_of_its_own(tile: Tile, folder: Path):
    name, rows, columns, depth, _ = tile
    case, lowered = compiled(tile, folder)
    assert "fma.rn.f32" not in lowered.ptx and REMARKS_ATTRIBUTE not in lowered.module.attributes
    blocks, form = rows // 128, SCALED_FORMATS[name]
    words = depth // form.block // 4
    assert lowered.ptx.count("tcgen05.cp") == words * (blocks + max(1, columns // 128))
    mmas: Sequence[tuple[str, str, str]] = re.findall(MMA, lowered.ptx)
    steps_along_k = depth // (1 + form.packed) // 32
    assert len(mmas) == blocks * steps_along_k
    assert_clean(lowered.ptx)
    launch(case, lowered, ragged(tile))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("tile", FEW)
def test_threads_store_scales_of_all_rows(tile: Tile, folder: Path):
    case, lowered = compiled(tile, folder)
    assert "tcgen05.cp" not in lowered.ptx and "fma.rn.f32" not in lowered.ptx
    assert_clean(lowered.ptx)
    launch(case, lowered, ragged(tile))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("tile", SLICED)
def test_what_tensor_memory_does_not_hold_is_sliced(tile: Tile, folder: Path):
    case, lowered = compiled(tile, folder)
    assert "fma.rn.f32" not in lowered.ptx and "tcgen05.cp" in lowered.ptx
    remarks = str(lowered.module.attributes[REMARKS_ATTRIBUTE])
    # A kernel that was compiled again, with lesser choices, would say so.
    assert "is computed in 2 slices" in remarks and "compiled with" not in remarks
    assert_clean(lowered.ptx)
    launch(case, lowered, ragged(tile))


OPTIONS_OF_TILES = tuple((name, TILES[number]) for name in OPTIONS for number in (0, 1))


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("name", "tile"), OPTIONS_OF_TILES)
def test_with_other_options(name: str, tile: Tile, folder: Path):
    """Persistent, with one stage, without agents, and without pipelines."""
    case, _ = compiled(tile, folder)
    context, module = tools.context(), tools.parse(case.text_path.read_text())
    for step in steps(GPU, OPTIONS[name]):
        step.module_pass.apply(context, module)
    lowered = Lowered(module, emit(module))
    assert "tcgen05.cp" in lowered.ptx and "fma.rn.f32" not in lowered.ptx
    launch(case, lowered, ragged(tile))


WITHOUT_LOOPS = tuple(
    (name, sizes) for sizes in ((256, 16, 64), (256, 64, 128)) for name in FORMATS
)


@pytest.mark.one_in(10)
@pytest.mark.parametrize(("name", "sizes"), WITHOUT_LOOPS)
def test_without_a_loop(name: str, sizes: tuple[int, ...]):
    """Threads store the scales, and all numbers are exact."""
    scaled_mma(name, sizes, GPU, seed=5)


def mutated(ptx: str) -> str:
    """A kernel whose MMAs of the second block of rows have the scales of the first."""
    lines = [line for line in ptx.splitlines() if "tcgen05.mma" in line]
    half = len(lines) // 2
    for one, other in zip(lines[:half], lines[half:], strict=True):
        first, second = re.search(MMA, one), re.search(MMA, other)
        assert first is not None and second is not None
        changed = f"{second[1]}[{first[2]}]{second[3]}"
        ptx = ptx.replace(other, other.replace(second[0], changed))
    return ptx


@pytest.mark.parametrize("change", ("scales of the first rows", "one copy for both"))
def test_seeded_bugs(change: str, folder: Path):
    case, lowered = compiled(TILES[0], folder)
    if change == "one copy for both":
        wrong = re.sub(r"\ttcgen05\.cp[^\n]*\n", "", lowered.ptx, count=1)
    else:
        wrong = mutated(lowered.ptx)
    assert wrong != lowered.ptx
    with pytest.raises((AssertionError, EmulatorError)):
        launch(case, replace(lowered, ptx=wrong), ragged(TILES[0]))
