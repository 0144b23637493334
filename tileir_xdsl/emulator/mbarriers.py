"""Barrier objects in shared memory (PTX ISA, "mbarrier").

A phase of an object is complete when no arrival and no byte is outstanding.
"""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.conflicts import conflict_free
from tileir_xdsl.emulator.errors import LaneFault
from tileir_xdsl.emulator.groups import StalledWait, ThreadGroup
from tileir_xdsl.emulator.mbarrier_state import MAX_COUNT, WORD, Change, State
from tileir_xdsl.emulator.state_spaces import InstructionAccess, Segment
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.types import Array, Mask


def initialise(
    group: ThreadGroup, address: Array, offset: int, mask: Mask | None, count: Array
) -> None:
    """Initialises barrier objects that expect `count` arrivals in every phase.

    Raises `LaneFault` for a count out of range, and for a barrier object that has not been
    invalidated before (PTX ISA, "mbarrier.init").
    """
    outside = _active(group, mask) & ((count < 1) | (count > MAX_COUNT))
    if outside.any():
        raise LaneFault(f"an mbarrier expects 1 to {MAX_COUNT} arrivals", outside)
    segment, positions, lanes = _locate(group, address, offset, mask)
    valid = group.memory.mbarriers[positions]
    if valid.any():
        message = "an mbarrier at this address has not been invalidated"
        raise LaneFault(message, _spread(lanes, valid))
    counts = np.broadcast_to(count, group.shape)[lanes].astype(np.int64)
    none = np.zeros_like(counts)
    if group.memory.races is not None:
        group.memory.races.objects.create(group, positions, lanes)
    segment.vectors(WORD, 1)[positions] = State(none, counts, counts, none).pack()
    group.memory.mbarriers[positions] = True
    group.memory.mbarrier_changes += 1


def invalidate(group: ThreadGroup, address: Array, offset: int, mask: Mask | None) -> None:
    """Ends the life of barrier objects; their memory is free for other use."""
    _, positions, lanes = _objects(group, address, offset, mask)
    if group.memory.races is not None:
        group.memory.races.objects.destroy(group, positions, lanes)
    group.memory.mbarriers[positions] = False


def update(
    group: ThreadGroup,
    address: Array,
    offset: int,
    mask: Mask | None,
    change: Change,
    *,
    completes: bool = True,
) -> Array:
    """Applies one change per thread, in order; returns the words before, `[blocks, threads]`.

    Raises `LaneFault` for an address without a barrier object, for more arrivals than a phase
    expects, and for a count of bytes out of range. Unless `completes`, it also raises `LaneFault`
    for an arrival that completes a phase.
    """
    segment, positions, lanes = _objects(group, address, offset, mask)
    words = segment.vectors(WORD, 1)
    arrivals, dropped, transferred = (
        np.broadcast_to(np.asarray(part), group.shape)[lanes].astype(np.int64)
        for part in (change.arrivals, change.dropped, change.bytes)
    )
    before = np.zeros(len(positions), WORD)
    races = group.memory.races
    uses = None if races is None else races.objects.update(group, positions, lanes, change)
    for apart in conflict_free(positions):
        cells = positions[apart]
        before[apart] = words[cells]
        state = State.unpack(words[cells])
        state.pending -= arrivals[apart]
        state.bytes += transferred[apart]
        state.expected -= dropped[apart]
        over = np.abs(state.bytes) > MAX_COUNT
        _check(group, lanes, apart, state.pending < 0, "more arrivals than the mbarrier expects")
        _check(group, lanes, apart, over, f"an mbarrier counts at most {MAX_COUNT} bytes")
        complete = (state.pending == 0) & (state.bytes == 0)
        if not completes:
            _check(group, lanes, apart, complete, "a .noComplete arrival completes the phase")
        state.phase ^= complete
        state.pending = np.where(complete, state.expected, state.pending)
        words[cells] = state.pack()
        if uses is not None:
            uses.complete_phases(apart, cells[complete])
    if uses is not None:
        uses.finish()
    group.memory.mbarrier_changes += 1
    result = np.zeros(group.shape, WORD)
    result[lanes] = before
    return result


def is_complete(
    group: ThreadGroup,
    address: Array,
    offset: int,
    mask: Mask | None,
    phase: Array,
    instruction: Instruction,
    *,
    suspends: bool,
    scope: str = "cta",
    acquires: bool = True,
) -> Array:
    """Whether the last phase of each thread's parity is complete, `[blocks, threads]`.

    With `acquires`, a thread that sees the phase complete knows the work that its arrivals released
    within `scope`. Without `acquires`, the thread knows this work after its next fence. A group may
    be suspended if the phase is complete for none of its threads.
    """
    segment, positions, lanes = _objects(group, address, offset, mask)
    current = segment.vectors(WORD, 1)[positions] >> np.uint64(63)
    result = np.zeros(group.shape, np.bool_)
    result[lanes] = current != np.broadcast_to(phase, group.shape)[lanes]
    if group.memory.races is not None:
        group.memory.races.objects.wait(group, positions, lanes, result, scope, acquires=acquires)
    if (suspends or group.memory.late is not None) and len(positions) and not result.any():
        group.stalled = StalledWait(
            group.memory.mbarrier_changes, describe(group, positions[0]), instruction
        )
    return result


def describe(group: ThreadGroup, position: int) -> str:
    """The state of the barrier object in one word of shared memory, for a report."""
    state = State.unpack(group.memory.shared.vectors(WORD, 1)[position : position + 1])
    address = position * WORD.itemsize % group.memory.shared_stride
    return (
        f"mbarrier at shared address {address:#x}: phase {state.phase[0]}, "
        f"{state.pending[0]} of {state.expected[0]} arrivals pending, "
        f"{state.bytes[0]} bytes outstanding"
    )


def _active(group: ThreadGroup, mask: Mask | None) -> Mask:
    return np.ones(group.shape, np.bool_) if mask is None else np.broadcast_to(mask, group.shape)


def _locate(
    group: ThreadGroup, address: Array, offset: int, mask: Mask | None
) -> tuple[Segment, Array, Mask]:
    """Shared memory, the indices of the active threads' words, and a mask of these threads."""
    lanes = _active(group, mask)
    access = InstructionAccess("shared::cluster", WORD, 1, "atomic access")
    segment, index = group.memory.locate(group, address, offset, mask, access)
    return segment, np.broadcast_to(index, group.shape)[lanes], lanes


def _objects(
    group: ThreadGroup, address: Array, offset: int, mask: Mask | None
) -> tuple[Segment, Array, Mask]:
    segment, positions, lanes = _locate(group, address, offset, mask)
    missing = ~group.memory.mbarriers[positions]
    if missing.any():
        raise LaneFault("no mbarrier is initialised at this address", _spread(lanes, missing))
    return segment, positions, lanes


def _check(group: ThreadGroup, lanes: Mask, apart: Array, wrong: Mask, message: str) -> None:
    if wrong.any():
        among = np.zeros(int(np.count_nonzero(lanes)), np.bool_)
        among[apart[wrong]] = True
        raise LaneFault(message, _spread(lanes, among))


def _spread(lanes: Mask, among: Mask) -> Mask:
    """Extends a mask over active threads to all threads."""
    result = np.zeros_like(lanes)
    result[lanes] = among
    return result
