"""Attention whose warpgroups issue their dots in ping-pong: right, with bugs that are seen.

A bug is a change of the text, as in `test_seeded_bugs`.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.matrix_kernels import CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.attention_forms import (
    RACES,
    attention_of,
    forms,
    lengths,
    small_attention,
)
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools

GPU = "sm_90a"

ARRIVE, SYNC = (rf"\tbar\.{op} (%r\d+), 256;\n" for op in ("arrive", "sync"))
FIRST = r"\tbar\.arrive 3, 256;\n"
"""What lets the first warpgroup begin."""


@cache
def compiled(folder: Path, *, causal: bool) -> Lowered:
    case = small_attention(folder, causal=causal)
    return lower(tools.parse(case.text_path.read_text()), GPU)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


def launch(lowered: Lowered, folder: Path, length: int, mode: dict[str, Any], causal: bool) -> None:
    case = small_attention(folder, causal=causal)
    problem = (1, length)
    run(case, lowered, problem, case.grid(problem), **mode)


def test_the_assembler_is_content():
    case = CASES["attention_128x128x128"]
    ptx = lower(tools.parse(case.text_path.read_text()), GPU).ptx
    # A phase in the loop, of two dots, one before it and one after it.
    assert len(re.findall(ARRIVE, ptx)) == len(re.findall(SYNC, ptx)) == 3
    report = assemble(ptx, GPU)
    assert re.search(r"\b0 bytes spill stores", report)
    assert not re.search(r"C75\d\d", report)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("length", "seed", "causal"), lengths(400))
def test_lengths(length: int, seed: int | None, causal: bool, folder: Path):
    """A loop that runs once, twice, and more often than there are stages."""
    launch(compiled(folder, causal=causal), folder, length, {**RACES, "warp_seed": seed}, causal)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("form", forms(32))
def test_forms(form: dict[str, Any], tmp_path: Path):
    """The last keys are missing."""
    case = attention_of(form, tmp_path)
    lowered = lower(tools.parse(case.text_path.read_text()), GPU)
    assert re.search(ARRIVE, lowered.ptx)
    run(case, lowered, case.typical, case.grid(case.typical), late=True, races=True)


BUGS: dict[str, tuple[str, str, int | None]] = {
    "no warpgroup gets the first phase": (FIRST, "", None),
    "all warpgroups get the first phase": (
        r"\t@!%p\d+ bra \$L\d+;\n" + FIRST,
        "\tbar.arrive 3, 256;\n",
        None,
    ),
    "a mutex is not released": (ARRIVE, "", 1),
    "the mutex is not released in the first phase": (ARRIVE, "", 0),
    "a mutex is released at another barrier": (ARRIVE, r"\tbar.arrive 5, 256;\n", 1),
    "a mutex is released to the first warpgroup": (ARRIVE, r"\tbar.arrive 3, 256;\n", 1),
    "a phase is waited for twice": (SYNC, r"\tbar.sync \1, 256;\n\tbar.sync \1, 256;\n", 1),
    "one warpgroup waits for the phase of the other": (SYNC, r"\tbar.sync 3, 256;\n", 1),
    "the releasing warpgroup counts another warp": (ARRIVE, r"\tbar.arrive \1, 288;\n", 1),
    "the waiting warpgroup counts another warpgroup": (SYNC, r"\tbar.sync \1, 384;\n", 1),
    "one warpgroup may release a stage": (r"(mbarrier\.init[^\n]*), 8;", r"\1, 4;", None),
    "stages are released before their dots are done": (
        r"\twgmma\.wait_group\.sync\.aligned 0;\n",
        "\twgmma.wait_group.sync.aligned 1;\n",
        1,
    ),
    "scores are read before they are available": (
        r"\twgmma\.wait_group\.sync\.aligned 1;\n",
        "\twgmma.wait_group.sync.aligned 2;\n",
        0,
    ),
}
"""What is replaced, in which of its places or in all, and by what."""

MODES: tuple[dict[str, Any], ...] = (RACES, {**RACES, "warp_seed": 1})


@pytest.mark.one_in(5)
@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_seen(bug: str, folder: Path):
    pattern, instead, place = BUGS[bug]
    kernel = compiled(folder, causal=False)
    found = list(re.finditer(pattern, kernel.ptx))
    ptx = kernel.ptx
    for match in reversed(found if place is None else [found[place]]):
        ptx = ptx[: match.start()] + match.expand(instead) + ptx[match.end() :]
    assert ptx != kernel.ptx
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in MODES:
            launch(replace(kernel, ptx=ptx), folder, 528, mode, False)
