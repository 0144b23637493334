"""Whether a program's own result depends on the order of its tile blocks, and on which accesses.

A launch is repeated in several orders. Tile blocks run one after the other in some permutation, or
interleaved, op by op in lockstep or at random. A program does not determine an element that has
different values in different orders. A race in only some orders is also a fault of the program.

The two accesses whose order decides the value are found by comparing two runs. The reads of a tile
block determine all its other accesses. So the first read whose value differs has read from another
write; if no read differs, the order of the writes of the element differs.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl import interpreters
from tileir_xdsl.interpreters import InterpreterError
from tileir_xdsl.interpreters.accesses import Access, Token
from tileir_xdsl.interpreters.address_space import Allocation, Touch
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.launch import DEFAULT_ITERATION_LIMIT
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.on_chip import OnChipRace
from tileir_xdsl.interpreters.races import Race, RaceDetector, describe
from tileir_xdsl.interpreters.running_block import RunningBlock
from tileir_xdsl.runtime.memory_views import arrays_in, copies

Masks = Sequence[Array]
"""For each array of a launch, a mask of elements."""

Compare = Callable[[Sequence[Array], Sequence[Array]], Masks]
"""A function that returns which elements of arrays differ by more than roundings."""


@dataclass(frozen=True)
class _Event:
    """One access, in the order of a run."""

    access: Access
    occurrence: int
    """The number of earlier accesses of its op in its tile block."""
    touches: tuple[Touch, ...]
    value: int
    """A hash of the values read, if an op uses them."""

    @property
    def key(self) -> tuple[Coordinates, Operation, int]:
        """A key that is equal for corresponding accesses of two runs."""
        return self.access.block, self.access.op, self.occurrence


@dataclass
class _Observer(RaceDetector, LaunchListener):
    """Records all accesses in their order, and finds their races."""

    events: list[_Event] = field(default_factory=list[_Event])
    allocations: Sequence[Allocation] = ()
    _counts: dict[tuple[Coordinates, Operation], int] = field(
        default_factory=dict[tuple[Coordinates, Operation], int]
    )

    def listeners(self) -> Sequence[LaunchListener]:
        return (*super().listeners(), self)

    def will_launch(self, running: RunningBlock) -> None:
        self.allocations = running.memory.allocations[:]

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        at = (access.block, access.op)
        occurrence = self._counts[at] = self._counts.get(at, -1) + 1

        def observed() -> Any:
            value = action()
            is_read = isinstance(value, np.ndarray) and access.op.results[0].first_use is not None
            read = hash(value.tobytes()) if is_read else 0
            self.events.append(_Event(access, occurrence, tuple(access.touches), read))
            return value

        return super().perform(access, observed)


@dataclass
class _Interleaving(LaunchListener):
    """Switches to another tile block before a share of the ops, chosen at random."""

    share: float
    random: Random
    running: RunningBlock | None = None

    def will_launch(self, running: RunningBlock) -> None:
        self.running = running

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        if self.running is not None and self.random.random() < self.share:
            self.running.agents.let_others_run(lambda: "may go on")


@dataclass(frozen=True)
class _Order:
    """The order in which the tile blocks of a launch run."""

    blocks: Sequence[int] | None = None
    """The linear numbers of tile blocks; None for the default order, in which x varies fastest."""
    share: float = 0
    """The share of ops before which the launch may switch to another tile block."""


def _orders(count: int, random: Random) -> Iterator[_Order]:
    """Yields the orders to try; the first is the default order."""
    yield _Order()
    yield _Order(range(count - 1, -1, -1))
    yield _Order(share=1)
    for share in (0.25, 0, 0.5):
        yield _Order(random.sample(range(count), count), share)


@dataclass(frozen=True)
class _Run:
    """The result of a launch in one order."""

    observer: _Observer
    arrays: Sequence[Array]
    error: InterpreterError | None


@dataclass
class BlockOrders:
    """A launch of a program in several orders, each of which runs on first use."""

    module: ModuleOp
    kernel: str
    grid: Coordinates
    arguments: Sequence[Argument]
    seed: int = 0
    iteration_limit: int = DEFAULT_ITERATION_LIMIT
    names: tuple[str | None, ...] = ()
    """The names of the arguments in the source."""
    _done: list[_Run] = field(default_factory=list[_Run])

    def __post_init__(self) -> None:
        self._random = Random(self.seed)
        self._orders = _orders(prod(self.grid), self._random)

    def _runs(self) -> Iterator[_Run]:
        yield from self._done
        for order in self._orders:
            self._done.append(self._run(order))
            yield self._done[-1]

    def _run(self, order: _Order) -> _Run:
        observer, error = _Observer(), None
        results = copies(self.arguments)
        try:
            interpreters.launch(
                self.module,
                self.kernel,
                self.grid,
                results,
                order=order.blocks,
                output=io.StringIO(),
                iteration_limit=self.iteration_limit,
                memory_order=observer,
                listeners=[_Interleaving(order.share, self._random)] if order.share else (),
                concurrent=order.share > 0,
                names=self.names,
            )
        except InterpreterError as raised:
            error = raised
        return _Run(observer, arrays_in(results), error)

    def race(self) -> Race | OnChipRace | None:
        """The first race in some order, which is a fault of the program itself."""
        return next((race for run in self._runs() for race in run.observer.races), None)

    def failure(self) -> str | None:
        """The error of the program itself in some order; None if there is none."""
        return next((str(run.error) for run in self._runs() if run.error), None)

    def dependence(self, differs: Masks, compare: Compare) -> str | None:
        """Why the program does not determine the elements that differ at another level.

        None unless all these elements also differ between orders of the program itself.
        """
        left, found = differs, ""
        first, *others = self._runs()
        for run in others:
            if run.error is not None:
                return f"one order fails: {run.error}"
            varies = compare(run.arrays, first.arrays)
            found = found or _decision(first, run, _both(differs, varies))
            left = _both(left, [~mask for mask in varies])
            if not any(mask.any() for mask in left):
                return found
        return None


def _both(masks: Masks, others: Masks) -> Masks:
    return [mask & other for mask, other in zip(masks, others, strict=True)]


def _decision(one: _Run, other: _Run, varies: Masks) -> str:
    """The two accesses that decide the first element that two runs leave with different values."""
    varying = [n for n, mask in enumerate(varies) if mask.any()]
    if not varying:
        return ""
    array = one.arrays[varying[0]]
    decided = _decided_read(one, other) or _decided_write(
        one, other, array, int(np.argmax(varies[varying[0]]))
    )
    if decided is None:
        return "two orders leave different values"
    first, second, allocation, offset = decided
    return (
        f"{describe(first.access)} and {describe(second.access)} both access byte {offset} of "
        f"{allocation}, and either may come first"
    )


_Decided = tuple[_Event, _Event, str, int]
"""Two accesses, the allocation, and the byte of it that their order decides."""


def _decided_read(one: _Run, other: _Run) -> _Decided | None:
    """The first read whose value differs between two runs, and a write that one of them read."""
    others = {event.key: n for n, event in enumerate(other.observer.events)}
    events = one.observer.events
    for n, event in enumerate(events):
        twin = others.get(event.key)
        if twin is None or other.observer.events[twin].value == event.value:
            continue
        for touch in event.touches:
            writers = _last_writers(events[:n], touch)
            writers_there = _last_writers(other.observer.events[:twin], touch)
            for offset, here, there in zip(_bytes(touch), writers, writers_there, strict=True):
                written = here or there
                if written is not None and _key(here) != _key(there):
                    return written, event, touch.allocation.name, int(offset)
    return None


def _decided_write(one: _Run, other: _Run, array: Array, element: int) -> _Decided | None:
    """The last two writes of an element whose order differs."""
    index = np.unravel_index(element, array.shape)
    address = _host_address(array) + int(np.dot(index, array.strides))
    for allocation in one.observer.allocations:
        offset = address - _host_address(allocation.data)
        if not 0 <= offset < allocation.data.size:
            continue
        here, there = (
            _writes(run.observer.events, allocation.name, offset) for run in (one, other)
        )
        for first, second in zip(reversed(here), reversed(there), strict=False):
            if first.key != second.key:
                return second, first, allocation.name, offset
    return None


def _last_writers(events: Sequence[_Event], read: Touch) -> list[_Event | None]:
    """For each byte of a read, the access that last wrote it."""
    latest = np.full(read.allocation.data.size, -1)
    for n, event in enumerate(events):
        for touch in event.touches:
            if touch.writes and touch.allocation.name == read.allocation.name:
                latest[_bytes(touch)] = n
    return [None if n < 0 else events[n] for n in latest[_bytes(read)].tolist()]


def _writes(events: Sequence[_Event], allocation: str, offset: int) -> list[_Event]:
    return [
        event
        for event in events
        for touch in event.touches
        if touch.writes and touch.allocation.name == allocation and offset in _bytes(touch)
    ]


def _bytes(touch: Touch) -> Array:
    return touch.bytes_of_elements.reshape(-1)


def _key(event: _Event | None) -> object:
    return None if event is None else event.key


def _host_address(array: Array) -> int:
    return array.__array_interface__["data"][0]
