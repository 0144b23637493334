"""Requirements of on-chip ops on the layouts of their tiles: buffers, dots, reductions and scans.

A use proposes its own candidates, and states its candidate for a layout that other uses propose. A
use is plain data without IR, so uses with equal requirements are analysed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tileir_xdsl.analysis.access import copy_costs
from tileir_xdsl.analysis.access.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.layouts.candidates import Candidate, Family, Pruned, TileLayout, TileUse
from tileir_xdsl.analysis.layouts.dot_layouts import Axis
from tileir_xdsl.analysis.layouts.exchanges import is_scannable, own_scan_layout
from tileir_xdsl.analysis.layouts.global_uses import LANES, box_transfer
from tileir_xdsl.layout.banks import MAX_VECTOR_BYTES, matrix_access, vector_access
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout, element_coordinate
from tileir_xdsl.layout.shared import (
    MAX_BOX_RANK,
    SharedLayout,
)
from tileir_xdsl.layout.tensor_memory import (
    AccessShape,
    tensor_memory_accumulator,
    tensor_memory_registers,
)
from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyKind, Memory
from tileir_xdsl.targets.target import Target

WIDENING_LOAD = "ldsm_m816_x4"
"""The matrix load that expands each packed element to a byte."""


@dataclass(frozen=True)
class SharedUse(TileUse):
    """A load or store of a buffer in shared memory, in its shared layout."""

    shared: SharedLayout
    is_load: bool
    warps: int
    target: Target
    live: float = 1.0
    """The fraction of the tile that is in registers at once."""

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """Blocked layouts, from vectors of 16 bytes down."""
        shape = self.shared.shape
        elements = max(1, 8 * MAX_VECTOR_BYTES // self.shared.element_bits)
        found: list[Candidate] = []
        while elements:
            candidate = self.in_layout(blocked(shape, elements, self.warps))
            if isinstance(candidate, Candidate) and candidate.name not in (
                other.name for other in found
            ):
                found.append(candidate)
            elements //= 2
        return tuple(found)

    @cached_property
    def pruned(self) -> tuple[Pruned, ...]:
        """Candidates of the cost model that the hardware cannot execute for this load."""
        return (*self._expanded(), *self._boxes()) if self.is_load else ()

    def _expanded(self) -> Iterator[Pruned]:
        """Matrix loads that widen elements."""
        shape, bits = self.shared.shape, self.shared.element_bits
        if len(shape) != 2:
            return
        atom = COPY_ATOMS[WIDENING_LOAD]
        transactions = copy_costs.matrix_transactions(shape, atom, self.shared.address_map())
        live = copy_costs.live_registers(shape, bits, LANES * self.warps, atom.expansion)
        reason = f"it widens packed elements of 4 or 6 bits, these have {bits}"
        yield Pruned(atom.name, reason, copy_costs.CopyCost(transactions, None, self.live * live))

    def _boxes(self) -> Iterator[Pruned]:
        """Bulk copies, which keep the tile in memory."""
        shape, bits = self.shared.shape, self.shared.element_bits
        if not 1 <= len(shape) <= MAX_BOX_RANK:
            return
        boxes = box_transfer(shape, bits, len(shape) - 1).boxes
        cost = (
            None
            if boxes is None
            else copy_costs.CopyCost(copy_costs.bulk_transactions(boxes), 0.0, 0.0)
        )
        reason = "it loads from global memory, the tile is in shared memory"
        yield Pruned(f"tma_load_{len(shape)}d", reason, cost)

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            if self.is_load and layout == self.shared:
                return Candidate(
                    "view", layout, Family.SHARED, copy_costs.FREE, shared_layout=layout
                )
            return "another image of the tile is in shared memory"
        found = [*self._by_vectors(layout), *self._by_matrices(layout)]
        if not found:
            return "no access of shared memory fits the layout"
        weights = self.target.cost_weights
        # Of two that cost the same the one with fewer instructions, and first the plain one.
        _, best = min(found, key=lambda item: (item[1].cost.order(weights), item[0]))
        return best

    def _cost(self, layout: LinearLayout, transactions: float) -> copy_costs.CopyCost:
        registers = copy_costs.fragment_registers(layout, self.shared.element_bits)
        return copy_costs.CopyCost(transactions, None, self.live * registers)

    def _by_matrices(self, layout: LinearLayout) -> Iterator[tuple[int, Candidate]]:
        """The matrix accesses that fit a layout, each with its number of instructions."""
        kind = CopyKind.LOAD_MATRIX if self.is_load else CopyKind.STORE_MATRIX
        for mode, transposed in (("m88", False), ("mt88", True)):
            access = matrix_access(layout, self.shared.address_map(), transposed=transposed)
            if access is None:
                continue
            name = f"{kind.value}_{mode}_x{1 << len(access.matrices)}"
            if not COPY_ATOMS[name].is_available(self.target):
                continue
            transactions = copy_costs.TRANSACTIONS_PER_WAVEFRONT * access.wavefronts * layout.warps
            cost = self._cost(layout, transactions / copy_costs.tile_rows(layout.shape))
            size = MAX_VECTOR_BYTES
            yield (
                access.instructions,
                Candidate(name, layout, Family.DOT_OPERAND, cost, name, None, size, self.shared),
            )

    def _by_vectors(self, layout: LinearLayout) -> Iterator[tuple[int, Candidate]]:
        """The widest plain access that fits a layout, with its number of instructions."""
        addresses = self.shared.address_map()
        try:
            access = vector_access(layout, addresses)
            size = access.vector_bytes
            transactions = copy_costs.vector_transactions(layout, addresses, size)
        except LayoutError:
            return
        name = (LOAD_ATOMS if self.is_load else STORE_ATOMS)[Memory.SHARED][size]
        cost = self._cost(layout, transactions)
        yield (
            access.instructions,
            Candidate(name, layout, Family.BLOCKED, cost, name, None, size, self.shared),
        )


@dataclass(frozen=True)
class TensorMemoryUse(TileUse):
    """A load or store of tensor memory, by tcgen05.ld and .st."""

    shape: tuple[int, int]
    element_bits: int
    is_load: bool
    warps: int

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The registers that each shape of the access fills."""
        kind = CopyKind.LOAD_TENSOR_MEMORY if self.is_load else CopyKind.STORE_TENSOR_MEMORY
        rows, _ = self.shape
        found: list[Candidate] = []
        for access in AccessShape:
            try:
                tile = tensor_memory_accumulator(self.shape)
                layout = tensor_memory_registers(tile, access, max(1, self.warps // 4))
            except LayoutError:
                continue
            per_access = COPY_ATOMS[f"{kind.value}_{access.value}_x1"]
            words = max(1, layout.registers * 4 // per_access.vector_bytes)
            repeat = next(
                count
                for count in (128, 64, 32, 16, 8, 4, 2, 1)
                if count <= words and f"{kind.value}_{access.value}_x{count}" in COPY_ATOMS
            )
            name = f"{kind.value}_{access.value}_x{repeat}"
            cost = copy_costs.CopyCost(
                cycles=copy_costs.tensor_memory_cycles(self.shape, rows, COPY_ATOMS[name]),
                registers=copy_costs.fragment_registers(layout, 32),
            )
            found.append(Candidate(name, layout, Family.LINEAR, cost, name))
        return tuple(found)

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        matching = (candidate for candidate in self.own if candidate.layout == layout)
        return next(matching, "no shape of tcgen05.ld or .st fills these registers")


MOST_OF_OPERAND = 128
"""Registers of a thread that A or B of multiply-adds may take: half of all."""
SPILLED = 32
"""The weight of a register above that number: it is spilled to local memory."""


@dataclass(frozen=True)
class OperandUse(TileUse):
    """A tile that an op takes or returns only in certain layouts, such as an operand of a dot."""

    name: str
    accepted: tuple[TileLayout, ...]
    element_bits: int
    axis: Axis | None = None
    family: Family = Family.DOT_OPERAND
    from_memory: bool = False
    """Whether each use may load the registers from shared memory again, as by ldmatrix."""
    live: float = 1.0
    """The fraction of the tile that is in registers at once."""
    step: float = 1.0
    """The fraction for multiply-adds that load the tile from shared memory."""

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The layouts that the hardware takes."""
        return tuple(self._candidate(layout) for layout in self.accepted)

    def _candidate(self, layout: TileLayout) -> Candidate:
        if isinstance(layout, SharedLayout):
            return Candidate(self.name, layout, Family.SHARED, copy_costs.FREE, None, self.axis, 16)
        registers = self.live * copy_costs.fragment_registers(layout, self.element_bits)
        if self.step < 1.0:
            registers += SPILLED * max(0.0, registers - MOST_OF_OPERAND)
        return Candidate(
            self.name,
            layout,
            self.family,
            copy_costs.CopyCost(registers=registers),
            None,
            self.axis,
        )

    def from_memory_cost(self, candidate: Candidate) -> copy_costs.CopyCost:
        """Only one step along K of an operand of multiply-adds is in registers at a time."""
        if self.step == 1.0 or not isinstance(candidate.layout, LinearLayout):
            return candidate.cost
        registers = copy_costs.fragment_registers(candidate.layout, self.element_bits)
        return copy_costs.CopyCost(registers=self.step * registers)

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if layout in self.accepted:
            return self._candidate(layout)
        return "the product takes this operand in another layout"


@dataclass(frozen=True)
class ConversionUse(TileUse):
    """The source or the result of a `convert_layout` that states its layout.

    The op changes layouts itself, so that no other op has to.
    """

    given: TileLayout
    element_bits: int
    is_source: bool

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The stated layout."""
        candidate = self.in_layout(self.given)
        return (candidate,) if isinstance(candidate, Candidate) else ()

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if not self.is_source and type(layout) is not type(self.given):
            return "the conversion was asked to give the tile in another memory"
        try:
            cost = copy_costs.conversion_cost(layout, self.given, self.element_bits)
        except LayoutError as error:
            return str(error)
        if isinstance(layout, LinearLayout):
            cost += copy_costs.CopyCost(
                registers=copy_costs.fragment_registers(layout, self.element_bits)
            )
            return Candidate("convert_layout", layout, Family.LINEAR, cost)
        return Candidate("convert_layout", layout, Family.SHARED, cost)


@dataclass(frozen=True)
class ReductionUse(TileUse):
    """A combination of all elements along a dimension; every layout has a cost."""

    axis: int
    element_bits: int

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            return "combines its elements in registers"
        return Candidate("reduce", layout, Family.LINEAR, reduction_cost(layout, self.axis))


def along(layout: LinearLayout, bases: Sequence[int], axis: int) -> list[int]:
    """The coordinates along one dimension of the elements at bases."""
    return [element_coordinate(base, layout.shape)[axis] for base in bases]


@lru_cache(maxsize=1024)
def reduction_cost(layout: LinearLayout, axis: int) -> copy_costs.CopyCost:
    """Shuffles between lanes, and a round trip through shared memory between warps.

    Elements in the registers of one thread are combined first.
    """
    kept = [base for base in layout.register if not any(along(layout, [base], axis))]
    results = 1 << len(kept)
    wavefronts = results * sum(1 for base in along(layout, layout.lane, axis) if base)
    if any(along(layout, layout.warp, axis)):
        wavefronts += 2 * results
    rows = copy_costs.tile_rows(layout.shape)
    return copy_costs.CopyCost(
        copy_costs.TRANSACTIONS_PER_WAVEFRONT * wavefronts * layout.warps / rows
    )


@lru_cache(maxsize=1024)
def scan_cost(layout: LinearLayout, axis: int, element_bits: int) -> copy_costs.CopyCost:
    """Shuffles between lanes, one for each word, and a round trip through shared memory between
    warps.

    Lanes compute prefixes in steps of shuffles; one more shuffle fetches the total of earlier
    lanes.
    """
    kept = [base for base in layout.register if not any(along(layout, [base], axis))]
    lanes = sum(1 for base in along(layout, layout.lane, axis) if base)
    wavefronts = lanes + (lanes > 0)
    if any(along(layout, layout.warp, axis)):
        wavefronts += 2
    moved = (1 << len(kept)) * wavefronts * element_bits / copy_costs.WORD_BITS
    rows = copy_costs.tile_rows(layout.shape)
    return copy_costs.CopyCost(copy_costs.TRANSACTIONS_PER_WAVEFRONT * moved * layout.warps / rows)


@dataclass(frozen=True)
class ScanUse(TileUse):
    """All intermediate combinations along a dimension.

    Threads combine their elements, then lanes, then warps. Neighbours along the dimension are in
    registers first, further apart in lanes, and furthest apart in warps.
    """

    shape: tuple[int, ...]
    axis: int
    element_bits: int
    """The size of one element of all operands together."""
    warps: int

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The layout of vectors along the dimension that fill the registers of a thread."""
        candidate = self.in_layout(own_scan_layout(self.shape, self.axis, self.warps))
        return (candidate,) if isinstance(candidate, Candidate) else ()

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            return "combines its elements in registers"
        if not is_scannable(layout, self.axis):
            return "neighbours along the scanned dimension are further apart than others"
        cost = scan_cost(layout, self.axis, self.element_bits)
        return Candidate("scan", layout, Family.BLOCKED, cost)
