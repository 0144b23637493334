"""Files that are written whole, or stay as they were."""

import errno
import os
import secrets
import stat
from collections.abc import Callable
from typing import BinaryIO

from tileir_xdsl.runtime.diagnostics import InputError, errors_in

_NEW_FILE_MODE = 0o666
"""The permissions of a new file, before the process's mask."""


def write_file(file: str, write: Callable[[BinaryIO], object]) -> None:
    """Has `write` fill a file in the folder of `file`, which then replaces it.

    A file that cannot be written whole stays as it was. Raises InputError, which names `file`.
    """
    with errors_in(file, ValueError):
        try:
            _replace(file, write)
        except OSError as error:
            # The name of the temporary file means nothing to the user.
            raise InputError(file, error.strerror or error) from error


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
    beside = os.path.join(os.path.dirname(target), f".tileir-{secrets.token_hex(8)}")
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
