"""`tileir opt`: what `xdsl-opt` does, for bytecode and short text too, in one diagnostic."""

import io
from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.backend import ptx
from tileir_xdsl.cli.main import main
from tileir_xdsl.cli.opt import line_changes
from tileir_xdsl.testing.kernels import KERNELS, generate
from tileir_xdsl.testing.tools import parse, run_passes

TEXT = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir"
ENTRY = """entry @k(%x: tile<i32>) {
  %y = addi %x, %x : tile<i32>
}
"""


@pytest.fixture
def binary(tmp_path: Path) -> Path:
    file = tmp_path / "kernel.bin"
    file.write_bytes(generate.bytecode(KERNELS["vector_add"], "13.3"))
    return file


BOTH = "tileir-pipeline{gpu=sm_80}"


def test_a_pass_that_changes_nothing_is_named_alone(capsys: pytest.CaptureFixture[str]):
    assert main(["opt", str(TEXT), "-p", BOTH, "--print-between-passes"]) == 0
    out = capsys.readouterr().out
    after = dict(part.split(":", 1) for part in out.split("IR after ")[1:])
    assert after["tileas-slicing"] == " unchanged\n"
    assert after["tileas-insert-barriers"].count("nv_tileas.tiled_load") == 2


def test_lines_that_differ(capsys: pytest.CaptureFixture[str]):
    assert main(["opt", str(TEXT), "-p", BOTH, "--diff"]) == 0
    out = capsys.readouterr().out
    after = dict(part.split(":", 1) for part in out.split("IR after ")[1:])
    lines = after["tileas-allocate-shared-memory"].splitlines()[1:]
    changed = [line for line in lines if line.startswith(("-", "+"))]
    assert len(changed) == 2 and "smem_bytes = 0" in changed[1]
    assert lines[0].startswith("@@") and len(lines) == 5


def test_bytecode_becomes_ptx(binary: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["opt", str(binary), "-p", "tileir-pipeline{gpu=sm_80}", "-t", "ptx"]) == 0
    module = run_passes(parse(TEXT.read_text()), "tileir-pipeline{gpu=sm_80}")
    assert capsys.readouterr().out == ptx.emit(module, "sm_80")


def test_text_without_a_module_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ENTRY.encode())))
    assert main(["opt", "-", "-p", "convert-cuda-tile-to-tileaa"]) == 0
    assert "nv_tileaa.func @k" in capsys.readouterr().out


def test_parts_of_a_file_have_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "parts.mlir"
    file.write_text(f"{ENTRY}// -----\n{ENTRY.replace('addi', 'addq')}")
    line = error_line(capsys, "opt", str(file), "--split-input-file")
    assert line.startswith(f"{file}:6:3: error: Operation addq is not registered")


def test_a_failing_pass_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "kernel.mlir"
    file.write_text(ENTRY)
    options = [
        "-p",
        "convert-cuda-tile-to-tileaa,convert-tileas-to-llvm,convert-cuda-tile-to-tileaa",
    ]
    line = error_line(capsys, "opt", str(file), *options)
    assert line.startswith(f"{file}:1:1: error: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["-p", "tileir-pipelin"],
            "-p: error: there is no pass 'tileir-pipelin', did you mean 'tileir-pipeline' or '",
        ),
        (
            ["-p", "tileas-slicing{explian=a}"],
            "-p: error: pass 'tileas-slicing' has no option 'explian', expected explain, "
            "did you mean 'explain'?",
        ),
        (["-p", "tileas-slicing{"], "-p: error: Expected argument name here"),
        (["-p", "tileir-pipeline{warps=x}"], "-p: error: Incompatible types"),
        (["-t", "ptxx"], "-t: error: there is no target 'ptxx', expected llvm-ir, ptx, "),
    ],
)
def test_wrong_options(options: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert error_line(capsys, "opt", str(TEXT), *options).startswith(message)


NUMBERED = """\
func(%a, %b)
%0 = constant 1
%1 = addi %a, %b
%2 = muli %1, %0
%3 = subi %2, %a
store %3"""


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (NUMBERED.replace("%1", "%x"), []),
        (NUMBERED.replace("%a", "%c"), []),
        (
            NUMBERED.replace("addi %a, %b", "addi %b, %a"),
            ["-%1 = addi %a, %b", "+%1 = addi %b, %a"],
        ),
        (NUMBERED.replace("%2, %a", "%a, %2"), ["-%3 = subi %2, %a", "+%3 = subi %a, %2"]),
        (NUMBERED.replace("store %3", "store %2"), ["-store %3", "+store %2"]),
        (NUMBERED.replace("%1, %0", "%1, %1"), ["-%2 = muli %1, %0", "+%2 = muli %1, %1"]),
        (
            """\
func(%a, %b)
%0 = constant 1
%1 = constant 2
%2 = addi %a, %b
%3 = muli %2, %0
%4 = subi %3, %a
store %4""",
            ["+%1 = constant 2"],
        ),
    ],
)
def test_a_value_of_another_name_is_the_same(after: str, changed: list[str]):
    lines = line_changes(NUMBERED, after).splitlines()
    assert [line for line in lines if line[0] in "+-"] == changed
