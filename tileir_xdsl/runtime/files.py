"""Reads files, and writes them atomically."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.whole_files import replace_file

_held: dict[str, bytes] = {}


def hold(file: str, contents: bytes) -> None:
    """Registers contents under a name that is then read as a file, such as `script.py:kernel`."""
    _held[file] = contents


def read_bytes(file: str) -> tuple[bytes, str]:
    """The contents of a file, or for `-` of the standard input, and its name for diagnostics.

    Raises InputError if there is no such file.
    """
    if file == "-":
        return sys.stdin.buffer.read(), "<stdin>"
    if file in _held:
        return _held[file], file
    try:
        return Path(file).read_bytes(), file
    except OSError as error:
        raise InputError(error.filename or file, error.strerror or error) from None
    # A name that no file can have.
    except ValueError as error:
        raise InputError(file, error) from None


def read_utf8(file: str) -> tuple[str, str]:
    """The text of a file, or for `-` of the standard input, and its name for diagnostics.

    Raises InputError if there is no such file, or if it is not UTF-8 text.
    """
    contents, name = read_bytes(file)
    try:
        return text_of(contents), name
    except UnicodeDecodeError:
        raise InputError(name, "the file is not UTF-8 text") from None


def text_of(contents: bytes) -> str:
    """The text of a file, without a byte-order mark.

    Raises UnicodeDecodeError.
    """
    return contents.decode("utf-8-sig")


def write_file(file: str, write: Callable[[BinaryIO], object]) -> None:
    """Lets `write` fill a temporary file, which then replaces `file`.

    If writing fails, `file` is unchanged. Raises InputError, which names `file`.
    """
    try:
        replace_file(file, write)
    except OSError as error:
        # The name of the temporary file means nothing to the user.
        raise InputError(file, error.strerror or error) from None
    except ValueError as error:
        raise InputError(file, error) from None
