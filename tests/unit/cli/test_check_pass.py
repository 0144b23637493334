"""`tileir check --pass`: a wrong pass is one diagnostic and status 1, a right one a summary."""

from pathlib import Path

import pytest

import tileir_xdsl as tileir
from tests.unit.cli.test_bad_input import KERNEL, error_line
from tests.unit.testing.pass_checks import planted
from tileir_xdsl.cli.check_pass import NOTHING_COMPARED
from tileir_xdsl.cli.main import main
from tileir_xdsl.testing import tools

FILE = str(Path(planted.__file__))


def test_a_wrong_pass_is_one_diagnostic(capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "check", "--pass", "ct-swap-sub", "--with", FILE)
    assert line.startswith(
        "ct-swap-sub: error: pass 'ct-swap-sub' changes what kernel 'dense' computes: argument 1: "
    )
    assert "; the first op with another value is 'cuda_tile.subf' op at " in line
    assert "; on random program of dense ops, seed 0, for sm_90a, launched on 2x1x1 " in line
    assert line.endswith(", 115), seed 0")


def test_a_right_pass_is_a_summary(capsys: pytest.CaptureFixture[str]):
    status = main(
        ["check", "--pass", "right-ct-integers", "--with", FILE, "--seconds", "2", "--gpu", "sm_80"]
    )
    printed = capsys.readouterr()
    assert (status, printed.err) == (0, "")
    assert printed.out.startswith("right-ct-integers: changed ")
    assert printed.out.endswith("also as PTX, seed 0\n")


@pytest.mark.parametrize("arguments", [(), ("--grid=3", *["--arg=random:f32:33x33"] * 2)])
def test_files_may_be_given(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]):
    file = str(KERNEL.with_name("softmax_f32.mlir"))
    line = error_line(capsys, "check", file, "--pass", "ct-swap-sub", "--with", FILE, *arguments)
    assert "changes what kernel 'softmax_f32' computes" in line
    assert f"; on {file}, for sm_90a, launched on 3x1x1 tile blocks" in line


@pytest.mark.parametrize("at", ["cuda_tile", "nv_tileaa"])
def test_a_file_of_an_earlier_level_is_taken_to_the_place(
    at: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = KERNEL.with_name("softmax_f32.mlir")
    if at != "cuda_tile":
        text = tileir.compile(file, emit=at).text
        file = tmp_path / "softmax.mlir"
        file.write_text(text)
    line = error_line(capsys, "check", str(file), "--pass", "as-swap-sub", "--with", FILE)
    assert line.startswith(
        "as-swap-sub: error: pass 'as-swap-sub' changes what kernel 'softmax_f32'"
    )
    # It is told where it stands in the file.
    assert f"is 'nv_tileaa.subf' op at loc(\"{file}\":" in line


def test_a_check_that_compares_nothing_says_so(capsys: pytest.CaptureFixture[str]):
    file = KERNEL.with_name("softmax_f32.mlir")
    status = main(["check", str(file), "--pass", "tileas-slice-and-fuse"])
    printed = capsys.readouterr()
    said = "warning: tileas-slice-and-fuse: nothing was compared, so nothing is known of it\n"
    assert (status, printed.err) == (NOTHING_COMPARED, said)


@pytest.fixture
def llvm_file(tmp_path: Path) -> str:
    """A kernel at the last level."""
    module = tools.parse(KERNEL.with_name("softmax_f32.mlir").read_text("utf-8"))
    lowered = tools.run_passes(module, "tileir-pipeline{gpu=sm_90a}")
    file = tmp_path / "lowered.mlir"
    file.write_text(tools.to_text(lowered), "utf-8")
    return str(file)


def test_a_file_is_lowered_to_where_the_pass_runs(capsys: pytest.CaptureFixture[str]):
    file = str(KERNEL.with_name("softmax_f32.mlir"))
    line = error_line(capsys, "check", file, "--pass", "llvm-swap-sub", "--with", FILE, "--grid=2")
    assert "the first op that it changes is 'llvm.sub' op" in line
    assert "launched on 2x1x1 tile blocks" in line


def test_a_file_of_llvm_needs_arguments(llvm_file: str, capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "check", llvm_file, "--pass", "llvm-swap-sub", "--with", FILE)
    message = "expected --arg, as its parameters do not say what they point to"
    assert line == f"{llvm_file}: error: {message}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "check: error: expected a FILE, or --pass"),
        (("--pass", "nope"), "--pass nope: error: there is no pass of this name"),
        (
            ("--pass", "fuse-fma", "--gpu", "sm_1"),
            "--gpu sm_1: error: expected one of sm_80,",
        ),
        (("--pass", "missing.py"), "extensions=missing.py: error: "),
        (("--pass", "fuse-fma", "--with", "missing"), "extensions=missing: error: there is no "),
        (("--pass", "fuse-fma", "missing.mlir"), "missing.mlir: error: No such file or directory"),
    ],
)
def test_odd_arguments_are_one_diagnostic(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
):
    assert error_line(capsys, "check", *arguments).startswith(message)
