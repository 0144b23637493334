"""Bugs put into the PTX of a persistent product whose epilogue runs under the MMAs of the next tile:
the emulator sees each.

A bug is a change of the text, as in `test_seeded_bugs`. `FULL` and `EMPTY` are where the barriers of
the stages of accumulators are.
"""

import re
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.unit.road.persistent_tiles import Tiles
from tests.unit.road.seeded import MODES, with_barriers
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase

PROBLEM, GRID = (600, 32, 144, 0), (1, 1, 1)
"""Five tiles of a block, with three steps each."""

WAIT = r"\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\+{}\][^\n]*\n\t@!%p\d+ bra \$M\d+;\n"
COLUMNS = r"mad\.lo\.s32 (%r\d+), (%r\d+), 32, (%r\d+);"
OF_EPILOGUE, OF_MMAS = r"(\n\tmad\.lo\.s32 %r\d+, %r\d+, 2097152)", r"(\n\ttcgen05\.fence::after)"
RELEASE = r"\t@%p\d+ mad[^\n]*\n\t@%p\d+ mbarrier\.arrive[^\n]*\+EMPTY\];\n"
COMMIT = r"\tmad[^\n]*\n\ttcgen05\.commit[^\n]*\+FULL\];\n"
NEXT = r"selp\.b32 (%r\d+), {}, \1, (%p\d+);"

BUGS: dict[str, tuple[str, str]] = {
    "the epilogue does not wait for the MMAs": (WAIT.format("FULL"), ""),
    "the MMAs do not wait for the epilogue": (WAIT.format("EMPTY"), ""),
    "the epilogue waits for the phase before": (r"(\+FULL\], )%r\d+", r"\g<1>1"),
    "the epilogue waits for the phase after": (r"(\+FULL\], )%r\d+", r"\g<1>0"),
    "the MMAs wait for the phase before": (r"(\+EMPTY\], )%r\d+", r"\g<1>1"),
    "the MMAs wait for the phase after": (r"(\+EMPTY\], )%r\d+", r"\g<1>0"),
    "the epilogue reads the first accumulator alone": (COLUMNS + OF_EPILOGUE, r"mov.b32 \1, \3;\4"),
    "the MMAs write to the first accumulator alone": (COLUMNS + OF_MMAS, r"mov.b32 \1, \3;\4"),
    "the epilogue reads the other accumulator": (
        COLUMNS + OF_EPILOGUE,
        r"xor.b32 \1, \2, 1;\n\tmad.lo.s32 \1, \1, 32, \3;\4",
    ),
    "accumulators overlap": (r"(mad\.lo\.s32 %r\d+, %r\d+, )32, ", r"\g<1>16, "),
    "an accumulator is released before it is loaded": (
        r"(\ttcgen05\.ld(?:.|\n)*?)(\ttcgen05\.fence::before(?:.|\n)*?" + RELEASE + ")",
        r"\2\1",
    ),
    "an accumulator is not released": (RELEASE, ""),
    "all lanes release an accumulator": (
        r"\t@%p\d+ (mad[^\n]*\n\t)@%p\d+ (mbarrier\.arrive[^\n]*\+EMPTY\];\n)",
        r"\t\1\2",
    ),
    "one warp releases an accumulator for all": (r"(init[^\n]*\+EMPTY\]), 4;", r"\1, 1;"),
    "a warp is missed at the release": (r"(init[^\n]*\+EMPTY\]), 4;", r"\1, 5;"),
    "the MMAs of a tile are not committed": (COMMIT, ""),
    "the MMAs of a tile are committed before": (
        "(" + COLUMNS + OF_MMAS + r"[^\n]*\n)((?:.|\n)*?)(" + COMMIT + ")",
        r"\1\7\6",
    ),
    "a commit tells the epilogue twice": ("(" + COMMIT + ")", r"\1\1"),
    "a commit publishes the next accumulator": (r"(commit[^\n]*)\+FULL\]", r"\1+EMPTY]"),
    "the loads of an accumulator are not waited for": (r"\ttcgen05\.wait::ld[^\n]*\n", ""),
    "no fence before the release": (r"\ttcgen05\.fence::before[^\n]*\n(\tbar\.warp)", r"\1"),
    "no fence after the wait of the epilogue": (
        r"(\+FULL\], [^\n]*\n[^\n]*\n)\ttcgen05\.fence::after[^\n]*\n",
        r"\1",
    ),
    "no fence after the wait of the MMAs": (
        r"(" + COLUMNS + r"\n)\ttcgen05\.fence::after[^\n]*\n",
        r"\1",
    ),
    "an accumulator begins with the tile before": (
        r"(fence::after(?:(?!fence)(?:.|\n))*?mov\.pred %p\d+, )0;(?=(?:.|\n)*?tcgen05\.mma)",
        r"\g<1>1;",
    ),
    "there are three accumulators": (r"(setp\.eq\.b32 %p\d+, %r\d+, )2;", r"\g<1>3;"),
}
"""What is replaced, and by what."""


@cache
def compiled() -> tuple[KernelCase, Lowered]:
    """The kernel without a bug."""
    case = Tiles(columns=32).case(Path(tempfile.mkdtemp()))
    return case, lower(tools.parse(case.text_path.read_text()), "sm_100a")


def launch(ptx: str, mode: dict[str, Any]) -> None:
    case, kernel = compiled()
    run(case, replace(kernel, ptx=ptx), PROBLEM, GRID, **mode)


@pytest.mark.parametrize("mode", MODES, ids=str)
def test_the_kernel_is_right(mode: dict[str, Any]):
    launch(compiled()[1].ptx, mode)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_seen(bug: str):
    correct = compiled()[1].ptx
    pattern, instead = with_barriers(BUGS[bug], correct, 4)
    ptx, count = re.subn(pattern, instead, correct)
    assert count
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in MODES:
            launch(ptx, mode)
