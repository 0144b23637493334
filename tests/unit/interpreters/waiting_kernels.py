"""cuTile kernels whose tile blocks wait for each other, and what they leave, in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cuda.tile as ct
import numpy as np

from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing.kernels.case import kernel

ACQUIRE = ct.MemoryOrder.ACQUIRE
DEVICE = ct.MemoryScope.DEVICE


@kernel
def later_by_swap(flags: Any, out: Any) -> None:
    block = ct.bid(0)
    if block < ct.num_blocks(0) - 1:
        while ct.atomic_cas(flags, block + 1, 1, 1) != 1:
            pass
    ct.scatter(out, block, block + 1)
    ct.atomic_xchg(flags, block, 1)


@kernel
def earlier_by_swap(flags: Any, out: Any) -> None:
    block = ct.bid(0)
    if block > 0:
        while ct.atomic_cas(flags, block - 1, 1, 1) != 1:
            pass
    ct.scatter(out, block, block + 1)
    ct.atomic_xchg(flags, block, 1)


@kernel
def later_by_load(flags: Any, out: Any) -> None:
    block = ct.bid(0)
    if block < ct.num_blocks(0) - 1:
        while True:
            flag = ct.load(
                flags, (block + 1,), (1,), memory_order=ACQUIRE, memory_scope=DEVICE
            ).item()
            if flag == 1:
                break
    ct.scatter(out, block, block + 1)
    ct.atomic_xchg(flags, block, 1)


@kernel
def counted_tries(flags: Any, out: Any) -> None:
    block, tries = ct.bid(0), 0
    if block < ct.num_blocks(0) - 1:
        while ct.atomic_cas(flags, block + 1, 1, 1) != 1:
            tries += 1
    ct.scatter(out, block, block + 1 + min(tries, 0))
    ct.atomic_xchg(flags, block, 1)


@kernel
def ticket_lock(flags: Any, out: Any) -> None:
    block = ct.bid(0)
    ticket = ct.atomic_add(flags, 0, 1)
    while ct.atomic_cas(flags, 1, ticket, ticket) != ticket:
        pass
    ct.scatter(out, block, ct.gather(out, block) + block + 1)
    ct.atomic_add(flags, 1, 1)


@kernel
def test_and_set_lock(flags: Any, out: Any) -> None:
    block = ct.bid(0)
    for repetition in range(2):
        while ct.atomic_xchg(flags, 0, 1) == 1:
            pass
        ct.scatter(out, block, ct.gather(out, block) + repetition * (block + 1))
        ct.atomic_xchg(flags, 0, 0)


@kernel
def two_grid_barriers(flags: Any, out: Any) -> None:
    block, blocks = ct.bid(0), ct.num_blocks(0)
    for phase in range(2):
        old = ct.gather(out, (block + 1) % blocks)
        ct.atomic_add(flags, 2 * phase, 1)
        while ct.atomic_cas(flags, 2 * phase, blocks, blocks) != blocks:
            pass
        ct.scatter(out, block, old + block + 1 - block * phase)
        ct.atomic_add(flags, 2 * phase + 1, 1)
        while ct.atomic_cas(flags, 2 * phase + 1, blocks, blocks) != blocks:
            pass


@kernel
def look_back(flags: Any, out: Any) -> None:
    # A flag of 1 publishes the block's own number, 2 the sum up to it.
    block, blocks = ct.bid(0), ct.num_blocks(0)
    own = block + 1
    ct.scatter(flags, blocks + block, own)
    ct.atomic_xchg(flags, block, 1)
    before, sum = block - 1, own
    while before >= 0:
        state = ct.atomic_cas(flags, before, 2, 2)
        while state == 0:
            state = ct.atomic_cas(flags, before, 2, 2)
        if state == 1:
            sum += ct.gather(flags, blocks + before)
            before -= 1
        else:
            sum += ct.gather(out, before)
            before = -1
    ct.scatter(out, block, sum)
    ct.atomic_xchg(flags, block, 2)


@kernel
def stream_k(flags: Any, out: Any) -> None:
    # Of two blocks the second publishes what it has, and the first adds it.
    block = ct.bid(0)
    if block % 2 == 1:
        ct.scatter(flags, block - 1, block + 1)
        ct.atomic_xchg(flags, block, 1)
    else:
        while ct.atomic_cas(flags, block + 1, 1, 1) != 1:
            pass
        ct.scatter(out, block, ct.gather(flags, block) + block + 1)


@kernel
def cycle(flags: Any, out: Any) -> None:
    block, blocks = ct.bid(0), ct.num_blocks(0)
    while ct.atomic_cas(flags, (block + 1) % blocks, 1, 1) != 1:
        pass
    ct.atomic_xchg(flags, block, 1)


@kernel
def never_stops_counting(flags: Any, out: Any) -> None:
    while ct.atomic_add(flags, 0, 1) >= 0:
        pass


def numbered(blocks: int) -> Array:
    """Every block has stored its number, counted from 1."""
    return np.arange(1, blocks + 1, dtype=np.int32)


def after_barriers(blocks: int) -> Array:
    """Of two phases each block has taken over what its right neighbour had."""
    numbers = np.arange(blocks)
    first = numbers + 1
    return (np.roll(first, -1) + 1).astype(np.int32)


def in_pairs(blocks: int) -> Array:
    """The even blocks have the sum of a pair."""
    numbers = numbered(blocks)
    return np.where(numbers % 2 == 1, 2 * numbers + 1, 0).astype(np.int32)


@dataclass(frozen=True)
class Waiting:
    """A kernel that takes flags and an array of results, all zero, and what it leaves there."""

    kernel: Any
    expected: Callable[[int], Array]

    def arrays(self, blocks: int) -> tuple[Array, Array]:
        """New arguments: four flags and more, two for each block."""
        return np.zeros(2 * blocks + 4, np.int32), np.zeros(blocks, np.int32)


WAITING = {
    "later_by_swap": Waiting(later_by_swap, numbered),
    "earlier_by_swap": Waiting(earlier_by_swap, numbered),
    "later_by_load": Waiting(later_by_load, numbered),
    "counted_tries": Waiting(counted_tries, numbered),
    "ticket_lock": Waiting(ticket_lock, numbered),
    "test_and_set_lock": Waiting(test_and_set_lock, numbered),
    "two_grid_barriers": Waiting(two_grid_barriers, after_barriers),
    "look_back": Waiting(look_back, lambda blocks: numbered(blocks).cumsum(dtype=np.int32)),
    "stream_k": Waiting(stream_k, in_pairs),
}
