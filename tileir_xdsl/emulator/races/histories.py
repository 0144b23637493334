"""Older values that strong loads may return (PTX ISA, "Memory Consistency Model").

Without histories, accesses take effect one after another. With them, each location of strong
accesses keeps its stores in coherence order. A load may return any of these stores, except those
older than one that the thread knows of. The thread knows stores that happened before the load, and
stores read by work that happened before. A new store comes anywhere after the known stores, and an
atomic update right after the store that it reads. The detector chooses among these possibilities.
The detector also chooses whether to delay a load or an update after later accesses of its thread
(`put_off.py`). So a load may return a value whose store depends on this load (load buffering).

A delayed load must return a value that it could have returned in its place. Its thread learns
nothing new when the load takes effect. Other threads may know of the load by then, through a later
release. So the load returns no value newer than those that accesses of these threads read, and none
that they stored. A delayed acquiring load returns only values that release nothing: acquired work
would precede accesses that have already happened.

Memory holds the last store in coherence order. Weak accesses use this value: without a race, all
stores are ordered with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tileir_xdsl.emulator.choices import Choices
from tileir_xdsl.emulator.races.clocks import Clocks
from tileir_xdsl.emulator.races.flags import Flag, FlagAddress, Flags, Thread
from tileir_xdsl.emulator.races.put_off import PutOff, PutOffAccesses
from tileir_xdsl.emulator.state_spaces import InstructionAccess, Segment
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import REACHES, Array, Mask

_KEPT = 16
"""How many stores of a location can be read; older stores are dropped."""

Update = Callable[..., Array]


@dataclass(eq=False)
class _Store:
    """A stored value in bytes, `[size]`, and what reading it makes visible.

    `known_by` has the threads that stored or read the value, and their first times: a thread that
    knows one of these accesses reads nothing older. An update follows the store that it read
    without another store between.
    """

    value: Array
    flag: Flag | None
    is_update: bool = False
    known_by: dict[int, int] = field(default_factory=lambda: dict[int, int]())


@dataclass(eq=False)
class _LateLoad:
    """A delayed load, and the newest store that it may read (None for no limit)."""

    access: PutOff
    newest: _Store | None = None


@dataclass
class _History:
    """The stores of `size` bytes at a position, in coherence order.

    `released` has what each thread released at this address; its later stores release this again.
    `observed` has the flags that a thread read without acquiring; its later acquire of this address
    acquires them. `late` has the delayed loads of this location.
    """

    size: int
    stores: list[_Store]
    released: dict[int, Flag] = field(default_factory=lambda: dict[int, Flag]())
    observed: dict[int, list[Flag]] = field(default_factory=lambda: dict[int, list[Flag]]())
    late: list[_LateLoad] = field(default_factory=lambda: list[_LateLoad]())


class Histories:
    """The stores that strong accesses may read, and the choices among them.

    `put_off` has the delayed accesses.
    """

    def __init__(self, clocks: Clocks, flags: Flags, choices: Choices) -> None:
        self._clocks = clocks
        self._flags = flags
        self._choices = choices
        self._found: dict[FlagAddress, _History] = {}
        self.put_off = PutOffAccesses()

    def load(
        self, group: Threads, index: Array, lanes: Mask, access: InstructionAccess, segment: Segment
    ) -> Array:
        """Reads each thread's vector at its index: `[blocks, threads]`, with one more axis for
        several elements."""
        index = np.broadcast_to(index, group.shape)
        vectors = segment.vectors(access.dtype, access.elements)
        result = np.array(vectors.take(index, axis=0, mode="clip"))
        for lane, thread in _threads(group, lanes):
            history = self._history(access, segment, int(index[lane]), thread)
            oldest = self._oldest(history, thread)
            number = len(history.stores) - 1
            count = number - oldest + 1
            can_wait = access.can_wait and _can_wait(history, oldest, self._who(thread), access)
            chosen = self._choices.choose(count + can_wait)
            if chosen == count:
                self._put_load_off(lane, thread, history, access, int(index[lane]))
                continue
            store = history.stores[number - chosen]
            self._read(history, store, thread, access)
            result[lane] = _value(store, access)
        return result

    def _put_load_off(
        self,
        lane: tuple[int, int],
        thread: Thread,
        history: _History,
        access: InstructionAccess,
        index: int,
    ) -> None:
        def take_effect() -> Array:
            history.late.remove(load)
            store = self._late_store(history, load, access)
            self._read(history, store, thread, access, at=load.access.time)
            return _value(store, access)

        issued = self._issued(thread, access, index, take_effect, is_update=False)
        load = _LateLoad(issued)
        history.late.append(load)
        self.put_off.add(lane, issued)

    def _late_store(self, history: _History, load: _LateLoad, access: InstructionAccess) -> _Store:
        """The store that a delayed load reads now."""
        stores = history.stores
        oldest = self._oldest(history, load.access.thread)
        newest = len(stores) if load.newest is None else stores.index(load.newest) + 1
        can_be_read = [
            store
            for store in stores[oldest : max(newest, oldest + 1)]
            if access.semantics != "acquire" or store.flag is None
        ]
        return can_be_read[-1 - self._choices.choose(len(can_be_read))]

    def _issued(
        self,
        thread: Thread,
        access: InstructionAccess,
        index: int,
        take_effect: Callable[[], Array],
        *,
        is_update: bool,
    ) -> PutOff:
        address = access.space == "global", index * access.size
        now = int(self._clocks.now[thread])
        return PutOff(thread, self._who(thread), now, address, access.size, is_update, take_effect)

    def _who(self, thread: Thread) -> int:
        return int(self._clocks.who[thread])

    def store(
        self,
        group: Threads,
        index: Array,
        lanes: Mask,
        access: InstructionAccess,
        values: tuple[Array, ...],
        segment: Segment,
    ) -> None:
        """Each thread stores a vector at its index."""
        index = np.broadcast_to(index, group.shape)
        vectors = np.stack([np.broadcast_to(value, group.shape) for value in values], axis=-1)
        vectors = np.ascontiguousarray(vectors, access.dtype)
        for lane, thread in _threads(group, lanes):
            history = self._history(access, segment, int(index[lane]), thread)
            place = self._place(history, thread)
            new = _Store(vectors[lane].view(np.uint8), None)
            self._write(history, new, thread, access, None)
            self._insert(access, segment, int(index[lane]), place, new, thread)

    def update(
        self,
        group: Threads,
        index: Array,
        lanes: Mask,
        access: InstructionAccess,
        segment: Segment,
        function: Update,
        values: list[Array],
        *,
        is_swap: bool,
    ) -> Array:
        """Threads replace vectors by a function of these and of `values`; returns the old vectors.

        A compare-and-swap (`is_swap`) stores nothing if it reads another value than the first of
        `values`.
        """
        index = np.broadcast_to(index, group.shape)
        before: list[Array] = []
        for number, (lane, thread) in enumerate(_threads(group, lanes)):
            at = int(index[lane])
            history = self._history(access, segment, at, thread)

            def take_effect(
                at: int = at,
                thread: Thread = thread,
                own: tuple[Array, ...] = tuple(value[number][None] for value in values),
            ) -> Array:
                return self._update(thread, access, segment, at, function, own, is_swap=is_swap)

            if access.can_wait and self._choices.choose(2):
                issued = self._issued(thread, access, at, take_effect, is_update=True)
                self.put_off.add(lane, issued)
                before.append(_value(history.stores[-1], access))
            else:
                before.append(take_effect())
        tail = (access.elements,) if access.elements > 1 else ()
        return np.array(before, access.dtype).reshape(len(before), *tail)

    def _update(
        self,
        thread: Thread,
        access: InstructionAccess,
        segment: Segment,
        index: int,
        function: Update,
        values: tuple[Array, ...],
        *,
        is_swap: bool,
    ) -> Array:
        """One thread replaces the vector at an index; returns the old vector."""
        history = self._history(access, segment, index, thread)
        place = self._place(history, thread)
        read = history.stores[place - 1]
        self._read(history, read, thread, access)
        old = _value(read, access)
        if is_swap and not (old == values[0][0]).all():
            return old
        value = np.ascontiguousarray(function(old[None], *values), access.dtype)
        store = _Store(value.reshape(-1).view(np.uint8), None, is_update=True)
        self._write(history, store, thread, access, read.flag)
        self._insert(access, segment, index, place, store, thread)
        return old

    def forget(self, *, in_global: bool, positions: Array, size: int) -> None:
        """Bytes are written by weak or asynchronous accesses: drops the histories of the bytes."""
        if self.put_off.pending:
            for position in positions.reshape(-1).tolist():
                self.put_off.settle_overlapping((in_global, position), size, None)
        for address, history in list(self._found.items()):
            first = address[1]
            touched = (positions < first + history.size) & (positions + size > first)
            if address[0] == in_global and touched.any():
                del self._found[address]

    def read_weakly(
        self, group: Threads, index: Array, lanes: Mask, access: InstructionAccess
    ) -> None:
        """Threads are about to read bytes by weak loads: completes delayed accesses to them."""
        if self.put_off.pending:
            index = np.broadcast_to(index, group.shape)
            for lane, thread in _threads(group, lanes):
                address = access.space == "global", int(index[lane]) * access.size
                self.put_off.settle_overlapping(address, access.size, thread)

    def _history(
        self, access: InstructionAccess, segment: Segment, index: int, thread: Thread
    ) -> _History:
        """The stores to an address that a thread will access; drops overlapping histories."""
        address = access.space == "global", index * access.size
        self.put_off.settle_overlapping(address, access.size, thread)
        history = self._found.get(address)
        if history is None or history.size != access.size:
            self.forget(in_global=address[0], positions=np.array([address[1]]), size=access.size)
            value = segment.bytes[address[1] : address[1] + access.size].copy()
            history = _History(access.size, [_Store(value, self._flags.flag(address))])
            self._found[address] = history
        return history

    def _oldest(self, history: _History, thread: Thread) -> int:
        """The index of the oldest store that a thread may read."""
        for number in range(len(history.stores) - 1, 0, -1):
            if self._clocks.knows_any(thread, history.stores[number].known_by):
                return number
        return 0

    def _place(self, history: _History, thread: Thread) -> int:
        """Chooses a store's position: after stores known to the thread, not before an update."""
        stores = history.stores
        places = [
            place
            for place in range(len(stores), self._oldest(history, thread), -1)
            if place == len(stores) or not stores[place].is_update
        ]
        return places[self._choices.choose(len(places))]

    def _read(
        self,
        history: _History,
        store: _Store,
        thread: Thread,
        access: InstructionAccess,
        at: int | None = None,
    ) -> None:
        """A thread reads a store, by a load issued now or, if delayed, at an earlier time."""
        who = self._who(thread)
        self._limit(history, store, thread)
        time = int(self._clocks.now[thread]) if at is None else at
        store.known_by[who] = min(store.known_by.get(who, time), time)
        observed = history.observed.setdefault(who, [])
        if access.semantics in ("acquire", "acq_rel"):
            for flag in observed:
                self._flags.see(thread, flag, access)
        if store.flag is not None:
            self._flags.see(thread, store.flag, access)
            if not any(flag is store.flag for flag in observed):
                observed.append(store.flag)

    def _write(
        self,
        history: _History,
        store: _Store,
        thread: Thread,
        access: InstructionAccess,
        read: Flag | None,
    ) -> None:
        """Records what a new store makes visible: the thread's releases, and those it `read`."""
        who = self._who(thread)
        store.known_by[who] = int(self._clocks.now[thread])
        own = history.released.get(who)
        released = self._flags.released(thread, access.semantics, access.scope)
        flag = None if own is None else own.capped(REACHES[access.scope])
        for other in (released, read):
            if other is not None:
                flag = other if flag is None else flag.add(other)
        store.flag = flag
        if released is not None:
            history.released[who] = released if own is None else own.add(released)

    def _insert(
        self,
        access: InstructionAccess,
        segment: Segment,
        index: int,
        place: int,
        store: _Store,
        thread: Thread,
    ) -> None:
        address = access.space == "global", index * access.size
        history = self._found[address]
        stores = history.stores
        self._limit(history, stores[place - 1], thread)
        stores.insert(place, store)
        if place == len(stores) - 1:
            segment.bytes[address[1] : address[1] + access.size] = store.value
            self._flags.put(address, store.flag)
        if len(stores) > _KEPT:
            # Nothing is lost then that a load may have to return.
            for load in tuple(history.late):
                self.put_off.settle_overlapping(address, access.size, load.access.thread)
            del stores[:-_KEPT]

    def _limit(self, history: _History, newest: _Store, thread: Thread) -> None:
        """Restricts delayed loads that a thread knows of to stores not newer than `newest`."""
        for load in history.late:
            if self._clocks.knows_any(thread, {load.access.who: load.access.time}) and (
                load.newest is None
                or history.stores.index(newest) < history.stores.index(load.newest)
            ):
                load.newest = newest


def _can_wait(history: _History, oldest: int, who: int, access: InstructionAccess) -> bool:
    """Whether a delayed load always has a store to read."""
    is_acquire = access.semantics == "acquire"
    return not is_acquire or (history.stores[oldest].flag is None and not history.observed.get(who))


def _threads(group: Threads, lanes: Mask) -> Iterator[tuple[tuple[int, int], Thread]]:
    """Yields each lane of a mask, with its thread."""
    for block, thread in np.argwhere(lanes).tolist():
        yield (block, thread), (group.b0 + block, group.t0 + thread)


def _value(store: _Store, access: InstructionAccess) -> Array:
    """The value of a store in the type of an access."""
    values = store.value.view(access.dtype)
    return values if access.elements > 1 else values.reshape(())
