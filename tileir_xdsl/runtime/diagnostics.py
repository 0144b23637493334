"""Errors as one line each: `FILE:LINE:COL: error: message`, without unknown parts."""

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from types import CodeType, MappingProxyType

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, ParseError

from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE, exceed, fail, location_text
from tileir_xdsl.options import OptionError
from tileir_xdsl.runtime.errors import PLACE, CodeError, InputError, Remark
from tileir_xdsl.walking import ancestors


def operation_location(op: Operation | None, file: str) -> str:
    """The location of `op`, or of the closest op around it that has one; otherwise `file`."""
    around = () if op is None else (op, *ancestors(op))
    return next((text for each in around if (text := location_text(each.location))), file)


def remarks_of(module: ModuleOp, file: str) -> list[Remark]:
    """The remarks of passes on a module; `file` is the location of remarks without one."""
    remarks = module.attributes.get(REMARKS_ATTRIBUTE)
    found: list[Remark] = []
    for remark in remarks.data if isinstance(remarks, ArrayAttr) else ():
        if isinstance(remark, DictionaryAttr):
            message, location = (remark.data.get(key) for key in ("message", "location"))
            if isinstance(message, StringAttr):
                place = _place(location_text(location) if location else None, file)
                about = (_string(remark, key) for key in ("function", "name"))
                found.append(Remark(message.data, *place, *about))
    return found


def remark_at(op: Operation, message: str, file: str) -> Remark:
    """A remark on an op; `file` is the location if the op has none."""
    return Remark(message, *_place(location_text(op.location), file))


def _place(location: str | None, file: str) -> tuple[str, int | None, int | None]:
    placed = PLACE.fullmatch(location or "")
    return (placed["file"], int(placed[2]), int(placed[3])) if placed else (file, None, None)


def _string(remark: DictionaryAttr, key: str) -> str:
    value = remark.data.get(key)
    return value.data if isinstance(value, StringAttr) else ""


_RAISING: Mapping[CodeType, str] = {
    Operation.emit_error.__code__: "self",
    Operation.verify.__code__: "self",
    fail.__code__: "op",
    exceed.__code__: "op",
}
"""Functions that raise diagnostics about an op, and their variable for the op."""


def failing_operation(error: BaseException) -> Operation | None:
    """The op that a diagnostic of xDSL is about, or None.

    xDSL's exceptions carry only a message. The op is thus taken from the innermost call of a
    function of `_RAISING` in the error's traceback.
    """
    # Where there is no error, none is imported.
    import traceback

    found: Operation | None = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if (name := _RAISING.get(frame.f_code)) is not None:
            found = frame.f_locals[name]
    return found


_LOCATED = re.compile(r"(\S[^:]*:\d+:\d+): (.*)", re.DOTALL)


def _describe(error: Exception, file: str, kind: type[InputError]) -> InputError:
    notes = getattr(error, "__notes__", ())
    match error:
        case ParseError():
            return CodeError(str(error.span.get_location()), error.msg)
        case DiagnosticException():
            return CodeError(operation_location(failing_operation(error), file), error, notes)
        case OSError():
            return InputError(error.filename or file, error.strerror or error)
        case UnicodeDecodeError():
            return InputError(file, "the file is not UTF-8 text")
        case OptionError():
            return InputError(error.location, error.message)
        case RecursionError():
            return InputError(file, "the program is nested too deeply")
        case _:
            # The executors put the location of the op, where they know it, first.
            located = _LOCATED.fullmatch(str(error))
            return kind(*located.groups()) if located else kind(file, error)


@contextmanager
def errors_in(
    file: str,
    *further: type[Exception],
    causes: Mapping[type[Exception], type[InputError]] = MappingProxyType({}),
) -> Generator[None]:
    """Converts errors of xDSL, of the system and of the classes `further` to InputError.

    `causes` maps some classes to subclasses of InputError. All other exceptions are defects of the
    compiler and keep their traceback. The original error remains the context of the new error, but
    is not shown.
    """
    try:
        yield
    except (*_INPUT_ERRORS, *further, *causes) as error:
        raise _describe(error, file, causes.get(type(error), InputError)) from None


# Text, locations and regions are walked by recursion: one in another without end is bad input.
_INPUT_ERRORS = (
    ParseError,
    DiagnosticException,
    OptionError,
    OSError,
    UnicodeDecodeError,
    RecursionError,
)
