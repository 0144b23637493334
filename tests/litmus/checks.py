"""Compares what a test states, what the model allows and what the emulator does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.litmus.executions import allowed
from tests.litmus.runs import observe
from tests.litmus.syntax import LitmusTest


@dataclass(frozen=True)
class Report:
    """What is wrong with a test, and what was seen of it.

    `weak` are the outcomes that are seen only where strong accesses are not made in order, and
    `unseen` those that are allowed and were not seen at all. Both are empty if the test has a race.
    """

    problems: tuple[str, ...]
    weak: tuple[tuple[int, ...], ...]
    unseen: tuple[tuple[int, ...], ...]
    is_racy: bool
    launches: int
    is_allowed: bool
    """Whether nothing was seen that is forbidden."""
    is_false_race: bool
    """Whether a race was reported where there is none."""


def check_model(test: LitmusTest) -> list[str]:
    """Where the statements of a test differ from the axioms."""
    found = allowed(test)
    problems: list[str] = []
    if not test.condition.verdict(found.mappings()):
        problems.append(f"the model allows {found.names} = {sorted(found.outcomes)}")
    if found.is_racy != test.is_racy:
        problems.append(f"by the model there is {'a' if found.is_racy else 'no'} race")
    return problems


def check(test: LitmusTest, limit: int) -> Report:
    """Explores a test in up to `limit` launches each for its outcomes, for its races, and for what
    they do where strong accesses are not made in order."""
    model = allowed(test)
    plain = observe(test, limit)
    checked = observe(test, limit, races=True)
    weak = observe(test, limit, weak=True)
    problems = [
        f"{dict(zip(model.names, outcome, strict=True))} is forbidden, and was seen"
        for outcome in sorted((plain.outcomes | weak.outcomes) - model.outcomes)
    ]
    races = checked.races | weak.races
    is_allowed = not problems
    if bool(races) != model.is_racy:
        problems.append("a race is not reported" if model.is_racy else min(races))
    more = set() if model.is_racy else weak.outcomes - plain.outcomes
    unseen = set() if model.is_racy else model.outcomes - plain.outcomes - weak.outcomes
    return Report(
        tuple(problems),
        tuple(sorted(more)),
        tuple(sorted(unseen)),
        model.is_racy,
        plain.launches + checked.launches + weak.launches,
        is_allowed,
        bool(races) and not model.is_racy,
    )


def table(reports: Iterable[tuple[str, Report]]) -> Iterator[str]:
    """How the outcomes that an interleaving of the threads does not have were found: tests by
    family, as a table in Markdown."""
    families: dict[str, list[Report]] = defaultdict(list)
    for family, report in reports:
        families[family].append(report)
    yield "| tests | | a race, reported | weak outcomes, shown | weak outcomes, not shown |"
    yield "|---|---|---|---|---|"
    sums = [0, 0, 0, 0]
    for family, found in families.items():
        row = [
            len(found),
            sum(each.is_racy for each in found),
            sum(bool(each.weak) for each in found),
            sum(bool(each.unseen) for each in found),
        ]
        sums = [a + b for a, b in zip(sums, row, strict=True)]
        yield f"| {family} | {' | '.join(map(str, row))} |"
    yield f"| all | {' | '.join(map(str, sums))} |"
