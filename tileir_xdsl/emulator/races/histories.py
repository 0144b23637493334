"""What strong loads may return besides the newest value (PTX ISA, "Memory Consistency Model").

Without this, accesses take effect one after the other. Here each place that strong accesses touch
keeps its stores in coherence order. A load returns any of them that is not older than one which
happened before the load, or which was read by what happened before; a store goes anywhere after
these, and an atomic update right after the store that it reads. Which one is chosen: all outcomes
that the model allows come out, but those in which a load returns what is stored later by an
instruction that the load itself lets run (load buffering).

Memory holds the last store in coherence order. Weak accesses use it: without a race, every store is
before or after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.emulator.choices import Choices
from tileir_xdsl.emulator.races.clocks import Clocks
from tileir_xdsl.emulator.races.flags import REACHES, Flag, FlagAddress, Flags, Thread
from tileir_xdsl.emulator.state_spaces import Access, Segment
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

_KEPT = 16
"""So many stores of a place can be read; older ones never are."""

Update = Callable[..., Array]


@dataclass(eq=False)
class _Store:
    """A value in bytes, `[size]`, and what reading it makes visible.

    `known_by` has the threads that stored or read it, and when each did first: who knows of any of
    these reads nothing older. An update stands right after the store that it read.
    """

    value: Array
    flag: Flag | None
    is_update: bool = False
    known_by: dict[int, int] = field(default_factory=lambda: dict[int, int]())


@dataclass
class _History:
    """The stores of `size` bytes at a position, in coherence order.

    `released` has what each thread released there itself, which its later stores release too, and
    `observed` what a thread read without acquiring it, which a later acquire of the place does.
    """

    size: int
    stores: list[_Store]
    released: dict[int, Flag] = field(default_factory=lambda: dict[int, Flag]())
    observed: dict[int, list[Flag]] = field(default_factory=lambda: dict[int, list[Flag]]())


class Histories:
    """The stores that strong accesses to memory may meet, and the choices among them."""

    def __init__(self, clocks: Clocks, flags: Flags, choices: Choices) -> None:
        self._clocks = clocks
        self._flags = flags
        self._choices = choices
        self._found: dict[FlagAddress, _History] = {}

    def load(
        self, group: Threads, index: Array, lanes: Mask, access: Access, segment: Segment
    ) -> Array:
        """What each thread reads at its index of vectors: `[blocks, threads]`, with one more axis
        for several elements."""
        index = np.broadcast_to(index, group.shape)
        vectors = segment.vectors(access.dtype, access.elements)
        result = np.array(vectors.take(index, axis=0, mode="clip"))
        for lane, thread in _threads(group, lanes):
            history = self._history(access, segment, int(index[lane]))
            oldest = self._oldest(history, thread)
            number = len(history.stores) - 1
            number -= self._choices.choose(number - oldest + 1)
            store = history.stores[number]
            self._read(history, store, thread, access)
            result[lane] = _value(store, access)
        return result

    def store(
        self,
        group: Threads,
        index: Array,
        lanes: Mask,
        access: Access,
        values: tuple[Array, ...],
        segment: Segment,
    ) -> None:
        """Each thread stores a vector at its index."""
        index = np.broadcast_to(index, group.shape)
        vectors = np.stack([np.broadcast_to(value, group.shape) for value in values], axis=-1)
        vectors = np.ascontiguousarray(vectors, access.dtype)
        for lane, thread in _threads(group, lanes):
            history = self._history(access, segment, int(index[lane]))
            place = self._place(history, thread)
            new = _Store(vectors[lane].view(np.uint8), None)
            self._write(history, new, thread, access, None)
            self._insert(access, segment, int(index[lane]), place, new)

    def update(
        self,
        group: Threads,
        index: Array,
        lanes: Mask,
        access: Access,
        segment: Segment,
        function: Update,
        values: list[Array],
        *,
        is_swap: bool,
    ) -> Array:
        """Threads replace vectors by a function of these and of `values`, `[n, ..]` over those
        of the `lanes` that are set; returns what they read.

        A compare-and-swap (`is_swap`) stores nothing where it reads another value than the first.
        """
        index = np.broadcast_to(index, group.shape)
        before: list[Array] = []
        for number, (lane, thread) in enumerate(_threads(group, lanes)):
            history = self._history(access, segment, int(index[lane]))
            place = self._place(history, thread)
            read = history.stores[place - 1]
            self._read(history, read, thread, access)
            old = _value(read, access)
            before.append(old)
            if is_swap and not (old == values[0][number]).all():
                continue
            new = function(old[None], *(value[number][None] for value in values))
            value = np.ascontiguousarray(new, access.dtype).reshape(-1).view(np.uint8)
            store = _Store(value, None, is_update=True)
            self._write(history, store, thread, access, read.flag)
            self._insert(access, segment, int(index[lane]), place, store)
        tail = (access.elements,) if access.elements > 1 else ()
        return np.array(before, access.dtype).reshape(len(before), *tail)

    def forget(self, *, in_global: bool, positions: Array, size: int) -> None:
        """Bytes are written in another way: what was stored there by then is not read any more."""
        for address, history in list(self._found.items()):
            first = address[1]
            touched = (positions < first + history.size) & (positions + size > first)
            if address[0] == in_global and touched.any():
                del self._found[address]

    def _history(self, access: Access, segment: Segment, index: int) -> _History:
        """The stores of a place; of another one that overlaps it only the last store is left."""
        address = access.space == "global", index * access.size
        history = self._found.get(address)
        if history is None or history.size != access.size:
            self.forget(in_global=address[0], positions=np.array([address[1]]), size=access.size)
            value = segment.bytes[address[1] : address[1] + access.size].copy()
            history = _History(access.size, [_Store(value, self._flags.flag(address))])
            self._found[address] = history
        return history

    def _oldest(self, history: _History, thread: Thread) -> int:
        """The number of the oldest store that a thread may read."""
        for number in range(len(history.stores) - 1, 0, -1):
            if self._clocks.knows_any(thread, history.stores[number].known_by):
                return number
        return 0

    def _place(self, history: _History, thread: Thread) -> int:
        """Where a store of a thread goes: after what it knows of, and not between an update and
        what that read."""
        stores = history.stores
        places = [
            place
            for place in range(len(stores), self._oldest(history, thread), -1)
            if place == len(stores) or not stores[place].is_update
        ]
        return places[self._choices.choose(len(places))]

    def _read(self, history: _History, store: _Store, thread: Thread, access: Access) -> None:
        who = int(self._clocks.who[thread])
        store.known_by.setdefault(who, int(self._clocks.now[thread]))
        observed = history.observed.setdefault(who, [])
        if access.semantics in ("acquire", "acq_rel"):
            for flag in observed:
                self._flags.see(thread, flag, access)
        if store.flag is not None:
            self._flags.see(thread, store.flag, access)
            if not any(flag is store.flag for flag in observed):
                observed.append(store.flag)

    def _write(
        self, history: _History, store: _Store, thread: Thread, access: Access, read: Flag | None
    ) -> None:
        """Says what a new store makes visible: what the thread releases, and for an update also
        what the store that it `read` does."""
        who = int(self._clocks.who[thread])
        store.known_by[who] = int(self._clocks.now[thread])
        own = history.released.get(who)
        released = self._flags.released(thread, access)
        flag = None if own is None else own.capped(REACHES[access.scope])
        for other in (released, read):
            if other is not None:
                flag = other if flag is None else flag.add(other)
        store.flag = flag
        if released is not None:
            history.released[who] = released if own is None else own.add(released)

    def _insert(
        self, access: Access, segment: Segment, index: int, place: int, store: _Store
    ) -> None:
        address = access.space == "global", index * access.size
        stores = self._found[address].stores
        stores.insert(place, store)
        if place == len(stores) - 1:
            segment.bytes[address[1] : address[1] + access.size] = store.value
            self._flags.put(address, store.flag)
        del stores[:-_KEPT]


def _threads(group: Threads, lanes: Mask) -> Iterator[tuple[tuple[int, int], Thread]]:
    """The lanes of a group that are set, and which threads they are."""
    for block, thread in np.argwhere(lanes).tolist():
        yield (block, thread), (group.b0 + block, group.t0 + thread)


def _value(store: _Store, access: Access) -> Array:
    """The value of a store as that of an access."""
    values = store.value.view(access.dtype)
    return values if access.elements > 1 else values.reshape(())
