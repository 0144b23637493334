"""A copy of the repository's files, in which faults are planted."""

from __future__ import annotations

import compileall
import contextlib
import py_compile
import re
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


_TESTS = re.compile(r"/test_[^/]*\.py$")
"""What pytest compiles by itself."""


def compile_sources(root: Path) -> None:
    """Stores the byte code of a copy, so that tests begin sooner; a source with a fault has none."""
    # A hash tells what a time stamp may not: a fault of the same length within a second.
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(root, rx=_TESTS, quiet=2, invalidation_mode=mode)


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
