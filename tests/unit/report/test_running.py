"""What a launch did: counts, waits, a race with both sites, elements of values."""

import json
from dataclasses import replace

import numpy as np
import pytest

from tests.unit.report.explained import MATMUL
from tests.unit.tools import REPOSITORY
from tileir_xdsl import emulator
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import Explained, explain
from tileir_xdsl.report.files import ReportFiles, json_text
from tileir_xdsl.report.running import Launch, race_of, wanted_values
from tileir_xdsl.report.schema import Line, Run, Text
from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.program import Program, load

SOFTMAX = REPOSITORY / "tileir_xdsl" / "samples" / "row_softmax.mlir"


def explained(shown: tuple[str, ...] = ()) -> Explained:
    x = np.linspace(0, 1, 2 * 200, dtype=np.float32).reshape(2, 200)

    def launch(program: Program) -> Launch:
        kernel = program.kernel()
        arguments = [Argument(None, x), Argument(None, np.zeros_like(x))]
        return Launch(kernel.name, (2, 1, 1), bind_arguments(kernel, arguments), shown)

    contents = SOFTMAX.read_bytes()
    return explain(contents, "k.mlir", "sm_90a", Options(), ReportFiles(()), launch=launch)


def run_of(made: Explained) -> Run:
    assert made.report.run is not None
    return made.report.run


def test_counts_are_those_of_warps():
    run = run_of(explained())
    assert run.races == ()
    # Two tile blocks of four warps, with two elements a thread.
    assert run.instructions["ld.global.f32"] == 2 * 4 * 2
    assert list(run.instructions.values()) == sorted(run.instructions.values(), reverse=True)


def test_waits_stand_in_the_ptx():
    made = explained()
    ptx = made.report.ptx
    assert ptx is not None
    waits = run_of(made).barrier_waits
    expected = [n for n, line in enumerate(ptx.lines, 1) if line.text.startswith("\tbar")]
    assert expected and [wait["line"] for wait in waits] == expected
    assert all(wait["executed"] == 2 * 4 and wait["ids"] for wait in waits)


def test_values_of_the_first_tile_block():
    made = explained(("%sum", "%row"))
    row, total = run_of(made).values
    assert (row.shape, total.shape) == ((1, 256), (1,))
    x = np.linspace(0, 1, 2 * 200, dtype=np.float32)[:200]
    assert (
        np.abs(np.asarray(row.values[0][:200]) - x).max() < 1e-6 and row.values[0][200] == -np.inf
    )
    assert np.abs(np.asarray(total.values) - np.exp(x - x.max()).sum()).max() < 1e-3
    (phase,) = (p for p in made.report.phases if p.index == 0)
    (line,) = (line for line in phase.lines or () if line.text.strip().startswith("%sum = "))
    assert total.id == line.spans[0].id
    # Infinity is no number of JSON.
    assert json.loads(json_text(made.report))["run"]["values"][0]["values"][0][200] == "-inf"


def test_a_value_that_is_none():
    program = load(SOFTMAX, "sm_90a").module
    with pytest.raises(InputError, match="--show %nothing: error: the program has no such value"):
        wanted_values(program, ("%nothing",))
    ((value, identity),) = wanted_values(program, ("v0",)).items()
    assert (identity, value.name_hint) == ("v0", "x")


RACY = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 k_param_0)
.reqntid 64, 1, 1
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd0, [k_param_0];
	mov.u32 %r0, %tid.x;
	st.global.u32 [%rd0], %r0;
	ret;
}
"""


def test_a_race_has_both_sites():
    lines = tuple(Line(text, (f"o{n}",)) for n, text in enumerate(RACY.split("\n")))
    ptx = Text("k.ptx", "ptx", lines)
    with pytest.raises(emulator.EmulatorError) as raised:
        emulator.load(RACY).launch("k", (1,), [np.zeros(1, np.uint32)], races=True)
    race = race_of(raised.value, ptx)
    line = RACY.split("\n").index("\tst.global.u32 [%rd0], %r0;") + 1
    assert (race.first.line, race.second.line) == (line, line)
    assert race.first.text == "st.global.u32 [%rd0], %r0;" and race.first.ids == (f"o{line - 1}",)
    assert race.message.startswith("race: ")


def test_a_race_of_two_instructions():
    text = RACY.replace(
        "\tret;", "\tld.global.u32 %r1, [%rd0+4];\n\tst.global.u32 [%rd0+4], %r1;\n\tret;"
    )
    text = text.replace("\tst.global.u32 [%rd0], %r0;\n", "")
    lines = tuple(Line(each) for each in text.split("\n"))
    with pytest.raises(emulator.EmulatorError) as raised:
        emulator.load(text).launch("k", (1,), [np.zeros(2, np.uint32)], races=True)
    race = race_of(raised.value, Text("k.ptx", "ptx", lines))
    assert race.first.text == "ld.global.u32 %r1, [%rd0+4];"
    assert race.second.text == "st.global.u32 [%rd0+4], %r1;"


def test_a_pipelined_kernel_runs():
    a, b = np.ones((64, 64), np.float16), np.ones((64, 64), np.float16)
    c = np.zeros((64, 64), np.float16)

    def launch(program: Program) -> Launch:
        kernel = program.kernel()
        arguments = [Argument(None, each) for each in (a, b, c)]
        return Launch(kernel.name, (1, 1, 1), bind_arguments(kernel, arguments))

    made = explain(
        MATMUL.read_bytes(), "k.mlir", "sm_90a", Options(), ReportFiles(()), launch=launch
    )
    run = run_of(made)
    assert run.races == ()
    assert any(name.startswith("wgmma.mma_async") for name in run.instructions)
    assert any("try_wait" in str(wait["instruction"]) for wait in run.barrier_waits)
    assert replace(made.report, run=None).ptx == made.report.ptx
    # The launch has its own copy.
    assert not c.any()
