"""The stored data of a compilation: output for the command line, and the object for the library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tileir_xdsl.runtime.compiled import Compiled

_LENGTH_BYTES = 8


@dataclass(frozen=True)
class Title:
    """The subject of a compilation."""

    file: str
    gpu: str
    emit: str


@dataclass(frozen=True)
class Shown:
    """The output of a compilation, and its remarks, one line each."""

    output: str | bytes
    remarks: tuple[str, ...]


def encode(compiled: Compiled, more: object = None) -> bytes:
    """The bytes of an entry for a compilation, with another object `more`."""
    about = Title(compiled.file, compiled.gpu, compiled.emit)
    remarks = [str(remark) for remark in compiled.remarks]
    return encode_value(about, compiled.output, (compiled, more), remarks)


def encode_value(
    about: Title, output: str | bytes, value: object, remarks: Sequence[str] = ()
) -> bytes:
    """The bytes of an entry: a command's output, and the object that `decode_value` returns."""
    # Where an entry is shown, nothing is pickled.
    import pickle

    head = {
        "file": about.file,
        "gpu": about.gpu,
        "emit": about.emit,
        "text": isinstance(output, str),
        "remarks": [*remarks],
    }
    parts = (
        json.dumps(head).encode(),
        output.encode() if isinstance(output, str) else output,
        pickle.dumps(value),
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
    """The output of an entry for the command line; imports nothing of xDSL."""
    head, output, _ = _parts(data)
    facts = json.loads(head)
    return Shown(output.decode() if facts["text"] else output, tuple(facts["remarks"]))


def title(data: bytes) -> Title | None:
    """The subject of an entry; None for the output of a command."""
    if data.startswith(b"\0" * _LENGTH_BYTES):
        return None
    facts = json.loads(_parts(data)[0])
    return Title(facts["file"], facts["gpu"], facts["emit"])


def decode(data: bytes) -> Compiled:
    """The compilation in an entry. The store returns only files that this user has written."""
    return decode_both(data)[0]


def decode_both(data: bytes) -> tuple[Compiled, Any]:
    """The compilation in an entry, and the object `more` of `encode`."""
    return decode_value(data)


def decode_value(data: bytes) -> Any:
    """The object of an entry."""
    import pickle

    return pickle.loads(_parts(data)[-1])
