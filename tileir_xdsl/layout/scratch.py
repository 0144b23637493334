"""Moving a tile between two layouts through shared memory.

The scratch layout may be any bijection between elements and addresses. A few candidates keep
different elements contiguous, so that wide vectors, stmatrix or ldmatrix fit. The rest of each
layout is chosen so that neither stores nor loads have bank conflicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import (
    MAX_VECTOR_BYTES,
    ROW_BYTES,
    MatrixAccess,
    VectorAccess,
    matrix_access,
    phase_bits,
    phase_count,
    vector_access,
)
from tileir_xdsl.layout.cute import LayoutError, bit_count
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import AddressMap

BYTE_BITS = 8


class AccessKind(StrEnum):
    """The instructions that move a tile between registers and shared memory."""

    VECTORS = "vectors"
    MATRICES = "matrices"
    """`ldmatrix` or `stmatrix`."""
    TRANSPOSED_MATRICES = "transposed_matrices"


@dataclass(frozen=True)
class SharedMemoryPlan:
    """A plan that stores all elements, synchronises, and loads all elements.

    The scratch buffer must not be in use when the stores begin. Each block has its own scratch
    buffer. Elements of less than a byte are packed if in both layouts one thread holds all parts of
    a byte. Otherwise they occupy a byte each: see ``addresses.element_bits``.
    """

    addresses: AddressMap
    store: VectorAccess | MatrixAccess
    load: VectorAccess | MatrixAccess
    idle_warps: int
    """Warps with a bit of this mask hold copies and store nothing."""
    crosses_warps: bool
    """Whether a barrier of the block, not only of the warp, is needed between stores and loads."""
    cost: int
    """Per warp: the sum of wavefronts, loads, stores, and permutes that repack registers."""

    @property
    def idle_lanes(self) -> int:
        """Lanes with a bit of this mask hold copies and store nothing; stmatrix needs all lanes."""
        return self.store.idle_lanes if isinstance(self.store, VectorAccess) else 0


@dataclass(frozen=True)
class _RowAccess:
    """The estimated stores or loads of a shared layout that keeps a row contiguous."""

    phase: tuple[int, ...]
    """The bases of the layout that differ inside one phase of the accesses."""
    cost: int
    """The cost without bank conflicts, as in ``SharedMemoryPlan``."""


def plan_shared_memory(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool,
    crosses_warps: bool,
) -> SharedMemoryPlan:
    """Stores and loads of the cheapest shared layout that keeps a candidate row contiguous.

    Candidates are tried in the order of their cost without bank conflicts, until no other can be
    cheaper.
    """
    outside = f2.independent(source.block, (*source.register, *source.thread_bases()))
    idle = source.replicated_lanes
    candidates: list[tuple[list[int], _RowAccess, _RowAccess]] = []
    for row in _candidate_rows(source, target, element_bits, stmatrix=stmatrix):
        store = _row_access(source, row, element_bits, matrices=stmatrix, idle_lanes=idle)
        load = _row_access(target, row, element_bits, matrices=True)
        candidates.append((row, store, load))
    candidates.sort(key=lambda candidate: candidate[1].cost + candidate[2].cost)
    plans: list[SharedMemoryPlan] = []
    for row, stored, loaded in candidates:
        if any(plan.cost <= stored.cost + loaded.cost for plan in plans):
            break
        addresses = staging_layout(
            source.size, row, stored.phase, loaded.phase, element_bits, outside
        )
        try:
            store, store_cost = _cheapest_access(
                source, addresses, matrices=stmatrix, idle_lanes=idle
            )
            load, load_cost = _cheapest_access(target, addresses, matrices=True)
        except LayoutError:
            # Some thread would reach only a part of packed elements of less than a byte.
            continue
        plan = SharedMemoryPlan(
            addresses=addresses,
            store=store,
            load=load,
            # Without a barrier of the block a warp sees no other warp's stores.
            idle_warps=source.replicated_warps if crosses_warps else 0,
            crosses_warps=crosses_warps,
            cost=store_cost + load_cost,
        )
        plans.append(plan)
    if not plans:
        return plan_shared_memory(
            source, target, BYTE_BITS, stmatrix=stmatrix, crosses_warps=crosses_warps
        )
    return min(plans, key=lambda plan: plan.cost)


@lru_cache(maxsize=1024)
def staging_accesses(
    layout: LinearLayout, addresses: AddressMap, *, is_store: bool
) -> Mapping[AccessKind, tuple[VectorAccess | MatrixAccess, int]]:
    """The possible stores of a tile to a given layout, or loads from it, and their costs.

    Costs are per warp: wavefronts, instructions, and permutes that repack registers.

    Raises:
        LayoutError: elements have no accesses of whole bytes there.
    """
    idle = layout.replicated_lanes if is_store else 0
    found: dict[AccessKind, VectorAccess | MatrixAccess | None] = {
        AccessKind.VECTORS: vector_access(layout, addresses, idle_lanes=idle),
        AccessKind.MATRICES: matrix_access(layout, addresses, transposed=False),
        AccessKind.TRANSPOSED_MATRICES: matrix_access(layout, addresses, transposed=True),
    }
    bits = addresses.element_bits
    return {
        kind: (access, _cost(access, layout, bits))
        for kind, access in found.items()
        if access is not None
    }


def staging_plan(
    layout: LinearLayout, addresses: AddressMap, kind: AccessKind = AccessKind.VECTORS
) -> SharedMemoryPlan:
    """The plan by which all warps store a tile to a given layout, or load it from there.

    Raises:
        LayoutError: elements have no accesses of whole bytes there, or none of this kind.
    """
    stores = staging_accesses(layout, addresses, is_store=True)
    loads = staging_accesses(layout, addresses, is_store=False)
    if kind not in stores or kind not in loads:
        raise LayoutError(f"cannot access this layout by {kind.replace('_', ' ')}")
    (store, store_cost), (load, load_cost) = stores[kind], loads[kind]
    return SharedMemoryPlan(
        addresses=addresses,
        store=store,
        load=load,
        idle_warps=layout.replicated_warps,
        crosses_warps=True,
        cost=store_cost + load_cost,
    )


def _candidate_rows(
    source: LinearLayout, target: LinearLayout, element_bits: int, *, stmatrix: bool
) -> list[list[int]]:
    """Element bits to keep contiguous in shared memory, lowest first: up to 16 bytes each.

    If elements have less than a byte, a thread must hold all parts of a byte in both layouts.
    """
    longest = bit_count(8 * MAX_VECTOR_BYTES // element_bits)
    held_by_both = [base for base in target.register if base in source.register]
    rows = [
        f2.independent(bases)[:longest]
        for bases in (
            target.register,
            source.register,
            held_by_both,
            *(
                _first(side.register, bases)
                for side, other in ((target, source), (source, target))
                for bases in ((*other.register, *other.lane), other.lane)
            ),
        )
    ]
    for side, other, usable in ((source, target, stmatrix), (target, source, True)):
        if usable:
            # The other side must at least have the first two elements of the row adjacent.
            rows += [row for row in _matrix_rows(side, element_bits) if row[0] in other.register]
    parts = bit_count(max(1, BYTE_BITS // element_bits))
    return [
        row
        for index, row in enumerate(rows)
        if row not in rows[:index]
        and len(row) >= parts
        and all(base in held_by_both for base in row[:parts])
    ]


def _first(bases: Sequence[int], preferred: Sequence[int]) -> list[int]:
    """The bases, with the preferred ones first in their order.

    Preferred bases in registers of the other layout make its vectors wide. Preferred bases in its
    lanes let the lanes access adjacent words, and so fewer rows.
    """
    common = [base for base in preferred if base in bases]
    return [*common, *(base for base in bases if base not in common)]


def _matrix_rows(layout: LinearLayout, element_bits: int) -> Iterator[list[int]]:
    """The 16-byte rows that ldmatrix and stmatrix would move for a layout, plain and transposed."""
    if len(layout.lane) != 5 or element_bits > 32:
        return
    word = layout.register[: bit_count(32 // element_bits)]
    plain = [*word, *layout.lane[:2]]
    rows = [plain, list(layout.lane[2:])] if element_bits == 16 else [plain]
    for row in rows:
        if len(row) == bit_count(8 * ROW_BYTES // element_bits) and f2.rank(row) == len(row):
            yield row


def _row_access(
    layout: LinearLayout, row: list[int], element_bits: int, *, matrices: bool, idle_lanes: int = 0
) -> _RowAccess:
    """The accesses for a contiguous row, with their cost assuming no bank conflicts."""
    held = sum(1 for base in layout.register if base)
    if matrices and row in _matrix_rows(layout, element_bits):
        transposed = row == list(layout.lane[2:])
        phase = layout.register[:1] + layout.lane[:2] if transposed else layout.lane[2:]
        words = max(1, (element_bits << held) // 32)
        return _RowAccess(phase, words + max(1, words // 4))
    width = 0
    while width < len(row) and row[width] in layout.register:
        width += 1
    instructions = 1 << (held - width)
    vector_bytes = (element_bits << width) // 8
    served = phase_bits(vector_bytes)
    wavefronts = instructions * phase_count(len(layout.lane), vector_bytes, idle_lanes)
    vector = tuple(layout.register.index(base) for base in row[:width])
    repacked = _repacked_words(vector, layout, element_bits)
    return _RowAccess(layout.lane[:served], wavefronts + instructions + repacked)


def staging_layout(
    size: int,
    row: Sequence[int],
    stored_phase: Sequence[int],
    loaded_phase: Sequence[int],
    element_bits: int,
    outside: Sequence[int] = (),
) -> AddressMap:
    """The layout that keeps ``row`` contiguous and spreads the phases of both sides over the banks.

    Stores and loads that access whole rows have no bank conflicts.

    Args:
        size: elements of the tile, a power of two.
        row: the bases to keep contiguous, lowest first, at most 16 bytes.
        stored_phase: the bases in which the lanes of one phase of the stores differ.
        loaded_phase: the same for the loads.
        element_bits: bits per element.
        outside: the bases of elements of other blocks, which get no addresses.

    Modulo the row, each base of the stores' phases addresses its own bank bit, so stores do not
    conflict. Each base in the loads' phases alone addresses the bank bit of one in the stores'
    phases alone, so loads do not conflict.
    """
    loaded = f2.independent(loaded_phase, row)
    span = f2.Span([*row, *loaded])
    known = len(row) + len(loaded)
    common: list[int] = []
    only_stored: list[int] = []
    for base in f2.independent(stored_phase, row):
        remainder, combination = span.reduce(base)
        if remainder:
            span.add(base)
            only_stored.append(base)
        else:
            common.append(base ^ f2.apply(only_stored, combination >> known))
    only_loaded = f2.independent(loaded, [*row, *common])
    shorter = min(len(only_stored), len(only_loaded))
    paired = [a ^ b for a, b in zip(only_stored, only_loaded, strict=False)]
    apart = [*only_stored, *only_loaded[shorter:]]
    bits = bit_count(size)
    inside = [*row, *common, *apart, *paired]
    inside += f2.independent(f2.unit_vectors(bits), [*inside, *outside])
    mask = (1 << len(inside)) - 1
    bases = tuple(element_bits * (base & mask) for base in f2.invert([*inside, *outside], bits))
    return AddressMap(bases, element_bits)


def _cheapest_access(
    layout: LinearLayout, addresses: AddressMap, *, matrices: bool, idle_lanes: int = 0
) -> tuple[VectorAccess | MatrixAccess, int]:
    """The cheaper of vector accesses and matrix accesses (ldmatrix, stmatrix), with its cost."""
    accesses: list[VectorAccess | MatrixAccess] = [
        vector_access(layout, addresses, idle_lanes=idle_lanes)
    ]
    if matrices:
        for transposed in (False, True):
            access = matrix_access(layout, addresses, transposed=transposed)
            if access is not None:
                accesses.append(access)
    costs = [_cost(access, layout, addresses.element_bits) for access in accesses]
    cheapest = costs.index(min(costs))
    return accesses[cheapest], costs[cheapest]


def _cost(access: VectorAccess | MatrixAccess, layout: LinearLayout, element_bits: int) -> int:
    vector = access.vector if isinstance(access, VectorAccess) else access.word
    repacked = _repacked_words(vector, layout, element_bits)
    return access.wavefronts + access.instructions + repacked


def _repacked_words(vector: Sequence[int], layout: LinearLayout, element_bits: int) -> int:
    """The 32-bit words to permute if a vector is not the lowest register bits in order."""
    word_bits = bit_count(max(1, 32 // element_bits))
    if all(bit == position for position, bit in enumerate(vector[:word_bits])):
        return 0
    return max(1, layout.registers >> word_bits)
