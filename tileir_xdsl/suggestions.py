"""Suggests known names for an unknown one."""

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a diagnostic: `, did you mean 'NAME'?`; empty where no known name is alike."""
    # Only where something is wrong.
    import difflib  # noqa: PLC0415

    close = difflib.get_close_matches(name, list(known), 1)
    return f", did you mean '{close[0]}'?" if close else ""
