"""Final conditions of litmus tests, as herd writes them: `exists (1:r0=1 /\\ x=2)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Outcome = Mapping[str, int]
"""The final values of registers, `1:r0`, and of locations, `x`."""
Quantifier = Literal["exists", "~exists", "forall"]

_TOKEN = re.compile(r"\s*(/\\|\\/|~|\(|\)|=|[A-Za-z_0-9:]+)")


class LitmusError(Exception):
    """A litmus test is not well-formed, or uses what is not supported here."""


@dataclass(frozen=True)
class Equal:
    name: str
    value: int


@dataclass(frozen=True)
class Not:
    operand: Proposition


@dataclass(frozen=True)
class Join:
    """All of the operands hold, or any of them."""

    operands: tuple[Proposition, ...]
    needs_all: bool


Proposition = Equal | Not | Join


@dataclass(frozen=True)
class Condition:
    quantifier: Quantifier
    proposition: Proposition

    def holds_of(self, outcome: Outcome) -> bool:
        """Whether an outcome is one that the proposition describes."""
        return _holds(self.proposition, outcome)

    def verdict(self, outcomes: Iterable[Outcome]) -> bool:
        """Whether the condition is true of all outcomes together."""
        found = [self.holds_of(outcome) for outcome in outcomes]
        return {"exists": any(found), "~exists": not any(found), "forall": all(found)}[
            self.quantifier
        ]

    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_names(self.proposition)))


def parse_condition(text: str) -> Condition:
    """Reads a quantifier and a proposition.

    Raises `LitmusError`.
    """
    match = re.match(r"\s*(~\s*exists|exists|forall)\b(.*)\Z", text, re.DOTALL)
    if match is None:
        raise LitmusError(f"expected exists, ~exists or forall, found {text.strip()!r}")
    quantifier = re.sub(r"\s", "", match[1])
    reader = _Reader(match[2])
    proposition = reader.any_of()
    if reader.tokens:
        raise LitmusError(f"unexpected {reader.tokens[0]!r} in a condition")
    if quantifier == "exists":
        return Condition("exists", proposition)
    return Condition("forall" if quantifier == "forall" else "~exists", proposition)


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = _TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise LitmusError(f"a condition is not well-formed: {text.strip()!r}")

    def any_of(self) -> Proposition:
        return self._joined("\\/", self.all_of, needs_all=False)

    def all_of(self) -> Proposition:
        return self._joined("/\\", self.term, needs_all=True)

    def _joined(
        self, sign: str, part: Callable[[], Proposition], *, needs_all: bool
    ) -> Proposition:
        operands = [part()]
        while self.tokens[:1] == [sign]:
            self.tokens.pop(0)
            operands.append(part())
        return operands[0] if len(operands) == 1 else Join(tuple(operands), needs_all)

    def term(self) -> Proposition:
        if self.tokens[:1] == ["~"]:
            self.tokens.pop(0)
            return Not(self.term())
        if self.tokens[:1] == ["("]:
            self.tokens.pop(0)
            inner = self.any_of()
            if self.tokens[:1] != [")"]:
                raise LitmusError("expected ')' in a condition")
            self.tokens.pop(0)
            return inner
        if len(self.tokens) < 3 or self.tokens[1] != "=" or not self.tokens[2].isdecimal():
            raise LitmusError(f"expected NAME=NUMBER, found {' '.join(self.tokens[:3])!r}")
        name, _, value = self.tokens[:3]
        del self.tokens[:3]
        return Equal(name, int(value))


def _holds(proposition: Proposition, outcome: Outcome) -> bool:
    match proposition:
        case Equal(name, value):
            return outcome[name] == value
        case Not(operand):
            return not _holds(operand, outcome)
        case Join(operands, needs_all):
            found = [_holds(operand, outcome) for operand in operands]
            return all(found) if needs_all else any(found)


def _names(proposition: Proposition) -> Iterable[str]:
    match proposition:
        case Equal(name, _):
            yield name
        case Not(operand):
            yield from _names(operand)
        case Join(operands, _):
            for operand in operands:
                yield from _names(operand)
