"""The order of memory operations: what tokens say, never what the program's text says.

Every memory operation of a tile block is performed through a `MemoryOrder`, which is free to do so
whenever the tokens allow. `ProgramOrder` performs each at once. `RandomOrder` delays them and
performs them in a random order, each after the accesses that its tokens name. A load then yields a
`Deferred` value, which is waited for where it is used. `LateOrder` puts them off as long as it can.
A program whose result depends on the choice has forgotten a token.
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
    """Whether accesses note the elements they touch."""

    def listeners(self) -> Sequence[LaunchListener]:
        """Further listeners of the run."""
        return ()

    @abstractmethod
    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        """Have `action` done for `access`, now or later: its value, and the token after it."""

    @abstractmethod
    def complete(self, token: Token) -> None:
        """Do whatever the token waits for."""

    @abstractmethod
    def follow(self, op: Operation, block: Coordinates, token: Token) -> None:
        """Put what the agent of an op does from now on after what the token, now done, names."""

    @abstractmethod
    def finish_block(self) -> None:
        """Do whatever the tile block has put off."""


class ProgramOrder(MemoryOrder):
    """Every operation happens where it stands."""

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        return action(), TOKEN

    def complete(self, token: Token) -> None:
        """It is done already."""

    def follow(self, op: Operation, block: Coordinates, token: Token) -> None:
        """It does already."""

    def finish_block(self) -> None:
        """Nothing was put off."""


@dataclass(eq=False)
class Deferred(Pending):
    """A memory operation that may not have happened yet, and its value once it has."""

    order: RandomOrder
    access: Access
    action: Callable[[], Any]
    value: Any = None

    def wait(self) -> Any:
        """The value; the operation happens now at the latest."""
        self.order.perform_up_to(self.access)
        return self.value


@dataclass
class RandomOrder(MemoryOrder):
    """A random order among those that the tokens allow; the same seed gives the same order."""

    seed: int = 0
    _random: random.Random = field(init=False)
    _pending: dict[Access, Deferred] = field(default_factory=dict[Access, Deferred])

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        self._pending[access] = deferred = Deferred(self, access, action)
        return deferred, Token((access,))

    def perform_up_to(self, access: Access) -> None:
        """Perform `access` if it is put off, and a random choice of what may go before."""
        while access in self._pending:
            self._perform(self._choose())

    def complete(self, token: Token) -> None:
        for access in token.accesses:
            self.perform_up_to(access)

    def follow(self, op: Operation, block: Coordinates, token: Token) -> None:
        """It does already: what the token names is done."""

    def finish_block(self) -> None:
        while self._pending:
            self._perform(self._choose())

    def _choose(self) -> Access:
        """One of the accesses that nothing pending has to go before."""
        ready = [a for a in self._pending if not any(b in self._pending for b in a.after)]
        return self._random.choice(ready)

    def _perform(self, access: Access) -> None:
        deferred = self._pending.pop(access)
        try:
            deferred.value = deferred.action()
        except ExecutionError as error:
            raise error_at(access.op, access.block, error) from None


class LateOrder(RandomOrder):
    """Every operation happens as late as the tokens and the uses of its value allow."""

    def perform_up_to(self, access: Access) -> None:
        """Perform `access` if it is put off, and only what has to go before."""
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
        """The first in the order of the program."""
        return next(iter(self._pending))
