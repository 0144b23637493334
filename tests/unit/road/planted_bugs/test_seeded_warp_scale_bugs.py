"""Bugs put into the PTX of a block-scaled product by `mma.sync`: the emulator sees each.

Its scales are in the order of the hardware, and come through the stages of the operands.
"""

import re
from dataclasses import replace
from functools import cache

import pytest

from bench.matrix_kernels import SCALED_CASES
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools

CASE = SCALED_CASES["mxfp8_ordered_128x128x128"]
PROBLEM, GRID = (128, 128, 640), (1, 1, 1)
"""One block, and more steps along K than the pipeline has stages."""

MMA = r"(\tmma\.sync[^\n]*, )(%r\d+), \{(\d), (\d)\}, (%r\d+), \{(\d), (\d)\};"
WAIT = r"\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\n\t@!%p\d+ bra \$M\d+;\n"

BUGS: dict[str, tuple[str, str, int]] = {
    "scales of A are those of another block": (MMA, r"\1\2, {1, \4}, \5, {\6, \7};", 0),
    "scales of B are those of another block": (MMA, r"\1\2, {\3, \4}, \5, {1, \7};", 0),
    "scales of A are in the lanes of another fragment": (
        MMA,
        r"\1\2, {\3, 1}, \5, {\6, \7};",
        0,
    ),
    "scales of B are in the lanes of another fragment": (
        MMA,
        r"\1\2, {\3, \4}, \5, {\6, 1};",
        0,
    ),
    "scales of the operands are swapped": (MMA, r"\1\5, {\3, \4}, \2, {\6, \7};", 0),
    "words of A are in another order": (
        r"(ld\.shared\.v4\.b32 )\{(%r\d+), (%r\d+), ",
        r"\1{\3, \2, ",
        0,
    ),
    "scales of B are read in the buffer of A": (
        r"(ld\.shared\.b32 %r\d+, \[%r\d+\+)66560\]",
        r"\g<1>65536]",
        0,
    ),
    "scales stay in the first stage": (
        r"(mul\.lo\.s32 %r\d+, %r\d+, )512;",
        r"\g<1>0;",
        0,
    ),
    "a stage expects the bytes of operands alone": (r"(expect_tx[^\n]*), 33792;", r"\1, 32768;", 0),
    "scales of B are not loaded": (r"\tcp\.async\.bulk\.tensor\.4d[^\n]*\n", "", 1),
    "stages are not waited for": (WAIT, "", 0),
    "stages are filled before they are released": (WAIT, "", 1),
    "stages are not released": (r"\t@%p\d+ mbarrier\.arrive[^\n]*\n", "", 0),
}
"""What is replaced, by what, and which of the places."""


@cache
def compiled() -> Lowered:
    """The kernel without a bug."""
    return lower(tools.parse(CASE.text_path.read_text()), "sm_120a")


def test_the_kernel_is_right():
    run(CASE, compiled(), PROBLEM, GRID, late=True, races=True)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", BUGS)
def test_bug_is_seen(name: str):
    pattern, instead, number = BUGS[name]
    ptx = compiled().ptx
    match = list(re.finditer(pattern, ptx))[number]
    changed = ptx[: match.start()] + match.expand(instead) + ptx[match.end() :]
    assert changed != ptx
    with pytest.raises((EmulatorError, AssertionError)):
        run(CASE, replace(compiled(), ptx=changed), PROBLEM, GRID, late=True, races=True)
