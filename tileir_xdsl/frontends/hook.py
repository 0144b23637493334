"""Installs a line that Python runs when it starts, for `TILEIR_INTERPRET=1 python SCRIPT`.

The line is in a `.pth` file among the installed packages (Python documentation, `site`). Without
the environment variable, the line does nothing.
"""

from __future__ import annotations

import os
import site
import sysconfig
from pathlib import Path

from tileir_xdsl.frontends.environment import INTERPRET
from tileir_xdsl.runtime.errors import InputError

NAME = "tileir_interpret.pth"

LINE = (
    f'import os; os.environ.get("{INTERPRET}", "0") not in ("", "0") and __import__('
    '"tileir_xdsl.frontends.interpreting", fromlist=["*"]).interpret(os.environ)\n'
)
"""The installed line imports only `os` unless the variable is set."""


def folders() -> list[Path]:
    """The folders with packages of this Python, and of this user."""
    return [Path(sysconfig.get_path("purelib")), Path(site.getusersitepackages())]


def install_hook() -> Path:
    """Writes the line to the first writable folder; returns the file.

    Raises InputError if no folder is writable.
    """
    for folder in folders():
        file = folder / NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(LINE, encoding="utf-8")
        except OSError:
            continue
        return file
    raise InputError("--install-hook", f"cannot write to {' or '.join(map(str, folders()))}")


def remove_hook() -> list[Path]:
    """Removes the line from all folders; returns the files. Raises InputError."""
    found = [folder / NAME for folder in folders() if (folder / NAME).exists()]
    for file in found:
        try:
            os.unlink(file)
        except OSError as error:
            raise InputError(str(file), error.strerror or error) from error
    return found
