"""Requirements of gathers, scatters and atomic reductions on the layouts of their tiles.

Threads access rows element by element. TMA moves four rows at once between global and shared
memory, or combines a box in shared memory with global memory. Threads synchronise before and after
TMA copies, because one thread issues all of them. Source: PTX ISA, "Tiled mode", `.tile::gather4`
and `.tile::scatter4`; `cp.reduce.async.bulk.tensor`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tileir_xdsl.analysis.access.copy_costs import (
    MEETING_WAVEFRONTS,
    TRANSACTIONS_PER_WAVEFRONT,
    CopyCost,
    fragment_registers,
    tile_rows,
)
from tileir_xdsl.analysis.layouts.candidates import Candidate, Pruned, TileLayout
from tileir_xdsl.analysis.layouts.global_uses import (
    LANES,
    POINTER_BITS,
    BoxTransfer,
    GlobalUse,
    box_transfer,
)
from tileir_xdsl.layout.banks import MAX_VECTOR_BYTES
from tileir_xdsl.layout.constructors import blocked, fastest_first
from tileir_xdsl.layout.cute import product
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets.target import CostWeights

ROWS_PER_COPY = 4
"""The rows that one bulk copy moves."""

BOX_ALIGNMENT = 128
"""The alignment in bytes of a box in shared memory (PTX ISA, "Tensor copy")."""


def rows_transfer(
    shape: Sequence[int], element_bits: int, fastest: int, sparse: int
) -> BoxTransfer:
    """The boxes of a TMA transfer of the rows of a matrix, listed along `sparse`.

    `fastest` is the dimension whose elements are next to each other in memory.
    """
    if len(shape) != len(("row", "column")):
        return BoxTransfer(None, f"TMA takes rows of a matrix, not of {len(shape)} dimensions")
    # The column is the coordinate of the copy: rows lie along the last dimension of the tile.
    if sparse == fastest or sparse != 0:
        return BoxTransfer(None, "TMA takes rows along the first dimension of a tile")
    if shape[sparse] % ROWS_PER_COPY:
        return BoxTransfer(None, f"TMA takes {ROWS_PER_COPY} rows at once, not {shape[sparse]}")
    transfer = box_transfer(shape, element_bits, fastest)
    if transfer.boxes is None:
        return transfer
    row_bytes = transfer.boxes.box[fastest] * element_bits // 8
    if ROWS_PER_COPY * row_bytes % BOX_ALIGNMENT:
        return BoxTransfer(
            None,
            f"{ROWS_PER_COPY} rows of {row_bytes} bytes are not a multiple of "
            f"{BOX_ALIGNMENT} bytes",
        )
    return transfer


@dataclass(frozen=True)
class BulkUse(GlobalUse):
    """An access element by element, or by TMA, whichever costs less."""

    bulk_atom: str = ""
    """The atom by which TMA makes the access."""
    weights: CostWeights = field(default_factory=CostWeights)
    has_known_rows: bool = False
    """Whether rows are known before the loop, so that threads do not synchronise for each tile."""

    @property
    def _box_atom(self) -> str:
        return self.bulk_atom

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """Candidates for threads alone, for TMA through shared memory, and for TMA alone."""
        found: list[Candidate] = []
        if not self.takes_box:
            found += map(self._by_threads, self._layouts(self._widest_in_full_warps))
        boxes = self.box.boxes
        if boxes is not None:
            found += self._by_boxes()
            in_memory = self.in_layout(boxes.shared)
            assert isinstance(in_memory, Candidate)
            found.append(in_memory)
        return tuple(found)

    @cached_property
    def pruned(self) -> tuple[Pruned, ...]:
        """Why TMA cannot make the access; threads can, whatever the alignment."""
        return (Pruned(self._box_atom, self.box.problem),) if self.box.problem else ()

    def _by_boxes(self) -> Iterator[Candidate]:
        """Blocked layouts in which threads load the rows from shared memory or store them there."""
        shape, dimension = self.addresses.shape, self.addresses.dimension
        widest = min(
            MAX_VECTOR_BYTES // self.addresses.element_bytes,
            shape[dimension],
            max(1, product(shape) // LANES),
        )
        for layout in self._layouts(widest):
            candidate = self._through_memory(layout)
            if isinstance(candidate, Candidate):
                yield candidate

    def _layouts(self, widest: int) -> Iterator[LinearLayout]:
        """Blocked layouts of vectors of at most `widest` elements of a row."""
        shape = self.addresses.shape
        order = fastest_first(len(shape), self.addresses.dimension)
        elements = widest
        while elements:
            yield blocked(shape, elements, self.warps, order=order)
            elements //= 2

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            return self._with_meeting(self._in_memory(layout))
        if self.box.boxes is None:
            return self._by_threads(layout)
        through_memory = self._through_memory(layout)
        if self.prefer_tma:
            return through_memory
        by_threads = self._by_threads(layout)
        if isinstance(through_memory, str):
            return by_threads
        return min(by_threads, through_memory, key=lambda way: way.cost.order(self.weights))

    def _by_threads(self, layout: LinearLayout) -> Candidate:
        candidate = super()._by_threads(layout)
        # Each element has an address of its own.
        addresses = CopyCost(registers=fragment_registers(layout, POINTER_BITS))
        return replace(candidate, cost=candidate.cost + addresses)

    def _through_memory(self, layout: LinearLayout) -> Candidate | str:
        return self._with_meeting(super()._through_memory(layout))

    def _with_meeting(self, candidate: Candidate | str) -> Candidate | str:
        """Adds the cost of the barriers before and after the copies."""
        if isinstance(candidate, str) or self.has_known_rows:
            return candidate
        wavefronts = MEETING_WAVEFRONTS * TRANSACTIONS_PER_WAVEFRONT
        meeting = CopyCost(wavefronts / tile_rows(self.addresses.shape))
        return replace(candidate, cost=candidate.cost + meeting)
