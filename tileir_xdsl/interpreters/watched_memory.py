"""Global memory that records its changes and reads, for kernels that wait for memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tileir_xdsl.interpreters.address_space import AddressSpace, Allocation, Bytes, Use
from tileir_xdsl.interpreters.numerics import Array, Element


@dataclass(frozen=True, eq=False)
class Read:
    """A read of elements of `size` bytes: at byte offsets, or all from `first` to `end`."""

    allocation: Allocation
    where: Array | slice
    size: int

    @property
    def first(self) -> int:
        """The byte offset of the first element."""
        return int(self.where.start if isinstance(self.where, slice) else self.where.reshape(-1)[0])

    def bytes_now(self) -> Bytes:
        """A copy of the present contents of the bytes that were read."""
        data = self.allocation.data
        if isinstance(self.where, slice):
            return data[self.where].copy()
        return data[self.where.reshape(-1, 1) + np.arange(self.size)]

    def is_same(self, other: Read) -> bool:
        """Whether another read is of the same elements."""
        if self.allocation is not other.allocation or self.size != other.size:
            return False
        if isinstance(self.where, slice) or isinstance(other.where, slice):
            return self.where is other.where or (
                isinstance(self.where, slice) and self.where == other.where
            )
        return np.array_equal(self.where, other.where)


@dataclass
class WatchedMemory(AddressSpace):
    """Counts its changes in `version`; while `reads` is a list, every read is added to it.

    A store of the value that memory already holds is not a change.
    """

    version: int = 0
    reads: list[Read] | None = None

    def _write(self, elements: Array, where: Any, values: Array) -> None:
        if not np.array_equal(elements[where], values):
            self.version += 1
        super()._write(elements, where, values)

    def _record(self, allocation: Allocation, offsets: Array, size: int, use: Use) -> None:
        if self.reads is not None and use is not Use.WRITE and offsets.size:
            self.reads.append(Read(allocation, offsets, size))
        super()._record(allocation, offsets, size, use)

    def _box(
        self, base: int, shape: Sequence[int], strides: Sequence[int], element: Element, use: Use
    ) -> Array:
        box = super()._box(base, shape, strides, element, use)
        # With touches, its elements have been recorded one by one.
        if self.reads is not None and self.touches is None and use is Use.READ and box.size:
            allocation = self._allocation_at(base)
            assert allocation is not None
            low, high = np.lib.array_utils.byte_bounds(box)
            start = low - np.lib.array_utils.byte_bounds(allocation.data)[0]
            self.reads.append(Read(allocation, slice(start, start + high - low), box.itemsize))
        return box
