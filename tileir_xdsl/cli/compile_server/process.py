"""The server: has the compiler loaded, and forks a process for every command.

`python -m tileir_xdsl.cli.compile_server.process` serves until no command has come for a while,
until the compiler's files change, or until a command stops it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import socket
import sys
import time
from typing import IO, Any, NamedTuple

from tileir_xdsl.cli.compile_server import messages
from tileir_xdsl.cli.compile_server.address import is_private, socket_path
from tileir_xdsl.cli.compile_server.execution import execute
from tileir_xdsl.cli.compile_server.preloading import preload
from tileir_xdsl.cli.compile_server.spare import Spare, fork_spare
from tileir_xdsl.runtime.cache.keys import sources_now

IDLE = "TILEIR_SERVER_IDLE"
"""The environment variable with the seconds after which an idle server ends."""

DEFAULT_IDLE_SECONDS = 900.0

_SECONDS_TO_ASK = 5.0
"""How long a client may take to send its command."""

_SECONDS_TO_FORK = 0.05
"""The idle seconds after which a process is forked for the next command."""

_SECONDS_TO_LOCK = 2.0
_PAUSE = 0.02


def serve() -> int:
    """Serves commands; returns the exit status, 1 if another server has the socket."""
    path = socket_path()
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(path.parent):
        return 1
    with open(path.with_suffix(".lock"), "wb") as lock:
        if not _takes(lock):
            return 1
        before = sources_now()
        preload()
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(path))
            try:
                listener.listen(128)
                _accept(listener, before)
            finally:
                path.unlink(missing_ok=True)
    return 0


def _takes(lock: IO[bytes]) -> bool:
    """Whether this process gets the lock soon; a server that ends holds it for a moment."""
    end = time.monotonic() + _SECONDS_TO_LOCK
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > end:
                return False
            time.sleep(_PAUSE)
        else:
            return True


def _accept(listener: socket.socket, before: str) -> None:
    idle = os.environ.get(IDLE, "")
    idle_seconds = float(idle) if idle.isdecimal() else DEFAULT_IDLE_SECONDS
    # Nobody waits for the processes of commands: the system clears them away.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    spare: Spare | None = None
    last_command = time.monotonic()
    while True:
        if spare is not None:
            spare.look()
            spare = None if spare.has_ended else spare
        seconds = last_command + _SECONDS_TO_FORK - time.monotonic()
        # None is made while one command follows the other: they need the processors.
        if spare is None and seconds <= 0:
            spare = fork_spare()
        listener.settimeout(seconds if spare is None else idle_seconds)
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            if spare is None:
                continue
            return
        with connection:
            answer = _answer(connection, before, spare)
        if not answer.goes_on:
            return
        if answer.executes:
            last_command = time.monotonic()
        if answer.takes_spare:
            spare = None


class _Answer(NamedTuple):
    """The result of a request."""

    goes_on: bool = True
    """Whether the server continues."""
    executes: bool = False
    """Whether a process executes the client's command."""
    takes_spare: bool = False
    """Whether the spare process, forked before, executes the command."""


def _answer(connection: socket.socket, before: str, spare: Spare | None) -> _Answer:
    """Answers one request."""
    connection.settimeout(_SECONDS_TO_ASK)
    try:
        if messages.peer(connection).user != os.getuid():
            return _Answer()
        request = messages.receive(connection, _SECONDS_TO_ASK)
        connection.settimeout(_SECONDS_TO_ASK)
        match request.get("command"):
            case "execute" if sources_now() != before:
                messages.send(connection, {"accepts": False})
                return _Answer(goes_on=False)
            case "execute":
                messages.send(connection, {"accepts": True})
                return _Answer(executes=True, takes_spare=_forward(connection, request, spare))
            case "stop":
                messages.send(connection, {"process": os.getpid()})
                return _Answer(goes_on=False)
            case _:
                ready = None if spare is None else spare.process
                messages.send(connection, {"process": os.getpid(), "spare": ready})
    except (OSError, messages.BrokenMessageError):
        # A client that has gone, or none of ours.
        pass
    return _Answer()


def _forward(connection: socket.socket, request: dict[str, Any], spare: Spare | None) -> bool:
    """Makes a process execute a command; returns whether it is the spare one."""
    streams = messages.receive_streams(connection)
    try:
        if spare is not None:
            spare.look()
        if spare is not None and spare.is_ready:
            spare.take(connection, request, streams)
            return True
        if not os.fork():
            execute(connection, request, streams)
        return False
    finally:
        for stream in streams:
            os.close(stream)


if __name__ == "__main__":
    sys.exit(serve())
