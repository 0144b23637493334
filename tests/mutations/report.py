"""How many planted faults are found, by part of the package and by kind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from .fault import Fault
from .running import Outcome, Result


def report(faults: Sequence[Fault], results: Mapping[str, Result]) -> str:
    """Markdown tables of what became of those faults that were planted, and all survivors."""
    planted = [fault for fault in faults if fault.digest in results]

    def outcome(fault: Fault) -> Outcome:
        return results[fault.digest].outcome

    survivors = sorted(
        f"- `{fault.file}`, {fault.kind}: `{fault.old}` -> `{fault.new}`"
        for fault in planted
        if outcome(fault) is Outcome.SURVIVED
    )
    parts = [
        f"{len(planted)} of {len(faults)} faults planted",
        _table("part", planted, _part, outcome),
        _table("kind", planted, lambda fault: fault.kind, outcome),
        *(["Survivors:\n\n" + "\n".join(survivors)] if survivors else []),
    ]
    return "\n\n".join(parts)


def _part(fault: Fault) -> str:
    return fault.file.split("/")[1]


def _table(
    title: str,
    faults: Sequence[Fault],
    group: Callable[[Fault], str],
    outcome: Callable[[Fault], Outcome],
) -> str:
    counts = defaultdict[str, Counter[Outcome]](Counter)
    for fault in faults:
        counts[group(fault)][outcome(fault)] += 1
        counts["all"][outcome(fault)] += 1
    names = [*sorted(counts.keys() - {"all"}), *(["all"] if faults else [])]
    rows = [
        f"| {title} | faults | by `make quick FILE=..` | by `make test` | only by `make soak` "
        "| survived | open |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in names:
        count = counts[name]
        total, quick = count.total(), count[Outcome.QUICK]
        soaked, survived, still_open = (
            count[left] for left in (Outcome.SOAK, Outcome.SURVIVED, Outcome.OPEN)
        )
        found = total - soaked - survived - still_open
        rows.append(
            f"| {name} | {total} | {quick} ({quick / total:.0%}) | {found} ({found / total:.0%}) "
            f"| {soaked} | {survived} | {still_open} |"
        )
    return "\n".join(rows)
