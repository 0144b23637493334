"""Standard streams that are closed, full, or interrupted: one line at most, never a traceback."""

import errno
import fcntl
import io
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any

import psutil
import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl.cli import main as main_module
from tileir_xdsl.cli.main import INTERRUPTED, main
from tileir_xdsl.cli.streams import standard_streams

KERNEL = str(REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "vector_add.mlir")
ARGUMENTS = [f"--arg={fill}:f32:100" for fill in ("random", "random", "zeros")]
WRITERS = {
    "compile": ["compile", KERNEL],
    "asm": ["asm", KERNEL],
    "fmt": ["fmt", KERNEL],
    "run": ["run", KERNEL, *ARGUMENTS],
    "trace": ["run", KERNEL, *ARGUMENTS, "--trace"],
    "check": ["check", KERNEL, *ARGUMENTS],
    "help": ["--help"],
    "help of a command": ["run", "--help"],
}


def status_of(arguments: list[str]) -> object:
    try:
        return main(arguments)
    except SystemExit as exit:
        return exit.code


class Failing(io.TextIOWrapper):
    """A stream on a device that fails; what it buffers is discarded in the end."""

    def __init__(self, code: int):
        super().__init__(io.BytesIO())
        self.code = code

    def write(self, _text: object) -> int:
        raise OSError(self.code, os.strerror(self.code))

    @property
    def buffer(self) -> Any:
        return self


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (Failing(errno.ENOSPC), "<stdout>: error: No space left on device\n"),
        (Failing(errno.EIO), "<stdout>: error: Input/output error\n"),
        (None, "<stdout>: error: Bad file descriptor\n"),
        (Failing(errno.EPIPE), ""),
    ],
    ids=["full", "broken", "closed", "no reader"],
)
def test_standard_output_that_fails(
    name: str,
    stream: io.TextIOWrapper | None,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    if stream is None and "help" in name:
        # argparse writes to the standard error stream where there is no standard output.
        message = ""
    monkeypatch.setattr(sys, "stdout", stream)
    assert status_of(WRITERS[name]) == 1 or not message
    assert sys.stdout is stream
    captured = capsys.readouterr().err
    assert captured == message or (not message and "Traceback" not in captured)


def test_a_full_device_at_the_end(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    """What fits in the buffer fails when the stream is flushed."""
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["fmt", KERNEL]) == 1
    assert capsys.readouterr().err == "<stdout>: error: No space left on device\n"


@pytest.mark.parametrize("command", ["compile", "fmt", "asm", "disasm", "emulate", "lint", "run"])
def test_standard_input_that_is_closed(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "stdin", None)
    assert main([command, "-"]) == 1
    assert capsys.readouterr().err == "<stdin>: error: Bad file descriptor\n"


@pytest.mark.parametrize("stream", [None, Failing(errno.ENOSPC)])
def test_nowhere_to_complain(stream: object, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["compile", "missing"]) == 1


def test_a_file_does_not_need_the_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdout", None)
    output = tmp_path / "out"
    assert main(["fmt", KERNEL, "-o", str(output)]) == 0
    assert output.read_text()


def test_text_that_the_terminal_cannot_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "kernel.mlir"
    file.write_text('cuda_tile.module @m { entry @"é"() { return } }', encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert main(["run", str(file), "--level=cuda_tile"]) == 1
    assert capsys.readouterr().err.startswith("<stdout>: error: 'ascii' codec can't encode")


def _interrupted(*_: object, **_hints: object) -> int:
    raise KeyboardInterrupt


def _exhausted(*_: object, **_hints: object) -> int:
    raise MemoryError


@pytest.mark.parametrize(
    ("command", "status", "message"),
    [
        (_interrupted, INTERRUPTED, "tileir: error: interrupted\n"),
        (_exhausted, 1, "tileir: error: out of memory\n"),
    ],
)
def test_interrupts_and_memory(
    command: Any,
    status: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(main_module, "_run", command)
    assert main(["fmt", KERNEL]) == status
    assert capsys.readouterr() == ("", message)


def test_streams_are_put_back():
    before = sys.stdin, sys.stdout, sys.stderr
    with standard_streams():
        assert sys.stdout is not before[1]
    assert (sys.stdin, sys.stdout, sys.stderr) == before


def start(*arguments: str, stdin: int | None = None) -> subprocess.Popen[bytes]:
    """`tileir` in a process group of its own."""
    command = [sys.executable, "-m", "tileir_xdsl.cli.main", *arguments]
    return subprocess.Popen(
        command,
        stdin=stdin,
        stderr=subprocess.PIPE,
        cwd=REPOSITORY,
        start_new_session=True,
        # Where the tests run in the background, they have been told to ignore it.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def unread(pipe: IO[bytes]) -> int:
    """How many bytes of a pipe nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_the_process_with_all_streams_closed(tmp_path: Path):
    output = tmp_path / "out"
    script = f'"{sys.executable}" -m tileir_xdsl.cli.main fmt "{KERNEL}" -o "{output}" <&- >&- 2>&-'
    assert subprocess.run(["/bin/sh", "-c", script], cwd=REPOSITORY).returncode == 0
    assert output.read_text().startswith("cuda_tile.module")


def test_ctrl_c():
    process = start("fmt", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    # Until it reads the standard input, the interpreter's own start may see the signal.
    process.stdin.write(b"\n" * 10)
    process.stdin.flush()
    pipe = process.stdin
    wait_until(lambda: unread(pipe) == 0)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (INTERRUPTED, b"tileir: error: interrupted\n")


def test_ctrl_c_reaches_no_process_that_compiles():
    """Of all processes of the group only the first one reports."""
    options = ["--jobs=2", "--device=emulator", "--gpu=sm_80"]
    process = start("tune", KERNEL, *ARGUMENTS, *options)
    wait_until(lambda: psutil.Process(process.pid).children())
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (INTERRUPTED, b"tileir: error: interrupted\n")


INTERRUPTED_IMPORT = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {0!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from tileir_xdsl.cli.compile_server.client import {1}
sys.argv = [{2!r}, "--help"]
sys.exit({1}())
"""


@pytest.mark.parametrize("module", ["argparse", "tileir_xdsl.cli.{}main"])
@pytest.mark.parametrize(("program", "package"), [("tileir", ""), ("tileir-as", "tileir_as.")])
def test_interrupted_while_importing(module: str, program: str, package: str):
    """Whatever module it is, before the command could deal with Ctrl-C."""
    name = program.replace("-", "_")
    code = INTERRUPTED_IMPORT.format(module.format(package), name, program)
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert process.stderr == f"{program}: error: interrupted\n".encode()
    assert process.returncode == INTERRUPTED
