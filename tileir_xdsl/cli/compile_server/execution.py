"""A forked process, which executes one command in place of the client, and ends."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from tileir_xdsl.cli.compile_server import INTERRUPTED, messages
from tileir_xdsl.cli.compile_server.client import TILEIR, TILEIR_AS
from tileir_xdsl.cli.compile_server.messages import STANDARD_STREAMS

_MOST_DESCRIPTORS = 1024
"""More than the number of descriptors that the server has open."""


def close_all_but(socket: socket.socket) -> None:
    """Closes every descriptor but the standard streams and a socket."""
    os.closerange(STANDARD_STREAMS, socket.fileno())
    os.closerange(socket.fileno() + 1, _MOST_DESCRIPTORS)


def execute(connection: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
    """Executes a command in the current, forked process, and ends the process."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _take_over(connection, request, streams)
        connection.settimeout(None)
        _begin(connection)
        threading.Thread(target=_watch, args=(connection,), daemon=True).start()
        status = _main(request["program"])(request["words"])
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except KeyboardInterrupt:
        # Before the command could deal with it.
        status = INTERRUPTED
        print(f"{request['program']}: error: interrupted", file=sys.stderr)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        # The command has ended; Ctrl-C comes too late.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        with contextlib.suppress(OSError):
            messages.send(connection, {"status": status})
        # Not by `exit`: what the server would do at its end is none of this process's.
        os._exit(status)


def _begin(connection: socket.socket) -> None:
    """Tells the client that the command begins; ends this process if the client has ended."""
    try:
        messages.send(connection, {"begins": True})
    except OSError:
        # Its streams may still be open elsewhere, and must show nothing.
        os._exit(1)


def _main(program: str) -> Callable[[list[str]], int]:
    modules = {TILEIR: "tileir_xdsl.cli.main", TILEIR_AS: "tileir_xdsl.cli.tileir_as.main"}
    return importlib.import_module(modules[program]).main


def _take_over(connection: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
    """Gives this process the client's streams, folder, environment and arguments."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # The socket and the lock of the server, among others.
    close_all_but(connection)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.umask(request["umask"])
    os.chdir(request["folder"])
    sys.argv = [request["program"], *request["words"]]
    # New ones, since those of the server have asked what its descriptors were.
    stdin, stdout, stderr = request["streams"]
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(
        io.BufferedReader(io.FileIO(0, "r", closefd=False)), **stdin
    )
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BufferedWriter(io.FileIO(number, "w", closefd=False)), **properties)
        for number, properties in ((1, stdout), (2, stderr))
    )
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr


def _watch(connection: socket.socket) -> None:
    """Interrupts the command when the client is interrupted; ends it with the client."""
    with contextlib.suppress(OSError):
        while connection.recv(1):
            os.kill(os.getpid(), signal.SIGINT)
    os._exit(1)
