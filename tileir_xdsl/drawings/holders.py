"""The threads and registers that hold the elements of a tile, including copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tileir_xdsl.drawings.tile_panels import Panel
from tileir_xdsl.layout import f2
from tileir_xdsl.layout.linear import LinearLayout

MAX_COPIES = 64
"""The most copies of an element that are considered."""


class Holder(NamedTuple):
    """A register of a thread; threads are numbered across the warps of a block."""

    block: int
    thread: int
    register: int


class Holders:
    """The holders of a layout's elements, at most `MAX_COPIES` per element."""

    def __init__(self, layout: LinearLayout) -> None:
        self.layout = layout
        self._span = f2.Span(layout.bases())
        relations = f2.kernel(layout.bases())
        self._copies = f2.Span(relations)
        self._offsets = f2.table(relations[: MAX_COPIES.bit_length() - 1])[1:]
        # Where every element is held, the lowest position is linear in the element.
        self._positions = (
            [self._reduced(1 << bit) or 0 for bit in range(layout.size.bit_length() - 1)]
            if layout.is_surjective
            else None
        )

    def first(self, element: int) -> Holder | None:
        """The holder in the lowest block, warp, lane and register; None if there is no holder."""
        position = self._position(element)
        return None if position is None else self._holder(position)

    def copies(self, element: int) -> list[Holder]:
        """The holders other than the first, in order, at most `MAX_COPIES`."""
        position = self._position(element)
        if position is None:
            return []
        return sorted(self._holder(position ^ offset) for offset in self._offsets)

    def warp(self, element: int) -> int | None:
        """The warp of the first holder."""
        holder = self.first(element)
        return None if holder is None else holder.thread // self.layout.lanes

    def _position(self, element: int) -> int | None:
        if self._positions is not None:
            return f2.apply(self._positions, element)
        return self._reduced(element)

    def _reduced(self, element: int) -> int | None:
        remainder, position = self._span.reduce(element)
        # The lowest of all positions that hold the same element stands for them.
        return None if remainder else self._copies.reduce(position)[0]

    def _holder(self, position: int) -> Holder:
        layout = self.layout
        register = position & (layout.registers - 1)
        position >>= len(layout.register)
        threads = len(layout.thread_bases())
        return Holder(position >> threads, position & ((1 << threads) - 1), register)


@dataclass(frozen=True)
class Run:
    """Adjacent elements of a row in consecutive registers of one thread."""

    row: int
    column: int
    length: int
    holder: Holder | None
    """The holder of the first element; None if no thread holds it."""
    copies: tuple[Holder, ...]

    @property
    def label(self) -> str:
        """`t5 r0-3`."""
        if self.holder is None:
            return "-"
        block, thread, register = self.holder
        last = f"-{register + self.length - 1}" if self.length > 1 else ""
        return f"{f'b{block} ' if block else ''}t{thread} r{register}{last}"

    def copy_labels(self) -> list[str]:
        """Where each copy differs from the holder, such as `+t16` (thread), `+r4` (register), `+t16
        r4`.
        """
        assert self.holder is not None or not self.copies
        labels: list[str] = []
        for copy in self.copies:
            parts = [
                f"{letter}{there}"
                for letter, here, there in zip("btr", self.holder or copy, copy, strict=True)
                if here != there
            ]
            labels.append("+" + " ".join(parts))
        return labels


def runs_of(holders: Holders, panel: Panel) -> Iterator[Run]:
    """The runs of a panel, row by row; a run ends at another thread or a gap in registers."""
    for row in range(panel.rows):
        elements = [panel.element(row, column) for column in range(panel.columns)]
        held = list(map(holders.first, elements))
        column = 0
        while column < panel.columns:
            holder = held[column]
            end = column + 1
            while end < panel.columns and held[end] == _after(holder, end - column):
                end += 1
            copies = tuple(holders.copies(elements[column]))
            yield Run(row, column, end - column, holder, copies)
            column = end


def _after(holder: Holder | None, steps: int) -> Holder | None:
    if holder is None:
        return None
    return holder._replace(register=holder.register + steps)
