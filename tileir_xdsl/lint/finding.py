"""The finding of a check about one place of a PTX text."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One fault: which check found it, what is wrong, and where.

    `line` counts from 1; it is None where the whole module or function is meant.
    """

    code: str
    message: str
    line: int | None = None
    function: str | None = None
