"""Compiles in a separate process, so that no kernel can crash the server."""

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
"""A longer compilation is killed."""


@dataclass(frozen=True)
class Outcome:
    """The result of a compilation."""

    report: bytes | None
    """The JSON of the report, also for a failed compilation; None if there is no report."""
    failed: bool
    message: str | None
    """The error, if the report does not contain it."""


class Child:
    """A process that runs `tileir explain` on a file."""

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
        """Waits until the process ends, and returns the result."""
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
        """Kills the process and, on systems with process groups, its child processes."""
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
    """Reads and removes a report; returns it with its status, or None twice if there is none."""
    try:
        contents = report.read_bytes()
        report.unlink()
        return contents, json.loads(contents)["status"]
    except (OSError, ValueError, KeyError, TypeError):
        return None, None
