"""Files: read, and written whole or left as they were."""

import errno
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from tileir_xdsl.runtime.errors import InputError

_NEW_FILE_MODE = 0o666
"""The permissions of a new file, before the process's mask."""


def read_bytes(file: str) -> tuple[bytes, str]:
    """The contents of a file, or for `-` of the standard input, and its name for diagnostics.

    Raises InputError if there is no such file.
    """
    if file == "-":
        return sys.stdin.buffer.read(), "<stdin>"
    try:
        return Path(file).read_bytes(), file
    except OSError as error:
        raise InputError(error.filename or file, error.strerror or error) from error
    # A name that no file can have.
    except ValueError as error:
        raise InputError(file, error) from error


def read_utf8(file: str) -> tuple[str, str]:
    """The text of a file, or for `-` of the standard input, and its name for diagnostics.

    Raises InputError if there is no such file, or if it is not UTF-8 text.
    """
    contents, name = read_bytes(file)
    try:
        return contents.decode(), name
    except UnicodeDecodeError as error:
        raise InputError(name, "the file is not UTF-8 text") from error


def write_file(file: str, write: Callable[[BinaryIO], object]) -> None:
    """Has `write` fill a file in the folder of `file`, which then replaces it.

    A file that cannot be written whole stays as it was. Raises InputError, which names `file`.
    """
    try:
        _replace(file, write)
    except OSError as error:
        # The name of the temporary file means nothing to the user.
        raise InputError(file, error.strerror or error) from error
    except ValueError as error:
        raise InputError(file, error) from error


def _replace(file: str, write: Callable[[BinaryIO], object]) -> None:
    # A link stays a link.
    target = os.path.realpath(file)
    mode = _mode(target)
    if mode is not None and not stat.S_ISREG(mode):
        # A device or a pipe has no contents to keep; a directory is refused here.
        with open(target, "wb") as stream:
            write(stream)
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    beside = os.path.join(os.path.dirname(target), f".tileir-{os.urandom(8).hex()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as stream:
            write(stream)
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _mode(file: str) -> int | None:
    try:
        return os.stat(file).st_mode
    except FileNotFoundError:
        return None
