"""The decisions of a pass, out of the report that it makes with `explain`.

What passes report differs: an op with strategies and their cycles, a group of ops with layouts and
scores, a barrier and why it is there. The facts of each are kept as they are; op, choice, reason
and candidates are found in them under the names below. What `force` takes follows from the pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Operation

from tileir_xdsl.explain import OperationLabels, Report, ReportValue
from tileir_xdsl.report.provenance import Origins
from tileir_xdsl.report.schema import Candidate, Decision

_LABEL = re.compile(r"#(\d+) \S+")

_CHOSEN = ("chosen", "strategy", "by", "outcome", "inserted", "layout", "atom", "choice")
"""Facts that say what was chosen, the first that is there."""

_REASONS = ("why", "reason", "because", "problem")

FORCED_BY_NAME = frozenset({"tileas-select-lowering", "tileas-assign-load-store-layouts"})
"""Passes whose `force` takes the name of a candidate."""

NumberedOps = Mapping[str, Mapping[int, Origins]]
"""The origins of the ops of each function, by their numbers in the input of the pass."""


def numbered_ops(functions: Mapping[str, Operation]) -> dict[str, OperationLabels]:
    """The numbers that the next pass gives to the ops of these functions."""
    return {name: OperationLabels(function) for name, function in functions.items()}


def decisions_of(report: Report, origins: NumberedOps) -> tuple[Decision, ...]:
    """The decisions in a report; `origins` are those of the ops before the pass."""
    return tuple(
        decision
        for function, all_facts in report.functions.items()
        for facts in all_facts
        for decision in _decisions(report.pass_name, function, facts, origins.get(function, {}))
    )


def _decisions(
    pass_name: str,
    function: str,
    facts: Mapping[str, ReportValue],
    origins: Mapping[int, Origins],
) -> Iterator[Decision]:
    """The decision of one entry; an entry on a group of ops also has one for each access in it."""
    labels = list(dict.fromkeys(_labels(facts)))
    numbers = [int(match[1]) for label in labels if (match := _LABEL.match(label))]
    ids = tuple(dict.fromkeys(o for number in numbers for o in origins.get(number, ())))
    chosen = _first(facts, _CHOSEN)
    scope = function if len(origins) > 0 else None
    candidates = tuple(_candidates(pass_name, labels[:1], facts, scope))
    yield Decision(
        function,
        labels[0] if labels else "",
        ids,
        chosen,
        _first(facts, _REASONS),
        candidates,
        facts,
    )
    accesses = facts.get("accesses")
    by_op = {
        op: access.get("by")
        for access in (accesses if isinstance(accesses, Sequence) else ())
        if isinstance(access, Mapping) and isinstance(op := access.get("op"), str)
    }
    offers = facts.get("candidates")
    for offer in offers if isinstance(offers, Sequence) else ():
        if isinstance(offer, Mapping) and isinstance(op := offer.get("op"), str):
            number = _LABEL.match(op)
            by = by_op.get(op)
            yield Decision(
                function,
                op,
                origins.get(int(number[1]), ()) if number else (),
                by if isinstance(by, str) else None,
                "the cheapest for the group of ops that share a layout",
                tuple(_offered(pass_name, op, offer)),
                offer,
            )


def _labels(value: ReportValue) -> Iterator[str]:
    """The labels of ops in facts, in their order."""
    match value:
        case str():
            yield from (found[0] for found in re.finditer(r"#\d+ [^\s,;:]+(?: %[\w.]+)*", value))
        case Mapping():
            for item in value.values():
                yield from _labels(item)
        case list() | tuple():
            for item in value:
                yield from _labels(item)
        case _:
            return


def _first(facts: Mapping[str, ReportValue], names: Sequence[str]) -> str | None:
    for name in names:
        match facts.get(name):
            case str() as text:
                return text
            case [str(), *_] as texts:
                return ", ".join(map(str, texts))
            case _:
                continue
    return None


def _number(facts: ReportValue) -> float | None:
    """The score of a candidate, or the number that it is."""
    if isinstance(facts, Mapping):
        found = (facts.get(name) for name in ("score", "cycles", "cost", "instructions"))
        return next((n for n in map(_number, found) if n is not None), None)
    return float(facts) if isinstance(facts, int | float) and not isinstance(facts, bool) else None


def _force(pass_name: str, label: str | None, name: str) -> str | None:
    number = _LABEL.match(label) if label else None
    if pass_name not in FORCED_BY_NAME or number is None:
        return None
    return f"{pass_name}{{force=#{number[1]}={name}}}"


def _candidates(
    pass_name: str, labels: Sequence[str], facts: Mapping[str, ReportValue], scope: str | None
) -> Iterator[Candidate]:
    label = labels[0] if labels else None
    for key in ("strategies", "candidates", "options", "considered"):
        table = facts.get(key)
        if isinstance(table, Mapping):
            for name, about in table.items():
                pruned = about.get("pruned") if isinstance(about, Mapping) else None
                text = about if isinstance(about, str) else pruned
                yield Candidate(
                    name,
                    _number(about),
                    text if isinstance(text, str) else None,
                    None if isinstance(text, str) else _force(pass_name, label, name),
                )
    layouts = facts.get("layouts")
    for option in layouts if isinstance(layouts, Sequence) else ():
        if isinstance(option, Mapping) and isinstance(name := option.get("layout"), str):
            pruned = option.get("pruned")
            yield Candidate(name, _number(option), pruned if isinstance(pruned, str) else None)


def _offered(pass_name: str, label: str, offer: Mapping[str, ReportValue]) -> Iterator[Candidate]:
    """The candidates of one access."""
    considered = offer.get("considered")
    for each in considered if isinstance(considered, Sequence) else ():
        if isinstance(each, Mapping) and isinstance(name := each.get("name"), str):
            yield Candidate(name, _number(each), None, _force(pass_name, label, name))
    pruned = offer.get("pruned")
    for text in pruned if isinstance(pruned, Sequence) else ():
        if isinstance(text, str):
            name, _, reason = text.partition(": ")
            yield Candidate(name, None, reason)
