"""Errors of launches from Python: tracebacks end at the call, and notes show the kernel's line.

An error that cuTile raises for a kernel becomes an instance of both `CodeError` and cuTile's class.
So scripts may catch cuTile's classes, such as `ct.TileTypeError`:

    try:
        cutile.launch((8,), kernel, (a, b))
    except ct.TileTypeError as error:
        print(error.line, error.message)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from tileir_xdsl.cli.terminal import excerpt
from tileir_xdsl.runtime.errors import CodeError, CompileError

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def raised_at_caller(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Wraps a function: tracebacks of its CompileErrors end at its call, a note shows the
    source.
    """

    @wraps(function)
    def called(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        try:
            return function(*arguments, **options)
        except CompileError as error:
            shown = "".join(text for text, _ in excerpt(error.location)).rstrip("\n")
            # Python shows these below the message where nobody catches the error.
            if not hasattr(error, "__notes__"):
                for note in filter(None, error.notes or (shown,)):
                    error.add_note(note)
            raise error.with_traceback(None) from None

    return called


def refusal(error: Any, symbol: str) -> CodeError:
    """Converts cuTile's error about a kernel, and keeps its excerpt of the source of each call.

    `symbol` is the location if cuTile knows none. The result is also an instance of the class of
    `error`, and has the same `loc`.
    """
    format_location = import_module("cuda.tile._exception").format_location
    place, location, notes = error.loc, symbol, list[str]()
    if place.filename is not None:
        # cuTile counts columns from 0, except in what it shows.
        location = f"{place.filename}:{place.line}:{place.col + 1}"
        notes.append(format_location(place, error).rstrip("\n"))
    # One error in another brings its place along, which is not known yet.
    message = error.message.partition("\nUnknown location")[0]
    made = _class_of(type(error))(location, message, notes)
    made.loc = place
    return made


class _CuTileError(CodeError):
    """The base class of errors that are errors of this package and of cuTile."""

    loc: Any

    def __reduce__(self) -> tuple[Any, ...]:
        # The class has no name by which another process would find it.
        return (_again, (type(self).__bases__[1], self.args, self.__dict__))


@cache
def _class_of(kind: type) -> type[_CuTileError]:
    """A class that inherits from `_CuTileError` and from the class `kind` of cuTile."""
    return type(kind.__name__, (_CuTileError, kind), {"__module__": __name__})


def _again(kind: type, arguments: tuple[Any, ...], attributes: dict[str, Any]) -> _CuTileError:
    """Unpickles an error that comes from another process."""
    made = _class_of(kind)(*arguments)
    made.__dict__.update(attributes)
    return made
