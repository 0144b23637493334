"""The server: has the compiler loaded, and forks for every command.

`python -m tileir_xdsl.cli.compile_server.process` serves until nobody has asked for a while, until
the compiler's files change, or until it is told to stop.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import io
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from tileir_xdsl import samples
from tileir_xdsl.cli.compile_server import messages
from tileir_xdsl.cli.compile_server.address import is_private, socket_path
from tileir_xdsl.cli.compile_server.client import TILEIR, TILEIR_AS
from tileir_xdsl.cli.compile_server.connection import INTERRUPTED
from tileir_xdsl.cli.compile_server.messages import STANDARD_STREAMS
from tileir_xdsl.passes import CANONICALIZE, PASSES
from tileir_xdsl.runtime.cache.keys import sources_now

IDLE = "TILEIR_SERVER_IDLE"
"""The variable with the seconds after which a server that nobody asks ends."""

DEFAULT_IDLE_SECONDS = 900.0

_PRELOADED = (
    "tileir_xdsl.cli.compile",
    "tileir_xdsl.cli.compile_log",
    "tileir_xdsl.cli.tileir_as.assembly",
    "tileir_xdsl.runtime.program",
    "tileir_xdsl.runtime.reader",
)
"""What most commands need; a forked process imports the rest."""

_PRELOADED_TARGETS = ("sm_80", "sm_90a", "sm_100a")
"""One for each kind of matrix unit."""

_MOST_DESCRIPTORS = 1024
"""More than the server has open."""

_SECONDS_TO_ASK = 5.0
"""How long a client may take to say what it wants."""

_SECONDS_TO_LOCK = 2.0
_PAUSE = 0.02


def serve() -> int:
    """Serves commands; returns the exit status: 1 where another server has the socket."""
    path = socket_path()
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(path.parent):
        return 1
    with open(path.with_suffix(".lock"), "w") as lock:
        if not _takes(lock):
            return 1
        before = sources_now()
        _preload()
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(str(path))
            try:
                listener.listen(128)
                _accept(listener, before)
            finally:
                path.unlink(missing_ok=True)
    return 0


def _takes(lock: IO[str]) -> bool:
    """Whether this process gets a lock before long: a server that ends keeps it for a moment."""
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


def _preload() -> None:
    from xdsl.universe import Universe

    from tileir_xdsl.runtime.program import load

    for name in _PRELOADED:
        importlib.import_module(name)
    for entry in (*PASSES.values(), CANONICALIZE):
        entry.load()
    for dialect in ("cuda_tile", "nv_tileaa", "nv_tileas", "nvvm", "llvm", "arith", "math", "scf"):
        Universe.get_multiverse().all_dialects[dialect]()
    # What is computed on first use, definitions of ops among it, must not be in each process anew.
    for name in samples.names():
        for gpu in _PRELOADED_TARGETS:
            load(samples.path(name), gpu).compile()
    # Forked processes share what is there, as long as nobody counts references to collect it.
    gc.collect()
    gc.freeze()


def _accept(listener: socket.socket, before: str) -> None:
    idle = os.environ.get(IDLE, "")
    listener.settimeout(float(idle) if idle.isdecimal() else DEFAULT_IDLE_SECONDS)
    # Nobody waits for the processes of commands: the system clears them away.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            return
        with connection:
            if not _answer(connection, before):
                return


def _answer(connection: socket.socket, before: str) -> bool:
    """Answers one request; whether the server goes on."""
    connection.settimeout(_SECONDS_TO_ASK)
    try:
        if messages.peer_user(connection) != os.getuid():
            return True
        request = messages.receive(connection)
        match request.get("command"):
            case "execute" if sources_now() != before:
                messages.send(connection, {"accepts": False})
                return False
            case "execute":
                messages.send(connection, {"accepts": True})
                streams = messages.receive_streams(connection)
                if not os.fork():
                    _execute(connection, request, streams)
                for stream in streams:
                    os.close(stream)
            case "stop":
                messages.send(connection, {"process": os.getpid()})
                return False
            case _:
                messages.send(connection, {"process": os.getpid()})
    except (OSError, messages.BrokenMessageError):
        # A client that has gone, or none of ours.
        pass
    return True


def _execute(connection: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
    """Executes a command in a process of its own, and ends it."""
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
    """Tells the client that its command is executed here; ends this process if it has gone."""
    try:
        messages.send(connection, {"begins": True})
    except OSError:
        # Its streams may still be open elsewhere, and must show nothing.
        os._exit(1)


def _main(program: str) -> Callable[[list[str]], int]:
    modules = {TILEIR: "tileir_xdsl.cli.main", TILEIR_AS: "tileir_xdsl.cli.tileir_as.main"}
    return importlib.import_module(modules[program]).main


def _take_over(connection: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
    """Makes this process look to the command as the client's."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # The socket and the lock of the server, among others.
    os.closerange(STANDARD_STREAMS, connection.fileno())
    os.closerange(connection.fileno() + 1, _MOST_DESCRIPTORS)
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
    """Interrupts the command if the client is; ends it with the client."""
    with contextlib.suppress(OSError):
        while connection.recv(1):
            os.kill(os.getpid(), signal.SIGINT)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(serve())
