"""The messages of client and server, which are JSON objects after their length in bytes."""

import array
import json
import socket
import struct
import time
from typing import Any, NamedTuple

_LENGTH = struct.Struct("<Q")
_MOST_BYTES = 1 << 26
_PEER = struct.Struct("3i")

STANDARD_STREAMS = 3


class BrokenMessageError(Exception):
    """The connection ended within a message, or the bytes are not a message."""


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Sends a message."""
    data = json.dumps(message).encode()
    connection.sendall(_LENGTH.pack(len(data)) + data)


def send_streams(connection: socket.socket) -> None:
    """Sends the three standard streams of this process."""
    streams = array.array("i", range(STANDARD_STREAMS))
    connection.sendmsg([b"s"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])


def receive(connection: socket.socket, seconds: float | None = None) -> dict[str, Any]:
    """The next message, which must arrive within `seconds`; with None, at any time.

    Raises BrokenMessageError, and TimeoutError.
    """
    end = None if seconds is None else time.monotonic() + seconds
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, end))
    if length > _MOST_BYTES:
        raise BrokenMessageError
    try:
        message = json.loads(_exactly(connection, length, end))
    except (ValueError, RecursionError) as error:
        raise BrokenMessageError from error
    if not isinstance(message, dict):
        raise BrokenMessageError
    return message


def receive_streams(connection: socket.socket) -> list[int]:
    """Descriptors of the three standard streams of the other side. Raises BrokenMessageError."""
    streams = array.array("i")
    size = STANDARD_STREAMS * streams.itemsize
    _, ancillary, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(size))
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            streams.frombytes(data[: len(data) - len(data) % streams.itemsize])
    if len(streams) != STANDARD_STREAMS:
        raise BrokenMessageError
    return list(streams)


def _exactly(connection: socket.socket, size: int, end: float | None) -> bytes:
    """Reads `size` bytes, until an `end` of the monotonic clock."""
    parts: list[bytes] = []
    while size:
        # Each byte of a client that sends them one by one would begin the time anew.
        if end is not None and (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
        elif end is not None:
            raise TimeoutError
        part = connection.recv(min(size, 1 << 20))
        if not part:
            raise BrokenMessageError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


class Peer(NamedTuple):
    """The process on the other side, and the user that it runs as."""

    process: int
    user: int

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped the process, so that it cannot answer (proc(5))."""
        try:
            with open(f"/proc/{self.process}/stat", "rb") as file:
                return file.read().rpartition(b") ")[2][:1] in (b"T", b"t")
        except OSError:
            return False


def peer(connection: socket.socket) -> Peer:
    """The process on the other side."""
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    process, user, _ = _PEER.unpack(data)
    return Peer(process, user)
