"""A process that is forked before the next command comes.

A forked process shares the memory of the server until it writes to that memory. Python writes to
objects when it counts references, so the first compilation copies some 25 MB, page by page. The
spare process has usually compiled the samples before a command comes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from dataclasses import dataclass
from typing import Any, NoReturn

from tileir_xdsl.cli.compile_server import messages
from tileir_xdsl.cli.compile_server.execution import close_all_but, execute
from tileir_xdsl.cli.compile_server.messages import STANDARD_STREAMS
from tileir_xdsl.cli.compile_server.preloading import compile_samples
from tileir_xdsl.targets import DEFAULT_TARGET

_READY = b"r"


@dataclass
class Spare:
    """The spare process as the server sees it."""

    process: int
    channel: socket.socket
    is_ready: bool = False
    """Whether the server knows that the process has compiled the samples."""
    has_ended: bool = False
    """Whether the server knows that the process has ended without a command."""

    def look(self) -> None:
        """Updates what the server knows of the process."""
        with contextlib.suppress(BlockingIOError):
            try:
                said = self.channel.recv(1, socket.MSG_DONTWAIT)
                self.is_ready = said == _READY
            except ConnectionError:
                self.is_ready = False
            self.has_ended = not self.is_ready

    def take(self, connection: socket.socket, request: dict[str, Any], streams: list[int]) -> None:
        """Makes the process execute a command. Raises OSError if the process has just ended."""
        messages.send(self.channel, request)
        socket.send_fds(self.channel, [_READY], [connection.fileno(), *streams])
        self.channel.close()


def fork_spare() -> Spare:
    """Forks a spare process, which ends when the server does."""
    ours, theirs = socket.socketpair()
    process = os.fork()
    if not process:
        _wait(theirs)
    theirs.close()
    return Spare(process, ours)


def _wait(channel: socket.socket) -> NoReturn:
    """Compiles the samples, waits for a command, executes it and ends."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        # The socket and the lock of the server, among others.
        close_all_but(channel)
        compile_samples(DEFAULT_TARGET)
        channel.sendall(_READY)
        request = messages.receive(channel)
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 1 + STANDARD_STREAMS)
        connection, *streams = descriptors
        execute(socket.socket(fileno=connection), request, streams)
    finally:
        # In any case this process must not go on as the server.
        os._exit(0)
