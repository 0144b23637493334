"""Finds the files of a folder that have a page: kernels and stored reports."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """The kind of a file."""

    KERNEL = "kernel"
    REPORT = "report"


KERNEL_SUFFIXES = (".mlir", ".tilebc", ".tileirbc")
REPORT_SUFFIX = "report.json"


@dataclass(frozen=True)
class Entry:
    """A file of the folder, as last read."""

    name: str
    path: Path
    kind: Kind
    state: tuple[int, int, int]
    """Facts that change with the contents: modification time in ns, size, and inode number."""


def kind_of(name: str) -> Kind | None:
    """The kind of a file by its name; None for a file without a page."""
    if name.startswith("."):
        return None
    if name.endswith(REPORT_SUFFIX):
        return Kind.REPORT
    return Kind.KERNEL if name.endswith(KERNEL_SUFFIXES) else None


def entries(folder: Path, script: str | None = None) -> Mapping[str, Entry]:
    """The kernels and reports of a folder by name, without subfolders; or only a script.

    A `script`, as `FILE.py` or `FILE.py:KERNEL`, is executed, so it is listed only if named. Links
    that lead out of the folder are omitted. Raises OSError for a folder that cannot be read.
    """
    root = folder.resolve(strict=True)
    if script is None:
        named = [(name, name, kind_of(name)) for name in sorted(os.listdir(root))]
    else:
        named = [(script, script.partition(":")[0], Kind.KERNEL)]
    found = (_entry(root, name, file, kind) for name, file, kind in named if kind is not None)
    return {entry.name: entry for entry in found if entry is not None}


def _entry(root: Path, name: str, file: str, kind: Kind) -> Entry | None:
    try:
        path = (root / file).resolve(strict=True)
        facts = path.stat()
    except OSError:
        # It is gone again, or a link that leads nowhere.
        return None
    if not stat.S_ISREG(facts.st_mode) or not path.is_relative_to(root):
        return None
    return Entry(name, path, kind, (facts.st_mtime_ns, facts.st_size, facts.st_ino))
