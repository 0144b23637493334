"""Clusters that take over clusters which have not started, down to PTX, and bugs put into it."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.clusters import with_ctas
from bench.matrix_kernels import matmul_case
from bench.variants import CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.seeded import SeededKernel, with_barriers
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.case import KernelCase, Problem
from tileir_xdsl.testing.kernels.generate import text

GPU = "sm_100a"

MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
)

REQUEST = "clusterlaunchcontrol.try_cancel"
TO_ALL = f"{REQUEST}.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all"
READ = "clusterlaunchcontrol.query_cancel.is_canceled"


def persistent(case: KernelCase, ctas: int, folder: Path) -> tuple[KernelCase, Lowered]:
    """A kernel of clusters, with its text in a folder, and what is made of it."""
    written = replace(case, folder=folder)
    written.text_path.write_text(text(written))
    program = with_ctas(written, ctas)
    written.text_path.write_text(program)
    return written, lower(tools.parse(program), GPU, dynamic_persistent=True)


KERNELS: Mapping[str, tuple[KernelCase, int, int, Problem]] = {
    "pairs that multiply together": (matmul_case(256, 128, 64), 2, 3, (700, 240, 144)),
    "each with an agent of MMAs": (matmul_case(256, 64, 64), 2, 3, (700, 112, 80)),
    "two pairs": (matmul_case(512, 128, 64), 4, 3, (700, 240, 80)),
    "agents that load and compute": (CASES["attention_64"], 2, 2, (176, 0, 0)),
    "one agent": (CASES["unaligned"], 2, 1, (131, 133, 67)),
}
"""Kernels, their CTAs, how many agents read answers, and problems."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KERNELS)
def test_clusters(name: str, tmp_path: Path):
    case, ctas, readers, problem = KERNELS[name]
    case, kernel = persistent(case, ctas, tmp_path)
    assert kernel.ptx.count(REQUEST) == kernel.ptx.count(TO_ALL) == 1
    assert kernel.ptx.count(READ) == readers
    report = assemble(kernel.ptx, GPU)
    assert "C75" not in report
    grid = case.grid(problem)
    for mode in MODES:
        launched = run(case, kernel, problem, grid, **mode)
        assert launched.canceled_blocks % ctas == 0
        assert launched.canceled_blocks or "warp_seed" in mode


PROBLEM, GRID = (1000, 112, 144), (4, 1, 1)
"""Four tiles of a pair."""

ARRIVALS = 19
"""Eight warps of the epilogue and one that loads in each CTA, and that of the MMAs in the first."""

LOOP = r"\$[ML]\d+:\n\tmbarrier\.try_wait[^\n]*\+{}\][^\n]*\n\t@!?%p\d+ bra \$[ML]\d+;\n"

BUGS: dict[str, tuple[str, str]] = {
    "each CTA asks for both": (r"\t@%p\d+ (clusterlaunchcontrol\.try_cancel)", r"\t\1"),
    "one CTA hears of the answer": (r"(try_cancel.*)\.multicast::cluster::all", r"\1"),
    "no CTA asks": (r"\t@%p\d+ clusterlaunchcontrol\.try_cancel[^\n]*\n", ""),
    "a request waits for one CTA": (r"(init[^\n]*\+EMPTY\]), 19;", r"\1, 10;"),
    "a request waits for all warps but one": (r"(init[^\n]*\+EMPTY\]), 19;", r"\1, 18;"),
    "a request waits for one more warp": (r"(init[^\n]*\+EMPTY\]), 19;", r"\1, 20;"),
    "an answer is not expected": (r"(expect_tx[^\n]*\+FULL\]), 16;", r"\1, 0;"),
    "answers are not waited for": (LOOP.format("FULL"), ""),
    "tile blocks are numbered by CTAs": (
        r"(get_first_ctaid::x[^\n]*\n(?:[^\n]*\n)??)\tshr\.u32 (%r\d+), (%r\d+), 1;",
        r"\1\tmov.b32 \2, \3;",
    ),
}
"""What is replaced, and by what."""


@cache
def seeded() -> SeededKernel:
    """The kernel of pairs without a bug."""
    case = matmul_case(256, 128, 64)
    program = with_ctas(case, 2)
    kernel = lower(tools.parse(program), GPU, dynamic_persistent=True)
    return SeededKernel(case, program, kernel, PROBLEM, GRID)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_seen(bug: str, tmp_path: Path):
    correct = seeded().kernel.ptx
    pattern, instead = with_barriers(BUGS[bug], correct, ARRIVALS)
    ptx, count = re.subn(pattern, instead, correct)
    assert count
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in MODES:
            seeded().launch(ptx, tmp_path, mode)
