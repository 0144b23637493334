"""Costs of copying a tile: the terms that layouts are chosen by, as functions.

A cost has four terms. Transactions move 32 bytes. Transactions and cycles are counted *per tile
row*: the total over the tile divided by the product of all extents but the last. Registers are
32-bit words per thread.

- shared memory: a wavefront of 128 bytes is four transactions, full or not, so that a bank conflict
  of n lanes counts n times. TMA moves up to 128 bytes of a box row in one transaction;
- tensor memory: cycles, each of which serves one 32-bit column of the 32 lanes of every warp;
- registers: the fragment that the copy fills or empties; nothing where the tile stays in memory;
- global memory: the 32-byte sectors that each instruction of a warp touches, and the instructions.

No term depends on the constructor of a layout. Source: the TileAS layout notes, "Three-Layer Cost
Model"; PTX ISA for the shapes of the atoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import PHASE_BYTES, ROW_BYTES, matrix_access, vector_access
from tileir_xdsl.layout.banks import wavefronts as wavefronts_of
from tileir_xdsl.layout.conversion import RenamePlan, plan_conversion
from tileir_xdsl.layout.cute import bit_count, product
from tileir_xdsl.layout.linear import LinearLayout, dimension_bases
from tileir_xdsl.layout.shared import AddressMap, SharedLayout, TMABoxes
from tileir_xdsl.layout.shuffles import ShufflePlan
from tileir_xdsl.targets.atoms import CopyAtom
from tileir_xdsl.targets.target import CostWeights

TRANSACTION_BYTES = 32
TRANSACTIONS_PER_WAVEFRONT = PHASE_BYTES // TRANSACTION_BYTES
MATRIX_ROWS = 8
"""Rows of one matrix of ldmatrix and stmatrix."""
TENSOR_MEMORY_LANES = 32
"""Lanes of tensor memory that one warp reaches."""
WORD_BITS = 32
# Without it, attention on sm_80 takes 2356 instructions, not 2142 (docs/performance.md).
MEETING_WAVEFRONTS = 256
"""The cost, in wavefronts, of an exchange between warps through shared memory, which is idle during
the two barriers.
"""


@dataclass(frozen=True)
class CopyCost:
    """The terms of one copy, or the sum over several."""

    transactions: float = 0.0
    """Transactions of shared memory, per tile row."""
    cycles: float | None = None
    """Cycles of tensor memory, per tile row; None where the copy does not touch it."""
    registers: float = 0.0
    """Live 32-bit registers per thread."""
    sectors: float = 0.0
    """Sectors of global memory, and the instructions that access them, per tile row."""

    def __add__(self, other: CopyCost) -> CopyCost:
        cycles = [cost.cycles for cost in (self, other) if cost.cycles is not None]
        return CopyCost(
            self.transactions + other.transactions,
            sum(cycles) if cycles else None,
            self.registers + other.registers,
            self.sectors + other.sectors,
        )

    def repeated(self, count: int) -> CopyCost:
        """The cost of so many copies one after the other, which use the same registers."""
        cycles = None if self.cycles is None else count * self.cycles
        return CopyCost(count * self.transactions, cycles, self.registers, count * self.sectors)

    def sharing_registers(self, other: CopyCost) -> CopyCost:
        """The sum over two copies of one tile, whose registers are live once."""
        total = self + other
        return replace(total, registers=max(self.registers, other.registers))

    def score(self, weights: CostWeights) -> float:
        """The weighted sum of the terms."""
        return (
            weights.shared_memory * self.transactions
            + weights.tensor_memory * (self.cycles or 0.0)
            + weights.registers * self.registers
            + weights.global_memory * self.sectors
        )

    def order(self, weights: CostWeights) -> tuple[float, float, float]:
        """The order of candidates: by the score, then registers, then transactions."""
        return (round(self.score(weights), 6), self.registers, self.transactions)


FREE = CopyCost()


def tile_rows(shape: Sequence[int]) -> int:
    """The rows of a tile: all its dimensions but the last."""
    return product(tuple(shape[:-1]))


def live_registers(
    shape: Sequence[int], element_bits: int, threads: int, expansion: int = 1
) -> float:
    """32-bit registers per thread of a tile that the threads share without copies."""
    return max(1.0, product(tuple(shape)) * element_bits * expansion / WORD_BITS / threads)


def fragment_registers(layout: LinearLayout, element_bits: int) -> float:
    """32-bit registers per thread of a tile in this layout, copies included."""
    return max(1.0, layout.registers * element_bits / WORD_BITS)


def matrix_transactions(shape: Sequence[int], atom: CopyAtom, addresses: AddressMap) -> float:
    """Shared-memory transactions per tile row of ldmatrix or stmatrix.

    A matrix has 8 rows of 16 bytes, and one lane holds the address of each row. The wavefronts of a
    matrix depend on the banks of 8 neighbouring rows of the tile (columns, if the atom transposes).
    An atom that expands elements reads as many elements per row as its shape states.
    """
    bits = addresses.element_bits
    elements = atom.shape[1] if atom.expansion > 1 else 8 * ROW_BYTES // bits
    matrices = product(tuple(shape)) / (MATRIX_ROWS * elements)
    along = len(shape) - (1 if atom.transposed else 2)
    rows = dimension_bases(shape, along)[: bit_count(MATRIX_ROWS)]
    offsets = [f2.apply(addresses.bases, row) // 8 for row in rows]
    conflicts = wavefronts_of(offsets, ROW_BYTES)
    return TRANSACTIONS_PER_WAVEFRONT * matrices * conflicts / tile_rows(shape)


def vector_transactions(layout: LinearLayout, addresses: AddressMap, vector_bytes: int) -> float:
    """Shared-memory transactions per tile row of ld.shared or st.shared of this width.

    Raises:
        LayoutError: the layout has no accesses of whole bytes in this image.
    """
    access = vector_access(layout, addresses, vector_bytes)
    total = access.wavefronts * layout.warps
    return TRANSACTIONS_PER_WAVEFRONT * total / tile_rows(layout.shape)


def bulk_transactions(boxes: TMABoxes) -> float:
    """Shared-memory transactions per tile row of TMA: one for up to 128 bytes of a box row."""
    shared_layout = boxes.shared
    row_bytes = boxes.box[boxes.order[0]] * shared_layout.element_bits // 8
    row_transactions = -(-row_bytes // PHASE_BYTES)
    rows = product(shared_layout.shape) // boxes.box[boxes.order[0]]
    return rows * row_transactions / tile_rows(shared_layout.shape)


def tensor_memory_cycles(shape: Sequence[int], rows: int, atom: CopyAtom) -> float:
    """Tensor-memory cycles per tile row of tcgen05.ld or .st.

    `rows` of the tile are spread over the lanes of four warps. Each warp accesses its columns one
    by one, once for each group of lanes that the atom covers.
    """
    lanes, _ = atom.shape
    occupied = min(TENSOR_MEMORY_LANES, rows // 4)
    passes = -(-occupied // lanes)
    columns = product(tuple(shape)) // rows
    return passes * columns / tile_rows(shape)


@dataclass(frozen=True)
class ContiguousRun:
    """Where global memory is contiguous: `elements` neighbours along one dimension of a tile.

    Elements outside of a run are in other sectors.
    """

    dimension: int
    elements: int


@lru_cache(maxsize=1024)
def global_sectors(
    layout: LinearLayout, element_bytes: int, vector: int, run: ContiguousRun
) -> float:
    """Sectors of global memory that the instructions of all warps touch, plus instructions.

    Both numbers are per tile row. A sector has 32 aligned bytes; lanes that ask for one sector
    share it.
    """
    sectors: list[int] = []
    length = max(1, min(run.elements, layout.shape[run.dimension]))
    neighbours = dimension_bases(layout.shape, run.dimension)[: bit_count(length)]
    address = {base: element_bytes << bit for bit, base in enumerate(neighbours)}
    outside = length * element_bytes * TRANSACTION_BYTES
    for bit in range(bit_count(layout.size)):
        if 1 << bit not in address:
            address[1 << bit] = outside
            outside *= 2
    for base in (*layout.register[: bit_count(vector)], *layout.lane):
        position = sum(position for bit, position in address.items() if base & bit)
        sectors.append(position // TRANSACTION_BYTES)
    instructions = layout.registers // vector * layout.warps
    return instructions * ((1 << f2.rank(sectors)) + 1) / tile_rows(layout.shape)


def conversion_cost(
    source: LinearLayout | SharedLayout, target: LinearLayout | SharedLayout, element_bits: int
) -> CopyCost:
    """The cost of converting a tile from one layout to another, in any memories.

    Raises:
        LayoutError: there is no way.
    """
    if source == target:
        return FREE
    return CopyCost(transactions=_conversion_transactions(source, target, element_bits))


@lru_cache(maxsize=4096)
def _conversion_transactions(
    source: LinearLayout | SharedLayout, target: LinearLayout | SharedLayout, element_bits: int
) -> float:
    match source, target:
        case LinearLayout(), LinearLayout():
            return _register_transactions(source, target, element_bits)
        case LinearLayout() as layout, SharedLayout() as shared_layout:
            return shared_transactions(layout, shared_layout)
        case SharedLayout() as shared_layout, LinearLayout() as layout:
            return shared_transactions(layout, shared_layout)
        case SharedLayout(), _:
            # Read and written once, without conflicts.
            tile_bytes = product(source.shape) * element_bits // 8
            return 2 * tile_bytes / TRANSACTION_BYTES / tile_rows(source.shape)


def shared_transactions(layout: LinearLayout, shared_layout: SharedLayout) -> float:
    """The cheapest plain or matrix access between registers and a buffer, per tile row."""
    addresses = shared_layout.address_map()
    best = vector_access(layout, addresses).wavefronts
    for transposed in (False, True):
        matrices = matrix_access(layout, addresses, transposed=transposed)
        if matrices is not None:
            best = min(best, matrices.wavefronts)
    return TRANSACTIONS_PER_WAVEFRONT * best * layout.warps / tile_rows(layout.shape)


def _register_transactions(source: LinearLayout, target: LinearLayout, element_bits: int) -> float:
    plan = plan_conversion(source, target, element_bits)
    match plan:
        case RenamePlan():
            wavefronts = 0
        case ShufflePlan():
            # A shuffle moves a word of each lane, as a wavefront does.
            wavefronts = plan.shuffles
        case _:
            wavefronts = plan.store.wavefronts + plan.load.wavefronts
    return TRANSACTIONS_PER_WAVEFRONT * wavefronts * target.warps / tile_rows(target.shape)
