"""Bugs of synchronisation put into the PTX of a compiled kernel: a mode of the emulator sees each.

A bug is a change of the text. Without it the kernel is right in all modes.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from bench.matrix_kernels import CASES
from tests.unit.road.zoo import Lowered, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass

CASE = CASES["product_128x128x64"]
PROBLEM, GRID = (128, 128, 448), (1, 1, 1)
"""One block, and more steps than stages."""

MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
)

TRY_WAIT = r"(\$M\d+:\n\tmbarrier\.try_wait\.parity[^\n]*\n\t@!%p\d+ bra \$M\d+;\n)"

BUGS: dict[str, tuple[str, str]] = {
    "barriers are not initialised": (r"\tmbarrier\.init[^\n]*\n", ""),
    "initialised barriers are not published": (r"\tbar\.sync 0;\n", ""),
    "full stages expect an arrival too many": (r"(mbarrier\.init[^\n]*), 1;", r"\1, 2;"),
    "one warp may release a stage": (r"(mbarrier\.init[^\n]*), 8;", r"\1, 1;"),
    "empty stages expect an arrival too many": (r"(mbarrier\.init[^\n]*), 8;", r"\1, 9;"),
    "full stages are not waited for": (TRY_WAIT, ""),
    "empty stages are not waited for": (TRY_WAIT, ""),
    "full stages are waited for in the wrong phase": (
        r"(mbarrier\.try_wait\.parity\.shared::cta\.b64 %p\d+, \[[^\]]*\]), (%r\d+), ",
        r"\1, %r0, ",
    ),
    "too few bytes are expected": (r"(expect_tx[^\n]*), 32768;", r"\1, 16384;"),
    "too many bytes are expected": (r"(expect_tx[^\n]*), 32768;", r"\1, 49152;"),
    "no bytes are expected": (
        r"mbarrier\.arrive\.expect_tx(\.shared::cta\.b64 _, \[[^\]]*\]), 32768;",
        r"mbarrier.arrive\1;",
    ),
    "nobody arrives for the bytes": (r"\tmbarrier\.arrive\.expect_tx[^\n]*\n", ""),
    "stages are never released": (r"\t@%p\d+ mbarrier\.arrive\.shared[^\n]*\n", ""),
    "a copy is left out": (r"\tcp\.async\.bulk\.tensor\.2d\.shared::cluster[^\n]*\n", ""),
    "a copy tells another barrier": (
        r"(cp\.async\.bulk\.tensor\.2d\.shared::cluster[^\n]*\[%r\d+\+\d+)(\]);",
        r"\g<1>8\2;",
    ),
    "products begin without a fence": (r"\twgmma\.fence[^\n]*\n", ""),
    "products are not committed": (r"\twgmma\.commit_group[^\n]*\n", ""),
    "too many products stay pending": (
        r"wgmma\.wait_group\.sync\.aligned 1;",
        "wgmma.wait_group.sync.aligned 3;",
    ),
    "products are not waited for in the loop": (r"\twgmma\.wait_group\.sync\.aligned 1;\n", ""),
    "products are not waited for at the end": (r"\twgmma\.wait_group\.sync\.aligned 0;\n", ""),
    "the staged result is not made known": (r"\tfence\.proxy\.async\.shared::cta;\n", ""),
    "the result is copied before it is staged": (
        r"(\tfence\.proxy\.async\.shared::cta;\n)\tbar\.sync 1, 256;\n",
        r"\1",
    ),
    "a barrier of an agent waits for another warp": (
        r"\tbar\.sync 1, 256;\n",
        "\tbar.sync 1, 288;\n",
    ),
}
"""What is replaced, all of it or the first or the last, and by what."""

ONLY: dict[str, int] = {
    "full stages are not waited for": 0,
    "empty stages are not waited for": 1,
    "full stages are waited for in the wrong phase": 0,
    "a copy is left out": 0,
    "a copy tells another barrier": 0,
}
"""Which of the places is changed, where not all are."""


@cache
def compiled() -> Lowered:
    """The kernel with three stages."""
    module = tools.parse(CASE.text_path.read_text())
    context = tools.context()
    for module_pass in passes("sm_90a"):
        if isinstance(module_pass, TileASMaterializeAsyncPass):
            module_pass = replace(module_pass, num_stages=3)
        module_pass.apply(context, module)
    return Lowered(module, emit(module))


def with_bug(ptx: str, name: str) -> str:
    """The text with a bug."""
    pattern, instead = BUGS[name]
    matches = list(re.finditer(pattern, ptx))
    assert matches, f"nothing to change for: {name}"
    if name in ONLY:
        match = matches[ONLY[name]]
        return ptx[: match.start()] + match.expand(instead) + ptx[match.end() :]
    return re.sub(pattern, instead, ptx)


@pytest.mark.parametrize("modes", MODES, ids=str)
def test_the_kernel_is_right(modes: dict[str, Any]):
    run(CASE, compiled(), PROBLEM, GRID, **modes)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", BUGS)
def test_bug_is_seen(name: str):
    kernel = replace(compiled(), ptx=with_bug(compiled().ptx, name))
    with pytest.raises((EmulatorError, AssertionError)):
        for modes in MODES:
            run(CASE, kernel, PROBLEM, GRID, **modes)
