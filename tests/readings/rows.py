"""Rows of the page: forms with one answer, together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.readings.answers import Answer, asked, ours, questions_of
from tests.readings.forms import Form
from tests.readings.listing import COMPUTED, UNDEFINED
from tests.readings.questions import QUESTIONS

ROUNDING = re.compile(r"rounding<(\w+)>")
REFUSED = "refused"
"""In place of an answer about a form that `tileiras` takes for no target."""


@dataclass(frozen=True)
class Reading:
    """One form on one set of special operands: what the text says, and what either compiler does."""

    form: Form
    operands: str
    says: str
    ours: str
    theirs: str

    @property
    def differs(self) -> bool:
        """Whether both know a result, and not the same."""
        return self.theirs not in (self.ours, UNDEFINED, COMPUTED, REFUSED)

    @property
    def is_undefined(self) -> bool:
        """Whether `tileiras` takes the result as undefined."""
        return self.theirs == UNDEFINED


def readings(answers: Mapping[str, Answer]) -> list[Reading]:
    """All, op by op, question by question, form by form."""
    found = list[Reading]()
    for form in asked():
        results, answer = ours(form), answers.get(form.key)
        for question, _ in questions_of(form):
            theirs = REFUSED if answer is None else answer.results[question.name]
            mine = results[question.name]
            found.append(Reading(form, question.name, question.says, mine, theirs))
    places = {
        (name, question.name): (number, place)
        for number, (name, questions) in enumerate(QUESTIONS.items())
        for place, question in enumerate(questions)
    }
    return sorted(found, key=lambda each: places[each.form.operation, each.operands])


def _types(forms: Iterable[Form]) -> str:
    """Element types; sources with one result stand together."""
    sources: dict[str, list[str]] = {}
    for form in forms:
        source, _, result = form.types.partition(" to ")
        sources.setdefault(result, []).append(source)
    results: dict[tuple[str, ...], list[str]] = {}
    for result, group in sources.items():
        results.setdefault(tuple(group), []).append(result)
    return "; ".join(
        ", ".join(group) + (f" to {', '.join(names)}" if any(names) else "")
        for group, names in results.items()
    )


def named(forms: Sequence[Form]) -> str:
    """Forms of one op in words: modifiers and element types, as few as there can be."""
    by_modifiers: dict[str, list[Form]] = {}
    for form in forms:
        by_modifiers.setdefault(form.modifiers, []).append(form)
    by_types: dict[str, list[str]] = {}
    for modifiers, group in by_modifiers.items():
        by_types.setdefault(_types(group), []).append(modifiers)
    texts = [
        types
        if modifiers == [""]
        else f"{', '.join(f'`{m}`' if m else 'plain' for m in _merged(modifiers))}: {types}"
        for types, modifiers in by_types.items()
    ]
    return ". ".join(texts)


def _merged(modifiers: Sequence[str]) -> Iterator[str]:
    """Modifiers; roundings that stand with the same other words share one: `rounding<zero,full>`."""
    modes: dict[str, list[str]] = {}
    for each in modifiers:
        found = ROUNDING.search(each)
        modes.setdefault(ROUNDING.sub("rounding<>", each), []).extend([found[1]] if found else [])
    for text, names in modes.items():
        yield text.replace("<>", f"<{','.join(names)}>", 1) if names else text
