"""`tileir server`: starts and stops a process that has the compiler loaded for later commands."""

import argparse
import json
import os
import time
from collections.abc import Callable

from tileir_xdsl.cli.compile_server.address import PLACE, folder, is_private, socket_path
from tileir_xdsl.cli.compile_server.connection import (
    StoppedServerError,
    ask,
    is_possible,
    start_in_background,
)
from tileir_xdsl.runtime.diagnostics import errors_in
from tileir_xdsl.runtime.errors import InputError

ACTIONS = {
    "start": "start it, unless it runs",
    "status": "say whether it runs; the exit status is 1 if it does not",
    "stop": "let it end",
}

_MOST_SOCKET_BYTES = 107
"""The longest socket path in bytes, which `sockaddr_un` of Linux limits (unix(7))."""

_SECONDS_TO_START = 30.0
_SECONDS_TO_STOP = 10.0
_PAUSE = 0.02


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments of `tileir server`."""
    described = "; ".join(f"{name}: {what}" for name, what in ACTIONS.items())
    parser.add_argument("action", choices=ACTIONS, help=described)
    parser.add_argument(
        "--json", action="store_true", help="print the number of the process that serves, or null"
    )


def run(args: argparse.Namespace) -> int:
    """Executes the chosen action.

    Raises InputError for a server that does not start, answer or stop, and for a folder that other
    users can access. Raises InputError also on a system that cannot run a server.
    """
    if not is_possible():
        raise InputError("server", "the server needs forked processes and the sockets of Linux")
    _check_folder()
    with errors_in(str(socket_path()), StoppedServerError):
        return _act(args)


def _check_folder() -> None:
    """Raises InputError if the folder of the server is not private."""
    place = folder()
    if os.path.lexists(place) and not is_private(place):
        raise InputError(
            str(place),
            "expected a folder that belongs to this user and that no other user can open",
        )


def _act(args: argparse.Namespace) -> int:
    match args.action:
        case "start":
            process = _start()
            said, status = f"process {process} serves", 0
        case "stop":
            process, status = None, 0
            said = "stopped" if _stop() else "no server runs"
        case _:
            process = _process()
            said = "no server runs" if process is None else f"process {process} serves"
            status = int(process is None)
    print(json.dumps({"process": process}) if args.json else said)
    return status


def _process() -> int | None:
    answer = ask({"command": "status"})
    return None if answer is None else answer.get("process")


def _within(seconds: float, find: Callable[[], int | None]) -> int | None:
    """Repeats `find` for some seconds until it returns a result."""
    end = time.monotonic() + seconds
    while (found := find()) is None and time.monotonic() < end:
        time.sleep(_PAUSE)
    return found


def _start() -> int:
    """The number of the server process, which is started if none runs."""
    process = _process()
    if process is None:
        if len(os.fsencode(socket_path())) > _MOST_SOCKET_BYTES:
            message = f"is longer than the name of a socket may be, set {PLACE}"
            raise InputError(str(socket_path()), message)
        start_in_background()
        process = _within(_SECONDS_TO_START, _process)
        if process is None:
            raise InputError(str(socket_path()), "the server does not answer")
    return process


def _stop() -> bool:
    """Stops the server; returns whether one ran."""
    if ask({"command": "stop"}) is None:
        return False
    if _within(_SECONDS_TO_STOP, lambda: None if socket_path().exists() else 0) is None:
        raise InputError(str(socket_path()), "the server does not end")
    return True
