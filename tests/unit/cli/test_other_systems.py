"""Every command without what only Linux, or only a system with users and forks, has.

Windows, macOS and WebAssembly lack some of these names each; here all are hidden at once.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.tools import REPOSITORY
from tileir_xdsl import samples
from tileir_xdsl.cli.main import COMMANDS
from tileir_xdsl.view.child import Child

MODULES = ("fcntl", "resource", "pwd", "grp", "termios")

NAMES = {
    "os": "fork forkpty getuid geteuid getgid getegid killpg setsid O_NONBLOCK wait3 wait4",
    "signal": "pthread_sigmask pthread_kill SIGKILL SIGCHLD SIGALRM SIGHUP SIGUSR1 SIGCONT",
    "socket": "AF_UNIX SO_PEERCRED SCM_RIGHTS send_fds recv_fds",
}
"""What Python leaves out of its modules where the system has none, by module."""

HIDDEN = f"""
import asyncio, concurrent.futures.process, functools, importlib, json, logging
import multiprocessing.spawn, platformdirs, socket, subprocess, sys, tempfile, threading, warnings
socket.socketpair = functools.partial(socket.socketpair, socket.AF_UNIX)
for name in {MODULES!r}:
    sys.modules[name] = None
for module, names in {NAMES!r}.items():
    for name in names.split():
        delattr(importlib.import_module(module), name)
warnings.filterwarnings("error", category=EncodingWarning, module="tileir_xdsl")
"""
"""The libraries are imported first: on such systems they do without these names by themselves."""

EACH = """
import os, signal
from tileir_xdsl.cli.compile_server import client

def interrupt(ended):
    # Not by `raise_signal`, which would not wake the main thread; again where it came too early.
    while not ended.wait(2):
        os.kill(os.getpid(), signal.SIGINT)

def status(name, words):
    ended = threading.Event()
    if name == "view":
        threading.Thread(target=interrupt, args=[ended]).start()
    sys.argv = ["tileir", *words]
    try:
        return client.tileir()
    except SystemExit as end:
        return end.code
    finally:
        ended.set()

runs = json.loads(sys.argv[1])
found = {name: status(name, words) for name, words in runs.items()}
with open("found.json", "w", encoding="utf-8") as file:
    json.dump(found, file)
"""

ARRAY = ("random:f32:64", "64", "1")
LAUNCH = ["--grid", "1", *(word for value in (*ARRAY, *ARRAY, "2.5") for word in ("--arg", value))]
SIZES = ["--warps", "4", "--stages", "2", "--ctas", "1"]

RUNS = {
    "compile": ["compile", "k.mlir", "l.mlir", "--jobs", "1", "-o", "out"],
    "explain": ["explain", "k.mlir", "-o", "k.html"],
    "view": ["view", "shown"],
    "run": ["run", "k.mlir", *LAUNCH],
    "opt": ["opt", "--passes", "canonicalize", "k.mlir"],
    "passes": ["passes"],
    "lsp": ["lsp", "--stdio"],
    "gui": ["gui", "k.mlir"],
    "emulate": ["emulate", "out/k.ptx", *LAUNCH],
    "fmt": ["fmt", "k.mlir"],
    "asm": ["asm", "k.mlir", "-o", "k.tileirbc"],
    "disasm": ["disasm", "k.tileirbc"],
    "new": ["new", "new.py"],
    "sample": ["sample", "saxpy"],
    "tune": ["tune", "k.mlir", *SIZES, "--jobs", "1", "--device", "emulator", *LAUNCH],
    "lint": ["lint", "out/k.ptx"],
    "completion": ["completion", "bash"],
    "cache": ["cache", "stats"],
    "server": ["server", "status"],
    "check": ["check", "k.mlir", "--no-races", *LAUNCH],
    "reproduce": ["reproduce", "compile", "k.mlir"],
    "python": ["python", "script.py"],
}
REFUSED = {
    "gui": "gui: error: expected a terminal as standard input and output",
    "server": "server: error: the server needs forked",
    "reproduce": "k.mlir: error: `tileir compile` does not fail on this file",
}
"""Commands that say why they cannot: no terminal, no server there, and nothing that fails."""


def started(folder: Path, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-X", "warn_default_encoding", "-c", HIDDEN + script, *words]
    return subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        env={
            "PYTHONPATH": str(REPOSITORY),
            "HOME": str(folder),
            "TILEIR_SERVER": "auto",
            # What drives the terminal of `gui` is Textual's own choice by system.
            "TEXTUAL_DRIVER": "textual.drivers.headless_driver:HeadlessDriver",
        },
    )


def test_commands(tmp_path: Path):
    assert RUNS.keys() == COMMANDS.keys()
    (tmp_path / "shown").mkdir()
    for name in ("k", "l", "shown/k"):
        (tmp_path / f"{name}.mlir").write_bytes(samples.path("saxpy").read_bytes())
    (tmp_path / "script.py").write_text("import cuda.tile\n", encoding="utf-8")
    done = started(tmp_path, EACH, json.dumps(RUNS))
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found == {name: int(name in REFUSED) for name in COMMANDS}, done.stderr
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    assert len(errors) == len(REFUSED)
    for said, line in zip(REFUSED.values(), errors, strict=True):
        assert line.startswith(said)


def test_a_compilation_of_view_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(os, "killpg")
    (tmp_path / "k.mlir").write_bytes(samples.path("saxpy").read_bytes())
    child = Child(tmp_path, "k.mlir", tmp_path / "k.json", [])
    child.kill()
    assert child.wait().message == "the compiler was ended by signal 9"
