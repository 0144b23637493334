"""A folder as it is now: looked at again and again, as files tell nobody that they change."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path

from tileir_xdsl.view.compilations import Compilations
from tileir_xdsl.view.folder import Entry, Kind, entries
from tileir_xdsl.view.revisions import Revisions

PAUSE = 0.5
"""Seconds between two looks."""


class WatchedFolder:
    """The entries of a folder, or a script of it; kernels that change are compiled again."""

    def __init__(
        self,
        folder: Path,
        compilations: Compilations,
        revisions: Revisions,
        script: str | None = None,
    ):
        self._folder, self._script = folder, script
        self._compilations = compilations
        self._revisions = revisions
        self._entries = entries(folder, script)
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watching")
        self._watcher.start()

    def entries(self) -> Mapping[str, Entry]:
        """The kernels and reports by name, as of the last look."""
        return self._entries

    def look(self) -> None:
        """Finds what has changed since the last look."""
        before, now = self._entries, entries(self._folder, self._script)
        if now == before:
            return
        self._entries = now
        self._revisions.add()
        for name in before.keys() - now.keys():
            self._compilations.forget(name)
        for entry in now.values():
            if entry.kind is Kind.KERNEL:
                self._compilations.changed(entry)

    def close(self) -> None:
        """Looks no more."""
        self._ended.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._ended.wait(PAUSE):
            # A folder that is gone for a moment, as a network's is, has what it had.
            with contextlib.suppress(OSError):
                self.look()
