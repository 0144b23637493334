"""`tileir completion`, and the words that a shell is offered."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli.completion import SHELLS
from tileir_xdsl.cli.main import main


@pytest.mark.parametrize("shell", SHELLS)
def test_the_lines_for_a_shell(shell: str, capsys: pytest.CaptureFixture[str]):
    assert main(["completion", shell]) == 0
    assert "tileir" in capsys.readouterr().out


def offered(line: str, folder: Path) -> list[str]:
    """What a shell is offered at the end of a line."""
    file = folder / "offered"
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(file),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    command = [sys.executable, "-m", "tileir_xdsl.cli.main"]
    subprocess.run(command, env=environment, cwd=folder, check=True)
    return [word.strip() for word in file.read_text().split("\n")]


def test_words(tmp_path: Path):
    (tmp_path / "kernel.mlir").write_text("")
    assert offered("tileir disa", tmp_path) == ["disasm"]
    assert {"sm_90", "sm_90a"} == set(offered("tileir compile --gpu sm_90", tmp_path))
    assert offered("tileir run --lev", tmp_path) == ["--level"]
    assert offered("tileir fmt ker", tmp_path) == ["kernel.mlir"]


def test_without_argcomplete(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    line = error_line(capsys, "completion", "bash")
    assert line.startswith("completion: error: needs the package argcomplete: pip install ")
