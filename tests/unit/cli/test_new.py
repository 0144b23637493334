"""`tileir new`: what it writes runs and prints PTX, in an empty folder."""

import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.main import main
from tileir_xdsl.runtime.ptxas import assemble


def test_it_runs_and_compiles(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "add.py"]) == 0
    assert capsys.readouterr().out == "add.py: run it with python add.py\n"
    assert "python add.py --ptx" in Path("add.py").read_text()
    environment = {"PYTHONPATH": str(REPOSITORY), "TILEIR_CACHE": "0"}
    command = [sys.executable, "add.py"]
    printed = subprocess.check_output(command, env=environment, text=True)
    assert printed == "8 tile blocks, all 1000 sums are right: [1. 2. 3.] ..\n"
    monkeypatch.setattr(sys, "argv", ["add.py", "--ptx"])
    run_path("add.py", run_name="__main__")
    assert list(assemble(capsys.readouterr().out, "sm_90a").kernels) == ["add"]


def test_a_file_that_exists_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "add.py"
    file.write_text("mine")
    assert error_line(capsys, "new", str(file)) == f"{file}: error: the file exists"
    assert file.read_text() == "mine"


def test_another_suffix(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "new", str(tmp_path / "add.mlir"))
    assert line.endswith("error: expected a name that ends in .py")
