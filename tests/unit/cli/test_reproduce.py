"""`tileir reproduce`: a failure becomes one small file, which fails alike when it is run again."""

import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.cli.test_bad_input import KERNEL, error_line
from tests.unit.testing.pass_checks import planted
from tileir_xdsl.checking import levels
from tileir_xdsl.cli.main import main
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.testing import tools, zoo_text
from tileir_xdsl.transforms.tileas_slice_and_fuse import TileASSliceAndFusePass
from tileir_xdsl.walking import ops_in

FILE = str(Path(planted.__file__))


@pytest.mark.one_in(15)
@pytest.mark.parametrize("placed", planted.WRONG, ids=lambda placed: placed.name)
def test_a_wrong_pass_fails_on_few_ops(
    placed: planted.PlacedPass, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = str(tmp_path / "small.mlir")
    words = ["-o", file, "check", "--pass", placed.name, "--with", FILE]
    assert main(["reproduce", *words]) == 0
    capsys.readouterr()
    module = tools.parse(Path(file).read_text("utf-8"), verify=False)
    assert len(ops_in(module)) <= 30
    line = error_line(capsys, "reproduce", file)
    assert line.startswith(f"{file}: error: pass '{placed.name}' ")


def test_it_fails_alike_in_a_fresh_process(tmp_path: Path):
    file = tmp_path / "small.mlir"
    words = ["-o", str(file), "check", "--pass", "ct-swap-sub", "--with", FILE]
    assert main(["reproduce", *words]) == 0
    done = subprocess.run(
        [sys.executable, "-m", "tileir_xdsl.cli.main", "reproduce", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "error: pass 'ct-swap-sub' changes what kernel 'dense' computes: " in done.stderr
    assert "fails otherwise" not in done.stderr


def _fail_on_division(_pass: object, module: ModuleOp, _scopes: object) -> None:
    """A pass that has a fault of its own."""
    if any(isinstance(op, nv_tileaa.DivFOp) for op in ops_in(module)):
        raise LookupError("no divisions")


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("softmax_f32", ("compile", "--gpu", "sm_90a")),
        ("vector_add", ("check", "--no-races", "--grid=1")),
    ],
)
def test_a_crash_is_made_small(
    kernel: str,
    words: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(TileASSliceAndFusePass, "apply_to", _fail_on_division)
    below: list[object] = []

    def compute_below(*given: object) -> tuple[()]:
        below.append(given)
        return ()

    monkeypatch.setattr(levels, "_on_cpu", compute_below)
    source, file = tmp_path / "divisions.mlir", tmp_path / "small.mlir"
    source.write_text(zoo_text(kernel).replace("addf", "divf"), "utf-8")
    assert main(["reproduce", "-o", str(file), words[0], str(source), *words[1:]]) == 0
    assert capsys.readouterr().out.endswith(" ops, fails with: LookupError: no divisions\n")
    assert below == []
    text = file.read_text("utf-8")
    assert text.count("divf") == 1
    assert len(ops_in(tools.parse(text))) <= 14
    assert error_line(capsys, "reproduce", str(file)) == (
        f"{file}: error: LookupError: no divisions"
    )
    monkeypatch.undo()
    assert main(["reproduce", str(file)]) == 0


def test_text_that_cannot_be_read_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source, file = tmp_path / "bad.mlir", tmp_path / "small.mlir"
    source.write_text(zoo_text("vector_add").replace("addf", "addg"), "utf-8")
    assert main(["reproduce", "-o", str(file), "compile", str(source)]) == 0
    said = capsys.readouterr().out
    assert " fails with: " in said
    assert error_line(capsys, "reproduce", str(file)).startswith(f"{file}: error: ")


def test_a_command_that_succeeds_is_an_error(capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "reproduce", "compile", str(KERNEL))
    assert line == f"{KERNEL}: error: `tileir compile` does not fail on this file"


def test_a_file_that_no_longer_fails_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "small.mlir"
    words = ["-o", str(file), "check", "--pass", "ct-swap-sub", "--with", FILE]
    assert main(["reproduce", *words]) == 0
    right = file.read_text("utf-8").replace("subf", "addf")
    file.write_text(right, "utf-8")
    capsys.readouterr()
    assert main(["reproduce", str(file)]) == 0
    assert capsys.readouterr().out.startswith(f"{file}: no longer fails: pass 'ct-swap-sub' ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "reproduce: error: expected a failing command, or a file to run again"),
        (("missing.mlir",), "missing.mlir: error: No such file or directory"),
        ((str(KERNEL),), f"{KERNEL}: error: expected a file that `tileir reproduce` has written"),
        (("check", "--pass", "nope"), "--pass nope: error: there is no pass of this name"),
        (("compile",), "tileir compile: error: "),
        (("compile", "--what", str(KERNEL)), "tileir compile: error: unrecognized arguments"),
        (
            ("lint", "x.ptx"),
            "lint: error: expected one file, or a command, one of compile, check, run",
        ),
        (("compile", "a", "b"), "reproduce: error: expected a command with one file, not with 2"),
    ],
)
def test_odd_words_are_one_diagnostic(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
):
    assert error_line(capsys, "reproduce", *words).startswith(message)


CRASHING = """
import sys
from tileir_xdsl.cli import compile, main
def crash(_args):
    raise RuntimeError("a fault")
compile.run = crash
sys.argv = ["tileir", "compile", "some file.mlir", "-o", "x"]
sys.exit(main.main())
"""


def test_a_crash_hints_at_it():
    done = subprocess.run(
        [sys.executable, "-c", CRASHING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    *_, error, hint = done.stderr.splitlines()
    assert error == "RuntimeError: a fault"
    assert hint == (
        "tileir: this is a fault of tileir; make its input small: tileir reproduce -o small.mlir "
        "compile 'some file.mlir' -o x"
    )
