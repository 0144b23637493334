"""Where the server of this user and this installation listens."""

import hashlib
import os
import stat
import sys
from pathlib import Path

PLACE = "TILEIR_SERVER_DIR"
"""The environment variable with the folder of the socket, in place of the default one."""

_HASH_DIGITS = 16


def folder() -> Path:
    """The folder of the socket; it need not exist."""
    place = os.environ.get(PLACE) or os.environ.get("XDG_RUNTIME_DIR")
    if place:
        return Path(place, "tileir_xdsl")
    # `tempfile` finds the same on a system in order, but takes as long to import as all else here.
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return Path(next(filter(None, named), "/tmp"), f"tileir_xdsl-{os.getuid()}")


def socket_path() -> Path:
    """The path of the socket, which differs for each installation of this package and of Python."""
    installation = f"{sys.version}\n{sys.prefix}\n{Path(__file__).resolve()}"
    digest = hashlib.sha256(installation.encode()).hexdigest()[:_HASH_DIGITS]
    return folder() / f"{digest}.socket"


def is_private(path: Path) -> bool:
    """Whether a folder exists, belongs to this user, and is closed to all other users."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return (
        stat.S_ISDIR(status.st_mode)
        and status.st_uid == os.getuid()
        and not stat.S_IMODE(status.st_mode) & 0o077
    )
