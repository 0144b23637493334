"""The first wrong one of many executions, when a run can record a part of them only."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import Protocol


class Executions(Protocol):
    """Executions by number, in an order in which no execution depends on a later one."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    def parts(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        """Ascending numbers in parts, each of which one run can record."""
        ...

    def run(self, numbers: Sequence[int]) -> int | None:
        """Looks at a part in one run: the first that is wrong."""
        ...

    def current(self, end: int) -> Sequence[int]:
        """Those before `end` whose values executions from there on see, unless through memory."""
        ...

    def is_certain(self, number: int) -> bool:
        """Whether an execution sees current values only, so that, being wrong, it is at fault."""
        ...


def first_wrong(executions: Executions) -> int | None:
    """The first execution that is wrong, or one that makes a wrong value of right ones.

    Where several runs are needed, their number grows with the logarithm of the executions. The
    values current in the middle are right or wrong, which tells the half with a fault. Where a
    fault may have come through memory, the executions before are compared, too.
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
    """The approximate number of runs that it takes to narrow this many parts down to one."""
    middles = (executions.count * eighth // 8 for eighth in range(1, 8))
    current = max(len(executions.parts(executions.current(middle))) for middle in middles)
    return current * ceil(log2(runs)) + 1


def _first_in(executions: Executions, numbers: Sequence[int]) -> int | None:
    """The first of some executions that is wrong, by as many runs as it takes."""
    for part in executions.parts(numbers):
        wrong = executions.run(part)
        if wrong is not None:
            return wrong
    return None
