"""Installs `tileir-as` under the name `tileiras`, and a `tileirdisasm` in the same folder."""

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
"""The installed programs, and the module that each runs."""


def install(folder: Path) -> Path:
    """Writes an executable `tileiras` into a folder, and creates the folder if necessary.

    The executable runs `tileir-as` with the Python interpreter of this process. Returns its path.
    Raises OSError.
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
