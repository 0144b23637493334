"""What client and server send: objects of JSON, each after its length in bytes."""

import array
import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct("<Q")
_MOST_BYTES = 1 << 26
_PEER = struct.Struct("3i")

STANDARD_STREAMS = 3


class BrokenMessageError(Exception):
    """The connection ended in a message, or what came is none."""


def send(connection: socket.socket, message: dict[str, Any]) -> None:
    """Sends a message."""
    data = json.dumps(message).encode()
    connection.sendall(_LENGTH.pack(len(data)) + data)


def send_streams(connection: socket.socket) -> None:
    """Sends the three standard streams of this process."""
    streams = array.array("i", range(STANDARD_STREAMS))
    connection.sendmsg([b"s"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])


def receive(connection: socket.socket) -> dict[str, Any]:
    """The next message. Raises BrokenMessageError."""
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size))
    if length > _MOST_BYTES:
        raise BrokenMessageError
    try:
        message = json.loads(_exactly(connection, length))
    except ValueError as error:
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


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            raise BrokenMessageError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def peer_user(connection: socket.socket) -> int:
    """The user that the process on the other side runs as."""
    data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    _, user, _ = _PEER.unpack(data)
    return user
