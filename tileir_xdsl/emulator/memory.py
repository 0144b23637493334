"""Memory of the resident blocks: accesses with bounds and alignment checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NoReturn, TextIO

import numpy as np

from tileir_xdsl.emulator.clusters import ClusterBarrier, Clusters
from tileir_xdsl.emulator.errors import LaneFault, MemoryFault
from tileir_xdsl.emulator.grid import Grid
from tileir_xdsl.emulator.late import LateWork
from tileir_xdsl.emulator.races.detector import Batch, RaceDetector
from tileir_xdsl.emulator.register_pool import RegisterPool
from tileir_xdsl.emulator.registers import RANK_SHIFT, UNINITIALIZED, Geometry
from tileir_xdsl.emulator.state_spaces import (
    GLOBAL_WINDOW,
    PADDING,
    WINDOW_BYTES,
    WINDOWS,
    Heap,
    InstructionAccess,
    Segment,
)
from tileir_xdsl.emulator.tensor_memory import TensorMemory
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask, wrap_offset
from tileir_xdsl.emulator.work import Work

# The spaces in which threads can race with each other.
_WATCHED = ("shared", "shared::cluster", "global")


@dataclass(frozen=True)
class Parts:
    """The parts of a batch of resident blocks besides its state spaces.

    `late` holds delayed asynchronous work; None if work is never delayed. `races` checks every
    access to shared and global memory. `output` receives the output of kernels. `prerequisite` runs
    the grids that the kernel may wait for.
    """

    clusters: Clusters | None
    cluster_barrier: ClusterBarrier
    grid: Grid
    register_pool: RegisterPool
    tensor_memory: TensorMemory
    late: LateWork | None
    races: RaceDetector | None
    output: TextIO
    prerequisite: Callable[[], object] | None = None
    work: Work = field(default_factory=Work)


class Memory:
    """All state spaces of the resident blocks, and their other parts."""

    def __init__(
        self, heap: Heap, geometry: Geometry, parameters: bytes, local: int, parts: Parts
    ) -> None:
        shared = geometry.total_shared
        blocks, columns = len(geometry.blocks), geometry.columns
        self.heap = heap
        self.parameters = Segment(len(parameters))
        self.parameters.bytes[: len(parameters)] = np.frombuffer(parameters, np.uint8)
        self.shared_stride = -(-max(shared, 1) // PADDING) * PADDING
        self.local_stride = -(-max(local, 1) // PADDING) * PADDING
        self.shared = Segment(self.shared_stride * blocks)
        self.local = Segment(self.local_stride * blocks * columns if local else 1)
        self.shared.bytes[...] = UNINITIALIZED
        self.local.bytes[...] = UNINITIALIZED
        # Which 8-byte words of shared memory are barrier objects, and how often any has changed.
        self.mbarriers = np.zeros(self.shared.bytes.size // 8, np.bool_)
        self.mbarrier_changes = 0
        # While it `counts_changes`, how often a store or an atomic has changed anything.
        self.counts_changes, self.changes = False, 0
        # The bits of an address of shared memory besides its offset, and the way to other blocks'
        # memory.
        self.own_rank = geometry.ranks << RANK_SHIFT
        self.clusters = parts.clusters
        self.cluster_barrier = parts.cluster_barrier
        self.grid = parts.grid
        self.register_pool = parts.register_pool
        self.tensor_memory = parts.tensor_memory
        self.late = parts.late
        self.races = parts.races
        self.output = parts.output
        self.prerequisite = parts.prerequisite
        self.work = parts.work
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

    def begin_races(self, geometry: Geometry, live: Mask) -> None:
        """Starts race detection for these blocks, if enabled; `live` as in `Batch`."""
        if self.races is not None:
            self.races.begin(
                Batch(
                    geometry,
                    live,
                    self.heap,
                    self.shared,
                    self.shared_stride,
                    self.clusters,
                    self.late is not None,
                )
            )

    def load(
        self,
        group: Threads,
        address: Array,
        offset: int,
        mask: Mask | None,
        access: InstructionAccess,
    ) -> Array:
        """Reads one vector per thread.

        `address` broadcasts to `[blocks, threads]`; the result has this shape, and one more axis
        for several elements. Raises `LaneFault` for a misaligned address or one outside of all
        variables; threads outside `mask` read nothing.
        """
        if access.space != "generic":
            segment, index = self.locate(group, address, offset, mask, access)
            if self.races is not None and access.space in _WATCHED:
                self.races.read(group, index, mask, access)
                histories = self.races.histories(access)
                if histories is not None:
                    lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
                    return histories.load(group, index, lanes, access, segment)
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
        group: Threads,
        address: Array,
        offset: int,
        values: tuple[Array, ...],
        mask: Mask | None,
        access: InstructionAccess,
    ) -> None:
        """Writes one vector per thread; if several write one byte, the last thread wins.

        Raises `LaneFault` as `load` does.
        """
        if access.space == "generic":
            for part, part_offset, part_mask in self.split_generic(address, offset, mask, access):
                self.store(group, address, part_offset, values, part_mask, part)
            return
        segment, index = self.locate(group, address, offset, mask, access)
        if self.races is not None and access.space in _WATCHED:
            self.races.write(group, index, mask, access, values)
            histories = self.races.histories(access)
            if histories is not None:
                lanes = group.active() if mask is None else np.broadcast_to(mask, group.shape)
                histories.store(group, index, lanes, access, values, segment)
                return
        shape = (group.b1 - group.b0, group.t1 - group.t0)
        index = np.broadcast_to(index, shape)
        target = segment.vectors(access.dtype, access.elements)
        if mask is not None:
            index = index[mask]
        for position, value in enumerate(values):
            lanes = np.broadcast_to(value, shape)
            if mask is not None:
                lanes = lanes[mask]
            cells = (index, position) if access.elements > 1 else index
            if self.counts_changes:
                self.note_change(target[cells], lanes)
            target[cells] = lanes

    def note_change(self, before: Array, after: Array) -> None:
        """Counts a change of memory, unless all bits are the same."""
        self.changes += before.tobytes() != after.astype(before.dtype).tobytes()

    def locate(
        self,
        group: Threads,
        address: Array,
        offset: int,
        mask: Mask | None,
        access: InstructionAccess,
    ) -> tuple[Segment, Array]:
        """Checks an access; returns the storage of its state space and the index of each vector.

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
        if in_heap or in_shared:
            self._count(group, mask, size, in_shared)
        if in_shared:
            if blocks is None:
                return self.shared, index + (self.shared_starts[group.b0 : group.b1] >> shift)
            return self.shared, index + (blocks * self.shared_stride >> shift)
        if access.space == "local":
            starts = self.local_starts[group.b0 : group.b1, group.t0 : group.t1]
            return self.local, index + (starts >> shift)
        return self.heap if in_heap else self.parameters, index

    def _count(self, group: Threads, mask: Mask | None, size: int, in_shared: bool) -> None:
        lanes = group.lanes if mask is None else int(np.count_nonzero(mask))
        if in_shared:
            self.work.shared_bytes += lanes * size
        else:
            self.work.global_bytes += lanes * size

    def split_generic(
        self, address: Array, offset: int, mask: Mask | None, access: InstructionAccess
    ) -> Iterator[tuple[InstructionAccess, int, Mask | None]]:
        """Splits a generic access by the state spaces that its addresses are in.

        Yields for each state space the access, the offset to add to generic addresses, and the
        mask.
        """
        window = (address.astype(np.int64) + offset) >> (WINDOW_BYTES.bit_length() - 1)
        if mask is not None:
            # The address of a variable is the same in all threads.
            window = np.broadcast_to(window, mask.shape)
        active = window if mask is None else window[mask]
        named = {WINDOWS[name] // WINDOW_BYTES: name for name in ("param", "local", "shared")}
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
                    else window == WINDOWS[name] // WINDOW_BYTES
                )
                part_mask = inside if mask is None else inside & mask
            yield part, offset - WINDOWS[name], part_mask

    def _fault(
        self, group: Threads, position: Array, failed: Mask, access: InstructionAccess
    ) -> NoReturn:
        shape = (group.b1 - group.b0, group.t1 - group.t0)
        failed = np.broadcast_to(failed, shape)
        first = np.unravel_index(int(np.argmax(failed)), shape)
        offset = int(np.broadcast_to(position, shape)[first])
        space = "global" if access.space == "const" else access.space.split("::")[0]
        address = offset + (GLOBAL_WINDOW if space == "global" else 0)
        what = f"{access.size}-byte {access.verb} at {space} address {address:#x}"
        if offset % access.size:
            raise LaneFault(f"misaligned {what}", failed, becomes=MemoryFault)
        if space == "global":
            where = self.heap.describe(address)
        else:
            where = f"{space} memory has {self.limits[space]} bytes"
        raise LaneFault(f"out-of-bounds {what} ({where})", failed, becomes=MemoryFault)
