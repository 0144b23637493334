"""Commands that were kept write the same again, and only where nothing they read has changed."""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli import compile as compile_command
from tileir_xdsl.cli.main import main
from tileir_xdsl.cli.tileir_as.main import main as tileir_as
from tileir_xdsl.options import Options
from tileir_xdsl.runtime.cache import commands, keys
from tileir_xdsl.runtime.cache.keys import PLACE, SWITCH, opened
from tileir_xdsl.runtime.cache.store import Counts

KERNELS = REPOSITORY / "tileir_xdsl" / "testing" / "kernels"


@pytest.fixture(autouse=True)
def _cache(  # pyright: ignore[reportUnusedFunction]
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(PLACE, str(tmp_path / "cache"))
    monkeypatch.delenv(SWITCH)


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    return Path(shutil.copy(KERNELS / "vector_add.mlir", tmp_path / "kernel.mlir"))


@pytest.fixture
def is_kept(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], bool]:
    """Runs `tileir`, and says whether that took neither options nor a compiler."""

    def run(words: list[str]) -> bool:
        parsed: list[argparse.Namespace] = []
        before = compile_command.options_of

        def options_of(args: argparse.Namespace) -> Options:
            parsed.append(args)
            return before(args)

        monkeypatch.setattr(compile_command, "options_of", options_of)
        assert main(words) == 0
        monkeypatch.setattr(compile_command, "options_of", before)
        return not parsed

    return run


Kept = Callable[[list[str]], bool]


@pytest.mark.parametrize("emit", ["ptx", "cubin"])
def test_the_file_is_written_again(emit: str, kernel: Path, is_kept: Kept):
    output = kernel.with_suffix(f".{emit}")
    words = ["compile", str(kernel), "--gpu", "sm_90a", "-o", str(output)]
    assert not is_kept(words)
    first = output.read_bytes()
    output.unlink()
    assert is_kept(words) and output.read_bytes() == first
    output.write_bytes(b"else")
    assert is_kept(words) and output.read_bytes() == first
    assert opened().counts() == Counts(hits=2, misses=1)


def test_the_standard_output(kernel: Path, is_kept: Kept, capsys: pytest.CaptureFixture[str]):
    assert not is_kept(["compile", str(kernel)])
    first = capsys.readouterr()
    assert is_kept(["compile", str(kernel)])
    assert capsys.readouterr() == first


def test_whatever_is_read_counts(kernel: Path, is_kept: Kept):
    options = kernel.with_name("options.json")
    options.write_text('{"warps": 8}')
    for words in (
        ["compile", str(kernel), "--options", str(options)],
        ["compile", str(kernel), f"--options={options}"],
    ):
        assert not is_kept(words)
        assert is_kept(words)
        options.write_text(options.read_text() + " ")
        assert not is_kept(words)
        kernel.write_text(kernel.read_text() + "\n")
        assert not is_kept(words)
        assert is_kept(words)


def test_the_environment_and_the_compiler_count(
    kernel: Path, is_kept: Kept, monkeypatch: pytest.MonkeyPatch
):
    words = ["compile", str(kernel)]
    assert not is_kept(words)
    monkeypatch.setenv("TILEIR_SOMETHING", "1")
    assert not is_kept(words)
    assert is_kept(words)
    monkeypatch.setattr(keys, "_sources", lambda: ("another", 0.0))
    assert not is_kept(words)


def test_another_ptxas(kernel: Path, is_kept: Kept, monkeypatch: pytest.MonkeyPatch):
    text, code = ["compile", str(kernel)], ["compile", str(kernel), "--emit", "cubin"]
    for words in (text, code):
        assert not is_kept([*words, "-o", os.devnull])
    for module in (keys, commands):
        monkeypatch.setattr(module, "ptxas_facts", lambda: "another")
    assert is_kept([*text, "-o", os.devnull])
    assert not is_kept([*code, "-o", os.devnull])


@pytest.mark.parametrize("words", [["-v"], ["--verify-each"], ["--occupancy", "32"]], ids=" ".join)
def test_what_shows_more_than_its_output_is_not_kept(words: list[str], is_kept: Kept):
    # An occupancy of 32 is remarked on, in a form that depends on the terminal.
    command = ["compile", str(KERNELS / "vector_add.mlir"), "-o", os.devnull, *words]
    assert not is_kept(command)
    assert not is_kept(command)


def test_pipes_are_not_kept(kernel: Path):
    pipe = kernel.with_name("pipe")
    os.mkfifo(pipe)
    for name in ("-", str(pipe), str(kernel.parent)):
        assert commands.command("tileir", ["compile", name]).key is None
    assert commands.command("tileir", ["compile", str(kernel)]).key is not None


def test_a_file_that_changes_meanwhile(kernel: Path):
    given = commands.command("tileir", ["compile", str(kernel)])
    kernel.write_text("")
    commands.keep(given, "", [commands.Written(None, "text")])
    assert opened().entries() == []


def test_an_output_that_cannot_be_written(
    kernel: Path, is_kept: Kept, capsys: pytest.CaptureFixture[str]
):
    output = kernel.with_name("folder") / "out.ptx"
    output.parent.mkdir()
    words = ["compile", str(kernel), "-o", str(output)]
    assert not is_kept(words)
    shutil.rmtree(output.parent)
    assert main(words) == 1
    assert capsys.readouterr().err == f"{output}: error: No such file or directory\n"


def test_tileir_as(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source, output = tmp_path / "kernel.tileirbc", tmp_path / "kernel.cubin"
    assert main(["asm", str(KERNELS / "vector_add.mlir"), "-o", str(source)]) == 0
    words = [str(source), "--gpu-name", "sm_90", "-o", str(output), "--remarks=all"]

    def written() -> dict[str, bytes]:
        found = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
        for name in found.keys() - {source.name}:
            (tmp_path / name).unlink()
        return found

    for more in (
        [],
        ["--sanitize=memcheck"],
        ["--remark-format=yaml", f"--remarks-output-file={tmp_path}/r"],
    ):
        assert tileir_as([*words, *more]) == 0
        first = written(), capsys.readouterr()
        hits = opened().counts().hits
        assert tileir_as([*words, *more]) == 0
        assert (written(), capsys.readouterr()) == first
        assert opened().counts().hits == hits + 1


def test_what_is_kept_takes_no_dataclasses(kernel: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TILEIR_SERVER_DIR", str(kernel.parent))
    script = (
        "import sys; from tileir_xdsl.cli.compile_server.client import tileir; status = tileir();"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, "compile", str(kernel), "-o", os.devnull]
    for expected in (True, False):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        modules = done.stderr.split()
        for name in ("dataclasses", "json", "tileir_xdsl.options"):
            assert (name in modules) == expected, name
