"""Functions that the driver provides to every kernel: output, assertions, and heap memory.

Source: CUDA C++ Programming Guide, "Formatted Output", "Assertion" and "Dynamic Global Memory
Allocation and Operations"; PTX ISA, "System calls".
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.types import Mask

_BYTE = InstructionAccess("generic", np.dtype(np.uint8), 1, "read")
_MAX_STRING = 4096
_MAX_ARGUMENTS = 32
"""The most values that `printf` on a device prints."""

_SPECIFIER = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>(?:\.\d*)?)(?P<length>hh|h|ll|l|z|t|j|L|)"
    r"(?P<kind>[diouxXcsfFeEgGaApn%])"
)


@dataclass
class _Reader:
    """Reads bytes at generic addresses as one thread."""

    group: ThreadGroup
    lane: Mask

    def bytes(self, address: int, count: int) -> bytes:
        base = np.full(self.group.shape, address, np.int64)
        memory = self.group.memory
        return bytes(
            int(memory.load(self.group, base, offset, self.lane, _BYTE)[self.lane][0])
            for offset in range(count)
        )

    def string(self, address: int) -> str:
        """The characters up to a zero byte. Raises `LaneFault` without one."""
        found = bytearray()
        while len(found) < _MAX_STRING:
            byte = self.bytes(address + len(found), 1)
            if byte == b"\0":
                return found.decode(errors="replace")
            found += byte
        raise LaneFault(f"a string does not end within {_MAX_STRING} bytes", self.lane)


def _format(reader: _Reader, text: str, values: int) -> tuple[str, int]:
    """Replaces the specifiers in a text by values at an address; returns the number of values too.

    A value is aligned to its size: 4 bytes, or 8 for a double, a pointer and a long integer.
    """
    offset = count = 0

    def value(size: int) -> bytes:
        nonlocal offset, count
        start = -(-offset // size) * size
        offset, count = start + size, count + 1
        return reader.bytes(values + start, size)

    def replaced(match: re.Match[str]) -> str:
        kind, length = match["kind"], match["length"]
        if kind == "%":
            return "%"
        layout = f"%{match['flags']}{match['width']}{match['precision']}"
        if kind in "fFeEgGaA":
            number = struct.unpack("<d", value(8))[0]
            return _hexadecimal(number, kind) if kind in "aA" else (layout + kind) % number
        if kind in "sp":
            address = int.from_bytes(value(8), "little")
            return (layout + "s") % (hex(address) if kind == "p" else reader.string(address))
        data = value(8 if length in ("l", "ll", "z", "t", "j") else 4)
        signed = int.from_bytes(data, "little", signed=True)
        unsigned = int.from_bytes(data, "little")
        if kind == "c":
            return (layout + "c") % (unsigned & 0xFF)
        if kind in "di":
            return (layout + "d") % signed
        return (layout + ("d" if kind == "u" else kind)) % unsigned

    return _SPECIFIER.sub(replaced, text), count


def _hexadecimal(number: float, kind: str) -> str:
    return number.hex().upper() if kind == "A" else number.hex()


def _print(group: ThreadGroup, lane: Mask, arguments: list[int]) -> int:
    """Implements `vprintf`: prints, and returns the number of values."""
    reader = _Reader(group, lane)
    text, count = _format(reader, reader.string(arguments[0]), arguments[1])
    if count > _MAX_ARGUMENTS:
        raise LaneFault(f"printf takes at most {_MAX_ARGUMENTS} values, not {count}", lane)
    group.memory.output.write(text)
    return count


def _fail(group: ThreadGroup, lane: Mask, arguments: list[int]) -> int:
    """Ends the launch. Its arguments are message, file, line, function and the size of `char`."""
    reader = _Reader(group, lane)
    message, file, line, function = arguments[:4]
    raise LaneFault(
        f"assertion failed: {reader.string(message)} "
        f"({reader.string(file)}:{line}, {reader.string(function)})",
        lane,
    )


def _allocate(group: ThreadGroup, lane: Mask, arguments: list[int]) -> int:
    """Implements `malloc`: returns the address of new memory, or 0 if too little is left."""
    return group.memory.heap.take(arguments[0])


def _release(group: ThreadGroup, lane: Mask, arguments: list[int]) -> int:
    """Implements `free` of an address that `malloc` returned; ignores null."""
    (address,) = arguments
    if address and not group.memory.heap.give_back(address):
        raise LaneFault(
            f"free of address {address:#x}, at which no allocation of malloc begins", lane
        )
    return 0


@dataclass(frozen=True)
class SystemFunction:
    """A function that a thread calls: the sizes of its arguments and result, and its effect."""

    arguments: tuple[int, ...]
    result: int
    call: Callable[[ThreadGroup, Mask, list[int]], int]


SYSTEM_FUNCTIONS: Mapping[str, SystemFunction] = {
    "__assertfail": SystemFunction((8, 8, 4, 8, 8), 0, _fail),
    "free": SystemFunction((8,), 0, _release),
    "malloc": SystemFunction((8,), 8, _allocate),
    "vprintf": SystemFunction((8, 8), 4, _print),
}
