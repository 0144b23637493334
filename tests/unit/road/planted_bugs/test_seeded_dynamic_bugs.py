"""Bugs put into the PTX of products whose agents all read which tile block is next: the emulator
sees each.

A bug is a change of the text, as in `test_seeded_bugs`. `FULL` and `EMPTY` are where the barriers of
the stages of answers are.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.matrix_kernels import matmul_case
from tests.unit.road.seeded import MODES, SeededKernel, with_barriers
from tests.unit.road.zoo import lower
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.generate import text

CASE = matmul_case(128, 64, 64)
PROBLEM, GRID = (700, 112, 144), (6, 2, 1)
"""Twelve tiles, three of which start at once."""

ALL_MODES = (*MODES, {"late": True, "races": True, "warp_seed": 7})

ARRIVALS = 9
"""A warp of the agent of MMAs, and the eight of the epilogue."""

LOOP = r"\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\+{}\][^\n]*\n\t@!%p\d+ bra \$M\d+;\n"
MMAS_RELEASE = r"\tmbarrier\.arrive\.shared::cta\.b64 _, [^\n]*\+EMPTY\];\n"
EPILOGUE_RELEASES = r"\t@%p\d+ mbarrier\.arrive\.shared::cta\.b64 _, [^\n]*\+EMPTY\];\n"

BUGS: dict[str, tuple[str, str]] = {
    "the agent of MMAs does not release an answer": (MMAS_RELEASE, ""),
    "the agent of MMAs releases an answer twice": (rf"({MMAS_RELEASE})", r"\1\1"),
    "the epilogue does not release an answer": (EPILOGUE_RELEASES, ""),
    "a request waits for the epilogue alone": (r"(init[^\n]*\+EMPTY\]), 9;", r"\1, 8;"),
    "a request waits for one more warp": (r"(init[^\n]*\+EMPTY\]), 9;", r"\1, 10;"),
    "a request waits for nobody": (LOOP.format("EMPTY"), ""),
    "answers are not waited for": (LOOP.format("FULL"), ""),
    "the bytes of an answer are not expected": (r"(expect_tx[^\n]*\+FULL\]), 16;", r"\1, 0;"),
    "more bytes than those of an answer": (r"(expect_tx[^\n]*\+FULL\]), 16;", r"\1, 32;"),
    "an answer counts at the barrier of releases": (
        r"(try_cancel[^\n]*, \[%r\d+)\+FULL\]",
        r"\1+EMPTY]",
    ),
    "answers are all put in one stage": (r"(try_cancel[^\n]*\.b128 \[)%r\d+(\+\d+\])", r"\1%r1\2"),
    "the tile block is read from the other answer": (
        r"\tmul\.lo\.s32 (%r\d+), (%r\d+), 128;(?=\n[^\n]*\n\tld\.shared\.b128)",
        r"\txor.b32 \1, \2, 1;\n\tmul.lo.s32 \1, \1, 128;",
    ),
}
"""What is replaced, and by what."""


@cache
def seeded() -> SeededKernel:
    """The kernel without a bug."""
    program = text(CASE)
    kernel = lower(tools.parse(program), "sm_100a", dynamic_persistent=True)
    return SeededKernel(CASE, program, kernel, PROBLEM, GRID)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mode", ALL_MODES, ids=str)
def test_the_kernel_is_right(mode: dict[str, Any], tmp_path: Path):
    seeded().launch(seeded().kernel.ptx, tmp_path, mode)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_seen(bug: str, tmp_path: Path):
    correct = seeded().kernel.ptx
    pattern, instead = with_barriers(BUGS[bug], correct, ARRIVALS)
    ptx, count = re.subn(pattern, instead, correct)
    assert count
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in ALL_MODES:
            seeded().launch(ptx, tmp_path, mode)
