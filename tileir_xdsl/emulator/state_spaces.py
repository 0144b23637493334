"""State spaces with bounds and alignment checks (PTX ISA, "State Spaces").

An address is a byte offset in its space; the generic address of a byte is that offset plus the
start of the space's window. The global window covers the heap that holds kernel arguments and
module variables, separated by guard zones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TextIO

import numpy as np

from tileir_xdsl.emulator.errors import EmulatorError, LaneFault
from tileir_xdsl.emulator.map_proxy import MapProxy
from tileir_xdsl.emulator.registers import RANK_SHIFT, UNINITIALIZED, Geometry
from tileir_xdsl.emulator.sparse_arrays import zeros
from tileir_xdsl.emulator.types import Array, Mask, wrap_offset

if TYPE_CHECKING:
    from tileir_xdsl.emulator.clusters import ClusterBarrier, Clusters
    from tileir_xdsl.emulator.grid import Grid
    from tileir_xdsl.emulator.groups import Group
    from tileir_xdsl.emulator.late import LateWork
    from tileir_xdsl.emulator.races.detector import RaceDetector
    from tileir_xdsl.emulator.register_pool import RegisterPool
    from tileir_xdsl.emulator.tensor_memory import TensorMemory

Space = Literal["global", "const", "shared", "shared::cluster", "local", "param", "generic"]

GLOBAL_WINDOW = 0x10_0000_0000
PARAM_WINDOW = 0x7D_0000_0000
LOCAL_WINDOW = 0x7E_0000_0000
SHARED_WINDOW = 0x7F_0000_0000
_WINDOW_BYTES = 0x1_0000_0000

# Start of each space among generic addresses. Constants live on the heap, like globals.
WINDOWS: Mapping[str, int] = {
    "global": 0,
    "const": 0,
    "param": PARAM_WINDOW,
    "local": LOCAL_WINDOW,
    "shared": SHARED_WINDOW,
}

# The spaces in which threads can race with each other.
_WATCHED = ("shared", "shared::cluster", "global")

# Storage is padded to the largest vector access, so that every width divides it.
_PADDING = 128
_GUARD_BYTES = 1 << 20
_ALIGNMENT = 256
_MALLOC_GUARD_BYTES = 256

MALLOC_BYTES = 8 << 20
"""What `malloc` can give in one launch, the driver's default limit."""


@dataclass(frozen=True)
class Access:
    """What one memory instruction touches per thread: `elements` values of `dtype`.

    `semantics` (`relaxed`, `acquire`, ...) and `scope` are those of an access that threads may
    synchronise through, and empty for a weak one.
    """

    space: Space
    dtype: np.dtype[Any]
    elements: int
    verb: Literal["read", "write", "atomic access"]
    semantics: str = ""
    scope: str = ""

    @property
    def size(self) -> int:
        return self.dtype.itemsize * self.elements


@dataclass(frozen=True)
class Allocation:
    """A piece of the heap: `start` and `size` in bytes from the start of the heap."""

    name: str
    start: int
    size: int

    @property
    def address(self) -> int:
        return GLOBAL_WINDOW + self.start


class Segment:
    """Bytes seen as vectors of any element type."""

    def __init__(self, size: int) -> None:
        self.bytes = zeros((-(-max(size, 1) // _PADDING) * _PADDING,), np.uint8)
        self._views: dict[tuple[str, int], Array] = {}

    def vectors(self, dtype: np.dtype[Any], elements: int) -> Array:
        """All bytes as `[n]` values of `dtype`, or as `[n, elements]` vectors of them."""
        key = (dtype.str, elements)
        found = self._views.get(key)
        if found is None:
            found = self.bytes.view(dtype)
            if elements > 1:
                found = found.reshape(-1, elements)
            self._views[key] = found
        return found


class Heap(Segment):
    """Global memory: allocations between guard zones, and which bytes belong to none.

    After them are the `malloced` bytes, of which `malloc` returns each only once, so that an access
    of memory that has been given back is found. What is large here takes memory where it is
    touched, and guard zones are: allocations may be as large as addresses reach.
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
        """For each aligned vector of `size` bytes, whether its last byte is in no allocation.

        Allocations begin at multiples of every vector size, so the other bytes then are in one,
        too. The first and the last entry are in guard zones.
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
        """The address of `size` more bytes; 0 where fewer are left."""
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
        """Makes what `take` gave no memory any more. False where it did not give that address."""
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
        """An address relative to the closest allocation."""

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
    """Lay out named allocations one after the other with guard zones around them.

    Raises `EmulatorError` for more than there are addresses for.
    """
    allocations: list[Allocation] = []
    start = _GUARD_BYTES
    for name, size in sizes.items():
        allocations.append(Allocation(name, start, size))
        start += -(-(size + _GUARD_BYTES) // _ALIGNMENT) * _ALIGNMENT
    if start + MALLOC_BYTES + 2 * _GUARD_BYTES > PARAM_WINDOW - GLOBAL_WINDOW:
        raise EmulatorError(f"{start} bytes are more than global memory has addresses for")
    return tuple(allocations)


@dataclass(frozen=True)
class Parts:
    """What a batch of resident blocks has besides its state spaces.

    `late` holds asynchronous work that has been put off; without it none is. `races` is told of
    every access to shared and global memory. `output` takes what kernels print.
    """

    clusters: Clusters | None
    cluster_barrier: ClusterBarrier
    grid: Grid
    register_pool: RegisterPool
    tensor_memory: TensorMemory
    late: LateWork | None
    races: RaceDetector | None
    output: TextIO


class Memory:
    """All state spaces as the resident blocks see them, and the other parts of these."""

    def __init__(
        self, heap: Heap, geometry: Geometry, parameters: bytes, local: int, parts: Parts
    ) -> None:
        shared = geometry.total_shared
        blocks, columns = len(geometry.blocks), geometry.columns
        self.heap = heap
        self.parameters = Segment(len(parameters))
        self.parameters.bytes[: len(parameters)] = np.frombuffer(parameters, np.uint8)
        self.shared_stride = -(-max(shared, 1) // _PADDING) * _PADDING
        self.local_stride = -(-max(local, 1) // _PADDING) * _PADDING
        self.shared = Segment(self.shared_stride * blocks)
        self.local = Segment(self.local_stride * blocks * columns if local else 1)
        self.shared.bytes[...] = UNINITIALIZED
        self.local.bytes[...] = UNINITIALIZED
        # Which 8-byte words of shared memory are barrier objects, and how often any has changed.
        self.mbarriers = np.zeros(self.shared.bytes.size // 8, np.bool_)
        self.mbarrier_changes = 0
        # What an address of shared memory has besides its offset, and how to find other blocks'.
        self.own_rank = geometry.ranks << RANK_SHIFT
        self.clusters = parts.clusters
        self.cluster_barrier = parts.cluster_barrier
        self.grid = parts.grid
        self.register_pool = parts.register_pool
        self.tensor_memory = parts.tensor_memory
        self.late = parts.late
        self.races = parts.races
        self.output = parts.output
        heap.map_proxy.waves += 1
        self.wave = heap.map_proxy.waves
        self.shared_starts = (np.arange(blocks) * self.shared_stride)[:, None]
        threads = np.arange(blocks * columns).reshape(blocks, columns)
        self.local_starts = threads * self.local_stride
        self.limits = {
            "shared": shared,
            "shared::cluster": shared,
            "local": local,
            "param": len(parameters),
        }

    def load(
        self,
        group: Group,
        address: Array,
        offset: int,
        mask: Mask | None,
        access: Access,
    ) -> Array:
        """Read one vector per thread.

        `address` is `[blocks, threads]` or broadcasts to it; the result has its shape, and one
        more axis when the access has several elements. Raises `LaneFault` for an address that is
        misaligned or belongs to no variable; threads outside `mask` read nothing.
        """
        if access.space != "generic":
            segment, index = self.locate(group, address, offset, mask, access)
            if self.races is not None and access.space in _WATCHED:
                self.races.read(group, index, mask, access)
            vectors = segment.vectors(access.dtype, access.elements)
            return vectors.take(index, axis=0, mode="clip")
        result: Array | None = None
        for part, part_offset, part_mask in self.split_generic(address, offset, mask, access):
            found = self.load(group, address, part_offset, part_mask, part)
            if result is None:
                result = found
            elif part_mask is not None:
                chosen = part_mask[..., None] if access.elements > 1 else part_mask
                result = np.where(chosen, found, result)
        assert result is not None
        return result

    def store(
        self,
        group: Group,
        address: Array,
        offset: int,
        values: tuple[Array, ...],
        mask: Mask | None,
        access: Access,
    ) -> None:
        """Write one vector per thread; of threads that write one byte, the last one wins.

        Raises `LaneFault` as `load` does.
        """
        if access.space == "generic":
            for part, part_offset, part_mask in self.split_generic(address, offset, mask, access):
                self.store(group, address, part_offset, values, part_mask, part)
            return
        segment, index = self.locate(group, address, offset, mask, access)
        if self.races is not None and access.space in _WATCHED:
            self.races.write(group, index, mask, access, values)
        shape = (group.b1 - group.b0, group.t1 - group.t0)
        index = np.broadcast_to(index, shape)
        target = segment.vectors(access.dtype, access.elements)
        if mask is not None:
            index = index[mask]
        for position, value in enumerate(values):
            lanes = np.broadcast_to(value, shape)
            if mask is not None:
                lanes = lanes[mask]
            if access.elements > 1:
                target[index, position] = lanes
            else:
                target[index] = lanes

    def locate(
        self,
        group: Group,
        address: Array,
        offset: int,
        mask: Mask | None,
        access: Access,
    ) -> tuple[Segment, Array]:
        """Check an access to a space and return its storage and the index of each vector in it.

        Indices of threads outside `mask` mean nothing.
        """
        size = access.size
        shift = size.bit_length() - 1
        if address.dtype == np.uint32:
            # A negative intermediate address of a 32-bit base wraps back when its offset is added.
            address = address.view(np.int32)
        in_heap = access.space in ("global", "const")
        position = address.astype(np.int64)
        position += wrap_offset(offset - GLOBAL_WINDOW) if in_heap else offset
        in_shared = access.space in ("shared", "shared::cluster")
        blocks = None
        if in_shared and self.clusters is not None:
            remote = access.space == "shared::cluster"
            blocks, position = self.clusters.resolve(group, position, mask, remote=remote)
        index = position
        if shift:
            # The low bits of a misaligned position go to the top, where they spoil the index.
            index = position >> shift
            index |= position << (64 - shift)
        if in_heap:
            bad = self.heap.last_bytes_outside(size).take(index, mode="clip")
        else:
            bad = index.view(np.uint64) >= (self.limits[access.space] >> shift)
        if mask is not None:
            bad = mask & bad
        if np.count_nonzero(bad):
            self._fault(group, position, bad, access)
        if in_shared:
            if blocks is None:
                return self.shared, index + (self.shared_starts[group.b0 : group.b1] >> shift)
            return self.shared, index + (blocks * self.shared_stride >> shift)
        if access.space == "local":
            starts = self.local_starts[group.b0 : group.b1, group.t0 : group.t1]
            return self.local, index + (starts >> shift)
        return self.heap if in_heap else self.parameters, index

    def split_generic(
        self, address: Array, offset: int, mask: Mask | None, access: Access
    ) -> Iterator[tuple[Access, int, Mask | None]]:
        """A generic access as accesses to the spaces its threads point into.

        Yields the access, the offset to add to a generic address, and the mask of each space.
        """
        window = (address.astype(np.int64) + offset) >> (_WINDOW_BYTES.bit_length() - 1)
        if mask is not None:
            # The address of a variable is the same in all threads.
            window = np.broadcast_to(window, mask.shape)
        active = window if mask is None else window[mask]
        named = {WINDOWS[name] // _WINDOW_BYTES: name for name in ("param", "local", "shared")}
        present = {named.get(int(w), "global") for w in np.unique(active)} or {"global"}
        for name in ("global", "param", "local", "shared"):
            if name not in present:
                continue
            space = "shared::cluster" if name == "shared" and self.clusters else name
            part = replace(access, space=space)
            part_mask = mask
            if len(present) > 1:
                windows = np.array(list(named))
                inside = (
                    ~np.isin(window, windows)
                    if name == "global"
                    else window == WINDOWS[name] // _WINDOW_BYTES
                )
                part_mask = inside if mask is None else inside & mask
            yield part, offset - WINDOWS[name], part_mask

    def _fault(self, group: Group, position: Array, failed: Mask, access: Access) -> NoReturn:
        shape = (group.b1 - group.b0, group.t1 - group.t0)
        failed = np.broadcast_to(failed, shape)
        first = np.unravel_index(int(np.argmax(failed)), shape)
        offset = int(np.broadcast_to(position, shape)[first])
        space = "global" if access.space == "const" else access.space.split("::")[0]
        address = offset + (GLOBAL_WINDOW if space == "global" else 0)
        what = f"{access.size}-byte {access.verb} at {space} address {address:#x}"
        if offset % access.size:
            raise LaneFault(f"misaligned {what}", failed)
        if space == "global":
            where = self.heap.describe(address)
        else:
            where = f"{space} memory has {self.limits[space]} bytes"
        raise LaneFault(f"out-of-bounds {what} ({where})", failed)
