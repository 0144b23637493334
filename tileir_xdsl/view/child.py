"""One compilation in a process of its own, so that no kernel harms the server."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_SECONDS = 600.0
"""After this long a compilation is ended."""


@dataclass(frozen=True)
class Outcome:
    """The result of a compilation."""

    report: bytes | None
    """The JSON of the report, also of a compilation that failed; None without any."""
    failed: bool
    message: str | None
    """The error, where the report does not state it."""


class Child:
    """`tileir explain` on a file of a folder."""

    def __init__(self, folder: Path, name: str, report: Path, options: Sequence[str]):
        self._report = report
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        # Without -P, Python would import from the folder.
        command = [sys.executable, "-P", "-m", "tileir_xdsl.cli.main", "explain"]
        self._process = subprocess.Popen(
            [*command, *options, "-o", str(report), "--", name],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            # Ctrl-C is the server's to handle.
            start_new_session=True,
        )

    def wait(self) -> Outcome:
        """Waits for its end, and returns the result."""
        message = None
        with self._errors:
            try:
                status = self._process.wait(MOST_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
                status = self._process.wait()
                message = f"the compilation took longer than {MOST_SECONDS:.0f} s"
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").splitlines()
        report, said = _read(self._report)
        if status != 0 and said != "failed":
            message = message or next(filter(None, reversed(lines)), None) or _ending(status)
        return Outcome(report, status != 0, message)

    def kill(self) -> None:
        """Ends it, and what it has started where the system has groups of processes."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()


def _ending(status: int) -> str:
    return (
        f"the compiler was ended by signal {-status}"
        if status < 0
        else f"the compiler ended with status {status}"
    )


def _read(report: Path) -> tuple[bytes | None, str | None]:
    """A report, which is removed, and the status that it states; None twice where there is none."""
    try:
        contents = report.read_bytes()
        report.unlink()
        return contents, json.loads(contents)["status"]
    except (OSError, ValueError, KeyError, TypeError):
        return None, None
