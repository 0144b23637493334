"""Extracts the decisions of a pass from its report under the option `explain`.

Passes report different facts: an op with strategies and costs, a group of ops with layouts and
scores, a barrier and its reason. Op, choice, reason and candidates are extracted from the facts of
an entry, all of which are kept. The texts for `force` are in `force_texts.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf

from tileir_xdsl.explain import Report, ReportValue
from tileir_xdsl.report.force_texts import ForcedOp, force_barriers, force_kept, force_text
from tileir_xdsl.report.provenance import Origins
from tileir_xdsl.report.schema import Candidate, Decision

Facts = Mapping[str, ReportValue]

NumberedOps = Mapping[str, Mapping[int, Origins]]
"""The origins of the ops of each function, by their numbers in the input of the pass."""

_LABEL = re.compile(r"#(\d+) [^\s,;:]+(?: %[\w.]+)*")

_CHOSEN = (
    "chosen", "strategy", "plan", "by", "outcome", "inserted", "bytes", "columns", "became"
)  # fmt: skip
"""Facts that name the choice; without costs, the first present fact is used."""

_REASONS = ("why", "reason", "because", "problem", "remark", "use", "source")
"""Facts that state the reason; the first present fact is used."""

_SUMMARISED = 4
"""The number of facts of a whole function that are shown as its choice."""

_SEPARATOR = "/"
"""Separates the names of several choices for an op."""


def decisions_of(report: Report, origins: NumberedOps) -> tuple[Decision, ...]:
    """The decisions in a report; `origins` are those of the ops before the pass."""
    several = len(report.functions) > 1
    made = [
        decision
        for function, entries in report.functions.items()
        for facts in entries
        for decision in _decisions(
            report.pass_name, function, several, facts, origins.get(function, {})
        )
    ]
    return tuple(_told_apart(made))


def _told_apart(decisions: Iterable[Decision]) -> Iterator[Decision]:
    """The decisions, with numbers where several of one op are about the same property."""
    counts = Counter[tuple[str, str, str]]()
    for one in decisions:
        key = (one.function, one.op, one.about)
        counts[key] += 1
        yield one if counts[key] == 1 else replace(one, about=f"{one.about} {counts[key]}".strip())


def _decisions(
    pass_name: str,
    function: str,
    several: bool,
    facts: Facts,
    origins: Mapping[int, Origins],
) -> Iterator[Decision]:
    """The decision of one entry, and for a group of ops a decision for each access."""
    label = next(_labels(facts), "")
    numbers = dict.fromkeys(map(_number_of, _labels(facts)))
    ids = tuple(dict.fromkeys(o for number in numbers for o in origins.get(number, ())))
    op = ForcedOp(pass_name, function if several else "", _number_of(label) if label else None)
    chosen = _chosen(facts) or (_summary(facts) if not label else None)
    candidates = tuple(_candidates(op, facts, chosen))
    offers = _offers(facts)
    shown = {name: fact for name, fact in facts.items() if not offers or name != "candidates"}
    why = _reason(facts, chosen)
    yield Decision(function, label, ids, chosen, why, candidates, shown, _about(facts))
    taken = {access.get("op"): access for access in _mappings(facts.get("accesses"))}
    for offer in offers:
        access, name = taken.get(offer.get("op"), {}), str(offer["op"])
        number = _number_of(name)
        offered = tuple(_offered(ForcedOp(pass_name, op.function, number), offer))
        by = access.get("by")
        taking = by if isinstance(by, str) else None
        why = "the lowest score of the ops that share a layout together"
        yield Decision(
            function,
            name,
            origins.get(number, ()),
            taking,
            why + _despite_cycles(_mappings(offer.get("considered")), "name", taking),
            offered,
            {**offer, **access},
            "instruction" if name == label else f"instruction in the group of {label}",
        )


def _offers(facts: Facts) -> list[Facts]:
    """The candidates of each access of a group."""
    return [each for each in _mappings(facts.get("candidates")) if "considered" in each]


def _mappings(value: ReportValue) -> list[Facts]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def _labels(value: ReportValue) -> Iterator[str]:
    """The labels of ops in facts, in order."""
    match value:
        case str():
            yield from (found[0] for found in _LABEL.finditer(value))
        case Mapping():
            for item in value.values():
                yield from _labels(item)
        case Sequence():
            for item in value:
                yield from _labels(item)
        case _:
            return


def _number_of(label: str) -> int:
    match = _LABEL.match(label)
    return -1 if match is None else int(match[1])


def _chosen(facts: Facts) -> str | None:
    """The choice: the fact that names a candidate with costs, or the first fact of `_CHOSEN`."""
    for table in _tables(facts):
        costs = table.get("costs")
        for fact in facts.values():
            if not isinstance(costs, Mapping) or not isinstance(fact, str):
                continue
            if set(fact.split(_SEPARATOR)) <= {*costs, *_names(facts)}:
                return fact
    for name in _CHOSEN:
        match facts.get(name):
            case str() as text:
                return text
            case [str(), *_] as texts:
                return ", ".join(map(str, texts))
            case _:
                continue
    return None


def _about(facts: Facts) -> str:
    """The decided property: a table of choices, otherwise the fact that names the choice."""
    if "layouts" in facts:
        return "layout"
    if "strategies" in facts:
        return "strategy"
    names = (name for name, fact in facts.items() if name != "op" and fact == _chosen(facts))
    return next(names, "")


def _despite_cycles(rows: Iterable[Facts], key: str, chosen: str | None) -> str:
    """Text that ends the reason of a choice although another candidate takes the fewest cycles."""
    known = [row for row in rows if isinstance(row.get("cycles"), int | float)]
    taken = next((row for row in known if row.get(key) == chosen), None)
    if taken is None:
        return ""
    fewest = min(known, key=_cycles)
    if _cycles(fewest) >= _cycles(taken):
        return ""
    return (
        f"; {fewest.get(key)} takes {_cycles(fewest):g} cycles in place of {_cycles(taken):g}, but "
        "the score decides, which weighs transactions, registers and sectors, too"
    )


def _cycles(row: Facts) -> float:
    cycles = row.get("cycles")
    return float(cycles) if isinstance(cycles, int | float) else inf


def _names(facts: Facts) -> set[str]:
    """The names of all choices with costs."""
    costs = (table.get("costs") for table in _tables(facts))
    return {name for each in costs if isinstance(each, Mapping) for name in each}


def _tables(facts: Facts) -> list[Facts]:
    """The tables of costs among facts: the facts themselves, or a table for each choice to make."""
    if "costs" in facts:
        return [facts]
    return [each for fact in facts.values() for each in _mappings(fact) if "costs" in each]


def _summary(facts: Facts) -> str | None:
    plain = [
        f"{name}: {fact}"
        for name, fact in facts.items()
        if isinstance(fact, str | int | float) and len(str(fact)) < 60
    ]
    return ", ".join(plain[:_SUMMARISED]) or None


def _reason(facts: Facts, chosen: str | None) -> str | None:
    for name in _REASONS:
        match facts.get(name):
            case str() as text:
                return text
            case [Mapping() as first, *others]:
                more = f"; and {len(others)} more" if others else ""
                told = (first.get(key) for key in ("why", "first", "second", "bytes"))
                return ": ".join([str(each) for each in told if each is not None]) + more
            case _:
                continue
    if isinstance(facts.get("layouts"), Sequence):
        why = "the lowest score of the layouts that the ops of the group propose"
        return why + _despite_cycles(_mappings(facts.get("layouts")), "layout", chosen)
    if isinstance(strategies := facts.get("strategies"), Mapping):
        rows = [
            {**row, "name": name} for name, row in strategies.items() if isinstance(row, Mapping)
        ]
        return "the lowest score" + _despite_cycles(rows, "name", chosen)
    return None


def _candidates(op: ForcedOp, facts: Facts, chosen: str | None) -> Iterator[Candidate]:
    tables = _tables(facts)
    for place, table in enumerate(tables):
        yield from _costed(op, table, chosen, place if len(tables) > 1 else None)
    strategies = facts.get("strategies")
    for name, about in strategies.items() if isinstance(strategies, Mapping) else ():
        yield Candidate(name, _score(about), None, force_text(op, name))
    for option in _mappings(facts.get("layouts")):
        pruned = option.get("pruned")
        yield Candidate(
            str(option.get("layout")), _score(option), pruned if isinstance(pruned, str) else None
        )
    if "inserted" in facts:
        yield Candidate(chosen or "", None, None, force_barriers(op, chosen))
        yield Candidate("none", None, None, force_barriers(op, None))
    if "conversion" in facts and op.number is not None:
        yield Candidate("kept", None, None, force_kept(op))
        if facts.get("outcome") == "removed":
            yield Candidate("removed")


def _costed(
    op: ForcedOp, table: Facts, chosen: str | None, place: int | None
) -> Iterator[Candidate]:
    """The candidates of a table; `place` is the table's index among choices made together."""
    parts = (chosen or "").split(_SEPARATOR)
    costs, pruned = table.get("costs"), table.get("pruned")
    for name, cost in costs.items() if isinstance(costs, Mapping) else ():
        whole = name
        if place is not None and place < len(parts):
            whole = _SEPARATOR.join([*parts[:place], name, *parts[place + 1 :]])
        yield Candidate(whole, _score(cost), None, force_text(op, whole))
    for name, reason in pruned.items() if isinstance(pruned, Mapping) else ():
        yield Candidate(name, None, str(reason))


def _offered(op: ForcedOp, offer: Facts) -> Iterator[Candidate]:
    """The candidates of one access."""
    for each in _mappings(offer.get("considered")):
        name = str(each.get("name"))
        yield Candidate(name, _score(each), None, force_text(op, name))
    pruned = offer.get("pruned")
    for text in pruned if isinstance(pruned, Sequence) else ():
        if isinstance(text, str):
            name, _, reason = text.partition(": ")
            yield Candidate(name, None, reason)


def _score(facts: ReportValue) -> float | None:
    """The score in the facts of a candidate, which may be just a number."""
    if isinstance(facts, Mapping):
        return _score(facts.get("score"))
    return float(facts) if isinstance(facts, int | float) and not isinstance(facts, bool) else None
