"""Errors of an input, and remarks of passes, each as one line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


class CompileError(Exception):
    """An error in the user's input; `str` of it is the one line to show, without a newline.

    `location` is what the line starts with: `FILE:LINE:COL`, or what else the error is about, such
    as an option or an argument. Errors can be sent between processes.
    """

    def __init__(self, location: str, message: object, notes: Sequence[str] = ()):
        # Some diagnostics of the Tile IR specification span lines; a terminal line may not.
        self.location = printable(location)
        self.message = printable(" ".join(str(message).split()))
        super().__init__(location, self.message, tuple(notes))
        placed = PLACE.fullmatch(location)
        self.file: str = placed["file"] if placed else location
        """The file, or what else the error is about."""
        self.line: int | None = int(placed["line"]) if placed else None
        """Counted from 1; None where only the file is known."""
        self.column: int | None = int(placed["column"]) if placed else None
        """Counted from 1; None where only the file is known."""
        self.notes: tuple[str, ...] = tuple(notes)
        """Further messages of passes, each of a line or more: the op, the IR around it."""

    def __str__(self) -> str:
        return f"{self.location}: error: {self.message}"


InputError = CompileError
"""The name by which this package raises it: most that is wrong is an input."""

PLACE = re.compile(r"(?P<file>.+):(?P<line>[0-9]+):(?P<column>[0-9]+)", re.DOTALL)


@dataclass(frozen=True)
class Remark:
    """A request that a pass did not follow, or a cost that nobody asked for, and where."""

    message: str
    file: str
    line: int | None = None
    column: int | None = None
    function: str = ""
    """The kernel that it is about; empty where it is about none."""
    name: str = ""
    """One of `tileir_xdsl.diagnostics.REMARK_CLASSES`."""

    def __str__(self) -> str:
        numbers = "" if self.line is None else f":{self.line}:{self.column}"
        return f"{self.file}{numbers}: remark: {self.message}"


def printable(text: str) -> str:
    """The text with escapes for what would change lines, colours or the place on a terminal."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )
