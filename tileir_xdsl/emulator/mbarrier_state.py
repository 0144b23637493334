"""The state of barrier objects, and how instructions change it (PTX ISA, "mbarrier").

The state is the 64-bit word at the address of an object, in an opaque packing. This word holds the
number of the phase modulo 2, and the arrivals that every phase expects. It also holds the pending
arrivals and the outstanding bytes of asynchronous copies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tileir_xdsl.emulator.types import Array

MAX_COUNT = (1 << 20) - 1
"""The largest number of arrivals, and of bytes, that one phase can expect."""

_FIELD_BITS = 21
_FIELD = (1 << _FIELD_BITS) - 1
WORD = np.dtype(np.uint64)
"""The type of a barrier object in memory."""


@dataclass
class State:
    """The unpacked state of some barrier objects, `[n]` each; `phase` is 0 or 1."""

    phase: Array
    expected: Array
    pending: Array
    bytes: Array

    @staticmethod
    def unpack(words: Array) -> State:
        fields = words.astype(np.int64)
        transferred = (fields >> (2 * _FIELD_BITS)) & _FIELD
        return State(
            (fields < 0).astype(np.int64),
            (fields >> _FIELD_BITS) & _FIELD,
            fields & _FIELD,
            np.where(transferred > MAX_COUNT, transferred - (1 << _FIELD_BITS), transferred),
        )

    def pack(self) -> Array:
        transferred = (self.bytes & _FIELD) << (2 * _FIELD_BITS)
        fields = (self.phase << 63) | transferred | (self.expected << _FIELD_BITS) | self.pending
        return fields.astype(WORD)


@dataclass(frozen=True)
class Change:
    """The effect of one instruction on an object, per thread; the defaults change nothing.

    `releases` says which work becomes visible to waiting threads: that of the arriving threads, of
    their asynchronous copies, or of the copies with counted bytes. It may also be the `finished`
    work, or for relaxed arrivals only accesses before a fence. The arrival has a `scope`.
    `finished` has the race detector's knowledge about committed work in tensor memory, by resident
    block and thread.
    """

    arrivals: Array | int = 0
    dropped: Array | int = 0
    bytes: Array | int = 0
    releases: Literal["threads", "copies", "counted", "finished", "nothing"] = "threads"
    scope: str = "cta"
    finished: Mapping[tuple[int, int], Any] = field(default_factory=dict[tuple[int, int], Any])
