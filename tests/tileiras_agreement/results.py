"""What came out: a log of rows, how they are classified, and what is kept of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.tileiras_agreement.compilers import CRASHED, INVALID, SLOW, Verdict

KEPT = Path(__file__).with_name("results.json")
"""The counts, and the rows on which the two differ, of the run that the page is about."""

BOTH, NEITHER, OURS, THEIRS, CRASH = (
    "both accept",
    "both refuse",
    "only we accept",
    "only tileiras accepts",
    "tileiras crashes",
)
OUR_FAULT = "we crash"
CLASSES = (BOTH, NEITHER, OURS, THEIRS, CRASH, OUR_FAULT)


@dataclass(frozen=True)
class Row:
    """What both make of one module for one target."""

    operation: str
    case: str
    gpu: str
    ours: Verdict
    theirs: Verdict

    @property
    def key(self) -> tuple[str, str, str]:
        """What is looked up to go on."""
        return self.operation, self.case, self.gpu

    @property
    def outcome(self) -> str:
        """One of `CLASSES`."""
        if self.ours.kind in (CRASHED, SLOW):
            return OUR_FAULT
        if self.theirs.kind in (CRASHED, SLOW):
            return CRASH
        accepted = self.ours.is_accepted, self.theirs.is_accepted
        return {
            (True, True): BOTH,
            (False, False): NEITHER,
            (True, False): OURS,
            (False, True): THEIRS,
        }[accepted]

    @property
    def is_settled(self) -> bool:
        """Whether other targets say the same: the module is refused without looking at one."""
        return self.ours.kind == INVALID and self.outcome == NEITHER

    def as_json(self) -> dict[str, Any]:
        """The row for a file."""
        return asdict(self)


def from_json(data: dict[str, Any]) -> Row:
    """A row of a file."""
    verdicts = {each: Verdict(**data[each]) for each in ("ours", "theirs")}
    return Row(data["operation"], data["case"], data["gpu"], **verdicts)


def read_log(path: Path) -> list[Row]:
    """The rows that a log has so far; none if there is no file."""
    if not path.exists():
        return []
    lines = path.read_text("utf-8").splitlines()
    return [from_json(json.loads(line)) for line in lines if line.endswith("}")]


_PLACES = re.compile(
    r"^kernel: error: |^error at offset \d+: | \([^()]*(?:\([^()]*\))?[^()]*offset \d+\)$"
    r"|; (?:it|'cuda_tile\.\w+' op at loc\(\.\.\)) needs \w+ or later$|'cuda_tile\.\w+'(?: op|:) "
)


def core(words: str) -> str:
    """What is said, without where; targets without their suffix."""
    text = re.sub(r"(sm_\d+)a", r"\1", words).replace(" or fnv8E5M3FNU", "")
    while (shorter := _PLACES.sub("", text)) != text:
        text = shorter
    return text


@dataclass(frozen=True)
class Results:
    """How often each operation came to what on which target, and the rows that need a reason."""

    counts: Counter[tuple[str, str, str]]
    same_words: int
    rows: Sequence[Row]

    @property
    def total(self) -> int:
        """How many modules were compiled, once for each target."""
        return self.counts.total()


def gathered(rows: Iterable[Row]) -> Results:
    """What is kept of rows."""
    counts: Counter[tuple[str, str, str]] = Counter()
    different: list[Row] = []
    same_words = 0
    for row in rows:
        counts[row.operation, row.gpu, row.outcome] += 1
        if row.outcome not in (BOTH, NEITHER):
            different.append(row)
        elif row.outcome == NEITHER:
            same_words += core(row.ours.words) == core(row.theirs.words)
    return Results(counts, same_words, sorted(different, key=lambda row: row.key))


def store(results: Results, path: Path = KEPT) -> None:
    """Writes what is kept."""
    counts = [[*key, count] for key, count in sorted(results.counts.items())]
    lines = [
        "{",
        f'"same_words": {results.same_words},',
        '"counts": [',
        ",\n".join(map(json.dumps, counts)),
        "],",
        '"rows": [',
        ",\n".join(json.dumps(row.as_json()) for row in results.rows),
        "]",
        "}",
    ]
    path.write_text("\n".join(line for line in lines if line) + "\n", "utf-8")


def kept(path: Path = KEPT) -> Results:
    """What was kept of the run that the page is about."""
    data = json.loads(path.read_text("utf-8"))
    counts = Counter({(op, gpu, outcome): n for op, gpu, outcome, n in data["counts"]})
    return Results(counts, data["same_words"], [from_json(row) for row in data["rows"]])
