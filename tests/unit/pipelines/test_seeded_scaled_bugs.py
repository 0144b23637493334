"""Bugs put into the PTX of a block-scaled product by `tcgen05.mma`: the emulator sees each.

A bug is a change of the text, as in `test_seeded_bugs`.
"""

import re
from dataclasses import replace
from functools import cache

import pytest

from bench.matrix_kernels import SCALED_CASES
from tests.unit import tools
from tests.unit.pipelines.zoo import Lowered, lower, run
from tileir_xdsl.emulator import EmulatorError

CASE = SCALED_CASES["mxfp4_128x128x256"]
PROBLEM, GRID = (128, 128, 768), (1, 1, 1)
"""One block, and three steps along K."""

TRY_WAIT = r"\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\n\t@!%p\d+ bra \$M\d+;\n"
MMA = r"(\ttcgen05\.mma\.[^\n]*, )\[(%r\d+)\], \[(%r\d+)\](, %p\d+;)"

BUGS: dict[str, tuple[str, str, int]] = {
    "scales are not stored before the MMA": (r"\ttcgen05\.wait::st\.sync\.aligned;\n", "", 0),
    "the MMAs of the tile before are not committed": (
        r"\ttcgen05\.commit[^\n]*\[\w+_shared\+\d+\];\n",
        "",
        0,
    ),
    "scales of A are left out": (r"\ttcgen05\.st\.[^\n]*\n", "", 0),
    "scales of B are left out": (r"\ttcgen05\.st\.[^\n]*\n", "", 1),
    "an MMA has the scales of the other operand": (MMA, r"\1[\3], [\2]\4", 0),
    "an MMA is left out": (r"\ttcgen05\.mma\.[^\n]*\n", "", 1),
    "the scales have another size of blocks": (
        r"kind::mxf4\.block_scale\.block32",
        "kind::mxf4nvf4.block_scale.block16",
        0,
    ),
    "bytes are read as elements": (
        r"kind::mxf4\.block_scale",
        "kind::mxf8f6f4.block_scale",
        0,
    ),
    "a stage of packed operands expects the bytes of unpacked ones": (
        r"(expect_tx[^\n]*), 16384;",
        r"\1, 32768;",
        0,
    ),
    "stages are not waited for": (
        TRY_WAIT + r"([^$]*)" + TRY_WAIT,
        r"\1",
        0,
    ),
}
"""What is replaced, by what, and which of the places."""


@cache
def compiled() -> Lowered:
    """The kernel without a bug."""
    return lower(tools.parse(CASE.text_path.read_text()), "sm_100a")


def launch(kernel: Lowered) -> None:
    """In two orders of warps: races in tensor memory show in what is computed alone."""
    run(CASE, kernel, PROBLEM, GRID, late=True, races=True)
    run(CASE, kernel, PROBLEM, GRID, late=True, warp_seed=1)


def test_the_kernel_is_right():
    launch(compiled())


@pytest.mark.parametrize("name", BUGS)
def test_bug_is_seen(name: str):
    pattern, instead, number = BUGS[name]
    ptx = compiled().ptx
    match = list(re.finditer(pattern, ptx))[number]
    changed = ptx[: match.start()] + match.expand(instead) + ptx[match.end() :]
    with pytest.raises((EmulatorError, AssertionError)):
        launch(replace(compiled(), ptx=changed))
