"""The results: one JSON file, replaced as a whole again and again, so that it is never broken."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RESULTS_FORMAT = 1

RETRIED = ("skipped", "cut", "refused")
"""How an item may have ended that a later run tries again: nothing of it ran."""


SAVED_EVERY = 0.25
"""Seconds of results that may be lost with the process."""


class PackError(RuntimeError):
    """What the user has to know, in one line."""


def write_json(path: Path, value: Any) -> None:
    """Writes a file that has either its old or its new contents, whenever the process ends."""
    new = path.with_name(path.name + ".new")
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps(value, separators=(",", ":")))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def read_json(path: Path, what: str) -> Any:
    """The JSON in a file; raises PackError, which names the file, where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PackError(f"{path}: no {what}: {error}") from error


@dataclass
class Results:
    """What is known so far, and the file it is kept in."""

    path: Path
    data: dict[str, Any]
    session: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())
    saved: float = 0.0

    @staticmethod
    def open(path: Path, pack: str, device: str) -> Results:
        """The results in a file that a run may go on with, or none.

        Raises PackError for a file that is none of ours, of another pack or another device.
        """
        if not path.exists():
            new = {"format": RESULTS_FORMAT, "pack": pack, "on": device, "device": {}}
            return Results(path, {**new, "sessions": [], "items": {}})
        data = read_json(path, "results file")
        if not isinstance(data, dict) or data.get("format") != RESULTS_FORMAT:
            raise PackError(f"{path}: no results file of format {RESULTS_FORMAT}")
        for key, wanted in (("pack", pack), ("on", device)):
            if data.get(key) != wanted:
                raise PackError(f"{path}: results of another {key}: give --results another name")
        return Results(path, data)

    def start(self, session: dict[str, Any]) -> None:
        """Notes a run."""
        self.session = session
        self.data["sessions"].append(session)
        self.save()

    def is_done(self, item: str) -> bool:
        """Whether an item needs no other run."""
        found = self.data["items"].get(item)
        return found is not None and found["status"] not in RETRIED

    def put(self, item: str, result: dict[str, Any]) -> None:
        """Adds the result of an item; thousands that are done in no time share a file."""
        self.data["items"][item] = result
        if time.monotonic() - self.saved > SAVED_EVERY:
            self.save()

    def save(self) -> None:
        """Writes the file."""
        write_json(self.path, self.data)
        self.saved = time.monotonic()
