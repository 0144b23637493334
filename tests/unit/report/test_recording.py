"""Phases: what changed, what failed, and what is compiled again with other choices."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.test_too_large import PRINT, kernel, leave_two_bytes
from tests.unit.report.explained import MATMUL, SAXPY, report_of
from tests.unit.road.ladder_kernels import matmul
from tileir_xdsl.options import Options
from tileir_xdsl.report.drawn import ChangedDrawings
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.recording import FAILED, Recorder
from tileir_xdsl.report.schema import Line, Status
from tileir_xdsl.runtime.errors import CompileError
from tileir_xdsl.runtime.program import load
from tileir_xdsl.testing.tools import parse, to_text
from tileir_xdsl.transforms.pipeline_road import steps


def test_every_pass_is_a_phase():
    report = report_of(SAXPY)
    assert [p.pass_name for p in report.phases] == ["read", *load(SAXPY, "sm_90a").passes]
    assert [p.index for p in report.phases] == list(range(len(report.phases)))
    assert report.status is Status.DONE and report.failure is None


def test_phases_have_the_text_of_the_module():
    report = report_of(MATMUL)
    for level in ("nv_tileaa", "nv_tileas", "llvm"):
        phase = [p for p in report.phases if p.level == level and p.lines][-1]
        text = "\n".join(line.text for line in phase.lines or ())
        lowered = load(MATMUL, "sm_90a").lower(level).text
        # The driver writes after the last pass of a level how far the module has come.
        lowered, noted = re.subn(', nv_tileaa.progress = "[^"]*"', "", lowered)
        assert (text + "\n", noted) == (lowered, 1)
        assert sum(phase.ops.values()) == text.count(" = ") or phase.ops


def test_unchanged_phases_have_no_text():
    for phase in report_of(MATMUL).phases:
        assert phase.changed == (phase.lines is not None)


def test_the_report_compiles_what_compiling_compiles():
    report = report_of(MATMUL)
    assert report.ptx is not None
    assert (
        "\n".join(line.text for line in report.ptx.lines) == load(MATMUL, "sm_90a").compile().text
    )


def test_numbers_are_those_of_the_next_pass():
    report = report_of(MATMUL)
    before: Sequence[Line] = ()
    for phase in report.phases:
        named = {line.number: line for line in before if line.number is not None}
        for decision in phase.decisions:
            if decision.op.startswith("#"):
                number, name = decision.op[1:].split()[:2]
                assert name in named[int(number)].text
                assert set(named[int(number)].ids) <= set(decision.ids)
        before = before if phase.lines is None else phase.lines


def failing(tmp_path: Path, text: str) -> dict[str, Any]:
    file = tmp_path / "r.json"
    with pytest.raises(CompileError):
        explain(text.encode(), "k.mlir", "sm_90a", Options(), ReportFiles((str(file),)))
    return json.loads(file.read_text())


def test_a_pass_that_fails_is_the_last_to_be_shown(tmp_path: Path):
    report = failing(
        tmp_path,
        kernel(
            64,
            64,
            "%n = ftof %x : TILE -> tile<64x64xf4E2M1FN>\n%y = ftof %n : tile<64x64xf4E2M1FN> -> TILE",
        ),
    )
    failure = report["failure"]
    assert report["status"] == "failed"
    assert "unsupported type 'f4E2M1FN'" in failure["message"]
    assert failure["where"] == "k.mlir:6:1"
    assert failure["phase"] == len(report["phases"]) - 1
    assert report["phases"][-1]["lines"] is None
    (line,) = (
        line
        for line in report["phases"][0]["lines"]
        if "xf4E2M1FN>" in line["text"] and "= cuda_tile.ftof %x" in line["text"]
    )
    assert failure["ids"] == line["ids"]
    assert report["sources"][0]["lines"][5]["ids"] == line["ids"]
    assert report["ptx"] is None


def test_where_no_choice_fits_the_first_failure_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    leave_two_bytes(monkeypatch)
    report = failing(tmp_path, kernel(256, 256, PRINT))
    phase = report["phases"][report["failure"]["phase"]]
    assert phase["pass"] == "tileas-allocate-shared-memory"
    assert phase["remarks"] == [FAILED]
    assert len(report["phases"]) > report["failure"]["phase"] + 1


def test_text_that_does_not_parse_is_shown(tmp_path: Path):
    report = failing(tmp_path, "cuda_tile.module @m {\n  entry @k() {\n    %x = nonsense\n  }\n}\n")
    assert report["phases"] == [] and report["failure"]["where"] == "k.mlir:3:5"
    assert report["sources"][0]["lines"][2]["text"] == "    %x = nonsense"


def test_ids_stay_where_a_kernel_is_compiled_again():
    wide = matmul(256, 256, 32, "f16", "f16")
    report = explain(wide.text.encode(), "k.mlir", "sm_120a", Options(), ReportFiles(())).report
    again = [p for p in report.phases if p.pass_name == "convert-tileaa-to-tileas"]
    assert len(again) > 1 and any(FAILED in p.remarks for p in report.phases)
    first, second = (
        {line.text.strip(): [s.id for s in line.spans] for line in phase.lines or ()}
        for phase in (again[0], again[-1])
    )
    common = [text for text in first if text.startswith("%") and text in second]
    assert len(common) > 10
    assert [text for text in common if first[text] != second[text]] == []


def test_a_recorder_leaves_the_pass_as_it_is():
    module = parse(SAXPY.read_text())
    recorder = Recorder("k.mlir", "sm_90a", ChangedDrawings())
    recorder.start(module)
    step = steps("sm_90a")[0]
    assert recorder.before(step, step.module_pass, module) == step.module_pass
    recorder.after(step, module)
    assert to_text(module) == to_text(parse(SAXPY.read_text()))
    assert not recorder.phases[-1].changed
