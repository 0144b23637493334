"""Softmax runs beside products of attention: in the schedule, in PTX and in machine code."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from xdsl.passes import ModulePass

from bench.matrix_kernels import CASES, attention_case
from bench.matrix_units import with_warps
from tests.unit.road.zoo import Lowered, lower, run
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_generate_schedule import TileASGenerateSchedulePass
from tileir_xdsl.transforms.tileas_materialize_async import TileASMaterializeAsyncPass
from tileir_xdsl.transforms.tileas_materialize_schedule import TileASMaterializeSchedulePass

GPU = "sm_90a"
"""Where products of warpgroups are."""
CASE = CASES["attention_128x128x128"]
EXPONENTIALS = 128 * 128 // 256
"""Of the scores of a thread."""
LATE = "wgmma.wait_group.sync.aligned 0;"
EARLY = "wgmma.wait_group.sync.aligned 1;"


@cache
def kernel() -> Lowered:
    return lower(tools.parse(CASE.text_path.read_text()), GPU)


def between_waits(lines: list[str], first: str, second: str) -> list[str]:
    """The lines from a wait that leaves a product on its way to the next one that does not."""
    (start,) = (number for number, line in enumerate(lines) if first in line)
    end = next(number for number in range(start, len(lines)) if second in lines[number])
    return lines[start:end]


def after(last: type[ModulePass]) -> str:
    """The IR behind a pass."""
    module, context = tools.parse(CASE.text_path.read_text()), tools.context()
    for module_pass in passes(GPU):
        module_pass.apply(context, module)
        if isinstance(module_pass, last):
            break
    return str(module)


def test_the_schedule():
    tools.check(
        after(TileASGenerateSchedulePass),
        """
        // CHECK: scf.for
        // CHECK: produce_one_async {{.*}}nv_tile.aws.stage = 0 : i32
        // CHECK: consumer_wait {{.*}}iter_offset = 1 : i32, nv_tile.aws.stage = 0 : i32
        // CHECK: async.dot {{.*}}iter_offset = 1 : i32, nv_tile.aws.stage = 0 : i32
        // CHECK: future_wait {{.*}}{nv_tile.aws.stage = 1 : i32
        // CHECK: exp2 {{.*}}{nv_tile.aws.stage = 1 : i32
        // CHECK: async.dot {{.*}}nv_tile.aws.stage = 1 : i32
        // CHECK: future_wait {{.*}}{iter_offset = -1 : i32, nv_tile.aws.stage = 2 : i32
        // CHECK: consumer_release {{.*}}{iter_offset = -1 : i32, nv_tile.aws.stage = 2 : i32
        """,
    )


def test_the_loop():
    tools.check(
        after(TileASMaterializeSchedulePass),
        """
        // CHECK: scf.if
        // CHECK: async.dot
        // CHECK: %[[SCORES:.*]] = nv_tileas.async.future_wait
        // CHECK: async.to_async %[[SCORES]]
        // CHECK: scf.while
        // CHECK: future_wait
        // CHECK: consumer_release
        // CHECK: exp2
        // CHECK: consumer_wait
        // CHECK: future_wait
        // CHECK: consumer_release
        // CHECK: fp_to_fp
        // CHECK: scf.condition
        // CHECK: consumer_wait
        // CHECK: async.dot
        // CHECK: async.dot
        // CHECK: scf.yield
        // CHECK: async.dot
        // CHECK: future_wait
        // CHECK: consumer_release
        // CHECK: scf.yield
        // CHECK: divf
        // CHECK: produce_one_async
        """,
    )


IN_LOOP = 8
"""Powers of an iteration of the loop that computes subnormal ones."""


def test_softmax_is_between_the_waits():
    lines = kernel().ptx.splitlines()
    beside = between_waits(lines, EARLY, LATE)
    # And one for each of two rows, by which sums so far change, and those of the loop for rows
    # with subnormal powers.
    assert sum("ex2.approx" in line for line in beside) == EXPONENTIALS + 2 + IN_LOOP
    # The warps stand in a wait for a stage, so that the assembler does not move the last wait up.
    assert any("mbarrier.try_wait" in line for line in beside)


def test_the_assembler_keeps_the_order(tmp_path: Path):
    assembly = assemble(kernel().ptx, GPU, "-O3", "-v")
    assert "0 bytes spill stores" in assembly.report and "C75" not in assembly.report
    cubin = tmp_path / "kernel.cubin"
    cubin.write_bytes(assembly.cubin)
    command = [tools.nvdisasm_path(), "-c", str(cubin)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = listing.splitlines()
    beside = between_waits(lines, "DEPBAR.LE gsb0, 0x1", "DEPBAR.LE gsb0, 0x0")
    assert sum("MUFU.EX2" in line for line in beside) >= EXPONENTIALS - 4
    assert not any("HGMMA" in line for line in beside)


REPORTED = (
    "dots alongside other ops: 3021 cycles of an iteration instead of 4109, 172 of 192 registers"
)


@pytest.mark.parametrize("warps", (8, 4))
def test_registers(warps: int, tmp_path: Path):
    """Four warps would have twice the scores and sums in each thread: they take slices of rows."""
    module, context = tools.parse(with_warps(CASE, warps)), tools.context()
    report = tmp_path / "report.txt"
    for module_pass in passes(GPU):
        if isinstance(module_pass, TileASGenerateSchedulePass):
            replace(module_pass, explain=str(report)).apply(context, module)
            break
        module_pass.apply(context, module)
    assert (REPORTED in report.read_text()) == (warps == 8)
    assert ("nv_tileas.slices" in str(module)) == (warps == 4)
    assert ("iter_offset" in str(module)) == (warps == 8)


def bugs() -> Iterator[tuple[str, str, str]]:
    """What is changed in the loop, to what: each is a product that is not waited for."""
    yield "scores are read too early", EARLY, EARLY.replace("1;", "2;")
    yield "sums are changed too early", LATE, LATE.replace("0;", "2;")


@pytest.mark.parametrize(("right", "wrong"), [b[1:] for b in bugs()], ids=[b[0] for b in bugs()])
def test_bugs_are_seen(right: str, wrong: str):
    ptx = kernel().ptx
    start = ptx.index(EARLY)
    changed = ptx[:start] + ptx[start:].replace(right, wrong, 1)
    broken = replace(kernel(), ptx=changed)
    with pytest.raises(AssertionError):
        run(CASE, broken, CASE.typical, CASE.grid(CASE.typical), late=True)


def test_lengths(tmp_path: Path):
    """A loop that runs once, twice and more often than there are stages; warps in any order."""
    case = replace(attention_case(64, 64, 64, causal=True), folder=tmp_path)
    module, context = tools.parse(text(case)), tools.context()
    case.text_path.write_text(str(module))
    for module_pass in passes(GPU):
        if isinstance(module_pass, TileASMaterializeAsyncPass):
            module_pass = replace(module_pass, num_stages=2)
        module_pass.apply(context, module)
    lowered = Lowered(module, emit(module))
    assert EARLY in lowered.ptx
    for seed, length in enumerate((16, 128, 272)):
        problem = (1, length)
        run(case, lowered, problem, case.grid(problem), late=True, races=True, warp_seed=seed)
