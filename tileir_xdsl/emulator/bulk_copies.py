"""Asynchronous copies of whole ranges and of boxes of tensors (PTX ISA, "Data Movement: Bulk").

One thread issues a copy; it is complete at once. A load counts its bytes on a barrier object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from tileir_xdsl.emulator import mbarriers
from tileir_xdsl.emulator.clusters import Clusters
from tileir_xdsl.emulator.errors import LaneFault, MemoryFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.map_proxy import MapUser
from tileir_xdsl.emulator.mbarrier_state import Change
from tileir_xdsl.emulator.registers import RANK_SHIFT
from tileir_xdsl.emulator.state_spaces import GLOBAL_WINDOW, SHARED_WINDOW, InstructionAccess, Space
from tileir_xdsl.emulator.tensor_boxes import Box, box_at
from tileir_xdsl.emulator.tensor_maps import (
    MAP_BYTES,
    SWIZZLES,
    Descriptor,
    swizzled,
)
from tileir_xdsl.emulator.types import Array, Mask

_CHUNK = 16
_CHUNK_DTYPE = np.dtype(np.uint64)
# The bytes between the same places of two blocks of a cluster.
_WINDOW = 1 << RANK_SHIFT

Update = Callable[[Array, Array], Array]


def issuing_lanes(group: ThreadGroup, mask: Mask | None) -> Iterator[tuple[tuple[int, int], Mask]]:
    """Each thread that issues a copy, as an index and as a mask."""
    active = np.ones(group.shape, np.bool_) if mask is None else np.broadcast_to(mask, group.shape)
    for block, thread in np.argwhere(active):
        lane = np.zeros(group.shape, np.bool_)
        lane[block, thread] = True
        yield (int(block), int(thread)), lane


def _at(values: Array, group: ThreadGroup, lane: tuple[int, int]) -> int:
    return int(np.broadcast_to(values, group.shape)[lane])


def each_destination(
    group: ThreadGroup,
    mask: Mask | None,
    ctas: Array | None,
    target: tuple[Array, int],
    barrier: tuple[Array, int],
    *,
    of_pair: bool = False,
) -> Iterator[tuple[Mask | None, tuple[Array, int], tuple[Array, int]]]:
    """The threads that issue a copy, where it goes and what counts it, for each destination.

    With `ctas`, bits for the blocks of the cluster, a thread has one destination in each of them,
    at the same offsets. With `of_pair` what counts it is in the block of each destination's pair
    that has the parity of the given one (PTX ISA, `.cta_group::2`). Raises `LaneFault` for a block
    that the cluster does not have.
    """
    if ctas is None:
        yield mask, target, barrier
        return
    clusters = group.memory.clusters
    size = 1 if clusters is None else clusters.size
    for lane, only in issuing_lanes(group, mask):
        chosen = _at(ctas, group, lane)
        positions = [_at(base, group, lane) + offset for base, offset in (target, barrier)]
        if chosen >> size:
            raise LaneFault(f"a cluster of {size} has not all blocks of mask {chosen:#x}", only)
        for rank in range(size):
            if chosen >> rank & 1:
                parity = positions[1] // _WINDOW % 2
                counting = rank // 2 * 2 + parity if of_pair else rank
                into, counter = (
                    (np.full(group.shape, position % _WINDOW + place * _WINDOW), 0)
                    for position, place in zip(positions, (rank, counting), strict=True)
                )
                yield only, into, counter


def check_counting(
    group: ThreadGroup,
    mask: Mask | None,
    target: tuple[Array, int],
    barrier: tuple[Array, int],
    *,
    of_pair: bool,
) -> None:
    """Raises `LaneFault` where a block counts a copy that is neither into itself nor its pair."""
    clusters = group.memory.clusters
    if clusters is None:
        return
    for lane, only in issuing_lanes(group, mask):
        into, counting = (
            _block_of(clusters, group, address, lane, only) for address in (target, barrier)
        )
        if into // 2 != counting // 2 if of_pair else into != counting:
            raise LaneFault("a copy is counted at a barrier object of another block", only)


def _block_of(
    clusters: Clusters,
    group: ThreadGroup,
    address: tuple[Array, int],
    lane: tuple[int, int],
    only: Mask,
) -> int:
    """The block that an address of one thread is in."""
    base, offset = address
    # A constant address is the block's own.
    if base.shape != (1, 1):
        # As `memory.locate` does: a negative intermediate address of 32 bits wraps back.
        base = (base.view(np.int32) if base.dtype == np.uint32 else base).astype(np.int64) + offset
    blocks, _ = clusters.resolve(group, base, only, remote=True)
    return int(np.broadcast_to(blocks, group.shape)[lane])


def _range(
    group: ThreadGroup,
    address: tuple[Array, int],
    size: int,
    access: InstructionAccess,
    lane: tuple[int, int],
    *,
    updates: bool = False,
) -> Array:
    """The bytes of one thread's range, as a view. Raises `LaneFault` if any is out of bounds."""
    only = np.zeros(group.shape, np.bool_)
    only[lane] = True
    memory, (base, offset) = group.memory, address
    # As it is: a constant address is the block's own.
    segment, first = memory.locate(group, base, offset, only, access)
    memory.locate(group, base, offset + size - _CHUNK, only, access)
    start = int(np.broadcast_to(first, group.shape)[lane]) * _CHUNK
    chunks = slice(start // _CHUNK, (start + size) // _CHUNK)
    if segment is memory.heap and memory.heap.last_bytes_outside(_CHUNK)[chunks].any():
        message = f"a bulk {access.verb} of {size} bytes leaves its array"
        raise LaneFault(message, only, becomes=MemoryFault)
    if memory.races is not None:
        verb = "atomic access" if updates else access.verb
        space = "shared" if segment is memory.shared else "global"
        memory.races.elements(group, lane, space, np.array([start]), size, verb)
    return segment.bytes[start : start + size]


def copy_range(
    group: ThreadGroup,
    target: tuple[Array, int],
    source: tuple[Array, int],
    mask: Mask | None,
    size: Array,
    *,
    spaces: tuple[Space, Space],
    reduction: tuple[Update, np.dtype[Any]] | None = None,
) -> None:
    """Copy `size` bytes per thread to the first space from the second one.

    With a reduction, elements of its type become `update(old, copied)`. Raises `LaneFault` unless
    addresses and size are multiples of 16, and for bytes that belong to no variable.
    """
    write = InstructionAccess(spaces[0], _CHUNK_DTYPE, 2, "write")
    read = InstructionAccess(spaces[1], _CHUNK_DTYPE, 2, "read")
    for lane, only in issuing_lanes(group, mask):
        count = _at(size, group, lane)
        if count % _CHUNK:
            raise LaneFault(f"a bulk copy moves a multiple of 16 bytes, not {count}", only)
        if count:
            data = _range(group, source, count, read, lane)
            into = _range(group, target, count, write, lane, updates=reduction is not None)
            if reduction is None:
                into[...] = data
            else:
                update, dtype = reduction
                into.view(dtype)[...] = update(into.view(dtype), data.view(dtype))


def count_bytes(
    group: ThreadGroup, barrier: Array, offset: int, mask: Mask | None, size: Array | int
) -> None:
    """Tell the barrier objects that so many bytes have come."""
    change = Change(bytes=-np.asarray(size).astype(np.int64), releases="counted")
    mbarriers.update(group, barrier, offset, mask, change)


def map_agent(group: ThreadGroup, lane: tuple[int, int], lanes: Mask) -> MapUser:
    """Threads of one block as who changes or uses tensor maps; `lane` is the first of them."""
    memory, block = group.memory, group.b0 + lane[0]
    size = 1 if memory.clusters is None else memory.clusters.size
    agent = MapUser((memory.wave, block), (memory.wave, block // size))
    if memory.races is None:
        return agent
    clocks, thread = memory.races.clocks, (block, group.t0 + lane[1])
    return replace(
        agent, moment=clocks.moment(group, lanes), knows=partial(clocks.knows_any, thread)
    )


def read_map(group: ThreadGroup, address: Array, offset: int, lane: Mask) -> Descriptor:
    """The tensor map at a generic address. Raises `LaneFault` for bytes that are none."""
    access = InstructionAccess("generic", _CHUNK_DTYPE, 2, "read", of_map=True)
    base = np.broadcast_to(address, group.shape)
    start = int(base[lane][0]) + offset
    parts = [
        group.memory.load(group, base, offset + position, lane, access)[lane]
        for position in range(0, MAP_BYTES, _CHUNK)
    ]
    if start & 63:
        raise LaneFault("a tensor map is at a multiple of 64 bytes", lane)
    data = np.concatenate(parts, axis=None).tobytes()
    row, thread = (int(index) for index in np.argwhere(lane)[0])
    agent = map_agent(group, (row, thread), lane)
    if problem := group.memory.heap.map_proxy.problem(agent, start, data):
        raise LaneFault(problem, lane)
    try:
        return Descriptor.decode(data)
    except ValueError as error:
        raise LaneFault(str(error), lane) from None


def _shared_elements(
    group: ThreadGroup,
    descriptor: Descriptor,
    start: int,
    box: Box,
    lane: tuple[int, int],
    only: Mask,
) -> tuple[Array, Array]:
    """Shared memory as elements, and the index of each element of a box that begins at `start`.

    `start` may be in another block of the cluster.
    Raises `LaneFault` for a start that is not aligned, and for a box past the end.
    """
    span = SWIZZLES[descriptor.swizzle]
    memory, block = group.memory, group.b0 + lane[0]
    if memory.clusters is not None:
        addresses = np.full(group.shape, start)
        blocks, offsets = memory.clusters.resolve(group, addresses, only, remote=True)
        block, start = int(blocks[lane]), int(offsets[lane])
    if start % 128:
        raise LaneFault("a box begins at a multiple of 128 bytes in shared memory", only)
    total = box.count * descriptor.dtype.itemsize
    if start + total > memory.limits["shared"] or start < 0:
        raise LaneFault(
            f"a box of {total} bytes at shared address {start:#x} is out of bounds "
            f"(shared memory has {memory.limits['shared']} bytes)",
            only,
        )
    size = descriptor.dtype.itemsize
    positions = swizzled(start + box.inner, span)
    positions += int(memory.shared_starts[block, 0])
    return memory.shared.vectors(np.dtype(f"u{size}"), 1), positions // size


def _global_elements(
    group: ThreadGroup, descriptor: Descriptor, box: Box, only: Mask
) -> tuple[Array, Array]:
    """The heap as elements, and the index of each element that is inside of the tensor.

    Raises `LaneFault` when the map points outside of every allocation.
    """
    heap = group.memory.heap
    positions = box.outer[box.inside] - GLOBAL_WINDOW
    if len(positions) and (positions.min() < 0 or positions.max() >= heap.bytes.size):
        message = "the tensor map points outside of global memory"
        raise LaneFault(message, only, becomes=MemoryFault)
    size = descriptor.dtype.itemsize
    elements = positions // size
    invalid = heap.last_bytes_outside(size)[elements]
    if invalid.any():
        where = heap.describe(int(positions[invalid][0]) + GLOBAL_WINDOW)
        message = f"the tensor map points outside of its array ({where})"
        raise LaneFault(message, only, becomes=MemoryFault)
    return heap.vectors(np.dtype(f"u{size}"), 1), elements


def _fill(descriptor: Descriptor) -> Array:
    """The value of elements outside of the tensor."""
    value = np.nan if descriptor.fills_with_nan and descriptor.dtype.kind in "fV" else 0
    size = descriptor.dtype.itemsize
    return np.array([value]).astype(descriptor.dtype).view(np.dtype(f"u{size}"))


def copy_box(
    group: ThreadGroup,
    tensor_map: tuple[Array, int],
    coordinates: tuple[Array, ...],
    shared: tuple[Array, int],
    mask: Mask | None,
    *,
    direction: Literal["load", "store"],
    mode: str = "tile",
    barrier: tuple[Array, int] | None = None,
    update: Update | None = None,
) -> None:
    """Copy one box per thread between a tensor and shared memory; `mode` is one of `MODES`.

    Elements outside of the tensor are loaded as zeros or NaN and not stored. A load counts the
    bytes of the whole box on its barrier object. With an update a store makes elements
    `update(old, stored)`.
    """
    for lane, only in issuing_lanes(group, mask):
        descriptor = read_map(group, *tensor_map, only)
        at = tuple(_at(c, group, lane) for c in coordinates)
        try:
            box = box_at(descriptor, mode, at)
        except ValueError as error:
            raise LaneFault(str(error), only) from None
        start = _at(shared[0], group, lane) + shared[1]
        start = start - SHARED_WINDOW if start >= SHARED_WINDOW else start
        if shared[0].shape == (1, 1):
            # A constant address is the block's own.
            start += int(group.memory.own_rank[group.b0 + lane[0], 0])
        near, near_addresses = _shared_elements(group, descriptor, start, box, lane, only)
        far, far_addresses = _global_elements(group, descriptor, box, only)
        races = group.memory.races
        if races is not None:
            size = descriptor.dtype.itemsize
            loads = direction == "load"
            outer = "read" if loads else "write" if update is None else "atomic access"
            inner = near_addresses if loads else near_addresses[box.inside]
            races.elements(group, lane, "global", far_addresses * size, size, outer)
            races.elements(group, lane, "shared", inner * size, size, "write" if loads else "read")
        if direction == "load":
            near[near_addresses] = _fill(descriptor)
            near[near_addresses[box.inside]] = far[far_addresses]
        elif update is None:
            far[far_addresses] = near[near_addresses[box.inside]]
        else:
            old = far[far_addresses].view(descriptor.dtype)
            new = update(old, near[near_addresses[box.inside]].view(descriptor.dtype))
            far[far_addresses] = new.astype(descriptor.dtype).view(far.dtype)
        if barrier is not None:
            count_bytes(group, *barrier, only, box.count * descriptor.dtype.itemsize)
