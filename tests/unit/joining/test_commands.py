"""Commands that read text with an op of an extension, or run its instruction, know it by `--with`."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tileir_xdsl.cli.main import main
from tileir_xdsl.extensions import register
from tileir_xdsl.testing.tools import to_text

from .written import EXPECTED, GPU, LHS, PARTS, RHS, extension, known, module


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A file with the op, and the words that name arrays in files."""
    with known(extension(PARTS)):
        (file := tmp_path / "k.mlir").write_text(to_text(module()))
    register(extension(PARTS))
    words: list[str] = []
    for name, array in (("lhs", LHS), ("rhs", RHS), ("out", np.zeros_like(LHS))):
        np.save(tmp_path / f"{name}.npy", array)
        words += ["--arg", f"{name}:{tmp_path / name}.npy"]
    yield file, [*words, "--save", f"out={tmp_path / 'saved'}.npy"]


def saved(file: Path) -> np.ndarray:
    return np.load(file.parent / "saved.npy")


@pytest.mark.parametrize("command", ["opt", "fmt"])
def test_text_is_read(
    files: tuple[Path, list[str]], command: str, capsys: pytest.CaptureFixture[str]
):
    file, _ = files
    assert main([command, str(file), "--with", "mine"]) == 0
    assert "mine.add" in capsys.readouterr().out


@pytest.mark.parametrize("level", ["nv_tileaa", "nv_tileas", "ptx"])
def test_it_is_run(files: tuple[Path, list[str]], level: str):
    file, words = files
    given = ["--with", "mine", "--gpu", GPU, "--grid", "1", "--level", level]
    assert main(["run", str(file), *given, *words]) == 0
    assert (saved(file) == EXPECTED).all()


def test_its_instruction_is_emulated_and_linted(files: tuple[Path, list[str]]):
    file, words = files
    ptx = file.with_suffix(".ptx")
    assert main(["compile", str(file), "--with", "mine", "--gpu", GPU, "-o", str(ptx)]) == 0
    shape = ["--grid", "1", "--block", "128"]
    assert main(["emulate", str(ptx), "--with", "mine", *shape, *words]) == 0
    assert (saved(file) == EXPECTED).all()
    assert main(["lint", str(ptx), "--with", "mine"]) == 0


def test_levels_agree(files: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]):
    file, _ = files
    given = ["--with", "mine", "--gpu", GPU, "--grid", "1"]
    assert main(["check", str(file), *given]) == 0
    assert "ptx" in capsys.readouterr().out


def test_reports_show_it(files: tuple[Path, list[str]], tmp_path: Path):
    file, _ = files
    report = tmp_path / "report.html"
    given = ["--with", "mine", "--gpu", GPU, "-o", str(report)]
    assert main(["explain", str(file), *given]) == 0
    assert "mine.add" in report.read_text()
