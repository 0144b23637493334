"""`tileir new`: what it writes runs, prints PTX and passes its tests, in an empty folder."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from runpy import run_path

import pytest

from tests.unit.cli.test_bad_input import error_line
from tests.unit.tools import REPOSITORY
from tileir_xdsl import templates
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
    assert error_line(capsys, "new", str(file)) == f"{file}: error: the file already exists"
    assert file.read_text() == "mine"


def test_another_suffix(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    line = error_line(capsys, "new", str(tmp_path / "add.mlir"))
    assert line.endswith("error: expected a name that ends in .py")


USED = """
import sys
import pytest
from tileir_xdsl.cli.main import main
name, *words = sys.argv[1:]
extension = f"{name}/{name}.py"
status = main(["compile", f"{name}/tests/kernel.mlir", "--with", extension, "-o", "k.ptx", *words])
sys.exit(status or pytest.main(["-q", "-p", "no:cacheprovider", name]))
"""
"""Uses a package without installing it, and runs its tests."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("kind", "words", "instruction"),
    [
        ("op", (), "cnot.b32"),
        ("pass", (), "shl.b32"),
        ("target", ("--gpu", "sm_90a_my_own"), "wgmma.mma_async"),
    ],
)
def test_a_package_is_used_and_its_tests_pass(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    words: tuple[str, ...],
    instruction: str,
):
    monkeypatch.chdir(tmp_path)
    assert main(["new", f"--{kind}", "my_own"]) == 0
    said = capsys.readouterr().out
    assert said == "my_own: test it with pytest my_own, and read my_own/README.md\n"
    environment = {"PYTHONPATH": str(REPOSITORY), "TILEIR_CACHE": "0"}
    command = [sys.executable, "-c", USED, "my_own", *words]
    done = subprocess.run(command, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert instruction in Path("k.ptx").read_text()
    assert "my_name" not in done.stdout


@pytest.mark.parametrize("kind", sorted(templates.KINDS))
def test_a_package_has_its_name_everywhere(kind: str):
    files = templates.files_of(kind, "two_words")
    assert {"README.md", "pyproject.toml", "two_words.py", "tests/test_two_words.py"} <= set(files)
    text = "\n".join((*files, *files.values()))
    assert not re.search(r"my.?name", text, re.IGNORECASE)
    project = tomllib.loads(files["pyproject.toml"])
    points = project["project"]["entry-points"]
    assert points["tileir_xdsl.extensions"] == {"two_words": "two_words:EXTENSION"}


def test_a_template_of_another_kind():
    with pytest.raises(KeyError):
        templates.files_of("road", "mine")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--pass", "My"), "--pass My: error: expected a letter, then lower-case"),
        (("--op", "a-b"), "--op a-b: error: expected a letter, then lower-case"),
        (
            ("--target", "json"),
            "--target json: error: a module or a pass of this name already exists",
        ),
        (("--pass", "fuse_fma"), "error: a module or a pass of this name already exists"),
        (("--pass", "taken"), "--pass taken: error: taken already exists"),
        (("k.py", "--pass", "a"), "error: argument --pass: not allowed with argument FILE.py"),
        ((), "one of the arguments FILE.py --pass --op --target is required"),
    ],
)
def test_odd_names(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    expected: str,
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    assert expected in error_line(capsys, "new", *words)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_package_as_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "--target", "my_own", "--json"]) == 0
    assert capsys.readouterr().out == '{"folder": "my_own"}\n'
