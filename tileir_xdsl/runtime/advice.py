"""Advice on what to do after the most common diagnostics.

Messages of verifiers use the words of the specification; printing appends the advice.
"""

import re
from collections.abc import Callable, Sequence

Advice = Callable[[re.Match[str]], str]


def _padded(found: re.Match[str]) -> str:
    extents = (int(extent) for extent in re.findall(r"\d+", found[1]))
    powers = (str(1 << max(extent - 1, 0).bit_length()) for extent in extents)
    return f"take {'x'.join(powers)}, and pad or mask the elements beyond the array"


ADVICE: tuple[tuple[re.Pattern[str], Advice], ...] = (
    (re.compile(r"all dimensions must be powers of two, got ((?:\d{1,9}(?:, )?)+)$"), _padded),
    (re.compile(r"of shape \(((?:\d{1,9},? ?)+)\) is not a power of two$"), _padded),
    (
        re.compile(r"tile would exceed the maximum of \d+ elements$"),
        lambda _: "split it into several tiles, in a loop or over more tile blocks",
    ),
    (
        re.compile(r"Operation \S+ is not registered$"),
        lambda _: "no known op has a similar name; an op of another package needs --with PACKAGE",
    ),
)
"""Patterns of the ends of messages, and the advice for each."""


def advised(message: str, notes: Sequence[str]) -> str:
    """The message with its advice, or with the tiles that would fit according to a note."""
    for pattern, advice in ADVICE:
        if (found := pattern.search(message)) is not None:
            return f"{message}; {advice(found)}"
    fits = (note.rpartition("; ")[2] for note in notes if note.endswith("elements would fit"))
    return "; ".join((message, *(fit for fit in fits if not message.endswith(fit))))
