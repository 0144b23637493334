"""Accesses of global memory, and the tokens that order them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation

from tileir_xdsl.interpreters.address_space import Touch
from tileir_xdsl.interpreters.grid import Coordinates


@dataclass(frozen=True)
class Ordering:
    """How a memory operation is ordered with memory operations of other threads.

    `semantics` is `weak`, `relaxed`, `acquire`, `release` or `acq_rel`; `scope` names the other
    threads, None for a weak operation.
    """

    semantics: str = "weak"
    scope: str | None = None


@dataclass(eq=False)
class Access:
    """One execution of a memory operation.

    `after` has the accesses that must come before, as tokens say. `touches` has the accessed
    elements, if the memory order records them. `number` is for the use of the memory order.
    """

    op: Operation
    block: Coordinates
    ordering: Ordering
    after: tuple[Access, ...]
    touches: list[Touch] = field(default_factory=list[Touch])
    number: int = 0


@dataclass(frozen=True)
class Token:
    """The accesses that an operation with this token must follow."""

    accesses: tuple[Access, ...] = ()


TOKEN = Token()
"""A token that waits for nothing."""


def join_tokens(tokens: Sequence[Token]) -> Token:
    """A token that waits for everything that `tokens` wait for."""
    return Token(tuple(dict.fromkeys(access for token in tokens for access in token.accesses)))
