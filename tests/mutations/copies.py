"""A copy of the repository's files, in which faults are planted."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

from tests.reach.map import REPOSITORY

from .fault import Fault


def copy_sources(target: Path, root: Path = REPOSITORY) -> None:
    """Copies what git tracks or would track into an empty folder."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, copy = root / name, target / name
        if source.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, copy)


@contextlib.contextmanager
def planted(fault: Fault, root: Path) -> Generator[None]:
    """Has a fault in a copy of the sources.

    Raises:
        MutationError: the old text does not occur once.
    """
    file = root / fault.file
    text = file.read_text("utf-8")
    file.write_text(fault.planted_in(text), "utf-8")
    try:
        yield
    finally:
        file.write_text(text, "utf-8")
