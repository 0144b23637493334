"""Asynchronous copies of whole ranges and of boxes of tensors (PTX ISA, "Data Movement: Bulk").

One thread issues a copy, which completes at once. A load subtracts its bytes from those that a
barrier object expects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np

from tileir_xdsl.emulator import mbarriers
from tileir_xdsl.emulator.errors import MemoryFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.issuers import Issuer, issuers
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


def each_destination(
    group: ThreadGroup,
    mask: Mask | None,
    ctas: Array | None,
    target: tuple[Array, int],
    barrier: tuple[Array, int],
    *,
    of_pair: bool = False,
) -> Iterator[tuple[Mask | None, tuple[Array, int], tuple[Array, int]]]:
    """Yields the issuing threads, destination and barrier of each copy that one instruction makes.

    With `ctas`, a bit mask of the cluster's blocks, a thread copies to the same offset in each
    block of the mask. With `of_pair` the barrier is in the block of the destination's pair whose
    rank has the given barrier's parity (PTX ISA, `.cta_group::2`). Raises `LaneFault` for a block
    that the cluster does not have.
    """
    if ctas is None:
        yield mask, target, barrier
        return
    clusters = group.memory.clusters
    size = 1 if clusters is None else clusters.size
    for issuer in issuers(group, mask):
        chosen = issuer.value(ctas)
        positions = [issuer.value(base) + offset for base, offset in (target, barrier)]
        if chosen >> size:
            raise issuer.fault(
                f"mask {chosen:#x} names blocks that a cluster of {size} blocks does not have"
            )
        for rank in range(size):
            if chosen >> rank & 1:
                parity = positions[1] // _WINDOW % 2
                counting = rank // 2 * 2 + parity if of_pair else rank
                into, counter = (
                    (np.full(group.shape, position % _WINDOW + place * _WINDOW), 0)
                    for position, place in zip(positions, (rank, counting), strict=True)
                )
                yield issuer.only, into, counter


def check_counting(
    group: ThreadGroup,
    mask: Mask | None,
    target: tuple[Array, int],
    barrier: tuple[Array, int],
    *,
    of_pair: bool,
) -> None:
    """Raises `LaneFault` unless destination and barrier are in one block or, if `of_pair`, pair."""
    if group.memory.clusters is None:
        return
    for issuer in issuers(group, mask):
        into, counting = (_block_of(issuer, *address) for address in (target, barrier))
        if into // 2 != counting // 2 if of_pair else into != counting:
            raise issuer.fault("the mbarrier and the destination of a copy are in different blocks")


def _block_of(issuer: Issuer, base: Array, offset: int) -> int:
    """The resident block whose shared memory one thread's address names."""
    clusters = issuer.group.memory.clusters
    assert clusters is not None
    # A constant address is the block's own.
    if base.shape != (1, 1):
        # As `memory.locate` does: a negative intermediate address of 32 bits wraps back.
        base = (base.view(np.int32) if base.dtype == np.uint32 else base).astype(np.int64) + offset
    blocks, _ = clusters.resolve(issuer.group, base, issuer.only, remote=True)
    return issuer.value(blocks)


def _range(
    issuer: Issuer,
    address: tuple[Array, int],
    size: int,
    access: InstructionAccess,
    *,
    updates: bool = False,
) -> Array:
    """The bytes of one thread's range, as a view. Raises `LaneFault` if it is out of bounds."""
    group, only = issuer.group, issuer.only
    memory, (base, offset) = group.memory, address
    # As it is: a constant address is the block's own.
    segment, first = memory.locate(group, base, offset, only, access)
    memory.locate(group, base, offset + size - _CHUNK, only, access)
    # Both ends are counted already.
    if segment is memory.heap:
        memory.work.global_bytes += size - 2 * access.size
    else:
        memory.work.shared_bytes += size - 2 * access.size
    start = issuer.value(first) * _CHUNK
    chunks = slice(start // _CHUNK, (start + size) // _CHUNK)
    if segment is memory.heap and memory.heap.last_bytes_outside(_CHUNK)[chunks].any():
        raise issuer.fault(f"a bulk {access.verb} of {size} bytes exceeds its array", MemoryFault)
    if memory.races is not None:
        verb = "atomic access" if updates else access.verb
        space = "shared" if segment is memory.shared else "global"
        memory.races.elements(group, issuer.lane, space, np.array([start]), size, verb)
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
    """Copies `size` bytes per thread from the second of two spaces to the first.

    With a `reduction`, each element becomes `update(old, copied)`. Raises `LaneFault` for addresses
    or sizes that are not multiples of 16, and for bytes outside of all variables.
    """
    write = InstructionAccess(spaces[0], _CHUNK_DTYPE, 2, "write")
    read = InstructionAccess(spaces[1], _CHUNK_DTYPE, 2, "read")
    for issuer in issuers(group, mask):
        count = issuer.value(size)
        if count % _CHUNK:
            raise issuer.fault(f"a bulk copy moves a multiple of 16 bytes, not {count}")
        if count:
            data = _range(issuer, source, count, read)
            into = _range(issuer, target, count, write, updates=reduction is not None)
            if reduction is None:
                into[...] = data
            else:
                update, dtype = reduction
                into.view(dtype)[...] = update(into.view(dtype), data.view(dtype))


def count_bytes(
    group: ThreadGroup, barrier: Array, offset: int, mask: Mask | None, size: Array | int
) -> None:
    """Subtracts arrived bytes from those that barrier objects expect."""
    change = Change(bytes=-np.asarray(size).astype(np.int64), releases="counted")
    mbarriers.update(group, barrier, offset, mask, change)


def map_user(issuer: Issuer, lanes: Mask) -> MapUser:
    """Describes threads of one block as a user of tensor maps; `issuer` is the first of them."""
    group, block = issuer.group, issuer.block
    memory = group.memory
    size = 1 if memory.clusters is None else memory.clusters.size
    agent = MapUser((memory.wave, block), (memory.wave, block // size))
    if memory.races is None:
        return agent
    clocks, thread = memory.races.clocks, (block, group.t0 + issuer.lane[1])
    return replace(
        agent, moment=clocks.moment(group, lanes), knows=partial(clocks.knows_any, thread)
    )


def read_map(issuer: Issuer, address: Array, offset: int) -> Descriptor:
    """The tensor map at a generic address. Raises `LaneFault` for bytes that are not a map."""
    access = InstructionAccess("generic", _CHUNK_DTYPE, 2, "read", of_map=True)
    group, only = issuer.group, issuer.only
    base = np.broadcast_to(address, group.shape)
    start = issuer.value(address) + offset
    parts = [
        group.memory.load(group, base, offset + position, only, access)[only]
        for position in range(0, MAP_BYTES, _CHUNK)
    ]
    if start & 63:
        raise issuer.fault("the address of a tensor map must be a multiple of 64")
    data = np.concatenate(parts, axis=None).tobytes()
    if problem := group.memory.heap.map_proxy.problem(map_user(issuer, only), start, data):
        raise issuer.fault(problem)
    try:
        return Descriptor.decode(data)
    except ValueError as error:
        raise issuer.fault(str(error)) from None


def _shared_elements(
    issuer: Issuer, descriptor: Descriptor, start: int, box: Box
) -> tuple[Array, Array]:
    """Shared memory as elements, and the index of each element of a box that begins at `start`.

    `start` may be in another block of the cluster. Raises `LaneFault` for an unaligned start, and
    for a box that exceeds shared memory.
    """
    span = SWIZZLES[descriptor.swizzle]
    group, block = issuer.group, issuer.block
    memory = group.memory
    if memory.clusters is not None:
        addresses = np.full(group.shape, start)
        blocks, offsets = memory.clusters.resolve(group, addresses, issuer.only, remote=True)
        block, start = issuer.value(blocks), issuer.value(offsets)
    if start % 128:
        raise issuer.fault("a box in shared memory must begin at a multiple of 128 bytes")
    total = box.count * descriptor.dtype.itemsize
    if start + total > memory.limits["shared"] or start < 0:
        raise issuer.fault(
            f"a box of {total} bytes at shared address {start:#x} is out of bounds "
            f"(shared memory has {memory.limits['shared']} bytes)"
        )
    size = descriptor.dtype.itemsize
    positions = swizzled(start + box.inner, span)
    positions += int(memory.shared_starts[block, 0])
    return memory.shared.vectors(np.dtype(f"u{size}"), 1), positions // size


def _global_elements(issuer: Issuer, descriptor: Descriptor, box: Box) -> tuple[Array, Array]:
    """The heap as elements, and the index of each element that is inside of the tensor.

    Raises `LaneFault` when the map points outside of every allocation.
    """
    heap = issuer.group.memory.heap
    positions = box.outer[box.inside] - GLOBAL_WINDOW
    if len(positions) and (positions.min() < 0 or positions.max() >= heap.bytes.size):
        raise issuer.fault("the tensor map points outside of global memory", MemoryFault)
    size = descriptor.dtype.itemsize
    elements = positions // size
    invalid = heap.last_bytes_outside(size)[elements]
    if invalid.any():
        where = heap.describe(int(positions[invalid][0]) + GLOBAL_WINDOW)
        raise issuer.fault(
            f"the tensor map points to memory that is not allocated ({where})", MemoryFault
        )
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
    """Copies one box per thread between a tensor and shared memory; `mode` is one of `MODES`.

    Elements outside of the tensor are loaded as zeros or NaN and not stored. A load subtracts the
    bytes of the whole box from those that its barrier object expects. With an `update`, a store
    sets elements to `update(old, stored)`.
    """
    for issuer in issuers(group, mask):
        descriptor = read_map(issuer, *tensor_map)
        try:
            box = box_at(descriptor, mode, tuple(map(issuer.value, coordinates)))
        except ValueError as error:
            raise issuer.fault(str(error)) from None
        start = issuer.value(shared[0]) + shared[1]
        start = start - SHARED_WINDOW if start >= SHARED_WINDOW else start
        if shared[0].shape == (1, 1):
            # A constant address is the block's own.
            start += int(group.memory.own_rank[issuer.block, 0])
        near, near_addresses = _shared_elements(issuer, descriptor, start, box)
        far, far_addresses = _global_elements(issuer, descriptor, box)
        size = descriptor.dtype.itemsize
        group.memory.work.global_bytes += far_addresses.size * size
        group.memory.work.shared_bytes += near_addresses.size * size
        races = group.memory.races
        if races is not None:
            lane = issuer.lane
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
            count_bytes(group, *barrier, issuer.only, box.count * size)
