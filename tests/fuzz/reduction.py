"""Makes an input that fails smaller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from .damage import TOKENS
from .subjects import Input

Part = TypeVar("Part", str, bytes)

_MOST_TRIALS = 600


def reduced(given: Input, fails: Callable[[Input], bool]) -> Input:
    """A smaller input that still fails: without lines, then without tokens or bytes."""
    if isinstance(given, bytes):
        return b"".join(_reduced([given[i : i + 1] for i in range(len(given))], b"".join, fails))
    lines = _reduced(given.splitlines(keepends=True), "".join, fails)
    return "".join(_reduced(TOKENS.findall("".join(lines)), "".join, fails))


def _reduced(
    parts: Sequence[Part], join: Callable[[Sequence[Part]], Part], fails: Callable[[Input], bool]
) -> list[Part]:
    """Fewer parts: chunks of half of them are dropped, then of a quarter, down to one."""
    kept, trials, size = list(parts), _MOST_TRIALS, len(parts)
    while size and trials:
        start = 0
        while start < len(kept) and trials:
            smaller, trials = kept[:start] + kept[start + size :], trials - 1
            if smaller and fails(join(smaller)):
                kept = smaller
            else:
                start += size
        size //= 2
    return kept
