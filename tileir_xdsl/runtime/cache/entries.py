"""What is kept of a compilation: what the command line shows, and the object of the library."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tileir_xdsl.runtime.compiled import Compiled

_LENGTH_BYTES = 8


@dataclass(frozen=True)
class Title:
    """What was compiled."""

    file: str
    gpu: str
    emit: str


@dataclass(frozen=True)
class Shown:
    """The output of a compilation, and its remarks, each a line."""

    output: str | bytes
    remarks: tuple[str, ...]


def encode(compiled: Compiled, more: object = None) -> bytes:
    """The bytes of an entry, and of something else that goes with it."""
    # Where an entry is shown, nothing is pickled.
    import pickle

    output = compiled.output
    head = {
        "file": compiled.file,
        "gpu": compiled.gpu,
        "emit": compiled.emit,
        "text": isinstance(output, str),
        "remarks": [str(remark) for remark in compiled.remarks],
    }
    parts = (
        json.dumps(head).encode(),
        output.encode() if isinstance(output, str) else output,
        pickle.dumps((compiled, more)),
    )
    return b"".join(len(part).to_bytes(_LENGTH_BYTES, "little") + part for part in parts)


def _parts(data: bytes) -> list[bytes]:
    found: list[bytes] = []
    while data:
        size = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
        found.append(data[_LENGTH_BYTES:size])
        data = data[size:]
    return found


def shown(data: bytes) -> Shown:
    """What the command line shows of an entry, for which nothing of xDSL is imported."""
    head, output, _ = _parts(data)
    facts = json.loads(head)
    return Shown(output.decode() if facts["text"] else output, tuple(facts["remarks"]))


def title(data: bytes) -> Title | None:
    """What an entry is about; None for what a command wrote."""
    if data.startswith(b"\0" * _LENGTH_BYTES):
        return None
    facts = json.loads(_parts(data)[0])
    return Title(facts["file"], facts["gpu"], facts["emit"])


def decode(data: bytes) -> Compiled:
    """The object of the library. The store hands out only what this user has put there."""
    return decode_both(data)[0]


def decode_both(data: bytes) -> tuple[Compiled, Any]:
    """That object, and what else went with it."""
    import pickle

    return pickle.loads(_parts(data)[-1])
