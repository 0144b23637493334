"""The finding of a check at one line of a PTX text."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One fault: which check found it, what is wrong, and where.

    `line` counts from 1, and is None for a finding on a whole module or function.
    """

    code: str
    message: str
    line: int | None = None
    function: str | None = None
