"""What ops want of the layouts of their tiles: accesses, dots, reductions and scans.

A use proposes candidates of its own and says which candidate it has in a layout that others want.
It is plain data without IR, so that ops that want the same are read once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tileir_xdsl.analysis.access.access_width import AccessedAddresses
from tileir_xdsl.analysis.access.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.access.copy_costs import (
    FREE,
    TRANSACTION_BYTES,
    TRANSACTIONS_PER_WAVEFRONT,
    WORD_BITS,
    ContiguousRun,
    CopyCost,
    bulk_transactions,
    conversion_cost,
    fragment_registers,
    global_sectors,
    live_registers,
    matrix_transactions,
    shared_transactions,
    tensor_memory_cycles,
    tile_rows,
    vector_transactions,
)
from tileir_xdsl.analysis.layouts.candidates import Candidate, Family, Pruned, TileLayout, TileUse
from tileir_xdsl.analysis.layouts.dot_layouts import Axis
from tileir_xdsl.analysis.layouts.exchanges import is_scannable, own_scan_layout
from tileir_xdsl.layout.banks import MAX_VECTOR_BYTES, matrix_access, vector_access
from tileir_xdsl.layout.constructors import blocked, fastest_first
from tileir_xdsl.layout.cute import NO_SWIZZLE, LayoutError, product
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases, element_coordinate
from tileir_xdsl.layout.shared import (
    MAX_BOX_RANK,
    SharedLayout,
    TMABoxes,
    shared,
    tma_boxes,
    widest_swizzle,
)
from tileir_xdsl.layout.tensor_memory import (
    AccessShape,
    tensor_memory_accumulator,
    tensor_memory_registers,
)
from tileir_xdsl.targets.atoms import COPY_ATOMS, CopyKind, Memory
from tileir_xdsl.targets.target import Target

POINTER_BITS = 64
LANES = 32

ASYNC_COPY_ATOM = "ldgsts_128"
"""The widest copy from global to shared memory that threads make."""


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
    """What a TMA transfer of a tile would be."""

    boxes: TMABoxes | None
    problem: str
    """Why there is none; empty if there is one."""


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
    """False for atomic accesses, which take element by element."""
    async_copies: bool = False
    """Whether threads can copy it to shared memory, 16 bytes at once, without registers."""

    @property
    def _atoms(self) -> dict[int, str]:
        atoms = (LOAD_ATOMS if self.is_load else STORE_ATOMS)[Memory.GLOBAL]
        return {size: name for size, name in atoms.items() if size <= MAX_VECTOR_BYTES}

    @property
    def _widest(self) -> int:
        return self.addresses.width.elements if self.vectors else 1

    @property
    def takes_box(self) -> bool:
        """Whether the access goes by TMA whatever the layout."""
        return self.prefer_tma and self.box.boxes is not None

    @property
    def _widest_in_full_warps(self) -> int:
        """Wider vectors leave lanes of a warp with copies, which cost as much to compute."""
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
        """Blocked layouts of the widths that do not fill a warp."""
        return tuple(self._blocked(self._widest, 2 * self._widest_in_full_warps))

    def _blocked(self, widest: int, narrowest: int) -> list[Candidate]:
        """Blocked layouts of vectors of so many elements, the widest first."""
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
        """How the tile is laid out in shared memory if nobody else wants it otherwise."""
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
        if self.takes_box:
            found += (
                Pruned(name, "TMA is preferred")
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
        return self._by_threads(layout)

    def _by_threads(self, layout: LinearLayout) -> Candidate:
        """Vectors of as many elements as the layout has side by side."""
        width = min(self._widest, vector_along(layout, self.addresses.dimension))
        size = self.addresses.element_bytes
        registers = fragment_registers(layout, self.element_bits)
        # Each element has an address of its own in registers.
        if self.through_pointers:
            registers += fragment_registers(layout, POINTER_BITS)
        run = ContiguousRun(self.addresses.dimension, max(1, self.addresses.run))
        cost = CopyCost(registers=registers, sectors=global_sectors(layout, size, width, run))
        atom = self._atoms.get(width * size) if self.vectors else None
        name = atom or f"atom_{8 * size}"
        return Candidate(name, layout, Family.BLOCKED, cost, atom, None, width * size)

    def _in_memory(self, shared: SharedLayout) -> Candidate | str:
        boxes = self.box.boxes
        if boxes is not None and shared == boxes.shared:
            cost = CopyCost(transactions=bulk_transactions(boxes))
            return self._to_shared_layout(self._box_atom, shared, cost)
        if self.async_copies and has_chunks(shared, self.addresses.dimension):
            return self._to_shared_layout(ASYNC_COPY_ATOM, shared, self._async_copy_cost())
        if boxes is None:
            return self.box.problem or "takes its tile in registers"
        return "TMA writes another shared layout"

    def _to_shared_layout(self, atom: str, shared: SharedLayout, cost: CopyCost) -> Candidate:
        alignment = COPY_ATOMS[atom].alignment
        return Candidate(atom, shared, Family.SHARED, cost, atom, None, alignment, shared)

    def _async_copy_cost(self) -> CopyCost:
        """Each thread writes what it asks for, 16 bytes at once and without conflicts."""
        shape, dimension = self.addresses.shape, self.addresses.dimension
        width = MAX_VECTOR_BYTES // self.addresses.element_bytes
        order = fastest_first(len(shape), dimension)
        layout = blocked(shape, width, self.warps, order=order)
        run = ContiguousRun(dimension, max(1, self.addresses.run))
        written = (
            product(shape) * self.addresses.element_bytes / TRANSACTION_BYTES / tile_rows(shape)
        )
        return CopyCost(
            transactions=written,
            sectors=global_sectors(layout, self.addresses.element_bytes, width, run),
        )

    def _through_memory(self, layout: LinearLayout) -> Candidate | str:
        """TMA to or from shared memory, and plain or matrix accesses on the side of the threads."""
        boxes = self.box.boxes
        assert boxes is not None
        try:
            threads = shared_transactions(layout, boxes.shared)
        except LayoutError as error:
            return str(error)
        cost = CopyCost(
            bulk_transactions(boxes) + threads, None, fragment_registers(layout, self.element_bits)
        )
        atom = self._box_atom
        alignment = COPY_ATOMS[atom].alignment
        return Candidate(atom, layout, Family.BLOCKED, cost, atom, None, alignment, boxes.shared)


@dataclass(frozen=True)
class PointersUse(TileUse):
    """The addresses of an asynchronous copy: each thread holds those of what it copies."""

    addresses: AccessedAddresses
    warps: int

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The copies of neighbouring lanes are neighbours in memory."""
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
        run = ContiguousRun(self.addresses.dimension, max(1, self.addresses.run))
        size = self.addresses.element_bytes
        cost = CopyCost(
            # Of the elements of a copy the first one has its address in registers.
            registers=fragment_registers(layout, POINTER_BITS) / self._width,
            sectors=global_sectors(layout, size, self._width, run),
        )
        return Candidate(
            ASYNC_COPY_ATOM, layout, Family.BLOCKED, cost, None, None, MAX_VECTOR_BYTES
        )


def box_transfer(shape: Sequence[int], element_bits: int, fastest: int) -> BoxTransfer:
    """The boxes of a TMA transfer of a tile whose memory fits, swizzled as widely as possible.

    `fastest` is the dimension whose elements are next to each other in memory. A single row is not
    swizzled, which would cut it.
    """
    order = fastest_first(len(shape), fastest)
    is_row = shape[fastest] == product(tuple(shape))
    try:
        swizzle = NO_SWIZZLE if is_row else widest_swizzle(shape, element_bits, order)
        return BoxTransfer(tma_boxes(shape, element_bits, swizzle, order), "")
    except LayoutError as error:
        return BoxTransfer(None, str(error))


WIDENING_LOAD = "ldsm_m816_x4"
"""The matrix load that makes a byte of each packed element."""


@dataclass(frozen=True)
class SharedUse(TileUse):
    """A load or store of a buffer in shared memory, in its shared layout."""

    shared: SharedLayout
    is_load: bool
    warps: int
    target: Target
    live: float = 1.0
    """How much of the tile is in registers at once."""

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
        """What the cost model knows for a load, and the hardware cannot do for this one."""
        return (*self._expanded(), *self._boxes()) if self.is_load else ()

    def _expanded(self) -> Iterator[Pruned]:
        """Matrix loads that widen what they load."""
        shape, bits = self.shared.shape, self.shared.element_bits
        if len(shape) != 2:
            return
        atom = COPY_ATOMS[WIDENING_LOAD]
        transactions = matrix_transactions(shape, atom, self.shared.address_map())
        live = live_registers(shape, bits, LANES * self.warps, atom.expansion)
        reason = f"it widens packed elements of 4 or 6 bits, these have {bits}"
        yield Pruned(atom.name, reason, CopyCost(transactions, None, self.live * live))

    def _boxes(self) -> Iterator[Pruned]:
        """Bulk copies, which keep the tile in memory."""
        shape, bits = self.shared.shape, self.shared.element_bits
        if not 1 <= len(shape) <= MAX_BOX_RANK:
            return
        boxes = box_transfer(shape, bits, len(shape) - 1).boxes
        cost = None if boxes is None else CopyCost(bulk_transactions(boxes), 0.0, 0.0)
        reason = "it loads from global memory, the tile is in shared memory"
        yield Pruned(f"tma_load_{len(shape)}d", reason, cost)

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            if self.is_load and layout == self.shared:
                return Candidate("view", layout, Family.SHARED, FREE, shared_layout=layout)
            return "another image of the tile is in shared memory"
        found = [*self._by_vectors(layout), *self._by_matrices(layout)]
        if not found:
            return "no access of shared memory fits the layout"
        weights = self.target.cost_weights
        # Of two that cost the same the one with fewer instructions, and first the plain one.
        _, best = min(found, key=lambda item: (item[1].cost.order(weights), item[0]))
        return best

    def _cost(self, layout: LinearLayout, transactions: float) -> CopyCost:
        registers = fragment_registers(layout, self.shared.element_bits)
        return CopyCost(transactions, None, self.live * registers)

    def _by_matrices(self, layout: LinearLayout) -> Iterator[tuple[int, Candidate]]:
        """The matrix accesses that fit a layout, after the instructions that they take."""
        kind = CopyKind.LOAD_MATRIX if self.is_load else CopyKind.STORE_MATRIX
        for mode, transposed in (("m88", False), ("mt88", True)):
            access = matrix_access(layout, self.shared.address_map(), transposed=transposed)
            if access is None:
                continue
            name = f"{kind.value}_{mode}_x{1 << len(access.matrices)}"
            if not COPY_ATOMS[name].is_available(self.target):
                continue
            transactions = TRANSACTIONS_PER_WAVEFRONT * access.wavefronts * layout.warps
            cost = self._cost(layout, transactions / tile_rows(layout.shape))
            size = MAX_VECTOR_BYTES
            yield (
                access.instructions,
                Candidate(name, layout, Family.DOT_OPERAND, cost, name, None, size, self.shared),
            )

    def _by_vectors(self, layout: LinearLayout) -> Iterator[tuple[int, Candidate]]:
        """The widest plain access that fits a layout, after the instructions that it takes."""
        addresses = self.shared.address_map()
        try:
            access = vector_access(layout, addresses)
            size = access.vector_bytes
            transactions = vector_transactions(layout, addresses, size)
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
            cost = CopyCost(
                cycles=tensor_memory_cycles(self.shape, rows, COPY_ATOMS[name]),
                registers=fragment_registers(layout, 32),
            )
            found.append(Candidate(name, layout, Family.LINEAR, cost, name))
        return tuple(found)

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        matching = (candidate for candidate in self.own if candidate.layout == layout)
        return next(matching, "no shape of tcgen05.ld or .st fills these registers")


MOST_OF_OPERAND = 128
"""Registers of a thread that A or B of multiply-adds may take: half of all."""
SPILLED = 32
"""What a register beyond weighs: it is stored to local memory and loaded from there."""


@dataclass(frozen=True)
class OperandUse(TileUse):
    """A tile that an op takes or gives in certain layouts alone, such as operands of dots."""

    name: str
    accepted: tuple[TileLayout, ...]
    element_bits: int
    axis: Axis | None = None
    family: Family = Family.DOT_OPERAND
    from_memory: bool = False
    """Whether the registers can as well be read from shared memory each time, as by ldmatrix."""
    live: float = 1.0
    """How much of the tile is in registers at once."""
    step: float = 1.0
    """How much of the tile of multiply-adds is in registers at once if they read shared memory."""

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The layouts that the hardware takes."""
        return tuple(self._candidate(layout) for layout in self.accepted)

    def _candidate(self, layout: TileLayout) -> Candidate:
        if isinstance(layout, SharedLayout):
            return Candidate(self.name, layout, Family.SHARED, FREE, None, self.axis, 16)
        registers = self.live * fragment_registers(layout, self.element_bits)
        if self.step < 1.0:
            registers += SPILLED * max(0.0, registers - MOST_OF_OPERAND)
        return Candidate(
            self.name, layout, self.family, CopyCost(registers=registers), None, self.axis
        )

    def from_memory_cost(self, candidate: Candidate) -> CopyCost:
        """One step along K is in registers at a time, of an operand of multiply-adds."""
        if self.step == 1.0 or not isinstance(candidate.layout, LinearLayout):
            return candidate.cost
        registers = fragment_registers(candidate.layout, self.element_bits)
        return CopyCost(registers=self.step * registers)

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if layout in self.accepted:
            return self._candidate(layout)
        return "the product takes this operand in another layout"


@dataclass(frozen=True)
class ConversionUse(TileUse):
    """The source or the result of a `convert_layout` to a layout that is given.

    The op changes layouts itself, so that no other has to.
    """

    given: TileLayout
    element_bits: int
    is_source: bool

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """The layout that is given."""
        candidate = self.in_layout(self.given)
        return (candidate,) if isinstance(candidate, Candidate) else ()

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if not self.is_source and type(layout) is not type(self.given):
            return "the conversion was asked to give the tile in another memory"
        try:
            cost = conversion_cost(layout, self.given, self.element_bits)
        except LayoutError as error:
            return str(error)
        if isinstance(layout, LinearLayout):
            cost += CopyCost(registers=fragment_registers(layout, self.element_bits))
            return Candidate("convert_layout", layout, Family.LINEAR, cost)
        return Candidate("convert_layout", layout, Family.SHARED, cost)


@dataclass(frozen=True)
class ReductionUse(TileUse):
    """A combination of all elements along a dimension: any layout will do, at a price."""

    axis: int
    element_bits: int

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            return "combines its elements in registers"
        return Candidate("reduce", layout, Family.LINEAR, reduction_cost(layout, self.axis))


def along(layout: LinearLayout, bases: Sequence[int], axis: int) -> list[int]:
    """The positions along one dimension of the elements that bases lead to."""
    return [element_coordinate(base, layout.shape)[axis] for base in bases]


@lru_cache(maxsize=1024)
def reduction_cost(layout: LinearLayout, axis: int) -> CopyCost:
    """Shuffles between lanes, and a turn through shared memory between warps.

    What is in the registers of one thread is combined first.
    """
    kept = [base for base in layout.register if not any(along(layout, [base], axis))]
    results = 1 << len(kept)
    wavefronts = results * sum(1 for base in along(layout, layout.lane, axis) if base)
    if any(along(layout, layout.warp, axis)):
        wavefronts += 2 * results
    rows = tile_rows(layout.shape)
    return CopyCost(TRANSACTIONS_PER_WAVEFRONT * wavefronts * layout.warps / rows)


@lru_cache(maxsize=1024)
def scan_cost(layout: LinearLayout, axis: int, element_bits: int) -> CopyCost:
    """Shuffles between lanes, one for each word, and a turn through shared memory between warps.

    Lanes take their prefixes in steps, and one more for the total of the lanes before.
    """
    kept = [base for base in layout.register if not any(along(layout, [base], axis))]
    lanes = sum(1 for base in along(layout, layout.lane, axis) if base)
    wavefronts = lanes + (lanes > 0)
    if any(along(layout, layout.warp, axis)):
        wavefronts += 2
    moved = (1 << len(kept)) * wavefronts * element_bits / WORD_BITS
    rows = tile_rows(layout.shape)
    return CopyCost(TRANSACTIONS_PER_WAVEFRONT * moved * layout.warps / rows)


@dataclass(frozen=True)
class ScanUse(TileUse):
    """All intermediate combinations along a dimension.

    Threads combine what they have, then lanes, then warps: neighbours along the dimension are in
    registers first, further apart in lanes, and furthest apart in warps.
    """

    shape: tuple[int, ...]
    axis: int
    element_bits: int
    """Of all operands together."""
    warps: int

    @cached_property
    def own(self) -> tuple[Candidate, ...]:
        """Vectors along the dimension, so long that no register is left over if possible."""
        candidate = self.in_layout(own_scan_layout(self.shape, self.axis, self.warps))
        return (candidate,) if isinstance(candidate, Candidate) else ()

    def in_layout(self, layout: TileLayout) -> Candidate | str:
        if isinstance(layout, SharedLayout):
            return "combines its elements in registers"
        if not is_scannable(layout, self.axis):
            return "neighbours along the scanned dimension are further apart than others"
        cost = scan_cost(layout, self.axis, self.element_bits)
        return Candidate("scan", layout, Family.BLOCKED, cost)


def default_shared_layout(
    shape: Sequence[int], element_bits: int, order: Sequence[int] | None = None
) -> SharedLayout:
    """How a buffer is laid out whose type does not say: swizzled as widely as a row allows."""
    return shared(shape, element_bits, widest_swizzle(shape, element_bits, order), order)
