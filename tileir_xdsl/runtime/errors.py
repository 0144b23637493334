"""Errors of an input, and remarks of passes, each as one line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


class CompileError(Exception):
    """An error in the user's input; `str` of the error is a line to show, without a newline.

    `location` is the start of the line: `FILE:LINE:COL`, or the name of an option or argument.
    Errors can be sent between processes. Subclasses distinguish causes; other errors, such as an
    unknown option, are of this class itself.
    """

    def __init__(self, location: str, message: object, notes: Sequence[str] = ()):
        # Some diagnostics of the Tile IR specification span lines; a terminal line may not.
        self.location = printable(location)
        self.message = printable(" ".join(str(message).split()))
        # Not the next class, which one that is an error of cuTile, too, has another idea of.
        Exception.__init__(self, location, self.message, tuple(notes))
        placed = PLACE.fullmatch(location)
        self.file: str = placed["file"] if placed else location
        """The file, option or argument that the error is about."""
        self.line: int | None = int(placed["line"]) if placed else None
        """The line, counted from 1; None if only the file is known."""
        self.column: int | None = int(placed["column"]) if placed else None
        """The column, counted from 1; None if only the file is known."""
        self.notes: tuple[str, ...] = tuple(notes)
        """Further messages of one or more lines: the op, the IR or the source."""

    def __str__(self) -> str:
        return f"{self.location}: error: {self.message}"


class CodeError(CompileError):
    """The parser, the verifier, a pass or the kernel's language rejects the code of a kernel."""

    def __init__(self, location: str, message: object, notes: Sequence[str] = ()):
        # Only where something is wrong.
        from tileir_xdsl.runtime.advice import advised  # noqa: PLC0415

        super().__init__(location, advised(str(message), notes), notes)


class ArgumentError(CompileError):
    """An argument of a launch does not fit the kernel."""


class MemoryFaultError(CompileError):
    """A kernel accesses memory outside of its arrays, or memory that is not aligned."""


class RaceError(CompileError):
    """Accesses of a kernel conflict and are not ordered."""


class DeadlockError(CompileError):
    """A kernel waits for an event that never occurs."""


class UndefinedError(CompileError):
    """A kernel does something that its specification leaves undefined."""


class UndefinedWarning(RuntimeWarning):
    """A warning: a kernel that a script runs does something undefined by the specification."""


class InterpreterWarning(RuntimeWarning):
    """A warning: the interpreter runs a kernel that cannot be compiled for a processor."""


InputError = CompileError
"""The name that this package uses for CompileError."""

PLACE = re.compile(r"(?P<file>.+):(?P<line>[0-9]+):(?P<column>[0-9]+)", re.DOTALL)


@dataclass(frozen=True)
class Remark:
    """A remark of a pass: a request that it did not follow, or a cost the user may not expect."""

    message: str
    file: str
    line: int | None = None
    column: int | None = None
    function: str = ""
    """The kernel that the remark is about; empty if there is none."""
    name: str = ""
    """One of `tileir_xdsl.diagnostics.REMARK_CLASSES`."""

    def __str__(self) -> str:
        numbers = "" if self.line is None else f":{self.line}:{self.column}"
        return f"{self.file}{numbers}: remark: {self.message}"


def printable(text: str) -> str:
    """The text with control characters escaped, which could affect a terminal."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )
