"""The driver of facts that follow from facts about operands: each fact is computed once, on demand.

    class Depth(FactsOnDemand[int]):
        def sources(self, value):
            return value.owner.operands if isinstance(value, OpResult) else ()

        def fact(self, value):
            return 1 + max((self.known[source] for source in self.sources(value)), default=0)

    Depth().of(value)

An analysis names the values that a fact depends on, and computes the fact when the facts about
these are known.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from xdsl.ir import SSAValue

FactT = TypeVar("FactT")


class FactsOnDemand(ABC, Generic[FactT]):
    """Facts of values; no value depends on itself."""

    def __init__(self) -> None:
        self.known: dict[SSAValue, FactT] = {}

    def of(self, value: SSAValue) -> FactT:
        """The fact of a value."""
        known, pending = self.known, [value]
        while pending:
            current = pending[-1]
            if current in known:
                pending.pop()
                continue
            # A stack and no recursion: chains of thousands of ops are longer than Python's.
            missing = [source for source in self.sources(current) if source not in known]
            if missing:
                pending += missing
            else:
                known[pending.pop()] = self.fact(current)
        return known[value]

    @abstractmethod
    def sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values whose facts decide that of a value."""

    @abstractmethod
    def fact(self, value: SSAValue) -> FactT:
        """The fact of a value, given the facts of its sources."""
