"""Suggests known names for an unknown one."""

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """The end of a diagnostic: `, did you mean 'NAME'?`; empty if no known name is similar.

    The text has up to `most` similar names.
    """
    # Only where something is wrong.
    import difflib  # noqa: PLC0415

    close = [
        f"'{found}'" for found in difflib.get_close_matches(name, list(dict.fromkeys(known)), most)
    ]
    listed = " or ".join((", ".join(close[:-1]), close[-1])) if len(close) > 1 else "".join(close)
    return f", did you mean {listed}?" if close else ""
