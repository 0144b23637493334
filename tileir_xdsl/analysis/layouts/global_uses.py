"""Requirements of global memory accesses on the layouts of their tiles; see `tile_uses`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tileir_xdsl.analysis.access import copy_costs
from tileir_xdsl.analysis.access.access_width import AccessedAddresses
from tileir_xdsl.analysis.access.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.layouts.candidates import Candidate, Family, Pruned, TileLayout, TileUse
from tileir_xdsl.layout.banks import MAX_VECTOR_BYTES
from tileir_xdsl.layout.constructors import blocked, fastest_first
from tileir_xdsl.layout.cute import NO_SWIZZLE, LayoutError, product
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases
from tileir_xdsl.layout.shared import (
    MAX_BOX_RANK,
    SharedLayout,
    TMABoxes,
    default_shared_layout,
    tma_boxes,
    widest_swizzle,
)
from tileir_xdsl.targets.atoms import COPY_ATOMS, Memory

POINTER_BITS = 64
LANES = 32

SCHEDULERS = 4
"""Instructions that a multiprocessor issues while its shared memory does one wavefront."""

ASYNC_COPY_ATOM = "ldgsts_128"
"""The widest copy from global to shared memory that threads execute."""


def vector_along(layout: LinearLayout, dimension: int) -> int:
    """How many neighbours along one dimension the first registers of a thread hold."""
    neighbours = dimension_bases(layout.shape, dimension)
    width = 1
    for base, neighbour in zip(layout.register, neighbours, strict=False):
        if base != neighbour:
            break
        width *= 2
    return width


def has_chunks(shared: SharedLayout, dimension: int) -> bool:
    """Whether 16 bytes along a dimension of a tile lie together in a layout."""
    mode = shared.layout.modes()[dimension]
    shape, stride = mode.shape, mode.stride
    while isinstance(shape, tuple) and isinstance(stride, tuple):
        shape, stride = shape[0], stride[0]
    assert isinstance(shape, int)
    return stride == 1 and shape * shared.element_bits >= 8 * MAX_VECTOR_BYTES


@dataclass(frozen=True)
class BoxTransfer:
    """A TMA transfer of a tile, if possible."""

    boxes: TMABoxes | None
    problem: str
    """The reason for which there is no layout; empty if there is one."""


@dataclass(frozen=True)
class GlobalUse(TileUse):
    """A load or store of global memory, by vectors of threads or by TMA."""

    addresses: AccessedAddresses
    element_bits: int
    is_load: bool
    through_pointers: bool
    warps: int
    box: BoxTransfer
    prefer_tma: bool = False
    vectors: bool = True
    """Whether threads access vectors; false for atomic accesses, which are element by element."""
    async_copies: bool = False
    """Whether threads can copy the tile to shared memory, 16 bytes at once, without registers."""
    steps: int | None = None
    """How many elementwise ops a loop has between a load and the dot whose operand it becomes.

    None for tiles that are not operands of dots: no copy can be prefetched for them.
    """

    @property
    def _atoms(self) -> dict[int, str]:
        atoms = (LOAD_ATOMS if self.is_load else STORE_ATOMS)[Memory.GLOBAL]
        return {size: name for size, name in atoms.items() if size <= MAX_VECTOR_BYTES}

    @property
    def _widest(self) -> int:
        return self.addresses.width.elements if self.vectors else 1

    @property
    def takes_box(self) -> bool:
        """Whether the access uses TMA whatever the layout."""
        return self.prefer_tma and self.box.boxes is not None

    @property
    def takes_copies(self) -> bool:
        """Whether threads copy the tile to shared memory, and load it from there."""
        # A dot reads a tile that it takes as it comes by itself, if it can.
        return bool(self.steps) and self.async_copies and self.box.boxes is None

    @property
    def _widest_in_full_warps(self) -> int:
        """The widest vector for which no lane holds copies and repeats elementwise ops."""
        return min(self._widest, max(1, product(self.addresses.shape) // LANES))

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """A blocked layout for every width that the alignment allows and that fills a warp."""
        found = self._blocked(self._widest_in_full_warps, 1)
        shared = self._own_shared_layout
        in_memory = None if shared is None else self.in_layout(shared)
        if isinstance(in_memory, Candidate):
            found.append(in_memory)
        return tuple(found)

    @cached_property
    def only_forced(self) -> tuple[Candidate, ...]:
        """Blocked layouts of the widths that do not fill a warp, and loads in place of copies."""
        found = self._blocked(self._widest, 2 * self._widest_in_full_warps)
        if self.takes_copies:
            layouts = (candidate.layout for candidate in self.own)
            found += (self._by_threads(x) for x in layouts if isinstance(x, LinearLayout))
        return tuple(found)

    def _blocked(self, widest: int, narrowest: int) -> list[Candidate]:
        """Blocked layouts of vectors of `widest` to `narrowest` elements."""
        shape, dimension = self.addresses.shape, self.addresses.dimension
        order = fastest_first(len(shape), dimension)
        found: list[Candidate] = []
        elements = widest
        while elements >= narrowest:
            candidate = self.in_layout(blocked(shape, elements, self.warps, order=order))
            if isinstance(candidate, Candidate) and candidate.layout not in (
                other.layout for other in found
            ):
                found.append(candidate)
            elements //= 2
        return found

    @property
    def _own_shared_layout(self) -> SharedLayout | None:
        """The layout of the tile in shared memory if no other op requires another layout."""
        if self.box.boxes is not None:
            return self.box.boxes.shared
        if not self.async_copies:
            return None
        shape = self.addresses.shape
        return default_shared_layout(
            shape, self.element_bits, fastest_first(len(shape), self.addresses.dimension)
        )

    @cached_property
    def pruned(self) -> tuple[Pruned, ...]:
        found: list[Pruned] = []
        if self.vectors:
            aligned = self.addresses.alignment
            for size, name in self._atoms.items():
                elements = size // self.addresses.element_bytes
                if elements <= self._widest_in_full_warps and elements:
                    continue
                if self._widest_in_full_warps < elements <= self._widest:
                    reason = (
                        f"leaves a warp with {product(self.addresses.shape)} elements for 32 lanes"
                    )
                elif not elements:
                    reason = f"moves {size} bytes, less than an element"
                elif size > aligned:
                    reason = f"needs addresses aligned to {size} bytes, but only {aligned} is known"
                else:
                    run = self.addresses.run
                    reason = f"needs {elements} neighbours in memory, but only {run} are known"
                found.append(Pruned(name, reason))
        if self.box.problem:
            found.append(Pruned(self._box_atom, self.box.problem))
        if self.takes_box or self.takes_copies:
            reason = "TMA is preferred" if self.takes_box else "copies run ahead of the loop"
            found += (
                Pruned(name, reason)
                for size, name in self._atoms.items()
                if self.addresses.element_bytes
                <= size
                <= self.addresses.element_bytes * self._widest
            )
        return tuple(found)

    @property
    def _box_atom(self) -> str:
        rank = min(max(1, len(self.addresses.shape)), MAX_BOX_RANK)
        return f"tma_{'load' if self.is_load else 'store'}_{rank}d"

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            return self._in_memory(layout)
        if self.takes_box:
            return self._through_memory(layout)
        if self.takes_copies:
            return self._through_copies(layout)
        return self._by_threads(layout)

    def _by_threads(self, layout: LinearLayout) -> Candidate:
        """A candidate with vectors as long as the contiguous elements of a thread in the layout."""
        width = min(self._widest, vector_along(layout, self.addresses.dimension))
        size = self.addresses.element_bytes
        registers = copy_costs.fragment_registers(layout, self.element_bits)
        # Each element has an address of its own in registers.
        if self.through_pointers:
            registers += copy_costs.fragment_registers(layout, POINTER_BITS)
        run = copy_costs.ContiguousRun(self.addresses.dimension, max(1, self.addresses.run))
        cost = copy_costs.CopyCost(
            registers=registers, sectors=copy_costs.global_sectors(layout, size, width, run)
        )
        atom = self._atoms.get(width * size) if self.vectors else None
        name = atom or f"atom_{8 * size}"
        return Candidate(name, layout, Family.BLOCKED, cost, atom, None, width * size)

    def _in_memory(self, shared: SharedLayout) -> Candidate | str:
        boxes = self.box.boxes
        if boxes is not None and shared == boxes.shared:
            cost = copy_costs.CopyCost(transactions=copy_costs.bulk_transactions(boxes))
            return self._to_shared_layout(self._box_atom, shared, cost)
        if self.async_copies and has_chunks(shared, self.addresses.dimension):
            return self._to_shared_layout(ASYNC_COPY_ATOM, shared, self._async_copy_cost())
        if boxes is None:
            return self.box.problem or "takes its tile in registers"
        return "TMA writes another shared layout"

    def _to_shared_layout(
        self, atom: str, shared: SharedLayout, cost: copy_costs.CopyCost
    ) -> Candidate:
        alignment = COPY_ATOMS[atom].alignment
        return Candidate(atom, shared, Family.SHARED, cost, atom, None, alignment, shared)

    def _async_copy_cost(self) -> copy_costs.CopyCost:
        """The cost if each thread stores the elements that it loads later, 16 bytes at once."""
        shape, dimension = self.addresses.shape, self.addresses.dimension
        width = MAX_VECTOR_BYTES // self.addresses.element_bytes
        order = fastest_first(len(shape), dimension)
        layout = blocked(shape, width, self.warps, order=order)
        run = copy_costs.ContiguousRun(dimension, max(1, self.addresses.run))
        written = (
            product(shape)
            * self.addresses.element_bytes
            / copy_costs.TRANSACTION_BYTES
            / copy_costs.tile_rows(shape)
        )
        return copy_costs.CopyCost(
            transactions=written,
            sectors=copy_costs.global_sectors(layout, self.addresses.element_bytes, width, run),
        )

    def _work(self, layout: LinearLayout) -> float:
        """The cost of elementwise ops by all threads with an element, in transactions."""
        issued = (self.steps or 0) * layout.registers * layout.warps
        return (
            copy_costs.TRANSACTIONS_PER_WAVEFRONT
            * issued
            / SCHEDULERS
            / copy_costs.tile_rows(layout.shape)
        )

    def _through_copies(self, layout: LinearLayout) -> Candidate | str:
        """Copies of 16 bytes to shared memory, and loads from there."""
        shared = self._own_shared_layout
        assert shared is not None
        try:
            threads = copy_costs.shared_transactions(layout, shared)
        except LayoutError as error:
            return str(error)
        registers = copy_costs.fragment_registers(layout, self.element_bits)
        cost = self._async_copy_cost() + copy_costs.CopyCost(
            threads + self._work(layout), None, registers
        )
        atom = ASYNC_COPY_ATOM
        alignment = COPY_ATOMS[atom].alignment
        return Candidate(atom, layout, Family.BLOCKED, cost, atom, None, alignment, shared)

    def _through_memory(self, layout: LinearLayout) -> Candidate | str:
        """TMA to or from shared memory, and plain or matrix accesses on the side of the threads."""
        boxes = self.box.boxes
        assert boxes is not None
        try:
            threads = copy_costs.shared_transactions(layout, boxes.shared)
        except LayoutError as error:
            return str(error)
        transactions = copy_costs.bulk_transactions(boxes) + threads + self._work(layout)
        cost = copy_costs.CopyCost(
            transactions, None, copy_costs.fragment_registers(layout, self.element_bits)
        )
        atom = self._box_atom
        alignment = COPY_ATOMS[atom].alignment
        return Candidate(atom, layout, Family.BLOCKED, cost, atom, None, alignment, boxes.shared)


def copied_to(candidate: Candidate) -> SharedLayout | None:
    """The layout of a buffer through which threads copy a tile: they copy it there and then load
    it.
    """
    if candidate.atom != ASYNC_COPY_ATOM or isinstance(candidate.layout, SharedLayout):
        return None
    return candidate.shared_layout


@dataclass(frozen=True)
class PointersUse(TileUse):
    """The addresses of an asynchronous copy: each thread holds the addresses of the elements that
    it copies.
    """

    addresses: AccessedAddresses
    warps: int

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The layout in which neighbouring lanes copy neighbouring elements."""
        shape = self.addresses.shape
        order = fastest_first(len(shape), self.addresses.dimension)
        candidate = self.in_layout(blocked(shape, self._width, self.warps, order=order))
        return (candidate,) if isinstance(candidate, Candidate) else ()

    @property
    def _width(self) -> int:
        return MAX_VECTOR_BYTES // self.addresses.element_bytes

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            return "takes its addresses in registers"
        if vector_along(layout, self.addresses.dimension) < self._width:
            return f"copies {MAX_VECTOR_BYTES} bytes at once, which threads hold parts of here"
        run = copy_costs.ContiguousRun(self.addresses.dimension, max(1, self.addresses.run))
        size = self.addresses.element_bytes
        cost = copy_costs.CopyCost(
            # Of the elements of a copy the first one has its address in registers.
            registers=copy_costs.fragment_registers(layout, POINTER_BITS) / self._width,
            sectors=copy_costs.global_sectors(layout, size, self._width, run),
        )
        return Candidate(
            ASYNC_COPY_ATOM, layout, Family.BLOCKED, cost, None, None, MAX_VECTOR_BYTES
        )


def box_transfer(shape: Sequence[int], element_bits: int, fastest: int) -> BoxTransfer:
    """The boxes of a TMA transfer of a tile whose memory fits, swizzled as widely as possible.

    `fastest` is the dimension whose elements are next to each other in memory. A single row is not
    swizzled: a swizzle would cut it.
    """
    order = fastest_first(len(shape), fastest)
    is_row = shape[fastest] == product(tuple(shape))
    try:
        swizzle = NO_SWIZZLE if is_row else widest_swizzle(shape, element_bits, order)
        return BoxTransfer(tma_boxes(shape, element_bits, swizzle, order), "")
    except LayoutError as error:
        return BoxTransfer(None, str(error))
