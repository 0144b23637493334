"""The line by which `TILEIR_INTERPRET=1 python` serves launches."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.frontends.habits import HABITS
from tileir_xdsl.cli.main import main
from tileir_xdsl.frontends import hook
from tileir_xdsl.frontends.hook import NAME


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that takes the place of those for packages, behind one that cannot be written."""
    (tmp_path / "file").touch()
    folders = [tmp_path / "file" / "packages", tmp_path / "packages"]
    monkeypatch.setattr(hook, "folders", lambda: folders)
    return folders[1]


def python(site: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    # As Python does with its own folders when it starts.
    code = "import runpy, site, sys\nsite.addsitedir(sys.argv[1])\nrunpy.run_path('k.py', {}, '__main__')"
    paths = os.pathsep.join(sys.path)
    return subprocess.run(
        [sys.executable, "-c", code, str(site)],
        cwd=site.parent,
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
    )


def test_hook(site: Path, capsys: pytest.CaptureFixture[str]):
    """It serves launches if the variable is set, costs no import otherwise, and can be removed."""
    assert main(["python", "--install-hook"]) == 0
    assert capsys.readouterr().out == f"{site / NAME}\n"
    (site.parent / "k.py").write_text(HABITS["main"])
    done = python(site, TILEIR_INTERPRET="1")
    assert (done.returncode, done.stderr) == (0, "")
    (site.parent / "k.py").write_text("import sys; assert 'tileir_xdsl' not in sys.modules")
    assert python(site, TILEIR_INTERPRET="0").returncode == 0
    for shown in (f"{site / NAME}\n", ""):
        assert main(["python", "--remove-hook"]) == 0
        assert capsys.readouterr().out == shown
    assert not list(site.iterdir())


def test_nowhere_to_write(
    site: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(hook, "folders", lambda: [site.parent / "file" / "packages"])
    assert main(["python", "--install-hook"]) == 1
    assert "--install-hook: error: cannot write to " in capsys.readouterr().err


def test_no_script(capsys: pytest.CaptureFixture[str]):
    assert main(["python"]) == 1
    assert capsys.readouterr().err == "python: error: expected the file of a script\n"
