"""A planted fault: one text of a source in place of another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

FAULTS = Path(__file__).with_name("faults.jsonl")


class MutationError(Exception):
    """What the user must change, in one line."""


@dataclass(frozen=True)
class Fault:
    """One realistic mistake in one source."""

    file: str
    """A path relative to the repository."""
    kind: str
    """What kind of mistake, such as `dropped barrier`."""
    old: str
    """A text that occurs once in the file."""
    new: str

    @cached_property
    def digest(self) -> str:
        """What a log calls it: it changes with the row."""
        row = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(row.encode()).hexdigest()[:12]

    def planted_in(self, text: str) -> str:
        """The text of the file with the fault.

        Raises:
            MutationError: the old text does not occur once.
        """
        if (count := text.count(self.old)) != 1:
            raise MutationError(f"{self.file}: `{self.old}` occurs {count} times instead of once")
        return text.replace(self.old, self.new)


def read(file: Path = FAULTS) -> Sequence[Fault]:
    """The faults of a table, one JSON object a line."""
    return [Fault(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def to_text(faults: Sequence[Fault]) -> str:
    """The table, sorted by file."""
    rows = sorted(faults, key=lambda fault: (fault.file, fault.old, fault.new))
    return "".join(f"{json.dumps(asdict(fault), ensure_ascii=False)}\n" for fault in rows)
