"""Kernels whose tile blocks several thread blocks carry out: products and attention in clusters."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation

from bench.clusters import loaded_bytes
from bench.matrix_kernels import CASES
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.analysis.allocation import shared_memory_allocation as shared_memory
from tileir_xdsl.analysis.allocation.lifetimes import BufferLifetimes, Lifetime
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.testing.kernels.case import Argument, Problem
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_materialize_schedule import TileASMaterializeSchedulePass

MULTICAST = re.compile(r"cp\.async\.bulk\.tensor\.\S*multicast::cluster[^\n]*")

MODES: tuple[dict[str, Any], ...] = (
    {"late": True, "races": True},
    {"late": True, "races": True, "warp_seed": 1},
)


def text(name: str, ctas: int) -> str:
    """A kernel with the hint that asks for a cluster."""
    hints = f"default = {{num_cta_in_cga = {ctas}}}"
    return CASES[name].text_path.read_text().replace("default = {}", hints)


@cache
def lowered(name: str, ctas: int, gpu: str = "sm_90a") -> Lowered:
    return lower(tools.parse(text(name, ctas)), gpu)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("name", "ctas", "multicasts", "problem"),
    [
        ("product_128x128x64", 2, 1, (104, 160, 656)),
        ("product_128x256x64", 4, 2, (104, 176, 656)),
        ("attention_128x128x128", 2, 2, (1, 400)),
    ],
    ids=str,
)
@pytest.mark.parametrize("gpu", ("sm_90a", "sm_100a"))
def test_kernels(name: str, ctas: int, multicasts: int, problem: Problem, gpu: str):
    """Sizes are ragged, so that CTAs see different parts outside; there are more steps than stages."""
    case, kernel = CASES[name], lowered(name, ctas, gpu)
    assert f".reqnctapercluster {ctas}, 1, 1\n.blocksareclusters" in kernel.ptx
    assert len(MULTICAST.findall(kernel.ptx)) == multicasts
    # No CTA ends while others arrive at its barriers.
    assert re.search(r"barrier\.cluster\.arrive;\n\tbarrier\.cluster\.wait;\n\tret;", kernel.ptx)
    run(case, kernel, problem, case.grid(problem), **MODES[0])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ("product_128x256x64", "attention_128x128x128_causal"))
def test_warps_in_any_order(name: str):
    case, kernel = CASES[name], lowered(name, 2)
    run(case, kernel, case.typical, case.grid(case.typical), **MODES[1])


def of_one_agent(program: str) -> Lowered:
    """Warps that compute start the loads, too, stages ahead of themselves and of other CTAs."""
    module, context = tools.parse(program), tools.context()
    for module_pass in passes("sm_90a"):
        if isinstance(module_pass, TileASMaterializeSchedulePass):
            module_pass = replace(module_pass, pipeline_strategy="unspecialize")
        module_pass.apply(context, module)
    return Lowered(module, emit(module, "sm_90a"))


def test_one_agent():
    case = CASES["product_128x256x64"]
    kernel = of_one_agent(text(case.name, 4))
    assert "setmaxnreg" not in kernel.ptx and MULTICAST.search(kernel.ptx)
    run(case, kernel, (104, 176, 656), (1, 1, 1), **MODES[0])


EARLIER = """
    %rows = iota : tile<128xi32>
    %one_scale = reshape %arg1 : tile<i32> -> tile<1xi32>
    %scale = broadcast %one_scale : tile<1xi32> -> tile<128xi32>
    %scaled = muli %rows, %scale : tile<128xi32>
    %column = reshape %scaled : tile<128xi32> -> tile<128x1xi32>
    %columns = broadcast %column : tile<128x1xi32> -> tile<128x256xi32>
    %least = reduce %columns dim=0 identities=[2147483647 : i32] : tile<128x256xi32> -> tile<256xi32>
    (%first : tile<i32>, %second : tile<i32>) {
      %less = mini %first, %second signed : tile<i32>
      yield %less : tile<i32>
    }
    %zeros = itof %least signed : tile<256xi32> -> tile<256xf32>
    %row = reshape %zeros : tile<256xf32> -> tile<1x256xf32>
    %start = broadcast %row : tile<1x256xf32> -> tile<128x256xf32>
    %for ="""
"""Zeros, which threads exchange through shared memory before the loop of a product."""


def test_stages_that_other_ctas_fill_before_the_loop(monkeypatch: pytest.MonkeyPatch):
    """A CTA that is early fills the stages of one that still uses its scratch memory."""
    case, problem = CASES["product_128x256x64"], (104, 176, 656)
    program = text(case.name, 4).replace("    %for =", EARLIER)
    program = program.replace("%iterArg0 = %cst_0_f32", "%iterArg0 = %start")
    for mode in MODES:
        run(case, of_one_agent(program), problem, case.grid(problem), **mode)

    def as_it_is(_lifetimes: BufferLifetimes, lifetime: Lifetime) -> Lifetime:
        return lifetime

    monkeypatch.setattr(BufferLifetimes, "since_start", as_it_is)
    kernel = of_one_agent(program)
    with pytest.raises(EmulatorError, match=r"race: this write of shared address .* st\.shared"):
        run(case, kernel, problem, case.grid(problem), races=True)


def test_without_shared_memory_that_is_free_from_the_start(monkeypatch: pytest.MonkeyPatch):
    """Each CTA loads all parts itself."""

    def none(_function: Operation) -> frozenset[Operation]:
        return frozenset()

    monkeypatch.setattr(shared_memory, "shared_pipelines", none)
    case = CASES["product_128x256x64"]
    kernel = lower(tools.parse(text(case.name, 4)), "sm_90a")
    assert not re.search(r"multicast|mapa|barrier\.cluster", kernel.ptx)
    run(case, kernel, (104, 176, 656), (1, 1, 1), **MODES[0])


def of_half(case: KernelCase, folder: Path) -> KernelCase:
    """A product of float16 matrices."""

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
        return [a, b, np.zeros((m, n), np.float16)]

    made = replace(case, arguments=arguments, folder=folder)
    made.text_path.write_text(text(case.name, 2).replace("bf16", "f16"))
    return made


def test_half_precision(tmp_path: Path):
    case = of_half(CASES["product_128x128x64"], tmp_path)
    kernel = lower(tools.parse(case.text_path.read_text()), "sm_90a")
    run(case, kernel, (136, 80, 208), (2, 1, 1), **MODES[0])


@pytest.mark.parametrize(
    ("name", "ctas"), [("product_128x256x64", 4), ("attention_128x128x128", 2)]
)
def test_assembler_has_nothing_to_say(name: str, ctas: int):
    report = assemble(lowered(name, ctas).ptx, "sm_90a")
    assert not re.search(r"C75\d\d|[1-9]\d* bytes spill", report)


def test_targets_without_multicast_have_no_clusters():
    ptx = lowered("product_128x128x64", 2, "sm_120a").ptx
    assert not re.search(r"percluster|blocksareclusters|multicast|mapa|barrier\.cluster", ptx)


def test_bytes_are_loaded_once_in_a_cluster():
    """Four CTAs of 64 x 128 load what one of 128 x 256 does, and not three quarters more."""
    whole, part = (loaded_bytes(text("product_128x256x64", ctas)) for ctas in (1, 4))
    assert whole == (128 + 256) * 64 * 2
    assert 4 * part == whole
    whole, part = (loaded_bytes(text("attention_128x128x128", ctas)) for ctas in (1, 2))
    assert 2 * part == whole


BUGS: dict[str, tuple[str, str]] = {
    "a stage is released to the own CTA alone": (
        r"mapa\.shared::cluster\.u32 (%r\d+), (%r\d+), %r\d+;",
        r"mov.u32 \1, \2;",
    ),
    "a stage is refilled when one CTA has released it": (r"(mbarrier\.init[^\n]*), 8;", r"\1, 4;"),
    "a stage waits for more than all CTAs": (r"(mbarrier\.init[^\n]*), 8;", r"\1, 9;"),
    "a copy leaves out a CTA": (r"(multicast::cluster[^\n]*), 3;", r"\1, 1;"),
    "only the own part is expected": (r"(expect_tx[^\n]*), 24576;", r"\1, 16384;"),
    "both CTAs load the same part": (r"%cluster_ctarank;", "1;"),
    "CTAs do not wait for each other's barriers": (
        r"\tbarrier\.cluster\.arrive;\n\tbarrier\.cluster\.wait;\n(?=(.|\n)*barrier\.cluster)",
        "\tbar.sync 0;\n",
    ),
}
"""What is replaced in the PTX of a kernel that is right, and by what."""

STEPS, GRID = (128, 128, 1024), (1, 1, 1)
"""More steps than stages."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bug", BUGS)
def test_bugs_are_seen(bug: str):
    case, kernel = CASES["product_128x128x64"], lowered("product_128x128x64", 2)
    pattern, replacement = BUGS[bug]
    ptx, count = re.subn(pattern, replacement, kernel.ptx)
    assert count
    seen = False
    for mode in MODES:
        try:
            run(case, replace(kernel, ptx=ptx), STEPS, GRID, **mode)
        except (AssertionError, EmulatorError):
            seen = True
            break
    assert seen
