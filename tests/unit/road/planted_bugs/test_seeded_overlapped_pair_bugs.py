"""Bugs put into the PTX of a persistent product by pairs of CTAs whose epilogues run under the MMAs
of the next tile: the emulator sees each.

A bug is a change of the text, as in `test_seeded_bugs`. `FULL` and `EMPTY` are where the barriers of
the stages of accumulators are.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.clusters import with_ctas
from bench.matrix_kernels import persistent_matmul_case
from tests.unit.road.seeded import MODES, SeededKernel, with_barriers
from tests.unit.road.zoo import lower
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools

CASE = persistent_matmul_case(256, 128, 64)
PROBLEM, GRID = (528, 256, 144), (1, 1, 1)
"""Six tiles of a pair, with three steps each."""

WAIT = r"\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\+{}\][^\n]*\n\t@!%p\d+ bra \$M\d+;\n"
COMMIT_OF_TILE = r"(tcgen05\.commit[^\n]*\+FULL\]), 3;"
RELEASE = r"(\tmapa[^\n]*\n)\t(mbarrier\.arrive\.release\.cluster[^\n]*\n)"

BUGS: dict[str, tuple[str, str]] = {
    "the second CTA releases an accumulator to itself": (
        r"mapa\.shared::cluster\.u32 (%r\d+), (%r\d+), %r\d+;(?=\n\tmbarrier\.arrive\.release)",
        r"mov.u32 \1, \2;",
    ),
    "an accumulator is not released": (RELEASE, ""),
    "warps release an accumulator twice": (RELEASE, r"\1\t\2\t\2"),
    "the MMAs wait for one epilogue": (r"(init[^\n]*\+EMPTY\]), 16;", r"\1, 8;"),
    "a warp is missed at the release": (r"(init[^\n]*\+EMPTY\]), 16;", r"\1, 17;"),
    "the second CTA does not hear that a tile is done": (COMMIT_OF_TILE, r"\1, 1;"),
    "the first CTA does not hear that a tile is done": (COMMIT_OF_TILE, r"\1, 2;"),
    "both CTAs issue the MMAs": (r"\t@!%p\d+ bra \$L\d+;\n(?=\telect(?:.|\n){,400}EMPTY)", ""),
    "the epilogues do not wait for the MMAs": (WAIT.format("FULL"), ""),
    "the epilogues wait for the phase before": (r"(\+FULL\], )%r\d+", r"\g<1>1"),
    "the MMAs wait for the phase after": (r"(acquire\.cluster[^\n]*\+EMPTY\], )%r\d+", r"\g<1>0"),
    "an MMA is of one CTA": (r"tcgen05\.mma\.cta_group::2", "tcgen05.mma.cta_group::1"),
}
"""What is replaced, and by what."""


@cache
def seeded() -> SeededKernel:
    """The kernel without a bug."""
    program = with_ctas(CASE, 2)
    kernel = lower(tools.parse(program), "sm_100a")
    return SeededKernel(CASE, program, kernel, PROBLEM, GRID)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_kernel_is_right(mode: dict[str, Any], tmp_path: Path):
    seeded().launch(seeded().kernel.ptx, tmp_path, mode)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_seen(bug: str, tmp_path: Path):
    correct = seeded().kernel.ptx
    pattern, instead = with_barriers(BUGS[bug], correct, 16)
    ptx, count = re.subn(pattern, instead, correct)
    assert count
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in MODES:
            seeded().launch(ptx, tmp_path, mode)
