"""State spaces: their addresses, and the bytes that they hold (PTX ISA, "State Spaces").

An address is a byte offset in its space; the generic address of a byte is that offset plus the
start of the space's window. The global window covers the heap that holds kernel arguments and
module variables, separated by guard zones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.map_proxy import MapProxy
from tileir_xdsl.emulator.registers import UNINITIALIZED
from tileir_xdsl.emulator.sparse_arrays import zeros
from tileir_xdsl.emulator.types import Array, Mask

Space = Literal["global", "const", "shared", "shared::cluster", "local", "param", "generic"]

GLOBAL_WINDOW = 0x10_0000_0000
PARAM_WINDOW = 0x7D_0000_0000
LOCAL_WINDOW = 0x7E_0000_0000
SHARED_WINDOW = 0x7F_0000_0000
WINDOW_BYTES = 0x1_0000_0000
"""The number of generic addresses in the window of a state space."""

# Start of each space among generic addresses. Constants live on the heap, like globals.
WINDOWS: Mapping[str, int] = {
    "global": 0,
    "const": 0,
    "param": PARAM_WINDOW,
    "local": LOCAL_WINDOW,
    "shared": SHARED_WINDOW,
}
PADDING = 128
"""Storage is padded to a multiple of the largest vector access, in bytes."""
_GUARD_BYTES = 1 << 20
_ALIGNMENT = 256
_MALLOC_GUARD_BYTES = 256

MALLOC_BYTES = 8 << 20
"""The most bytes that `malloc` returns in one launch, the driver's default limit."""


@dataclass(frozen=True)
class InstructionAccess:
    """The access of each thread by one memory instruction: `elements` values of `dtype`.

    `semantics` (`relaxed`, `acquire`, ...) and `scope` are those of a strong access, and empty for
    a weak one. An access that `can_wait` may take effect after later accesses of its thread. A read
    `of_map` goes through the proxy of tensor maps.
    """

    space: Space
    dtype: np.dtype[Any]
    elements: int
    verb: Literal["read", "write", "atomic access"]
    semantics: str = ""
    scope: str = ""
    can_wait: bool = False
    of_map: bool = False

    @property
    def size(self) -> int:
        return self.dtype.itemsize * self.elements


@dataclass(frozen=True)
class Allocation:
    """An allocation on the heap: `start` and `size` in bytes from the start of the heap."""

    name: str
    start: int
    size: int

    @property
    def address(self) -> int:
        return GLOBAL_WINDOW + self.start


class Segment:
    """Bytes seen as vectors of any element type."""

    def __init__(self, size: int) -> None:
        self.bytes = zeros((-(-max(size, 1) // PADDING) * PADDING,), np.uint8)
        self._views: dict[tuple[str, int], Array] = {}

    def vectors(self, dtype: np.dtype[Any], elements: int) -> Array:
        """A view of all bytes as `[n]` values of `dtype`, or as `[n, elements]` vectors."""
        key = (dtype.str, elements)
        found = self._views.get(key)
        if found is None:
            found = self.bytes.view(dtype)
            if elements > 1:
                found = found.reshape(-1, elements)
            self._views[key] = found
        return found


class Heap(Segment):
    """Global memory: allocations between guard zones.

    The `malloced` bytes for `malloc` follow the allocations. Each byte is returned by `malloc` only
    once, so that accesses after `free` are found. Large allocations and guard zones take memory
    only once they are accessed: allocations may fill the address space.
    """

    def __init__(self, allocations: tuple[Allocation, ...], malloced: int = 0) -> None:
        end = max((a.start + a.size for a in allocations), default=0)
        self._next = -(-(end + _GUARD_BYTES) // _ALIGNMENT) * _ALIGNMENT
        self._limit = self._next + malloced
        super().__init__(self._limit + _GUARD_BYTES)
        self.by_name = {allocation.name: allocation for allocation in allocations}
        self._outside: dict[int, Mask] = {}
        self.map_proxy = MapProxy()

    def last_bytes_outside(self, size: int) -> Mask:
        """Which aligned vectors of `size` bytes have a last byte outside of all allocations.

        Allocations begin at multiples of every vector size, so a vector whose last byte is in one
        is entirely in it. The first and the last vector are in guard zones.
        """
        found = self._outside.get(size)
        if found is None:
            found = self._outside[size] = zeros((self.bytes.size // size,), np.bool_)
            end = 0
            for allocation in sorted(self.by_name.values(), key=lambda a: a.start):
                found[end // size : allocation.start // size] = True
                end = allocation.start + allocation.size
            found[end // size :] = True
        return found

    def take(self, size: int) -> int:
        """Allocates `size` bytes for `malloc`; returns their address, or 0 if fewer are left."""
        name = f"allocation {self._next:#x} of malloc"
        allocation = Allocation(name, self._next, size)
        end = self._next + size + _MALLOC_GUARD_BYTES
        if end > self._limit:
            return 0
        self._next = -(-end // _ALIGNMENT) * _ALIGNMENT
        self.by_name[name] = allocation
        self.bytes[allocation.start : allocation.start + size] = UNINITIALIZED
        self._note(allocation, is_outside=False)
        return allocation.address

    def give_back(self, address: int) -> bool:
        """Frees an allocation that `take` returned. Returns false for any other address."""
        name = f"allocation {address - GLOBAL_WINDOW:#x} of malloc"
        allocation = self.by_name.pop(name, None)
        if allocation is None:
            return False
        self._note(allocation, is_outside=True)
        return True

    def _note(self, allocation: Allocation, *, is_outside: bool) -> None:
        end = allocation.start + allocation.size
        for size, outside in self._outside.items():
            outside[allocation.start // size : end // size] = is_outside

    def write(self, allocation: Allocation, data: bytes) -> None:
        end = allocation.start + len(data)
        self.bytes[allocation.start : end] = np.frombuffer(data, np.uint8)

    def describe(self, address: int) -> str:
        """Describes an address relative to the closest allocation."""

        def distance(allocation: Allocation) -> int:
            last = allocation.address + max(allocation.size, 1) - 1
            return max(allocation.address - address, address - last, 0)

        closest = min(self.by_name.values(), key=distance, default=None)
        if closest is None or distance(closest) > _GUARD_BYTES:
            return "far from every allocation"
        offset = address - closest.address
        where = f"{-offset} bytes before" if offset < 0 else f"byte {offset} of"
        return f"{where} {closest.name}, which has {closest.size} bytes"


def place(sizes: Mapping[str, int]) -> tuple[Allocation, ...]:
    """Lays out named allocations one after another, with guard zones around them.

    Raises `EmulatorError` for more bytes than there are addresses.
    """
    allocations: list[Allocation] = []
    start = _GUARD_BYTES
    for name, size in sizes.items():
        allocations.append(Allocation(name, start, size))
        start += -(-(size + _GUARD_BYTES) // _ALIGNMENT) * _ALIGNMENT
    if start + MALLOC_BYTES + 2 * _GUARD_BYTES > PARAM_WINDOW - GLOBAL_WINDOW:
        raise EmulatorError(f"{start} bytes exceed the addresses of global memory")
    return tuple(allocations)
