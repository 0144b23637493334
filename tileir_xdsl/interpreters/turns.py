"""Schedules other tile blocks while a loop waits for memory.

An iteration that changes no memory and ends with its initial values repeats itself until memory
changes. A tile block whose iteration repeats itself is suspended until memory changes. If all tile
blocks are suspended, the launch is deadlocked. An iteration that waits may read the same values as
the last one, and change only values that it carries, such as a counter. A tile block whose
iteration repeats its reads lets other tile blocks run once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from tileir_xdsl.interpreters.accesses import Token
from tileir_xdsl.interpreters.agents import Agents
from tileir_xdsl.interpreters.errors import ExecutionError, error_at, where
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.interpreters.watched_memory import Read, WatchedMemory

_FAIR_PERIOD = 1024
"""The number of iterations of one loop after which other tile blocks run in any case."""

_MOST_READS = 1024
"""The most reads that are compared; an iteration with more waits for any change of memory."""


@dataclass
class LoopTurns:
    """One execution of the loop `op` by the tile block `block`.

    With `is_exact`, memory and the loop-carried values determine an iteration. `is_alone` says that
    the tile block does nothing else at the same time.
    """

    op: Operation
    block: Coordinates
    memory: WatchedMemory
    order: MemoryOrder
    agents: Agents
    is_exact: bool
    is_alone: bool
    _values: Sequence[object] | None = None
    _version: int = -1
    _start: int = 0
    _last: list[Read] = field(default_factory=list[Read])
    _since_turn: int = 0
    _is_outermost: bool = False

    def __enter__(self) -> LoopTurns:
        self._is_outermost = self.memory.reads is None
        if self.memory.reads is None:
            self.memory.reads = []
        self._start = len(self.memory.reads)
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_outermost:
            self.memory.reads = None

    def begin_iteration(self, carried: Sequence[object]) -> None:
        """Lets other tile blocks run if the last iteration had no effect.

        Raises `InterpreterError` if all tile blocks wait.
        """
        values, reads = wait_for(carried), self._reads()
        self._since_turn += 1
        if self._version == self.memory.version:
            repeats = self.is_exact and self._values is not None and _same(values, self._values)
            if repeats:
                # Postponed accesses may change memory, and must happen some time.
                self.order.finish_block()
                repeats = self._version == self.memory.version
            if repeats:
                self._wait_for_change(reads)
            elif _same_reads(reads, self._last):
                self._let_others_run(reads)
        if self._since_turn >= _FAIR_PERIOD:
            self._let_others_run(reads)
        self._values, self._version, self._last = values, self.memory.version, reads

    def _reads(self) -> list[Read]:
        """The reads that were recorded since the iteration began."""
        noted = self.memory.reads
        if noted is None:
            return []
        found = noted[self._start :]
        if self._is_outermost:
            noted.clear()
        self._start = len(noted)
        return found

    def _wait_for_change(self, reads: Sequence[Read]) -> None:
        is_all = self.is_alone and len(reads) <= _MOST_READS
        has_changed = _changes(self.memory, reads if is_all else None)
        try:
            self.agents.wait_until(has_changed, lambda: _position(self.op, self.block, reads))
        except ExecutionError as error:
            raise error_at(self.op, self.block, error) from None
        self._since_turn = 0

    def _let_others_run(self, reads: Sequence[Read]) -> None:
        self.agents.let_others_run(lambda: _position(self.op, self.block, reads))
        self._since_turn = 0


def _changes(memory: WatchedMemory, reads: Sequence[Read] | None) -> Callable[[], bool]:
    """Tells if the values of `reads`, or without `reads` any memory, change after this call."""
    version = memory.version
    if reads is None:
        return lambda: memory.version != version
    held = [read.bytes_now() for read in reads]

    def has_changed() -> bool:
        return memory.version != version and not all(
            np.array_equal(read.bytes_now(), before)
            for read, before in zip(reads, held, strict=True)
        )

    return has_changed


def _position(op: Operation, block: Coordinates, reads: Sequence[Read]) -> str:
    if not reads:
        return f"tile block {block} {where(op)}, which reads nothing"
    places = dict.fromkeys(f"byte {read.first} of {read.allocation.name}" for read in reads)
    return f"tile block {block} {where(op)} for {' and '.join(list(places)[:2])}"


def _same(values: Sequence[object], others: Sequence[object]) -> bool:
    """Whether carried values are equal bit by bit."""
    return all(map(_is_same, values, others))


def _is_same(value: object, other: object) -> bool:
    if isinstance(value, np.ndarray) and isinstance(other, np.ndarray):
        return value.shape == other.shape and value.tobytes() == other.tobytes()
    # Tokens name accesses that have happened.
    return value is other or (isinstance(value, Token) and isinstance(other, Token))


def _same_reads(reads: Sequence[Read], others: Sequence[Read]) -> bool:
    return len(reads) == len(others) and all(map(Read.is_same, reads, others))
