"""Polls a folder for changed files."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from pathlib import Path

from tileir_xdsl.view.compilations import Compilations
from tileir_xdsl.view.folder import Entry, Kind, entries
from tileir_xdsl.view.revisions import Revisions

PAUSE = 0.5
"""Seconds between two polls."""


class WatchedFolder:
    """The entries of a folder, or of a script in it; changed kernels are compiled again."""

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
        """The kernels and reports by name, as of the last poll."""
        return self._entries

    def look(self) -> None:
        """Finds changes since the last poll."""
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
        """Ends the polling."""
        self._ended.set()
        self._watcher.join()

    def _watch(self) -> None:
        while not self._ended.wait(PAUSE):
            # A folder that is gone for a moment, as a network's is, has what it had.
            with contextlib.suppress(OSError):
                self.look()
