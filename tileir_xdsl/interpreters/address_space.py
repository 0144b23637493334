"""Global memory: a checked address space of numpy buffers.

Every allocation begins a separate terabyte of addresses. An address computed with 32-bit indices
stays inside the terabyte of its pointer, so it never reaches another allocation. Every access is
checked for bounds and natural alignment, for the whole tile before anything is written.

Addresses count bytes, but those of 4-bit elements count elements; the first one of a byte is its
low half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tileir_xdsl.interpreters.errors import MemoryAccessError
from tileir_xdsl.interpreters.numerics import (
    ADDRESS_DTYPE,
    ELEMENTS,
    Array,
    Element,
    from_bits,
    memory_dtype,
    to_bits,
)

Bytes: TypeAlias = NDArray[np.uint8]

SLOT_BITS = 40
"""Each allocation starts at a nonzero multiple of 2**40, or less than a page after one."""

PAGE = 4096
"""The bytes of a page, more than any alignment in a kernel."""


@dataclass(frozen=True, eq=False)
class Allocation:
    """A buffer in global memory; diagnostics call it `name`."""

    name: str
    base: int
    data: Bytes
    writable: bool

    def elements(self, dtype: np.dtype[Any]) -> Array:
        """The buffer as an array of `dtype`, without an incomplete last element."""
        return self.data[: self.data.size - self.data.size % dtype.itemsize].view(dtype)


@dataclass(frozen=True)
class Touch:
    """Accessed elements of an allocation: their byte offsets, and the bytes of each."""

    allocation: Allocation
    offsets: Array
    size: int
    reads: bool
    writes: bool

    @property
    def bytes_of_elements(self) -> Array:
        """The byte offsets of all bytes of each element, `[elements, size]`."""
        return self.offsets.reshape(-1, 1) + np.arange(self.size)


class Use(Enum):
    """The effect of an access on its elements."""

    READ = auto()
    WRITE = auto()
    UPDATE = auto()


@dataclass
class AddressSpace:
    """The allocations of a launch, and the accesses to them.

    While `touches` is a list, every access appends its elements to this list.
    """

    allocations: list[Allocation] = field(default_factory=list[Allocation])
    touches: list[Touch] | None = None

    def allocate(self, name: str, data: Bytes, writable: bool = True, residue: int = 0) -> int:
        """Makes `data` an allocation, in place; returns its address.

        The address is a multiple of a terabyte plus `residue`, which is less than `PAGE`.
        """
        base = ((len(self.allocations) + 1) << SLOT_BITS) + residue
        self.allocations.append(Allocation(name, base, data, writable))
        return base

    def load(self, addresses: Array, element: Element, mask: Array | None = None) -> Array:
        """The elements at `addresses`; zero where `mask` is false. Shape as `addresses`.

        Raises `MemoryAccessError` for the first invalid element, in row-major order.
        """
        if element.bits < 8:
            data = self.load(addresses >> 1, _BYTE, mask)
            return _nibbles(data, addresses).view(element.dtype)
        result = np.zeros(addresses.size, memory_dtype(element))
        for allocation, selected, positions in self._resolve(addresses, element, mask, Use.READ):
            result[selected] = allocation.elements(result.dtype)[positions]
        return from_bits(result.reshape(addresses.shape), element)

    def store(
        self, addresses: Array, values: Array, element: Element, mask: Array | None = None
    ) -> None:
        """Writes `values` to `addresses` where `mask` is true; the last of equal addresses wins.

        Raises as `load`, without writing anything.
        """
        if element.bits < 8:
            self._store_nibbles(addresses, values.view(np.uint8), mask)
            return
        values = to_bits(values, element).reshape(-1)
        for allocation, selected, positions in self._resolve(addresses, element, mask, Use.WRITE):
            self._write(allocation.elements(values.dtype), positions, values[selected])

    def _write(self, elements: Array, where: Any, values: Array) -> None:
        """Changes elements of an allocation; all changes of memory go through this method."""
        elements[where] = values

    def _store_nibbles(self, addresses: Array, values: Array, mask: Array | None) -> None:
        positions, nibbles = addresses.reshape(-1), values.reshape(-1)

        def change(old: Array, where: Array) -> Array:
            high = positions[where] & 1 != 0
            new = nibbles[where]
            data = old.view(np.uint8)
            changed = np.where(high, data & 0x0F | new << 4, data & 0xF0 | new & 0x0F)
            return changed.astype(np.uint8).view(np.int8)

        self.update(addresses >> 1, change, _BYTE, mask)

    def update(
        self,
        addresses: Array,
        change: Callable[[Array, Array], Array],
        element: Element,
        mask: Array | None = None,
    ) -> Array:
        """Replaces elements at `addresses` by results of `change`; returns the old elements.

        `change` receives old elements and their row-major positions in the tile. Elements at one
        address are changed one after another, in row-major order. Where `mask` is false, memory
        stays and the result is zero. Raises as `store`.
        """
        old = np.zeros(addresses.size, element.dtype)
        for allocation, selected, positions in self._resolve(addresses, element, mask, Use.UPDATE):
            data = allocation.elements(memory_dtype(element))
            for apart in _conflict_free(positions):
                where, targets = selected[apart], positions[apart]
                old[where] = from_bits(data[targets], element)
                self._write(data, targets, to_bits(change(old[where], where), element))
        return old.reshape(addresses.shape)

    def reserve(self, name: str, count: int, element: Element) -> int:
        """Allocates uninitialised memory for `count` elements; returns its address.

        All its bits are set, so that floats read as NaN.
        """
        size = -(-count * element.bits // 8)
        return self.allocate(name, np.full(size, 0xFF, np.uint8))

    def release(self, count: int) -> None:
        """Drops all but the first `count` allocations."""
        del self.allocations[count:]

    def load_box(
        self, base: int, shape: Sequence[int], strides: Sequence[int], element: Element
    ) -> Array:
        """The array of `shape` whose first element is at `base`; `strides` count elements.

        Raises as `load`.
        """
        return from_bits(self._box(base, shape, strides, element, Use.READ).copy(), element)

    def store_box(self, base: int, strides: Sequence[int], values: Array, element: Element) -> None:
        """Writes `values` where `load_box` would read them. Raises as `load`."""
        box = self._box(base, values.shape, strides, element, Use.WRITE)
        self._write(box, ..., to_bits(values, element))

    def _allocation_at(self, address: int) -> Allocation | None:
        slot = address >> SLOT_BITS
        return self.allocations[slot - 1] if 1 <= slot <= len(self.allocations) else None

    def _resolve(
        self, addresses: Array, element: Element, mask: Array | None, use: Use
    ) -> list[tuple[Allocation, Array, Array]]:
        """For each accessed allocation: row-major positions in the tile, and element offsets."""
        size = memory_dtype(element).itemsize
        selected = np.arange(addresses.size) if mask is None else np.flatnonzero(mask)
        touched = addresses.reshape(-1)[selected]
        if not touched.size:
            return []
        slots = touched >> SLOT_BITS
        first = int(slots[0])
        groups = [first] if (slots == first).all() else np.unique(slots).tolist()
        resolved: list[tuple[Allocation, Array, Array]] = []
        refused = np.zeros(touched.shape, np.bool_)
        for slot in groups:
            in_slot = slots == slot
            allocation = self._allocation_at(slot << SLOT_BITS)
            if allocation is None or (use is not Use.READ and not allocation.writable):
                refused |= in_slot
                continue
            offsets = touched[in_slot] - allocation.base
            beyond = (offsets < 0) | (offsets + size > allocation.data.size)
            refused[in_slot] = beyond | (offsets % size != 0)
            resolved.append((allocation, selected[in_slot], offsets // size))
            self._record(allocation, offsets, size, use)
        if refused.any():
            position = int(np.argmax(refused))
            index = np.unravel_index(int(selected[position]), addresses.shape)
            raise self._refusal(tuple(map(int, index)), int(touched[position]), size, use)
        return resolved

    def _box(
        self,
        base: int,
        shape: Sequence[int],
        strides: Sequence[int],
        element: Element,
        use: Use,
    ) -> Array:
        """A view of the elements of a box in an allocation's buffer."""
        dtype = memory_dtype(element)
        size = dtype.itemsize
        if 0 in shape:
            return np.zeros(shape, dtype)
        reach = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
        low = sum(min(r, 0) for r in reach) * size
        high = sum(max(r, 0) for r in reach) * size + size
        allocation = self._allocation_at(base)
        offset = 0 if allocation is None else base - allocation.base
        if (
            allocation is None
            or (use is not Use.READ and not allocation.writable)
            or offset + low < 0
            or offset + high > allocation.data.size
            or offset % size
        ):
            raise self._box_refusal(base, shape, strides, size, use)
        if self.touches is not None:
            self._record(allocation, offset + size * _grid_offsets(shape, strides), size, use)
        return np.lib.stride_tricks.as_strided(
            allocation.elements(dtype)[offset // size :],
            tuple(shape),
            # The stride of a single element is never used, and may be too large for numpy.
            tuple(n * size if extent > 1 else 0 for n, extent in zip(strides, shape, strict=True)),
        )

    def _record(self, allocation: Allocation, offsets: Array, size: int, use: Use) -> None:
        if self.touches is not None:
            reads, writes = use is not Use.WRITE, use is not Use.READ
            self.touches.append(Touch(allocation, offsets, size, reads, writes))

    def _box_refusal(
        self, base: int, shape: Sequence[int], strides: Sequence[int], size: int, use: Use
    ) -> MemoryAccessError:
        for index in np.ndindex(*shape):
            address = base + size * sum(i * s for i, s in zip(index, strides, strict=True))
            allocation = self._allocation_at(address)
            if (
                allocation is None
                or address % size
                or address + size > allocation.base + allocation.data.size
                or (use is not Use.READ and not allocation.writable)
            ):
                return self._refusal(index, address, size, use)
        raise AssertionError("a refused box has a refused element")

    def _refusal(
        self, index: tuple[int, ...], address: int, size: int, use: Use
    ) -> MemoryAccessError:
        """The error that says why `size` bytes at `address` cannot be accessed."""
        what = f"{'reads' if use is Use.READ else 'writes'} {size} bytes at"
        allocation = self._allocation_at(address)
        if allocation is None:
            return MemoryAccessError(index, f"{what} address {address:#x}, in no allocation")
        offset, length = address - allocation.base, allocation.data.size
        what = f"{what} byte {offset} of {allocation.name}"
        if offset + size > length:
            return MemoryAccessError(index, f"{what}, which has {length} bytes")
        if offset % size:
            return MemoryAccessError(index, f"{what}, not aligned to {size} bytes")
        return MemoryAccessError(index, f"{what}, which is read-only")


_BYTE = ELEMENTS["i8"]


def _nibbles(data: Array, addresses: Array) -> Array:
    """The halves of bytes at addresses that count 4-bit elements."""
    values = data.view(np.uint8)
    return np.where(addresses & 1 != 0, values >> 4, values & 0x0F).astype(np.uint8)


def _grid_offsets(shape: Sequence[int], strides: Sequence[int]) -> Array:
    """The offsets of all elements of a box, in elements."""
    offsets = np.zeros((), np.int64)
    for extent, stride in zip(shape, strides, strict=True):
        offsets = offsets[..., None] + np.arange(extent) * stride
    return offsets


def _conflict_free(positions: Array) -> Iterator[Array]:
    """Yields indices into `positions`, in order, without a repeated position in any step."""
    order = np.argsort(positions, kind="stable")
    ordered = positions[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    lengths = np.diff(starts, append=ordered.size)
    rank = np.arange(ordered.size) - np.repeat(starts, lengths)
    for apart in range(int(rank.max(initial=-1)) + 1):
        yield order[rank == apart]


def element_addresses(base: Array, offsets: Array, element: Element) -> Array:
    """Addresses of the elements `offsets` (signed) after the byte address `base`."""
    if element.bits < 8:
        return base * (8 // element.bits) + offsets
    return base + offsets.astype(ADDRESS_DTYPE) * (element.bits // 8)


def move_pointers(pointers: Array, offsets: Array, element: Element) -> Array:
    """The byte addresses `offsets` elements (signed) after `pointers`.

    Half bytes are dropped, towards the pointer, as in the reference compiler.
    """
    offsets = offsets.astype(ADDRESS_DTYPE)
    if element.bits < 8:
        per_byte = 8 // element.bits
        return pointers + np.sign(offsets) * (np.abs(offsets) // per_byte)
    return pointers + offsets * (element.bits // 8)


def to_bytes(values: Array, element: Element) -> Bytes:
    """The bytes of an array's elements in memory, in row-major order."""
    bits = np.array(to_bits(values, element)).reshape(-1)
    if element.bits < 8:
        return np.asarray(bits[0::2] & 0x0F | bits[1::2] << 4, np.uint8)
    return bits.view(np.uint8)
