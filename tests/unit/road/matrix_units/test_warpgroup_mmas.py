"""Attention of 256 rows whose two warpgroups each issue the MMAs of their own 128."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import scf
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from bench.matrix_kernels import TALL_CASES, attention_case
from tests.unit.backend.ptx.harness import assemble
from tests.unit.road.matrix_units.asked_kernels import lowered_as_asked
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.analysis.scheduling.dependences import body_ops
from tileir_xdsl.analysis.scheduling.occupancy import occupancy_of
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.resource_attributes import MMA_SCHEDULE_ATTRIBUTE, STRATEGY_ATTRIBUTE
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.options import UNSPECIALIZE
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.throughput import throughput_of
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KernelCase
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_generate_schedule import TileASGenerateSchedulePass
from tileir_xdsl.transforms.tileas_generate_schedule.forms import (
    AgentThreads,
    FormChoice,
    choose_form,
    has_forms,
)

GPU = "sm_100a"
BY_WARPGROUP = "in_order_by_warpgroup"
RACES = {"late": True, "races": True}
MODES: tuple[dict[str, Any], ...] = (
    RACES,
    *({**RACES, "warp_seed": seed} for seed in (1, 2)),
    # Dots at once, so that one thread may be too early.
    *({"warp_seed": seed} for seed in range(3, 6)),
)

CASES = {
    "short keys": attention_case(256, 64, 64, causal=False),
    "long keys": attention_case(256, 128, 64, causal=False),
    "wide heads": attention_case(256, 64, 128, causal=True),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@cache
def compiled(
    name: str, folder: Path, asked: str = "", hint: str = ""
) -> tuple[KernelCase, Lowered]:
    """A kernel that asks for something, `attribute = value`, and its PTX."""
    return lowered_as_asked(CASES[name], folder, GPU, asked, hint)


def launch(case: KernelCase, lowered: Lowered, length: int, mode: dict[str, Any]) -> None:
    problem = (1, length)
    run(case, lowered, problem, case.grid(problem), **mode)


def meetings(ptx: str) -> int:
    """How often the threads of a warpgroup alone meet."""
    return len(re.findall(r"bar\.sync %r\d+, 128;", ptx))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", TALL_CASES)
def test_the_assembler_is_content(name: str):
    """Without an operand that threads compute one thread issues for all."""
    ptx = lower(tools.parse(TALL_CASES[name].text_path.read_text()), GPU).ptx
    assert bool(meetings(ptx)) == name.startswith("attention")
    report = assemble(ptx, GPU)
    assert "0 bytes spill stores" in report and not re.search(r"C75\d\d", report)


LENGTHS = ((16, 0), (100, 1), (256, 2), (272, 3), (520, 4), (400, 5))
"""Queries and keys, and how they run."""


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("length", "mode"), LENGTHS)
@pytest.mark.parametrize("name", CASES)
def test_values(name: str, length: int, mode: int, folder: Path):
    case, lowered = compiled(name, folder)
    assert meetings(lowered.ptx)
    launch(case, lowered, length, MODES[mode])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("mode", (0, 1))
@pytest.mark.parametrize("form", ("in_order", "alongside", "in_order_by_warpgroup"))
def test_other_forms(form: str, mode: int, folder: Path):
    """What a kernel asks for is taken, and computes the same."""
    case, lowered = compiled("short keys", folder, f"{MMA_SCHEDULE_ATTRIBUTE} = {form}")
    assert bool(meetings(lowered.ptx)) == form.endswith("by_warpgroup")
    launch(case, lowered, 272, MODES[mode])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mode", (0, 1))
def test_one_agent(mode: int, folder: Path):
    """The warps that compute also load."""
    asked = f"{STRATEGY_ATTRIBUTE} = {UNSPECIALIZE}"
    case, lowered = compiled("short keys", folder, asked)
    assert "setmaxnreg" not in lowered.ptx and meetings(lowered.ptx)
    launch(case, lowered, 272, MODES[mode])


def test_one_warpgroup(folder: Path):
    _, lowered = compiled("short keys", folder, hint="num_worker_warps_per_cta = 4")
    assert not meetings(lowered.ptx)


# The choice.


def report(case: KernelCase, folder: Path, force: str | None = None) -> dict[str, Any]:
    """What the schedule of a kernel says of its loop."""
    module, context = tools.parse(text(replace(case, folder=folder))), tools.context()
    file = folder / "report.json"
    for module_pass in passes(GPU):
        if isinstance(module_pass, TileASGenerateSchedulePass):
            replace(module_pass, explain=str(file), force=force).apply(context, module)
            break
        module_pass.apply(context, module)
    (facts,) = json.loads(file.read_text())["functions"][case.name]
    return facts


def test_the_report(folder: Path):
    """Softmax of one warpgroup takes the time of the MMAs of the other."""
    facts = report(CASES["long keys"], folder)
    costs = facts["costs"]
    assert facts["strategy"] == BY_WARPGROUP
    assert costs[BY_WARPGROUP] < 0.7 * costs["in_order"]
    assert "in_order_ping_pong" in facts["pruned"]


@pytest.mark.parametrize("name", ("long keys", "wide heads"))
def test_the_correction_stays_where_it_is(name: str, folder: Path):
    """An agent of its own would save less than one cycle of 16, even if what it does were free."""
    facts = report(CASES[name], folder)
    said = re.match(
        r"at best (\d+) cycles .* instead of (\d+)", facts["correction by another agent"]
    )
    assert said is not None
    correction, interval = map(int, said.groups())
    assert interval == facts["costs"][facts["strategy"]]
    assert (1 - 1 / 16) * interval < correction


def test_what_cannot_be(folder: Path):
    case = attention_case(128, 64, 64, causal=False)
    facts = report(case, folder)
    reason = "a dot has no 128 rows for each of 2 warpgroups"
    assert facts["pruned"][BY_WARPGROUP] == reason
    number = re.match(r"#\d+", facts["op"])
    assert number is not None
    with pytest.raises(PassFailedException, match=reason):
        report(case, folder, f"{number[0]}={BY_WARPGROUP}")


def unscheduled_loop() -> scf.ForOp:
    """The loop of a kernel as it is before its ops are scheduled."""
    module, context = tools.parse(text(CASES["short keys"])), tools.context()
    for module_pass in passes(GPU):
        if isinstance(module_pass, TileASGenerateSchedulePass):
            break
        module_pass.apply(context, module)
    (loop,) = (op for op in module.walk() if has_forms(op))
    assert isinstance(loop, scf.ForOp)
    return loop


def choice(loop: scf.ForOp) -> FormChoice:
    threads = AgentThreads(warpgroups=2, registers=200, barrier_latency=20)
    rates = throughput_of(get_target(GPU))
    occupancies = {op: occupancy_of(op, rates) for op in body_ops(loop)}
    return choose_form(loop, occupancies, threads, None)


def test_accumulators_without_a_correction():
    """Another agent has nothing to do for them."""
    loop = unscheduled_loop()
    assert choice(loop).correction is not None
    for op in [op for op in loop.body.block.ops if isinstance(op, nv_tileas.FutureWaitOp)]:
        if op.source.owner is loop.body.block:
            (correction,) = (use.operation for use in op.results[0].uses)
            assert isinstance(correction, nv_tileaa.MulFOp)
            Rewriter.replace_op(correction, (), op.results)
    assert choice(loop).is_by_warpgroup and choice(loop).correction is None


def test_one_thread_issues_where_another_loop_has_dots_too():
    """It issues all dots of a kernel, or each warpgroup issues those of its rows."""
    loop = unscheduled_loop()
    assert choice(loop).is_by_warpgroup
    Rewriter.insert_op(loop.clone(), InsertPoint.after(loop))
    assert not choice(loop).is_by_warpgroup
    assert choice(loop).pruned[BY_WARPGROUP] == "the kernel has dots outside of the loop"


# Seeded bugs.

BUGS = {
    "the threads of a warpgroup do not meet": (r"\tbar\.sync %r\d+, 128;\n", ""),
    "the other warpgroup meets instead": (r"bar\.sync (%r\d+), 128;", r"bar.sync \1, 256;"),
    "one commit releases a stage": (r"(mbarrier\.init[^\n]*), 2;", r"\1, 1;"),
    "both commit at the barrier of the first": (
        r"(tcgen05\.commit[^\n]*)\[%r\d+(\+\d+)\];(?=\n\$L\d+:\n\$L\d+:)",
        r"\1[attention_256x64x64_shared\2];",
    ),
    "warpgroups do not meet before the result is stored": (
        r"\tbar\.sync 1, 256;\n((?:(?!bar\.sync)[\s\S])*?st\.shared\.v4)",
        r"\1",
    ),
    "both have the accumulator of the first": (
        r"add\.s32 (%r\d+), (%r\d+), %r\d+;(?=[^\0]{,80}tcgen05\.mma[^\n]*f16 \[\1\])",
        r"mov.b32 \1, \2;",
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bug", BUGS)
def test_seeded_bugs(bug: str, folder: Path):
    """Each is found by some way to run it."""
    case, lowered = compiled("short keys", folder)
    pattern, by = BUGS[bug]
    wrong = replace(lowered, ptx=re.sub(pattern, by, lowered.ptx))
    assert wrong.ptx != lowered.ptx
    for mode in MODES:
        try:
            launch(case, wrong, 656, mode)
        except (AssertionError, EmulatorError):
            return
    raise ValueError(f"not found: {bug}")
