"""Two stored results of a benchmark, and what has become worse.

`python -m bench.compare A B [--tolerance 0.1]` prints what differs in B from A, and returns 1 if
anything is worse: a count that has grown, a time by more than the tolerance, a row that is missing
or could be measured before. Digests that differ are shown where nothing else does.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.framework.results import Kind, Result, ResultError, Row, Value

TOLERANCE = 0.1


@dataclass(frozen=True)
class Difference:
    """What differs in one row; `measure` is empty where the row itself is there, or not."""

    row: str
    measure: str
    before: Value
    after: Value
    is_worse: bool

    def __str__(self) -> str:
        mark = "WORSE " if self.is_worse else "      "
        measure = f" {self.measure}" if self.measure else ""
        return f"{mark}{self.row}{measure}: {self.before} -> {self.after}{self._ratio()}"

    def _ratio(self) -> str:
        if isinstance(self.before, int | float) and isinstance(self.after, int | float):
            return f" ({self.after / self.before:.3f})" if self.before else ""
        return ""


def compare_values(kind: Kind, before: Value, after: Value, tolerance: float) -> bool | None:
    """Whether a value is worse than before; `None` where it is the same."""
    if before == after:
        return None
    if kind == "identity":
        return False
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return after is None
    if kind == "time" and before / (1 + tolerance) <= after <= before * (1 + tolerance):
        return None
    return after > before


def compare_rows(
    name: str, before: Row, after: Row, result: Result, tolerance: float
) -> list[Difference]:
    """The differences of one row."""
    if isinstance(before, str) or isinstance(after, str):
        if before == after:
            return []
        is_worse = isinstance(after, str) and not isinstance(before, str)
        old, new = (row if isinstance(row, str) else "measured" for row in (before, after))
        return [Difference(name, "", old, new, is_worse)]
    found: list[Difference] = []
    for (measure, kind), old, new in zip(result.measures.items(), before, after, strict=True):
        is_worse = compare_values(kind, old, new, tolerance)
        if is_worse is not None:
            found.append(Difference(name, measure, old, new, is_worse))
    told = [each for each in found if result.measures[each.measure] != "identity"]
    return told or found


def compare(before: Result, after: Result, tolerance: float = TOLERANCE) -> list[Difference]:
    """All differences; raises `ResultError` for results of different benchmarks."""
    if (before.benchmark, before.measures) != (after.benchmark, after.measures):
        raise ResultError(f"'{before.benchmark}' and '{after.benchmark}' measure different things")
    found: list[Difference] = []
    for name, row in before.rows.items():
        if name in after.rows:
            found += compare_rows(name, row, after.rows[name], after, tolerance)
        else:
            found.append(Difference(name, "", "present", "missing", True))
    return found + [
        Difference(name, "", "absent", "new", False)
        for name in after.rows
        if name not in before.rows
    ]


def summary(before: Result, after: Result) -> Iterator[str]:
    """A line for each measure: how many rows have more and less, and the median ratio."""
    pairs = [
        (row, after.rows[name])
        for name, row in before.rows.items()
        if not isinstance(row, str) and not isinstance(after.rows.get(name, ""), str)
    ]
    for place, (measure, kind) in enumerate(before.measures.items()):
        values = [(old[place], new[place]) for old, new in pairs]
        if kind == "identity":
            changed = sum(old != new for old, new in values)
            yield f"{measure}: {changed} of {len(values)} differ"
            continue
        known = [
            (old, new)
            for old, new in values
            if isinstance(old, int | float) and isinstance(new, int | float)
        ]
        more, less = sum(new > old for old, new in known), sum(new < old for old, new in known)
        ratios = [new / old for old, new in known if old]
        median = f", median ratio {statistics.median(ratios):.3f}" if ratios else ""
        yield f"{measure}: {less} of {len(known)} rows less, {more} more{median}"


def report(before: Result, after: Result, tolerance: float = TOLERANCE) -> int:
    """Prints the comparison; 1 if anything is worse."""
    if before.machine != after.machine:
        print(f"before: {before.machine}\nafter:  {after.machine}")
    differences = compare(before, after, tolerance)
    for difference in differences:
        print(difference)
    for line in summary(before, after):
        print(line)
    return int(any(difference.is_worse for difference in differences))


def main(arguments: list[str] | None = None) -> int:
    """Compares two files."""
    parser = argparse.ArgumentParser(description="What is worse in the results B than in A.")
    parser.add_argument("a", type=Path, metavar="A")
    parser.add_argument("b", type=Path, metavar="B")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="of times, default 0.1")
    args = parser.parse_args(arguments)
    try:
        return report(Result.read(args.a), Result.read(args.b), args.tolerance)
    except ResultError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
