"""The entry points of `tileir` and `tileir-as`: the server or this process executes the command.

The compiler is not imported if the server executes the command. If the server fails before the
command begins, this process executes the command.
"""

import gc
import os
import sys
from collections.abc import Callable

from tileir_xdsl.cli import may_be_python
from tileir_xdsl.cli.compile_server import HAS_PROCESSES, INTERRUPTED

TILEIR, TILEIR_AS = "tileir", "tileir-as"

SERVED = ("compile", "asm", "disasm", "fmt", "lint")
"""The subcommands of `tileir` that take less time than start-up; others run in this process."""

SWITCH = "TILEIR_SERVER"
"""`0`: no server is used; `auto`: a server is started if none runs; otherwise a running server is
used.
"""


def tileir() -> int:
    """The command `tileir`; returns the exit status."""
    words = sys.argv[1:]
    return _begin(TILEIR, words, is_served=_is_served(words))


def _is_served(words: list[str]) -> bool:
    # A Python file is the user's code, which must not change the server.
    return bool(words) and words[0] in SERVED and not any(map(may_be_python, words[1:]))


def tileir_as() -> int:
    """The command `tileir-as`; returns the exit status."""
    return _begin(TILEIR_AS, sys.argv[1:], is_served=True)


def _begin(program: str, words: list[str], *, is_served: bool) -> int:
    """Makes the server execute a command, or executes it in this process."""
    try:
        status = served(program, words) if is_served else None
        if status is not None:
            return status
        if program == TILEIR:
            from tileir_xdsl.cli.main import main
        else:
            from tileir_xdsl.cli.tileir_as.main import main
        return _in_this_process(main, words)
    except KeyboardInterrupt:
        # While the command was imported, before it could deal with it.
        print(f"{program}: error: interrupted", file=sys.stderr)
        return INTERRUPTED


def _in_this_process(main: Callable[[list[str]], int], words: list[str]) -> int:
    """Executes a command in this process, which ends afterwards."""
    from tileir_xdsl.runtime.collecting import collecting_seldom

    # Otherwise Python looks for cycles in all imported modules, only to leave them to the system.
    # It does so when the process ends, and earlier if the collector is enabled again.
    with collecting_seldom():
        try:
            return main(words)
        finally:
            gc.freeze()


def served(program: str, words: list[str]) -> int | None:
    """The exit status of a command executed by the server; None if the server has not begun."""
    switch = os.environ.get(SWITCH, "")
    if switch == "0" or not HAS_PROCESSES:
        return None
    from tileir_xdsl.cli.compile_server.address import socket_path

    # The client of a server takes longer to import than a result takes to find in the cache.
    if switch != "auto" and not os.path.exists(socket_path()):
        return None
    from tileir_xdsl.cli.compile_server.connection import execute, start_in_background

    status = execute(program, words)
    if status is None and switch == "auto":
        start_in_background()
    return status
