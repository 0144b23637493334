"""Arrays that a launch never reads and writes only in part, perhaps by mistake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from tileir_xdsl.interpreters.accesses import Access
from tileir_xdsl.interpreters.address_space import Allocation
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.runtime.arrays import Array


@dataclass
class Outputs(LaunchListener):
    """Records the elements of each array that a launch writes, and the arrays that it reads."""

    NOTES_ACCESSES: ClassVar[bool] = True

    _read: set[Allocation] = field(default_factory=set[Allocation])
    _written: dict[Allocation, Array] = field(default_factory=dict[Allocation, Array])
    """Masks of the written bytes of arrays."""

    def performed(self, access: Access) -> None:
        for touch in access.touches:
            allocation = touch.allocation
            if touch.reads:
                self._read.add(allocation)
            if touch.writes:
                fresh = np.zeros(allocation.data.size, np.bool_)
                written = self._written.setdefault(allocation, fresh)
                written[touch.bytes_of_elements] = True

    def remarks(self, arrays: Sequence[Array]) -> Iterator[str]:
        """Yields a remark for each array that is never read and only partly written."""
        for allocation, written in self._written.items():
            if allocation in self._read:
                continue
            inside = [n for array in arrays if (n := _first_bytes(array, allocation)) is not None]
            indices = np.unique(np.concatenate([np.zeros(0, np.int64), *inside]))
            count = int(np.count_nonzero(written[indices]))
            if count < indices.size:
                yield (
                    f"{allocation.name} is never read, and {count} of its {indices.size} elements "
                    "are written"
                )


def _first_bytes(array: Array, allocation: Allocation) -> Array | None:
    """The offsets in an allocation of the elements of an array; None for an array elsewhere."""
    first = _address(array) - _address(allocation.data)
    if not array.size or not 0 <= first < allocation.data.size:
        return None
    offsets = np.asarray(first)
    for extent, stride in zip(array.shape, array.strides, strict=True):
        offsets = np.add.outer(offsets, np.arange(extent) * stride)
    return offsets.reshape(-1)


def _address(array: Array) -> int:
    return array.__array_interface__["data"][0]
