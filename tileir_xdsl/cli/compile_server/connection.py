"""The client's side of a connection."""

import contextlib
import io
import os
import signal
import socket
import sys
from collections.abc import Generator
from typing import Any

from tileir_xdsl.cli.compile_server import HAS_PROCESSES, INTERRUPTED, messages
from tileir_xdsl.cli.compile_server.address import is_private, socket_path

INTERRUPT = b"i"
"""The byte that the client sends after the request to interrupt the command (Ctrl-C)."""

_SECONDS_TO_BEGIN = 5.0
"""How long a server may take to announce that it begins; a server that hangs must not delay the
command.
"""

_LOST = 1
"""The exit status where the server's process ended before the command did."""


class StoppedServerError(Exception):
    """A signal has stopped the server process, so it neither answers nor ends."""

    def __init__(self, process: int):
        super().__init__(f"process {process} is stopped, and goes on after kill -CONT {process}")


def is_possible() -> bool:
    """Whether a server can run here.

    The server forks, and Linux sockets pass it descriptors and identify the client (unix(7)).
    """
    return HAS_PROCESSES and hasattr(socket, "AF_UNIX") and hasattr(socket, "SO_PEERCRED")


@contextlib.contextmanager
def connected() -> Generator[socket.socket | None]:
    """A connection to the server of this user, None without one. Raises StoppedServerError."""
    path = socket_path()
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with connection:
        connection.settimeout(_SECONDS_TO_BEGIN)
        try:
            # A user who could put another socket there would see the programs.
            if not is_private(path.parent):
                raise PermissionError
            connection.connect(str(path))
            peer = messages.peer(connection)
        except OSError:
            peer = None
        if peer is not None and peer.user == os.getuid() and peer.is_stopped:
            raise StoppedServerError(peer.process)
        yield connection if peer is not None and peer.user == os.getuid() else None


def ask(message: dict[str, Any]) -> dict[str, Any] | None:
    """The server's answer to a message without streams; None without a server.

    Raises StoppedServerError, and TimeoutError if the server does not answer.
    """
    with connected() as connection:
        if connection is None:
            return None
        try:
            messages.send(connection, message)
            return messages.receive(connection, _SECONDS_TO_BEGIN)
        except TimeoutError:
            raise
        except (OSError, messages.BrokenMessageError):
            return None


def execute(program: str, words: list[str]) -> int | None:
    """Makes the server execute a command; returns the exit status, or None if it has not begun."""
    if not is_possible():
        return None
    try:
        with connected() as connection:
            if connection is None or not _begins(connection, program, words):
                return None
            connection.settimeout(None)
            return _wait(program, connection)
    except StoppedServerError:
        return None
    except KeyboardInterrupt:
        # The server's process ends with the connection.
        print(f"{program}: error: interrupted", file=sys.stderr)
        return INTERRUPTED


def _begins(connection: socket.socket, program: str, words: list[str]) -> bool:
    """Requests a command, and returns whether the server executes it."""
    try:
        messages.send(connection, request(program, words))
        if not messages.receive(connection, _SECONDS_TO_BEGIN).get("accepts"):
            return False
        # Only now: a server that hangs would keep a pipe open that others read from.
        messages.send_streams(connection)
        return bool(messages.receive(connection, _SECONDS_TO_BEGIN).get("begins"))
    except (OSError, messages.BrokenMessageError):
        return False


def request(program: str, words: list[str]) -> dict[str, Any]:
    """The message that requests a command with the environment of this process."""
    umask = os.umask(0o077)
    os.umask(umask)
    return {
        "command": "execute",
        "program": program,
        "words": words,
        "folder": os.getcwd(),
        "environment": dict(os.environ),
        "umask": umask,
        "streams": [_properties(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
    }


def _properties(stream: object) -> dict[str, Any]:
    """The encoding and buffering of a standard stream; empty for a closed stream."""
    if not isinstance(stream, io.TextIOWrapper):
        return {}
    return {
        "encoding": stream.encoding,
        "errors": stream.errors,
        "line_buffering": stream.line_buffering,
    }


def _wait(program: str, connection: socket.socket) -> int:
    """Waits for the exit status; forwards Ctrl-C to the process that executes the command."""
    while True:
        try:
            status = messages.receive(connection).get("status")
            return status if isinstance(status, int) else _LOST
        except KeyboardInterrupt:
            # A second one must not cut off what the first has started.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            with contextlib.suppress(OSError):
                connection.sendall(INTERRUPT)
        except (OSError, messages.BrokenMessageError):
            print(f"{program}: error: the server's process has ended early", file=sys.stderr)
            return _LOST


def start_in_background() -> None:
    """Starts a server that outlives this process; does not wait for it."""
    if not is_possible():
        return
    # Where one runs, none is started.
    import subprocess

    with contextlib.suppress(OSError):
        subprocess.Popen(
            [sys.executable, "-m", "tileir_xdsl.cli.compile_server.process"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            close_fds=True,
        )
