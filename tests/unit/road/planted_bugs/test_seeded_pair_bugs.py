"""Bugs put into the PTX of a persistent product by pairs of CTAs, whose epilogue is in the agent that
issues MMAs: the emulator sees each.

A bug is a change of the text, as in `test_seeded_bugs`.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.passes import ModulePass

from bench.clusters import with_ctas
from bench.matrix_kernels import persistent_matmul_case
from tests.unit.road.seeded import MODES, SeededKernel
from tests.unit.road.zoo import lower
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileas.accumulators import ACCUMULATORS
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_overlap_epilogue import TileASOverlapEpiloguePass

CASE = persistent_matmul_case(256, 128, 64)
PROBLEM, GRID = (272, 256, 272), (1, 1, 1)
"""Four tiles of a pair, and more steps in all of them than stages."""

COMMIT = r"(tcgen05\.commit[^\n]*\[%r\d+\+\d+\]), 3;"
COMMIT_OF_TILE = r"(tcgen05\.commit[^\n]*\[\w+_shared\+\d+\]), 3;"
INIT = r"(mbarrier\.init[^\n]*), "

BUGS: dict[str, tuple[str, str]] = {
    "stages are released to the first CTA alone": (COMMIT, r"\1, 1;"),
    "stages are released to the second CTA alone": (COMMIT, r"\1, 2;"),
    "the second CTA does not hear that a tile is done": (COMMIT_OF_TILE, r"\1, 1;"),
    "the first CTA does not hear that a tile is done": (COMMIT_OF_TILE, r"\1, 2;"),
    "a commit names a CTA that is not there": (COMMIT, r"\1, 7;"),
    "both CTAs issue the MMAs": (
        r"(and\.pred %p\d+, )%p\d+, (%p\d+)(;\n\tsetp\.gt\.s32)",
        r"\1\2, \2\3",
    ),
    "the second CTA does not say that it has read a tile": (
        r"\t(@!?%p\d+ )?mbarrier\.arrive\.release\.cluster\.shared::cluster[^\n]*\n",
        "",
    ),
    "the first CTA waits for more threads than there are": (INIT + "512;", r"\1, 513;"),
    "a stage expects the bytes of one CTA": (r"(expect_tx[^\n]*), 49152;", r"\1, 24576;"),
    "a stage expects both halves of B in each CTA": (r"(expect_tx[^\n]*), 49152;", r"\1, 65536;"),
    "both CTAs load the same half of B": (r"and\.b32 (%r\d+), (%r\d+), 1;", r"mov.u32 \1, 0;"),
    "an MMA is of one CTA": (
        r"tcgen05\.mma\.cta_group::2",
        "tcgen05.mma.cta_group::1",
    ),
    "tensor memory is allocated by each CTA": (
        r"tcgen05\.alloc\.cta_group::2",
        "tcgen05.alloc.cta_group::1",
    ),
    "a copy tells a barrier of the other CTA without saying so": (
        r"(cp\.async\.bulk\.tensor[^\n]*)\.cta_group::2",
        r"\1",
    ),
    "copies tell the barrier of their own CTA": (
        r"mapa\.shared::cluster\.u32 (%r\d+), (%r\d+), %r\d+;",
        r"mov.u32 \1, \2;",
    ),
    "CTAs do not wait for each other's barriers": (
        r"\tbarrier\.cluster\.arrive;\n\tbarrier\.cluster\.wait;\n"
        r"(?=(.|\n)*barrier\.cluster(.|\n)*barrier\.cluster)",
        "\tbar.sync 0;\n",
    ),
}
"""What is replaced, and by what."""


@cache
def seeded() -> SeededKernel:
    """The kernel without a bug."""
    program = with_ctas(CASE, 2)

    def without_agent(step: ModulePass, module: ModuleOp) -> None:
        if isinstance(step, TileASOverlapEpiloguePass):
            for op in module.walk():
                if isinstance(op, nv_tileas.AgentSwitchOp):
                    op.attributes[ACCUMULATORS] = IntegerAttr(0, i32)

    kernel = lower(tools.parse(program), "sm_100a", without_agent)
    return SeededKernel(CASE, program, kernel, PROBLEM, GRID)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_kernel_is_right(mode: dict[str, Any], tmp_path: Path):
    seeded().launch(seeded().kernel.ptx, tmp_path, mode)


@pytest.mark.one_in(4, "tensor memory is allocated by each CTA")
@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_seen(bug: str, tmp_path: Path):
    pattern, instead = BUGS[bug]
    ptx, count = re.subn(pattern, instead, seeded().kernel.ptx)
    assert count
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in MODES:
            seeded().launch(ptx, tmp_path, mode)


SLOW = """\tmov.u32 %slow, %cluster_ctarank;
\tmul.lo.u32 %slow, %slow, 60;
$SLOW:
\tsetp.eq.u32 %slow_ends, %slow, 0;
\t@!%slow_ends sub.u32 %slow, %slow, 1;
\t@!%slow_ends nanosleep.u32 20;
\t@!%slow_ends bra $SLOW;
"""
"""What threads of the second CTA do before they read a tile."""


def slowed(ptx: str) -> str:
    """The kernel with a second CTA that is late."""
    (match,) = re.finditer(r"\ttcgen05\.ld\.", ptx)
    start = ptx.index("\t.reg ")
    registers = "\t.reg .b32 %slow;\n\t.reg .pred %slow_ends;\n"
    return ptx[:start] + registers + ptx[start : match.start()] + SLOW + ptx[match.start() :]


def test_the_kernel_is_right_with_a_slow_cta(tmp_path: Path):
    seeded().launch(slowed(seeded().kernel.ptx), tmp_path, {"warp_seed": 1})


@pytest.mark.parametrize(
    ("pattern", "instead"),
    [
        (INIT + "512;", r"\1, 256;"),
        (r"\tmbarrier\.try_wait\.acquire\.cluster[^\n]*\n", "\tmov.pred %p0, %p0;\n"),
    ],
    ids=("half of the threads are enough", "nobody waits"),
)
def test_a_tile_is_overwritten_while_it_is_read(pattern: str, instead: str, tmp_path: Path):
    """The MMAs of the first CTA are too early for the second one where that is slow."""
    ptx, count = re.subn(pattern, instead, slowed(seeded().kernel.ptx))
    assert count
    with pytest.raises((EmulatorError, AssertionError)):
        seeded().launch(ptx, tmp_path, {"warp_seed": 1})
