"""Checks that threads synchronise between accesses of global memory that tokens order.

Tokens order accesses of whole tiles. A thread that accesses another thread's element must first
synchronise with that thread. Two accesses with the same layout and addresses need no barrier: each
thread accesses its own elements twice. If several threads hold an element, however, all of them
load it and one stores it. Source: PTX ISA, "Memory Consistency Model".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.interpreters.accesses import Access
from tileir_xdsl.interpreters.address_space import Touch
from tileir_xdsl.interpreters.on_chip.clocks import Clock, Flight, Threads
from tileir_xdsl.interpreters.on_chip.token_order import Position, TokenOrder
from tileir_xdsl.layout.linear import LinearLayout

AFTER_EXCHANGE = (
    dialect.AsyncGatherTmaLoadOp,
    dialect.GatherLoadOp,
    dialect.ScatterStoreOp,
    nv_tileaa.MultimemReduceOp,
    nv_tileaa.MultimemStoreOp,
)
"""Ops that exchange indices or elements between threads before the access, not after it."""


COPIES_OF_THREADS = (dialect.AsyncLoadOp, dialect.AsyncTiledLoadOp)
"""Ops that start a copy in each thread, by the generic proxy."""

PAGE_BYTES = 256
"""Bytes of a page, by which accesses are looked up. Pages are small, so few tiles share a page."""


@dataclass(frozen=True)
class GlobalBytes:
    """Bytes of an allocation in global memory, identified by the offset of one byte."""

    allocation: str
    offset: int

    def __str__(self) -> str:
        return f"byte {self.offset} of {self.allocation}"


@dataclass(frozen=True, eq=False)
class Record:
    """A past access: its actor, its tick, and its position in the order of tokens."""

    op: Operation
    touches: tuple[Touch, ...]
    actor: Threads | Flight
    tick: int
    position: Position

    @property
    def writes(self) -> bool:
        """Whether the access writes memory."""
        return any(touch.writes for touch in self.touches)


@dataclass(frozen=True)
class Moment:
    """The tick at which an access began, and accesses that threads knew to be complete."""

    known: Clock
    tick: int


Found = Callable[[Record, Record, GlobalBytes, str], object]


@dataclass
class GlobalMemory:
    """The order that tokens have established so far in one thread block.

    An access is compared only with accesses to the same pages, so it takes constant time.
    """

    report: Found
    _order: TokenOrder = field(default_factory=TokenOrder)
    _positions: dict[Access, Position] = field(default_factory=dict[Access, Position])
    _pages: dict[tuple[str, int], dict[Record, None]] = field(
        default_factory=lambda: defaultdict[tuple[str, int], dict[Record, None]](dict)
    )

    def performed(
        self, access: Access, actor: Threads | Flight, here: Threads, moment: Moment | None
    ) -> None:
        """Reports a barrier or fence missing between an access and accesses ordered before it."""
        tick = 0 if isinstance(actor, Flight) else here.tick if moment is None else moment.tick
        position = self._positions[access] = self._order.after(
            self._positions[named] for named in access.after if named in self._positions
        )
        record = Record(access.op, tuple(access.touches), actor, tick, position)
        pages = [self._pages[page] for page in _pages(record)]
        for earlier in {earlier: None for page in pages for earlier in page}:
            if not position.follows(earlier.position):
                continue
            missing = _missing(earlier, record, here, moment)
            common = _common(earlier, record) if missing else None
            if missing and common is not None:
                self.report(earlier, record, common, missing)
            if _stands_for(record, earlier, is_over=missing is None):
                for page in pages:
                    del page[earlier]
        for page in pages:
            page[record] = None


def _pages(record: Record) -> Iterable[tuple[str, int]]:
    """The pages of global memory that an access touches, as allocation and number, in order."""
    return dict.fromkeys(
        (touch.allocation.name, page)
        for touch in record.touches
        for end in (0, touch.size - 1)
        for page in np.unique((touch.offsets + end) // PAGE_BYTES).tolist()
    )


def _stands_for(later: Record, earlier: Record, *, is_over: bool) -> bool:
    """Whether accesses that follow `later` need not be compared with `earlier`, of the same op.

    `is_over` says that `earlier` was complete, and fenced, when `later` began.
    """
    return (
        later.op is earlier.op
        and (is_over or (later.actor is earlier.actor and later.tick >= earlier.tick))
        and _has_same_bytes(later, earlier)
    )


def _missing(first: Record, second: Record, here: Threads, moment: Moment | None) -> str | None:
    """The synchronisation that two accesses lack if they conflict; None if they lack none."""
    if moment is None:
        is_known = here.knows(first.actor, first.tick)
    else:
        is_known = moment.known.says(first.actor, first.tick)
    if not is_known:
        return "no barrier is between them"
    if isinstance(first.actor, Flight) or not first.writes:
        return None
    is_fenced = here.fenced.says(first.actor, first.tick)
    if is_fenced:
        return None
    # Only an access of the asynchronous proxy needs the fence; `cp.async` is not one (PTX ISA,
    # "cp.async").
    is_bulk = isinstance(second.actor, Flight) and not isinstance(second.op, COPIES_OF_THREADS)
    return "no fence_proxy is between them" if is_bulk else ""


def _common(first: Record, second: Record) -> GlobalBytes | None:
    """A byte at which two accesses by different threads conflict; None if there is none."""
    if not (first.writes or second.writes) or _is_thread_by_thread(first, second):
        return None
    earlier = _bytes(first.touches)
    for where, offsets in _bytes(second.touches).items():
        if where in earlier:
            common = np.intersect1d(earlier[where], offsets)
            if common.size:
                return GlobalBytes(where, int(common[0]))
    return None


def _bytes(touches: Iterable[Touch]) -> Mapping[str, np.ndarray]:
    found: dict[str, list[np.ndarray]] = {}
    for touch in touches:
        spread = touch.bytes_of_elements
        found.setdefault(touch.allocation.name, []).append(spread.reshape(-1))
    return {where: np.concatenate(parts) for where, parts in found.items()}


def _is_thread_by_thread(first: Record, second: Record) -> bool:
    """Whether every thread accesses the same elements twice, and no elements of other threads."""
    if isinstance(second.actor, Flight) or first.actor is not second.actor:
        return False
    layout = _layout(first.op)
    if layout is None or layout != _layout(second.op):
        return False
    if 0 in layout.thread_bases() and not (first.writes and second.writes):
        return False
    return _has_same_bytes(first, second)


def _has_same_bytes(first: Record, second: Record) -> bool:
    """Whether two accesses touch the same elements in the same order."""
    return len(first.touches) == len(second.touches) and all(
        mine.allocation is theirs.allocation
        and mine.size == theirs.size
        and np.array_equal(mine.offsets, theirs.offsets)
        for mine, theirs in zip(first.touches, second.touches, strict=True)
    )


def _layout(op: Operation) -> LinearLayout | None:
    """The layout of the tile that an op moves."""
    layouts = (tile_layout(value.type) for value in (*op.results, *op.operands))
    return next((layout for layout in layouts if layout is not None), None)
