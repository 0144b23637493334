"""What is wrong where a diagnostic is given, and what to do: the table `causes.toml`."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("causes.toml")


@dataclass(frozen=True)
class Rule:
    """Diagnostics that have one cause and one cure."""

    cause: str
    example: str
    """A line as it is printed, of one of them."""
    cure: str
    pattern: str = ""
    """A regular expression that messages match; empty where all do."""

    def matches(self, text: str) -> bool:
        """Whether a message is one of them."""
        return re.search(self.pattern, text) is not None


@dataclass(frozen=True)
class Part:
    """A part of the compiler that gives diagnostics."""

    name: str
    title: str
    about: str
    modules: tuple[str, ...]
    """How the paths of its modules begin, from the package."""
    rules: tuple[Rule, ...]
    """The first that matches counts; the last one matches all."""


@cache
def parts() -> tuple[Part, ...]:
    """The parts, in the order of the pages."""
    with TABLE.open("rb") as file:
        table = tomllib.load(file)
    return tuple(
        Part(
            row["name"],
            row["title"],
            row["about"],
            tuple(row["modules"]),
            tuple(Rule(**rule) for rule in row["rule"]),
        )
        for row in table["part"]
    )


def part_of(module: str) -> Part:
    """The part that a module belongs to; what no other part has is of the command line."""
    first, *others = parts()
    return next((part for part in others if module.startswith(part.modules)), first)


def rule_of(part: Part, text: str) -> Rule:
    """The first rule of a part that a message matches."""
    return next(rule for rule in part.rules if rule.matches(text))
