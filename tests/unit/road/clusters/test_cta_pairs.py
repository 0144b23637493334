"""Products that two thread blocks of a cluster multiply together, by `tcgen05.mma` of a pair."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr

from bench.clusters import with_ctas
from bench.matrix_kernels import CASES, matmul_case, persistent_matmul_case
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.clusters import pair_kernels
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.testing.kernels.case import Problem

GPU = "sm_100a"
LATE: dict[str, Any] = {"late": True, "races": True}

PAIRS = re.compile(r"tcgen05\.mma\.cta_group::2\.")
MULTICAST = re.compile(r"cp\.async\.bulk\.tensor\.\S*multicast::cluster")


def compiled(case: KernelCase, ctas: int) -> tuple[str, Lowered]:
    """A program that asks for clusters, and what becomes of it."""
    program = with_ctas(case, ctas)
    return program, lowered(program)


@cache
def lowered(program: str) -> Lowered:
    return lower(tools.parse(program), GPU)


def launch(case: KernelCase, ctas: int, problem: Problem, folder: Path, **mode: Any) -> Lowered:
    """Runs a kernel in clusters against numpy."""
    program, kernel = compiled(case, ctas)
    written = replace(case, folder=folder)
    written.text_path.write_text(program)
    run(written, kernel, problem, case.grid(problem), **mode)
    return kernel


def ragged(rows: int, columns: int, seed: int) -> Problem:
    """Sizes that end within tiles: of the second CTA's, if not of the first one's."""
    draw = np.random.default_rng(seed)
    m, n, k = (16 * int(draw.integers(1, most // 16)) for most in (rows, columns, 64))
    return m + rows * int(draw.integers(2)), n, k + 64 * int(draw.integers(1, 10))


@pytest.mark.parametrize(
    ("shape", "ctas", "multicasts"),
    [
        ((256, 128, 64), 2, 0),
        ((256, 256, 64), 4, 1),
        pytest.param((512, 128, 64), 4, 1, marks=pytest.mark.soak),
        pytest.param((256, 256, 128), 2, 0, marks=pytest.mark.soak),
        pytest.param((512, 256, 64), 8, 2, marks=pytest.mark.soak),
    ],
    ids=str,
)
def test_products(shape: tuple[int, int, int], ctas: int, multicasts: int, tmp_path: Path):
    """Of 2 x 2 CTAs those beside each other share rows, of 4 x 1 pairs share columns."""
    case = matmul_case(*shape)
    kernel = launch(case, ctas, ragged(*shape[:2], sum(shape) + ctas), tmp_path, **LATE)
    assert len(PAIRS.findall(kernel.ptx)) == 4
    assert "cta_group::1" not in kernel.ptx
    assert len(MULTICAST.findall(kernel.ptx)) == multicasts
    assert not re.search(r"C75\d\d|[1-9]\d* bytes spill", assemble(kernel.ptx, GPU))


def test_accumulators_that_begin_again(tmp_path: Path):
    """Threads of both CTAs have read a tile before the first one overwrites it."""
    case = persistent_matmul_case(256, 128, 64)
    kernel = launch(case, 2, (272, 144, 208), tmp_path, **LATE)
    assert PAIRS.search(kernel.ptx)
    assert not re.search(r"C75\d\d|[1-9]\d* bytes spill", assemble(kernel.ptx, GPU))


@pytest.mark.parametrize("name", pair_kernels.CASES)
def test_other_products(name: str, tmp_path: Path):
    """Operands that are transposed, each in a pipeline of its own, and two accumulators."""
    kernel = launch(pair_kernels.CASES[name], 2, (272, 144, 208), tmp_path, **LATE)
    assert PAIRS.search(kernel.ptx)
    assert not re.search(r"C75\d\d|[1-9]\d* bytes spill", assemble(kernel.ptx, GPU))


def remarks_of(kernel: Lowered) -> list[str]:
    found = kernel.module.attributes.get(REMARKS_ATTRIBUTE)
    listed = found.data if isinstance(found, ArrayAttr) else ()
    return [str(each.data["message"]) for each in listed if isinstance(each, DictionaryAttr)]


def test_attention_stays_in_one_cta():
    """Weights come from the threads of each CTA, which the other one would have to wait for."""
    _, kernel = compiled(CASES["attention_128x128x128"], 2)
    assert ".reqnctapercluster 2, 1, 1" in kernel.ptx and not PAIRS.search(kernel.ptx)


def test_a_remark_tells_those_who_ask_for_clusters():
    _, kernel = compiled(CASES["product_128x128x64"], 2)
    (said,) = remarks_of(kernel)
    assert "no MMA of a CTA pair has 128 rows and 128 columns" in said
    _, kernel = compiled(matmul_case(256, 128, 64), 2)
    assert not remarks_of(kernel)
