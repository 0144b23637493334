"""Compares what a test states, what the model allows and what the emulator does."""

from __future__ import annotations

from dataclasses import dataclass

from tests.litmus.executions import allowed
from tests.litmus.runs import observe
from tests.litmus.syntax import LitmusTest


@dataclass(frozen=True)
class Report:
    """What is wrong with a test; outcomes that are allowed and free of races, but were not seen;
    and how many launches there were."""

    problems: tuple[str, ...]
    unseen: tuple[tuple[int, ...], ...]
    launches: int


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
    """Explores a test in up to `limit` orders, once for its outcomes and once for its races."""
    model = allowed(test)
    plain = observe(test, limit)
    checked = observe(test, limit, races=True)
    problems = [
        f"{dict(zip(model.names, outcome, strict=True))} is forbidden, and was seen"
        for outcome in sorted(plain.outcomes - model.outcomes)
    ]
    if bool(checked.races) != model.is_racy:
        problems.append("a race is not reported" if model.is_racy else next(iter(checked.races)))
    unseen = () if model.is_racy else tuple(sorted(model.outcomes - plain.outcomes))
    return Report(tuple(problems), unseen, plain.launches + checked.launches)
