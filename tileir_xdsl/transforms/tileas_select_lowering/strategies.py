"""Tables of strategies, and the selection of one for an op.

A table has a row for each strategy of a family of ops. The cheapest possible strategy is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, NoReturn, TypeVar

from xdsl.ir import Operation

from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas import strategies
from tileir_xdsl.explain import ReportValue
from tileir_xdsl.levels import EXTENSION_STRATEGIES
from tileir_xdsl.targets import Target

FactsT = TypeVar("FactsT")

Choice = (
    strategies.Strategy
    | strategies.Issuer
    | strategies.AccessStrategy
    | strategies.ExtensionStrategy
)
"""The strategy, issuer or kind of access that a row describes."""


@dataclass(frozen=True)
class Row(Generic[FactsT]):
    """One strategy: its condition and its cost."""

    strategy: Choice
    problem: Callable[[FactsT], str | None]
    """Returns the reason why the strategy is impossible for an op, or None."""
    cost: Callable[[FactsT], float]
    """The cost in machine instructions of a thread for one element of the result."""
    source: str
    """The source of the method and of its cost."""


@dataclass(frozen=True)
class Family(Generic[FactsT]):
    """The strategies of a family of ops; among equal costs the first is chosen."""

    facts: Callable[[Operation, Target], FactsT | None]
    """Computes the facts for conditions and costs; None for an op without strategies."""
    rows: tuple[Row[FactsT], ...]
    kind: str = "strategy"
    """The kind of choice, for diagnostics and reports."""

    def row(self, strategy: Choice) -> Row[FactsT] | None:
        """The row of a strategy; None if the family lacks it."""
        return next((row for row in self.rows if row.strategy == strategy), None)

    def extended(
        self, op: Operation, target: Target, extensions: Collection[str]
    ) -> Family[FactsT]:
        """The family, extended by the strategies of extensions for an op."""
        rows = tuple(
            Row[FactsT](
                strategies.ExtensionStrategy(name),
                lambda _, known=known: known.strategy.problem(op, target),
                lambda _, known=known: known.strategy.cost(op, target),
                known.strategy.source,
            )
            for name, known in EXTENSION_STRATEGIES.items()
            if known.origin in extensions and isinstance(op, known.strategy.ops)
        )
        return replace(self, rows=(*self.rows, *rows)) if rows else self


@dataclass(frozen=True)
class StrategySelection:
    """The strategies of an op, and the chosen one."""

    op: Operation
    family: Family[Any]
    facts: Any
    given: Choice | None

    @staticmethod
    def of(
        op: Operation, family: Family[Any], target: Target, forced: str | None
    ) -> StrategySelection | None:
        """The forced strategy, otherwise that in the op's attribute, otherwise the cheapest.

        None for an op without strategies. Raises `PassFailedException` if the strategy is
        impossible.
        """
        facts = family.facts(op, target)
        if facts is None:
            return None
        written = strategies.extension_strategy_of(op) or strategies.strategy_of(op)
        return StrategySelection.among(op, family, facts, written, forced)

    @staticmethod
    def among(
        op: Operation, family: Family[Any], facts: Any, written: Choice | None, forced: str | None
    ) -> StrategySelection:
        """The selection for an op with known facts."""
        given = written if forced is None else _named(op, forced, family)
        selection = StrategySelection(op, family, facts, given)
        if given is not None:
            selection.check(given)
        return selection

    def check(self, strategy: Choice) -> None:
        """Raises `PassFailedException` if a strategy is impossible for the op."""
        row = self.family.row(strategy)
        if row is None:
            _refuse(self.op, strategy, self.family)
        if (problem := row.problem(self.facts)) is not None:
            verb = "issued" if isinstance(strategy, strategies.Issuer) else "lowered"
            fail(self.op, f"'{self.op.name}' op cannot be {verb} by '{strategy}': {problem}")

    @cached_property
    def pruned(self) -> Mapping[str, str]:
        """The impossible strategies, each with the reason."""
        problems = ((row.strategy, row.problem(self.facts)) for row in self.family.rows)
        return {name: problem for name, problem in problems if problem is not None}

    @cached_property
    def costs(self) -> Mapping[Choice, float]:
        """The costs of the possible strategies."""
        rows = (row for row in self.family.rows if row.strategy not in self.pruned)
        return {row.strategy: row.cost(self.facts) for row in rows}

    @cached_property
    def chosen(self) -> Choice:
        """The chosen strategy."""
        if self.given is not None:
            return self.given
        return min(self.costs, key=self.costs.__getitem__)

    def write(self) -> None:
        """Sets the attribute of the op with the chosen strategy."""
        if isinstance(self.chosen, strategies.Issuer):
            self.op.attributes[strategies.ISSUER] = strategies.IssuerAttr(self.chosen)
        elif isinstance(self.chosen, strategies.Strategy):
            self.op.attributes[strategies.STRATEGY] = strategies.StrategyAttr(self.chosen)
        elif isinstance(self.chosen, strategies.ExtensionStrategy):
            self.op.attributes[strategies.STRATEGY] = strategies.ExtensionStrategyAttr(self.chosen)

    def facts_of_report(self) -> Mapping[str, ReportValue]:
        """The facts for a report."""
        (source,) = (row.source for row in self.family.rows if row.strategy == self.chosen)
        return {
            self.family.kind: self.chosen.value,
            "costs": {name.value: cost for name, cost in self.costs.items()},
            "pruned": self.pruned,
            "source": source,
        }


def _named(op: Operation, name: str, family: Family[Any]) -> Choice:
    for row in family.rows:
        if row.strategy.value == name:
            return row.strategy
    _refuse(op, name, family)


def _refuse(op: Operation, name: str, family: Family[Any]) -> NoReturn:
    known = ", ".join(row.strategy for row in family.rows)
    fail(op, f"'{op.name}' op has no {family.kind} '{name}', expected one of {known}")


def always(_facts: object) -> None:
    """The condition of a strategy that is possible for all ops of a family."""
