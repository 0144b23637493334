"""Orders memory operations by tokens alone, not by their order in the program.

A `MemoryOrder` performs every memory operation of a tile block, at any time that the tokens allow.
`ProgramOrder` performs each operation at once. `RandomOrder` delays operations and performs them in
a random order, each after the accesses that its tokens name. A delayed load yields a `Deferred`
value; the first use waits for it. `LateOrder` delays operations as long as possible. A program
whose result depends on the order lacks a token.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from xdsl.ir import Operation

from tileir_xdsl.interpreters.accesses import TOKEN, Access, Token
from tileir_xdsl.interpreters.errors import ExecutionError, error_at
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.pending import Pending


class MemoryOrder(ABC):
    """Decides when memory operations happen."""

    NOTES_TOUCHES: ClassVar[bool] = False
    """Whether accesses record their elements."""

    def listeners(self) -> Sequence[LaunchListener]:
        """Listeners that the order itself needs."""
        return ()

    @abstractmethod
    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        """Performs `action` for `access` now or later; returns its value and the token after it."""

    @abstractmethod
    def complete(self, token: Token) -> None:
        """Performs all accesses that the token waits for."""

    @abstractmethod
    def follow(self, op: Operation, block: Coordinates, token: Token) -> None:
        """Orders later accesses by an op's agent after the accesses of a token, now complete."""

    @abstractmethod
    def finish_block(self) -> None:
        """Performs all delayed accesses of the tile block."""


class ProgramOrder(MemoryOrder):
    """Performs every operation in program order."""

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        return action(), TOKEN

    def complete(self, token: Token) -> None:
        """Does nothing: all accesses are complete."""

    def follow(self, op: Operation, block: Coordinates, token: Token) -> None:
        """It does already."""

    def finish_block(self) -> None:
        """Does nothing: no access is delayed."""


@dataclass(eq=False)
class Deferred(Pending):
    """A memory operation, perhaps delayed, and its value once it is performed."""

    order: RandomOrder
    access: Access
    action: Callable[[], Any]
    value: Any = None

    def wait(self) -> Any:
        """Returns the value, performing the operation now if it is delayed."""
        self.order.perform_up_to(self.access)
        return self.value


@dataclass
class RandomOrder(MemoryOrder):
    """A random order among those that tokens allow; the same seed yields the same order."""

    seed: int = 0
    _random: random.Random = field(init=False)
    _pending: dict[Access, Deferred] = field(default_factory=dict[Access, Deferred])

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        self._pending[access] = deferred = Deferred(self, access, action)
        return deferred, Token((access,))

    def perform_up_to(self, access: Access) -> None:
        """Performs a delayed `access`, and before it a random choice of other accesses."""
        while access in self._pending:
            self._perform(self._choose())

    def complete(self, token: Token) -> None:
        for access in token.accesses:
            self.perform_up_to(access)

    def follow(self, op: Operation, block: Coordinates, token: Token) -> None:
        """Does nothing: the accesses of the token are complete."""

    def finish_block(self) -> None:
        while self._pending:
            self._perform(self._choose())

    def _choose(self) -> Access:
        """Chooses an access that need not follow a pending one."""
        ready = [a for a in self._pending if not any(b in self._pending for b in a.after)]
        return self._random.choice(ready)

    def _perform(self, access: Access) -> None:
        deferred = self._pending.pop(access)
        try:
            deferred.value = deferred.action()
        except ExecutionError as error:
            raise error_at(access.op, access.block, error) from None


class LateOrder(RandomOrder):
    """Performs every operation as late as tokens and uses of its value allow."""

    def perform_up_to(self, access: Access) -> None:
        """Performs a delayed `access`, and before it only accesses that must come first."""
        waiting = [access]
        while waiting:
            before = [a for a in waiting[-1].after if a in self._pending]
            if before:
                waiting += before
                continue
            last = waiting.pop()
            if last in self._pending:
                self._perform(last)

    def _choose(self) -> Access:
        """Chooses the first pending access in program order."""
        return next(iter(self._pending))
