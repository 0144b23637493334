"""The results: one JSON file that is complete after each item, and never too large to carry."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RESULTS_FORMAT = 2

MOST_BYTES = 4 << 20
"""What the file may have."""

RETRIED = ("skipped", "cut", "refused")
"""How an item may have ended that a later run tries again: nothing of it ran."""

FAILURES = ("fault", "hung", "crash")
"""How a kernel may end that is tried once more, alone, when all else is done."""

TRIES = 2

DETAIL_CHARACTERS = 300


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
    """The JSON in a file; raises PackError, which names the file, where there is none.

    A file to which `Results.put` has added an item meanwhile is read again.
    """
    try:
        found = path.read_bytes()
        while True:
            try:
                return json.loads(found)
            except ValueError:
                before, found = found, path.read_bytes()
                if found == before:
                    raise
    except (OSError, ValueError) as error:
        raise PackError(f"{path}: no {what}: {error}") from error


def failure_of(result: dict[str, Any]) -> str | None:
    """How a contender of a timed item has failed, if it has."""
    return next((status for status in FAILURES if status in result), None)


def _whole(result: dict[str, Any]) -> dict[str, Any]:
    return result


def _without_bits(result: dict[str, Any]) -> dict[str, Any]:
    """Without what only helps to look into a failure."""
    kept = {key: value for key, value in result.items() if key != "tail"}
    if "outputs" in kept:
        kept["outputs"] = [{**output, "bits": None} for output in kept["outputs"]]
    return kept


END = "}}"
"""How a file ends: with the items, and with everything."""

SHORT = ("status", "detail", "contenders", "group", "took", "tries", "answer")


def _short(result: dict[str, Any]) -> dict[str, Any]:
    """How the item has ended, and times."""
    return {key: result[key] for key in SHORT if key in result}


SHORTENED: tuple[tuple[float, Callable[[dict[str, Any]], dict[str, Any]]], ...] = (
    (0.5, _whole),
    (0.7, _without_bits),
    (1.0, _short),
)
"""Up to which share of the largest file a result is kept how."""


@dataclass
class Results:
    """What is known so far, and the file it is kept in."""

    path: Path
    data: dict[str, Any]
    session: dict[str, Any] = field(default_factory=lambda: dict[str, Any]())

    @staticmethod
    def open(path: Path, pack: str, device: str) -> Results:
        """The results in a file that a run may go on with, or none.

        Raises PackError for a file that is none of ours, of another pack or another device.
        """
        if not path.exists():
            new = {"format": RESULTS_FORMAT, "pack": pack, "on": device, "device": {}}
            return Results(path, {**new, "costs": {}, "sessions": [], "items": {}})
        data = read_json(path, "results file")
        if not isinstance(data, dict) or data.get("format") != RESULTS_FORMAT:
            raise PackError(f"{path}: no results file of format {RESULTS_FORMAT}")
        for key, wanted in (("pack", pack), ("on", device)):
            if data.get(key) != wanted:
                raise PackError(f"{path}: results of another {key}: give --results another name")
        return Results(path, data)

    @property
    def items(self) -> dict[str, dict[str, Any]]:
        """The results by the names of items."""
        return self.data["items"]

    def contenders(self, item: str) -> dict[str, dict[str, Any]]:
        """What is known of the contenders of a timed item."""
        return dict(self.items.get(item, {}).get("contenders", {}))

    def failed_once(self, item: str) -> bool:
        """Whether an item as a whole has failed, and may be tried again."""
        found = self.items.get(item, {})
        return found.get("status") in FAILURES and found.get("tries", 1) < TRIES

    def start(self, session: dict[str, Any]) -> None:
        """Notes a run."""
        self.session = session
        self.data["sessions"].append(session)
        self.save()

    def is_done(self, item: str) -> bool:
        """Whether an item needs no other run, but perhaps another try of what has failed."""
        found = self.items.get(item)
        return found is not None and found["status"] not in RETRIED

    def put(self, item: str, result: dict[str, Any]) -> None:
        """Adds the result of an item to the file, shortened where the file grows large.

        The end of the file is written anew in one call, so that the file can be read at any time;
        of two results of an item the later one holds.
        """
        share = self.path.stat().st_size / MOST_BYTES
        kept = next(shorten for most, shorten in SHORTENED if share < most or most == 1.0)(result)
        if len(kept.get("detail", "")) > DETAIL_CHARACTERS:
            kept = {**kept, "detail": kept["detail"][:DETAIL_CHARACTERS]}
        comma = "," if self.items else ""
        self.items[item] = kept
        text = f"{comma}{json.dumps(item)}:{json.dumps(kept, separators=(',', ':'))}}}}}"
        with self.path.open("r+b") as file:
            file.seek(-len(END), os.SEEK_END)
            file.write(text.encode())

    def save(self) -> None:
        """Writes the file as a whole, items last, as `put` needs them."""
        rest = {key: value for key, value in self.data.items() if key != "items"}
        write_json(self.path, {**rest, "items": self.items})
