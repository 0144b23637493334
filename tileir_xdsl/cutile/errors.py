"""Errors of launches from Python: one each, that ends at the call and shows the line of the kernel.

A refusal by cuTile is an error of this package and of cuTile at once. So scripts that catch
`ct.TileTypeError` do so here, too:

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
    """A function whose CompileErrors end at its call, with the line that they are about as a note.

    The frames of this package would tell its user nothing.
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
    """The error of cuTile about a kernel, with its own excerpt: of each call on the way there.

    `symbol` is where the error is if cuTile does not know it. It is an instance of the class of
    `error`, too, and has its `loc`.
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
    """The methods of all errors of both."""

    loc: Any

    def __reduce__(self) -> tuple[Any, ...]:
        # The class has no name by which another process would find it.
        return (_again, (type(self).__bases__[1], self.args, self.__dict__))


@cache
def _class_of(kind: type) -> type[_CuTileError]:
    """The class of errors that are such errors of cuTile, too."""
    return type(kind.__name__, (_CuTileError, kind), {"__module__": __name__})


def _again(kind: type, arguments: tuple[Any, ...], attributes: dict[str, Any]) -> _CuTileError:
    """An error that comes from another process."""
    made = _class_of(kind)(*arguments)
    made.__dict__.update(attributes)
    return made
