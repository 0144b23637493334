"""The first wrong one among many executions of ops, if one run can record only some of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import Protocol


class Executions(Protocol):
    """Executions by number, in an order in which no execution depends on a later one."""

    @property
    def count(self) -> int:
        """The number of executions."""
        ...

    def parts(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        """Ascending numbers in parts, each of which one run can record."""
        ...

    def run(self, numbers: Sequence[int]) -> int | None:
        """The first wrong execution of a part, found in one run."""
        ...

    def current(self, end: int) -> Sequence[int]:
        """The executions before `end` whose values later ones use, other than through memory."""
        ...

    def is_certain(self, number: int) -> bool:
        """Whether an execution uses only current values, so that it is at fault if it is wrong."""
        ...


def first_wrong(executions: Executions) -> int | None:
    """The first wrong execution, or one that computes a wrong value from right ones.

    Where several runs are needed, their number grows with the logarithm of the executions. Whether
    the values current in the middle are right tells which half has the fault. Where a fault may
    have passed through memory, the earlier executions are compared, too.
    """
    everything = range(executions.count)
    runs = len(executions.parts(everything))
    if runs <= 1 or runs <= _halving(executions, runs):
        return _first_in(executions, everything)
    low, high = 0, executions.count
    while len(executions.parts(range(low, high))) > 1:
        middle = (low + high) // 2
        wrong = _first_in(executions, executions.current(middle))
        if wrong is None:
            low = middle
        else:
            # The values current at `low` were right, unless the kernel runs otherwise each time.
            low, high = min(low, wrong), wrong + 1
    wrong = _first_in(executions, range(low, high))
    if wrong is not None and executions.is_certain(wrong):
        return wrong
    before = _first_in(executions, range(low))
    return wrong if before is None else before


def _halving(executions: Executions, runs: int) -> int:
    """The approximate number of runs in which bisection reduces this many parts to one."""
    middles = (executions.count * eighth // 8 for eighth in range(1, 8))
    current = max(len(executions.parts(executions.current(middle))) for middle in middles)
    return current * ceil(log2(runs)) + 1


def _first_in(executions: Executions, numbers: Sequence[int]) -> int | None:
    """The first wrong one of some executions, by as many runs as necessary."""
    for part in executions.parts(numbers):
        wrong = executions.run(part)
        if wrong is not None:
            return wrong
    return None
