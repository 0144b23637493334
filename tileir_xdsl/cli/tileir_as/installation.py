"""A `tileiras` for PATH that is this program, and the `tileirdisasm` expected alongside it."""

import os
import shlex
import stat
import sys
from pathlib import Path

NAME = "tileiras"
PROGRAMS = {
    NAME: "tileir_xdsl.cli.tileir_as",
    "tileirdisasm": "tileir_xdsl.cli.tileir_as.disassembly",
}
"""The programs that are made, and the modules that they run."""


def install(folder: Path) -> Path:
    """Writes an executable `tileiras` into a folder, and creates the folder if necessary.

    It runs `tileir-as` with the Python that this process has. Returns its path. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [_write(folder, name, module) for name, module in PROGRAMS.items()]
    return paths[0]


def _write(folder: Path, name: str, module: str) -> Path:
    windows = os.name == "nt"
    path = folder / (f"{name}.bat" if windows else name)
    path.write_text(_batch(module) if windows else _script(module), encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path


def _script(module: str) -> str:
    # A shell starts the interpreter: `#!` takes no path with blanks, and none of any length.
    return f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {module} "$@"\n'


def _batch(module: str) -> str:
    return f'@"{sys.executable}" -m {module} %*\r\n'
