"""Dots of more than 128 rows by `tcgen05.mma`: an instruction for each block of 128 rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bench.matrix_kernels import attention_case, matmul_case, persistent_matmul_case
from bench.matrix_kernels import typed_matmul_case as typed
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.matrix_units.asked_kernels import lowered_as_asked
from tests.unit.road.zoo import Lowered, run
from tileir_xdsl.dialects.resource_attributes import MMA_SCHEDULE_ATTRIBUTE
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing.kernels import KernelCase, Problem

GPU = "sm_100a"
RACES = {"late": True, "races": True}
MMA = r"tcgen05\.mma\.cta_group::1\.kind::\w+ \[(%r\d+)\], (\S+), (\S+), "

CASES: dict[str, KernelCase] = {
    "two blocks": matmul_case(256, 64, 64),
    "four blocks": matmul_case(512, 64, 64),
    "bytes": typed("f8", 256, 64, 128),
    "integers": typed("i8", 256, 64, 128),
    "tf32": typed("tf32", 256, 64, 32),
    "persistent": persistent_matmul_case(256, 64, 64),
    "attention": attention_case(256, 128, 64, causal=False),
    "causal attention": attention_case(256, 64, 64, causal=True),
    "wide heads": attention_case(256, 64, 128, causal=True),
}
"""Each with two or four blocks of rows, whose accumulators are side by side in tensor memory."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@cache
def compiled(name: str, folder: Path, hint: str = "") -> tuple[KernelCase, Lowered]:
    """A kernel of 256 or 512 rows, the dots of all of which one thread issues, and its PTX."""
    return lowered_as_asked(CASES[name], folder, GPU, f"{MMA_SCHEDULE_ATTRIBUTE} = in_order", hint)


def launch(case: KernelCase, lowered: Lowered, problem: Problem, **mode: Any) -> None:
    run(case, lowered, problem, case.grid(problem), **mode)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", CASES)
def test_the_assembler_is_content(name: str, folder: Path):
    """Each block of rows has its own columns of D, its rows of A, and the same B."""
    _, lowered = compiled(name, folder)
    assert "mma.sync" not in lowered.ptx
    mmas: Sequence[tuple[str, str, str]] = re.findall(MMA, lowered.ptx)
    accumulators, a, b = (set(part) for part in zip(*mmas, strict=True))
    assert len(accumulators) > 1 and len(a) >= 2 * len(b)
    report = assemble(lowered.ptx, GPU)
    assert "0 bytes spill stores" in report and not re.search(r"C75\d\d", report)


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("name", "seed"), tuple(zip(CASES, range(9), strict=True)))
def test_values(name: str, seed: int, folder: Path):
    case, lowered = compiled(name, folder)
    launch(case, lowered, case.typical, **RACES, warp_seed=seed or None)


LENGTHS = ((100, None), (256, 1), (272, 2), (520, 3), (16, 4))
"""Queries and keys, and the order of warps."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize(("length", "seed"), LENGTHS)
@pytest.mark.parametrize("name", ("attention", "causal attention"))
def test_lengths(name: str, length: int, seed: int | None, folder: Path):
    case, lowered = compiled(name, folder)
    launch(case, lowered, (1, length), **RACES, warp_seed=seed)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ("two blocks", "four blocks", "causal attention"))
def test_one_warpgroup(name: str, folder: Path):
    """Its threads have a row of each block."""
    case, lowered = compiled(name, folder, "num_worker_warps_per_cta = 4")
    assert "tcgen05.mma" in lowered.ptx
    launch(case, lowered, case.typical, **RACES)


def _mutated(ptx: str, number: int) -> str:
    """A kernel whose MMAs of the second block take an operand of those of the first."""
    lines = [line for line in ptx.splitlines() if "tcgen05.mma" in line]
    half = len(lines) // 2
    for one, other in zip(lines[:half], lines[half:], strict=True):
        first, second = re.search(MMA, one), re.search(MMA, other)
        assert first is not None and second is not None
        changed = second[0].replace(second[number], first[number])
        ptx = ptx.replace(other, other.replace(second[0], changed))
    return ptx


@pytest.mark.parametrize("number", (1, 2), ids=("columns of D", "rows of A"))
def test_seeded_bugs(number: int, folder: Path):
    case, lowered = compiled("two blocks", folder)
    wrong = replace(lowered, ptx=_mutated(lowered.ptx, number))
    assert wrong.ptx != lowered.ptx
    with pytest.raises((AssertionError, EmulatorError)):
        launch(case, wrong, case.typical, **RACES)
