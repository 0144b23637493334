"""Reports of kernels compiled for a processor."""

from tests.unit.report.explained import ATTENTION, SAXPY, report_of
from tileir_xdsl.options import Options
from tileir_xdsl.report.explaining import explain
from tileir_xdsl.report.files import ReportFiles
from tileir_xdsl.report.forcing import read_forced
from tileir_xdsl.report.schema import CompilationReport, Decision, Status, as_json
from tileir_xdsl.runtime.cpu.code import machine_code
from tileir_xdsl.runtime.cpu.host import llvm, resolved
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.view.comparison import earlier_texts


def decisions(report: CompilationReport, pass_name: str) -> dict[str, list[Decision]]:
    """The decisions of a pass by what they are about."""
    (phase,) = (phase for phase in report.phases if phase.pass_name == pass_name)
    found: dict[str, list[Decision]] = {}
    for decision in phase.decisions:
        found.setdefault(decision.about.rstrip(" 0123456789"), []).append(decision)
    return found


def test_passes_and_code():
    report = report_of(ATTENTION, "cpu-x86-64-v4")
    assert report.gpu == "cpu-x86-64-v4" and report.status is Status.DONE
    assert report.kernels == ("attention",)
    assert [p.pass_name for p in report.phases] == ["read", *(s.name for s in steps("cpu"))]
    levels = ["cuda_tile", *["nv_tileaa"] * 3, *["tilecpu"] * 2, "llvm"]
    assert [p.level for p in report.phases] == levels
    assert report.tools["llvm"] == ".".join(map(str, llvm().llvm_version_info))
    assert report.llvm_ir is not None and report.assembly is not None
    text = "".join(f"{line.text}\n" for line in report.llvm_ir.lines)
    assembly = machine_code(text, resolved("cpu-x86-64-v4")).assembly
    assert [line.text for line in report.assembly.lines] == assembly.rstrip("\n").split("\n")
    assert any("%zmm" in line.text for line in report.assembly.lines)


def test_decisions_have_candidates_and_reasons():
    report = report_of(ATTENTION, "cpu-x86-64-v4")
    found = decisions(report, "tilecpu-group")
    assert set(found) == {"vector", "dot", "plan", "blocks per task"}
    assert {each.chosen for each in found["vector"]} == {"16"}
    assert [each.op.split()[1] for each in found["plan"]] == ["scf.for"]
    first, second = found["dot"]
    assert (first.chosen, second.chosen) == ("8x32/rows", "4x64/rows")
    assert first.why == "the fewest loads for each multiply-add"
    panels = "tilecpu-group{force=#62=8x32/panels}"
    assert panels in [each.force for each in first.candidates]
    buffers = decisions(report, "tilecpu-assign-buffers")["bytes"]
    assert all(each.ids and each.why for each in buffers)
    assert all(each.why for each in (*found["vector"], *found["blocks per task"]))


def test_a_forced_choice():
    whole = report_of(SAXPY, "cpu-x86-64-v4")
    (unforced,) = decisions(whole, "tilecpu-group")["vector"]
    four = next(each.force or "" for each in unforced.candidates if each.name == "4")
    contents, files = SAXPY.read_bytes(), ReportFiles(())
    made = explain(
        contents, "k.mlir", "cpu-x86-64-v4", Options(), files, forced=read_forced([four])
    )
    (vector,) = decisions(made.report, "tilecpu-group")["vector"]
    assert (unforced.chosen, vector.chosen, vector.why) == ("16", "4", "forced")
    assert made.report.assembly is not None and whole.assembly is not None
    assert not any("%zmm" in line.text for line in made.report.assembly.lines)
    assert any("%zmm" in line.text for line in whole.assembly.lines)


def test_texts_of_an_earlier_report():
    titles = [text["title"] for text in earlier_texts(as_json(report_of(SAXPY, "cpu-x86-64-v4")))]
    assert titles == ["nv_tileaa", "tilecpu", "llvm", "LLVM IR", "Assembly"]
