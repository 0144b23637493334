"""Errors of an input, and remarks of passes, each as one line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


class CompileError(Exception):
    """An error in the user's input; `str` of it is the one line to show, without a newline.

    `location` is what the line starts with: `FILE:LINE:COL`, or what else the error is about, such
    as an option or an argument. Errors can be sent between processes. The subclasses distinguish
    causes; an error without one of these causes, such as an unknown option, is of this class.
    """

    def __init__(self, location: str, message: object, notes: Sequence[str] = ()):
        # Some diagnostics of the Tile IR specification span lines; a terminal line may not.
        self.location = printable(location)
        self.message = printable(" ".join(str(message).split()))
        # Not the next class, which one that is an error of cuTile, too, has another idea of.
        Exception.__init__(self, location, self.message, tuple(notes))
        placed = PLACE.fullmatch(location)
        self.file: str = placed["file"] if placed else location
        """The file, or what else the error is about."""
        self.line: int | None = int(placed["line"]) if placed else None
        """Counted from 1; None where only the file is known."""
        self.column: int | None = int(placed["column"]) if placed else None
        """Counted from 1; None where only the file is known."""
        self.notes: tuple[str, ...] = tuple(notes)
        """Further messages, each of a line or more: the op, the IR or the source around it."""

    def __str__(self) -> str:
        return f"{self.location}: error: {self.message}"


class CodeError(CompileError):
    """The code of a kernel is refused, by the parser, the verifier, a pass or its language."""

    def __init__(self, location: str, message: object, notes: Sequence[str] = ()):
        # Only where something is wrong.
        from tileir_xdsl.runtime.advice import advised  # noqa: PLC0415

        super().__init__(location, advised(str(message), notes), notes)


class ArgumentError(CompileError):
    """An argument of a launch does not fit the kernel."""


class MemoryFaultError(CompileError):
    """A kernel accesses memory outside of its arrays, or memory that is not aligned."""


class RaceError(CompileError):
    """Accesses of a kernel conflict, and nothing orders them."""


class DeadlockError(CompileError):
    """A kernel waits for what never comes."""


class UndefinedError(CompileError):
    """A kernel does something that its specification leaves undefined."""


class UndefinedWarning(RuntimeWarning):
    """A kernel does something that its specification leaves undefined, in a script."""


class InterpreterWarning(RuntimeWarning):
    """The interpreter runs a kernel that was to be compiled for a processor."""


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
    """The kernel that the remark is about; empty if it is about no kernel."""
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
