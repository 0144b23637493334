"""`tileir explain`: the report, also of what does not compile."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.cli.test_too_large import FOUR_BITS, kernel
from tests.unit.repository.test_start_up import VECTOR_ADD
from tileir_xdsl import samples
from tileir_xdsl.cli.main import main


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "report.json"
    assert main(["explain", VECTOR_ADD, "--gpu", "sm_80", "--warps", "8", "-o", str(file)]) == 0
    report = json.loads(file.read_text())
    assert (report["status"], report["gpu"], report["options"]) == ("done", "sm_80", {"warps": 8})
    assert report["kernels"] == ["vector_add"]
    assert report["command"] == f"tileir explain {VECTOR_ADD} --gpu sm_80 --warps 8 -o report.html"
    assert capsys.readouterr() == ("", "")


def test_a_page_and_its_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "report.html"
    assert main(["explain", VECTOR_ADD, "-o", str(file), "--json"]) == 0
    assert file.read_text().startswith("<!doctype html>")
    assert json.loads(file.with_suffix(".json").read_text())["status"] == "done"
    assert capsys.readouterr() == ("", "")


def test_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "trace.json"
    matmul = str(samples.path("matmul"))
    assert main(["explain", matmul, "--gpu", "sm_90a", "--perfetto", str(file)]) == 0
    events = json.loads(file.read_text())["traceEvents"]
    names = {event["name"] for event in events if event["ph"] == "X"}
    assert any("nv_tileas" in name or "dot" in name or "load" in name for name in names), names
    assert capsys.readouterr() == ("", "")
    line = error_line(capsys, "explain", VECTOR_ADD, "--perfetto", str(file))
    assert line == f"{file}: error: no pass recorded a schedule"


def test_json_on_the_standard_output(capsys: pytest.CaptureFixture[str]):
    assert main(["explain", VECTOR_ADD, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "done"


def test_a_failing_compilation_leaves_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source, file = tmp_path / "k.mlir", tmp_path / "report.json"
    source.write_text(kernel(64, 64, FOUR_BITS))
    line = error_line(capsys, "explain", str(source), "-o", str(file))
    report = json.loads(file.read_text())
    assert report["status"] == "failed"
    assert line == f"{report['failure']['where']}: error: {report['failure']['message']}"


def test_what_is_forced_is_in_the_command(tmp_path: Path):
    file = tmp_path / "report.json"
    force = "tileas-assign-load-store-layouts{force=#6=ldg_32}"
    assert main(["explain", VECTOR_ADD, "--force", force, "-o", str(file)]) in (0, 1)
    assert f"--force '{force}'" in json.loads(file.read_text())["command"]


def test_a_launch(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "report.json"
    arrays = ["--arg", "random:f32:100", "--arg", "random:f32:100", "--arg", "zeros:f32:100"]
    assert main(["explain", VECTOR_ADD, "-o", str(file), "--run", *arrays]) == 0
    run = json.loads(file.read_text())["run"]
    assert run["instructions"] and run["races"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([VECTOR_ADD, "--json", "--arg", "1"], "--arg and --show are for --run"),
        ([VECTOR_ADD, "--json", "--run"], "argument"),
        ([VECTOR_ADD], "expected -o FILE, or --perfetto FILE, or --json for the standard output"),
        (["nowhere.mlir", "--json"], "No such file"),
        ([VECTOR_ADD, "--json", "--force", "x"], "expected PASS{force=#NUMBER=CHOICE}"),
        ([VECTOR_ADD, "--json", "--gpu", "sm_1"], "unknown target 'sm_1'"),
        ([VECTOR_ADD, "-o", "/nowhere/report.json"], "No such file or directory"),
    ],
    ids=[
        "no launch",
        "no arguments",
        "no output",
        "no file",
        "no choice",
        "no target",
        "no folder",
    ],
)
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert message in error_line(capsys, "explain", *arguments)


@pytest.mark.usefixtures("one_process")
def test_compile_leaves_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bad = tmp_path / "in" / "bad.mlir"
    bad.parent.mkdir()
    bad.write_text(kernel(64, 64, FOUR_BITS))
    out, reports = tmp_path / "out", tmp_path / "reports"
    files = [VECTOR_ADD, str(bad.parent)]
    assert main(["compile", *files, "-o", str(out), "--explain", str(reports)]) == 1
    assert "1 of 2 files compiled" in capsys.readouterr().out
    for stem, status in (("vector_add", "done"), ("bad", "failed")):
        assert (reports / f"{stem}.report.html").exists()
        assert json.loads((reports / f"{stem}.report.json").read_text())["status"] == status
    assert [file.name for file in out.iterdir()] == ["vector_add.ptx"]


def test_compile_one_file_with_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["compile", VECTOR_ADD]) == 0
    expected = capsys.readouterr().out
    assert main(["compile", VECTOR_ADD, "--explain", str(tmp_path)]) == 0
    assert capsys.readouterr().out == expected
    cubin = tmp_path / "a.cubin"
    assert main(["compile", VECTOR_ADD, "--explain", str(tmp_path), "-o", str(cubin)]) == 0
    assert cubin.read_bytes().startswith(b"\x7fELF")
    report = json.loads((tmp_path / "vector_add.report.json").read_text())
    assert report["command"] == f"tileir explain {VECTOR_ADD} -o report.html"
    assert "".join(f"{line['text']}\n" for line in report["ptx"]["lines"])[:-1] == expected


def test_reports_go_with_ptx(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = ("--explain", str(tmp_path))
    line = error_line(capsys, "compile", VECTOR_ADD, "--emit", "llvm", *folder)
    assert line == "compile: error: --explain follows a kernel to ptx or cubin, not llvm"
    assert "--explain" in error_line(capsys, "compile", VECTOR_ADD, "-v", *folder)


def test_a_report_that_was_broken_off_is_there(tmp_path: Path):
    file = tmp_path / "report.json"
    script = (
        "import os, sys\n"
        "from tileir_xdsl.cli.main import main\n"
        "from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass as P\n"
        "P.apply = lambda *_: os._exit(3)\n"
        "main(sys.argv[1:])\n"
    )
    command = [sys.executable, "-c", script, "explain", VECTOR_ADD, "-o", str(file)]
    assert subprocess.run(command, check=False).returncode == 3
    report = json.loads(file.read_text())
    assert report["status"] == "running" and len(report["phases"]) >= 1


@pytest.mark.parametrize("output", ["report.html", "report.json", "-"])
def test_a_file_whose_name_is_not_utf8(
    output: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
):
    """The report has its name, escaped."""
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"k\xff.mlir")
    Path(name).write_text(samples.path("saxpy").read_text("utf-8"))
    assert main(["explain", name, "-o", output]) == 0
    contents = capfdbinary.readouterr().out if output == "-" else Path(output).read_bytes()
    assert b"k\\udcff.mlir" in contents
    contents.decode()
    if output != "report.html":
        assert json.loads(contents)["file"] == name
