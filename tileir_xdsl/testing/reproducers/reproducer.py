"""A file that reproduces a failure: the command, versions, the launch, and the IR.

For example:

    // Made by `tileir reproduce`, which runs it again: tileir reproduce FILE
    // fails: pass 'mine' changes what kernel 'k' computes: ..
    // command: ["check", "%s", "--pass", "mine", "--with", "mine.py"]
    // seed: 0
    // versions: {"tileir_xdsl": "0.1", "xdsl": "0.74", "numpy": "2.3", "python": "3.12"}
    // launch: {"grid": [1, 1, 1], ..}
    builtin.module { .. }
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tileir_xdsl.checking.inputs import LaunchInput
from tileir_xdsl.testing.reproducers.stored_launches import as_json, from_json

HEADING = "// Made by `tileir reproduce`, which runs it again: tileir reproduce FILE"
FILE = "%s"
"""A placeholder in the command for the file's own path."""

_LINE = re.compile(r"// (fails|command|seed|options|versions|launch): (.*)")


@dataclass(frozen=True)
class Reproducer:
    """A failing command on the IR of one module."""

    words: tuple[str, ...]
    """The command's arguments after `tileir`; `FILE` stands for the file's path."""
    ir: str
    """The text of the IR."""
    fails: str
    """The first line of the failure's message."""
    seed: int = 0
    options: str = "{}"
    """The module's compile options, as JSON."""
    launch: LaunchInput | None = None
    """The launch, unless the command determines it."""

    def __str__(self) -> str:
        """The contents of the file."""
        lines = [
            HEADING,
            f"// fails: {self.fails}",
            f"// command: {json.dumps(list(self.words))}",
            f"// seed: {self.seed}",
            f"// options: {self.options}",
            f"// versions: {json.dumps(versions())}",
        ]
        if self.launch is not None:
            lines.append(f"// launch: {json.dumps(as_json(self.launch))}")
        return "\n".join((*lines, self.ir.strip(), ""))


def versions() -> dict[str, str]:
    """The versions of the compiler, Python and the packages that compilation uses."""
    found = {"python": platform.python_version(), "system": platform.platform()}
    for package in ("tileir_xdsl", "xdsl", "numpy", "ml_dtypes"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def read_reproducer(text: str) -> Reproducer | None:
    """Parses a reproducer; returns None for any other file.

    Raises ValueError for a damaged reproducer.
    """
    if not text.startswith(HEADING):
        return None
    lines = text.splitlines()[1:]
    found: dict[str, Any] = {}
    while lines and (line := _LINE.fullmatch(lines[0])) is not None:
        name, value = line.groups()
        found[name] = value if name in ("fails", "options") else json.loads(value)
        lines.pop(0)
    try:
        launch = from_json(found["launch"]) if "launch" in found else None
        words = _words(found["command"])
        fails, seed = str(found["fails"]), int(found["seed"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"its heading is damaged: {error!r}") from error
    return Reproducer(words, "\n".join(lines), fails, seed, found.get("options", "{}"), launch)


def _words(value: Sequence[object]) -> tuple[str, ...]:
    if not all(isinstance(word, str) for word in value) or FILE not in value:
        raise TypeError(f"expected a command with {FILE}, got {value!r}")
    return tuple(map(str, value))
