"""Tensor maps: descriptions of arrays in global memory for bulk copies (PTX ISA, "Tensors").

The emulator has its own layout of the 128 bytes of a map: programs only copy them, and change
fields with `tensormap.replace`. Extents, strides and boxes are listed from the fastest dimension
on.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import ml_dtypes
import numpy as np

from tileir_xdsl.emulator.errors import EmulatorError
from tileir_xdsl.emulator.types import Array

MAP_BYTES = 128
MAX_RANK = 5
MAX_BOX = 256
MAX_PIXELS = 1024
"""The most pixels of a box in im2col mode."""

# The numbers that `tensormap.replace` knows element types and swizzle modes by.
ELEMENT_TYPES: tuple[np.dtype[Any], ...] = tuple(
    np.dtype(element)
    for element in (
        np.uint8,
        np.uint16,
        np.uint32,
        np.int32,
        np.uint64,
        np.int64,
        np.float16,
        np.float32,
        np.float32,
        np.float64,
        ml_dtypes.bfloat16,
        np.float32,
        np.float32,
    )
)
SWIZZLES = (0, 32, 64, 128)
"""The span of each swizzle mode in bytes."""

_LAYOUT = struct.Struct("<Q5I5I5I4QBBBBB")
_MAGIC = b"tm"
# The fields of a map in im2col mode after the common ones: both corners.
_PIXELS = b"px"
_CORNERS = struct.Struct("<3h3h")

Swizzle = Literal[0, 32, 64, 128]
Corners = tuple[tuple[int, ...], tuple[int, ...]]
"""The range of pixels for each spatial dimension: from `lower` to `extent - 1 + upper`."""


@dataclass(frozen=True)
class Descriptor:
    """The fields of a map; `strides` are in bytes, for all dimensions but the fastest.

    A map with `corners` is for im2col mode, and its box counts channels and pixels.
    """

    address: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    element: int
    swizzle: int
    fills_with_nan: bool
    corners: Corners | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        return ELEMENT_TYPES[self.element]

    @property
    def rank(self) -> int:
        return len(self.extents)

    def encode(self) -> bytes:
        """The 128 bytes of the map."""

        def padded(values: Sequence[int], count: int) -> tuple[int, ...]:
            return (*values, *(0,) * (count - len(values)))

        fields = _LAYOUT.pack(
            self.address,
            *padded(self.extents, MAX_RANK),
            *padded(self.box, MAX_RANK),
            *padded(self.steps, MAX_RANK),
            *padded(self.strides, MAX_RANK - 1),
            self.rank - 1,
            self.element,
            0,
            self.swizzle,
            int(self.fills_with_nan),
        )
        if self.corners is None:
            return (fields + _MAGIC).ljust(MAP_BYTES, b"\0")
        lower, upper = (padded(corner, MAX_RANK - 2) for corner in self.corners)
        return (fields + _PIXELS + _CORNERS.pack(*lower, *upper)).ljust(MAP_BYTES, b"\0")

    @staticmethod
    def decode(data: bytes) -> Descriptor:
        """Unpacks the fields of a map; raises `ValueError` for bytes that are not a valid map."""
        address, *lists = _LAYOUT.unpack_from(data)
        extents, box, steps, strides = lists[:5], lists[5:10], lists[10:15], lists[15:19]
        last, element, interleave, swizzle, fill = lists[19:]
        rank = last + 1
        end = _LAYOUT.size + len(_MAGIC)
        kind = data[_LAYOUT.size : end]
        if kind not in (_MAGIC, _PIXELS, b"\0\0"):
            raise ValueError("these bytes are not a tensor map")
        if rank > MAX_RANK or element >= len(ELEMENT_TYPES) or swizzle >= len(SWIZZLES):
            raise ValueError("a field of the tensor map has an invalid value")
        if interleave:
            raise ValueError("an interleaved layout is not supported")
        corners = None
        if kind == _PIXELS:
            values = _CORNERS.unpack_from(data, end)
            corners = values[: rank - 2], values[3 : rank + 1]
        found = Descriptor(
            address,
            tuple(extents[:rank]),
            tuple(strides[: rank - 1]),
            tuple(box[: rank if corners is None else 2]),
            tuple(steps[:rank]),
            element,
            swizzle,
            bool(fill),
            corners,
        )
        found.check()
        return found

    def check(self) -> None:
        """Raises `ValueError` for a map that the hardware does not accept."""
        row = self.box[0] * self.dtype.itemsize
        span = SWIZZLES[self.swizzle]
        limits = (MAX_BOX,) * self.rank if self.corners is None else (MAX_BOX, MAX_PIXELS)
        problems = (
            (self.address % 16 != 0, "the address is not a multiple of 16"),
            (not all(self.extents), "an extent is zero"),
            (any(e >= 1 << 32 for e in self.extents), "an extent has more than 32 bits"),
            (any(s % 16 for s in self.strides), "a stride is not a multiple of 16 bytes"),
            (any(s >= 1 << 40 for s in self.strides), "a stride has more than 40 bits"),
            (
                any(not 1 <= b <= limit for b, limit in zip(self.box, limits, strict=True)),
                f"a box has 1 to {limits[-1]} elements",
            ),
            (self.corners is not None and self.rank < 3, "im2col takes 3 to 5 dimensions"),
            (not all(1 <= s <= 8 for s in self.steps), "an element stride is 1 to 8"),
            (row % 16 != 0, "a row of the box is not a multiple of 16 bytes"),
            (span != 0 and row > span, f"a row of the box has more than {span} bytes"),
        )
        for wrong, message in problems:
            if wrong:
                raise ValueError(f"tensor map: {message}")


@dataclass(frozen=True)
class TensorMap:
    """A map of a numpy array as a kernel argument; the array is written back after the launch.

    `box` has the extents that a copy moves at once, and `element_strides` the distances of their
    elements. Both are in the order of the array's axes; the last axis must be dense. Elements
    outside of the array read as zeros or NaN.

    With `corners`, lower and upper, the map is for im2col mode. Its axes are images, one to three
    spatial axes, and channels; `box` has the number of pixels and of channels.
    """

    array: Array
    box: tuple[int, ...]
    swizzle: Swizzle = 0
    element_strides: tuple[int, ...] = ()
    fills_with_nan: bool = False
    corners: Corners | None = None

    def encode(self, address: int) -> bytes:
        """The bytes of the map for an array at `address` of the device.

        Raises `EmulatorError` for an array or a box that a map does not support.
        """
        array = self.array
        steps = self.element_strides or (1,) * array.ndim
        extents = array.ndim if self.corners is None else 2
        if not 1 <= array.ndim <= MAX_RANK or (len(self.box), len(steps)) != (extents, array.ndim):
            raise EmulatorError(
                f"a tensor map needs 1 to {MAX_RANK} dimensions, {extents} box extents "
                f"and an element stride per dimension, not {array.ndim}, {len(self.box)} "
                f"and {len(steps)}"
            )
        corners = None
        if self.corners is not None:
            lower, upper = self.corners
            if not len(lower) == len(upper) == array.ndim - 2:
                raise EmulatorError("expected each corner to have a number for every spatial axis")
            corners = lower[::-1], upper[::-1]
        if not array.size:
            raise EmulatorError("an extent of the array of a tensor map is zero")
        if array.strides[-1] != array.itemsize:
            raise EmulatorError("the array of a tensor map is not contiguous along its last axis")
        if array.dtype not in ELEMENT_TYPES:
            raise EmulatorError(f"a tensor map cannot have elements of type {array.dtype}")
        descriptor = Descriptor(
            address,
            array.shape[::-1],
            array.strides[-2::-1],
            tuple(self.box)[::-1],
            tuple(steps)[::-1],
            ELEMENT_TYPES.index(array.dtype),
            SWIZZLES.index(self.swizzle),
            self.fills_with_nan,
            corners,
        )
        try:
            descriptor.check()
        except ValueError as error:
            raise EmulatorError(str(error)) from error
        return descriptor.encode()


# Where `tensormap.replace` finds a field: its offset, and its size, which a list has per element.
_FIELDS: dict[str, tuple[int, int]] = {
    "global_address": (0, 8),
    "global_dim": (8, 4),
    "box_dim": (28, 4),
    "element_stride": (48, 4),
    "global_stride": (68, 8),
    "rank": (100, 1),
    "elemtype": (101, 1),
    "interleave_layout": (102, 1),
    "swizzle_mode": (103, 1),
    "fill_mode": (104, 1),
}


def replace_field(data: bytes, field: str, index: int, value: int) -> bytes:
    """The bytes of a map with another value in a field, or in one element of a list."""
    offset, size = _FIELDS[field]
    start = offset + index * size
    number = (value % (1 << (8 * size))).to_bytes(size, "little")
    return data[:start] + number + data[start + size :]


def swizzled(address: Array, span: int) -> Array:
    """Swizzles addresses of shared memory: bits 7 to 9 flip bits 4 to 6.

    `span`, 0, 32, 64 or 128 bytes, selects 0, 1, 2 or 3 of these bits.
    """
    if not span:
        return address
    return address ^ ((address >> 3) & (span - 1) & 0x70)
