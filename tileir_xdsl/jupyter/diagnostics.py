"""Errors of magics: a notebook shows a diagnostic with its line of the cell, and no traceback."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec, TypeVar

from tileir_xdsl.cli.terminal import excerpt
from tileir_xdsl.cli.usage import with_suggestion
from tileir_xdsl.runtime.errors import CompileError, InputError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class CellError(CompileError):
    """An error in a cell; IPython prints `lines` in place of a traceback."""

    @property
    def lines(self) -> list[str]:
        """The diagnostic, the line of the cell with a caret, and notes."""
        shown = "".join(text for text, _ in excerpt(self.location)).splitlines()
        return [str(self), *shown, *self.notes]

    def _render_traceback_(self) -> list[str]:
        return self.lines


def one_diagnostic(magic: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """A magic that raises CellError in place of CompileError."""

    @wraps(magic)
    def called(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        try:
            return magic(*arguments, **options)
        except CompileError as error:
            raise CellError(error.location, error.message, error.notes) from None

    return called


class LineParser(argparse.ArgumentParser):
    """Parses the arguments of a magic, like those of a command."""

    def __init__(self, magic: str):
        super().__init__(prog=magic, add_help=False, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raises InputError; the base class would exit Python."""
        raise InputError(self.prog, with_suggestion(message, self))

    def read(self, line: str) -> argparse.Namespace:
        """The arguments of a line. Raises InputError."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise InputError(self.prog, str(error).lower()) from None
        return self.parse_args(words)
