"""Writes files atomically; this module imports little."""

import errno
import os
import stat
from collections.abc import Callable
from typing import BinaryIO

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
"""The flags of a new file; without the last flag, Windows changes newlines."""

_NEW_FILE_MODE = 0o666
"""The permissions of a new file, before the process's mask."""


def replace_file(file: str, write: Callable[[BinaryIO], object]) -> None:
    """Lets `write` fill a temporary file, which then replaces `file`.

    If writing fails, `file` is unchanged. Raises OSError, and ValueError for a name that no file
    can have.
    """
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
    handle = os.open(beside, _NEW_FILE, _NEW_FILE_MODE)
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
