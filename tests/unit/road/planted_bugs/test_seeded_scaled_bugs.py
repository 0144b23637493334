"""Bugs put into the PTX of a block-scaled product by `tcgen05.mma`: the emulator sees each.

A bug is a change of the text, as in `test_seeded_bugs`.
"""

import re
from dataclasses import replace
from functools import cache

import pytest

from bench.matrix_kernels import SCALED_CASES
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools

Sizes = tuple[int, int, int]

CASE = SCALED_CASES["mxfp4_128x128x256"]
PROBLEM, GRID = (128, 128, 768), (1, 1, 1)
"""One block, and three steps along K."""
LONG = (128, 128, 1792)
"""One step more than the pipeline has stages."""

TRY_WAIT = r"\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\n\t@!%p\d+ bra \$M\d+;\n"
MMA = r"(\ttcgen05\.mma\.[^\n]*, )\[(%r\d+)\], \[(%r\d+)\](, %p\d+;)"
CP = r"(\ttcgen05\.cp\.[^\n]*\[%r\d+\], )(%rd\d+)(;\n)"
RELEASE = r"(\tmad\.lo\.s32 %r\d+, %r\d+, 8, %r\d+;\n\ttcgen05\.commit[^\n]*\n)"
COPY = r"(\tcp\.async\.ca\.shared\.global \[%r\d+\+\d+\], )\[(%rd\d+)\]"

BUGS: dict[str, tuple[str, str, int]] = {
    "the MMAs are not committed": (
        r"\ttcgen05\.commit[^\n]*\[\w+_shared\+\d+\];\n",
        "",
        0,
    ),
    "scales of A are left out": (r"\ttcgen05\.cp\.[^\n]*\n", "", 0),
    "scales of B are left out": (r"\ttcgen05\.cp\.[^\n]*\n", "", 2),
    "an MMA has the scales of the other operand": (MMA, r"\1[\3], [\2]\4", 0),
    "an MMA is left out": (r"\ttcgen05\.mma\.[^\n]*\n", "", 1),
    "scales go to the column before theirs": (
        r"(\tadd\.s32 %r\d+, %r\d+, )4(;\n\ttcgen05\.cp)",
        r"\g<1>3\2",
        0,
    ),
    "the scales of four blocks are copied twice": (
        CP + r"([^$]*?)" + CP,
        r"\1\2\3\4\5\2\7",
        0,
    ),
    "scales are copied after the MMAs": (
        r"((?:\ttcgen05\.cp\.[^\n]*\n))([^$]*?)" + RELEASE,
        r"\2\1\3",
        0,
    ),
    "an MMA begins at another byte of the scales": (
        r"mov\.b32 (%r\d+), 1218446496;",
        r"mov.b32 \1, 144704640;",
        0,
    ),
    "an MMA names another byte of the scales of B alone": (
        r"mov\.b32 (%r\d+), 1218446496;",
        r"mov.b32 \1, 1218446464;",
        0,
    ),
    "rows of scales are swapped": (
        COPY + r"([^$]*?)" + COPY,
        r"\1[\5]\3\4[\2]",
        0,
    ),
    "threads arrive before their copies of scales do": (
        r"cp\.async\.mbarrier\.arrive\.noinc\.shared::cta\.b64 ",
        "mbarrier.arrive.shared::cta.b64 _, ",
        0,
    ),
    "threads do not arrive for their copies of scales": (
        r"\tcp\.async\.mbarrier\.arrive[^\n]*\n",
        "",
        0,
    ),
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
        r"(expect_tx[^\n]*), 32768;",
        r"\1, 65536;",
        0,
    ),
    "stages are not waited for": (TRY_WAIT, "", 0),
}
"""What is replaced, by what, and which of the places."""

LONG_BUGS: dict[str, tuple[str, str, int]] = {
    "a stage is released before its scales are read": (
        r"\ttcgen05\.commit[^\n]* (\[%r\d+\+\d+\]);\n",
        r"\tmbarrier.arrive.shared::cta.b64 _, \1;\n",
        0,
    ),
    "a stage is not released": (RELEASE, "", 0),
    "stages are filled before they are released": (TRY_WAIT, "", 1),
}
"""The same, seen where stages are filled again."""


@cache
def compiled() -> Lowered:
    """The kernel without a bug."""
    return lower(tools.parse(CASE.text_path.read_text()), "sm_100a")


def launch(kernel: Lowered, problem: Sizes) -> None:
    """In two orders of warps: races in tensor memory show in what is computed alone."""
    run(CASE, kernel, problem, GRID, late=True, races=True)
    run(CASE, kernel, problem, GRID, late=True, warp_seed=1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("problem", [PROBLEM, LONG], ids=str)
def test_the_kernel_is_right(problem: Sizes):
    launch(compiled(), problem)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", [*BUGS, *LONG_BUGS])
def test_bug_is_seen(name: str):
    pattern, instead, number = (BUGS | LONG_BUGS)[name]
    ptx = compiled().ptx
    match = list(re.finditer(pattern, ptx))[number]
    changed = ptx[: match.start()] + match.expand(instead) + ptx[match.end() :]
    assert changed != ptx
    with pytest.raises((EmulatorError, AssertionError)):
        launch(replace(compiled(), ptx=changed), LONG if name in LONG_BUGS else PROBLEM)
