"""How to move a tile from one distributed layout to another: a plan as plain data.

In order of cost: rename registers (no instruction), shuffle inside each warp, or go through shared
memory with a scratch image that is free of bank conflicts on both sides wherever that is possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.banks import (
    MAX_VECTOR_BYTES,
    PHASE_BYTES,
    ROW_BYTES,
    WORD_BYTES,
    MatrixAccess,
    VectorAccess,
    matrix_access,
    phase_bits,
    vector_access,
)
from tileir_xdsl.layout.cute import LayoutError, bit_count
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import AddressMap

DEFAULT_MAX_SHUFFLES = 8
"""Above this many shuffles per thread a round trip through shared memory is taken instead."""


@dataclass(frozen=True)
class RenamePlan:
    """Every thread holds what it needs: target register ``i`` is source register ``sources[i]``."""

    sources: tuple[int, ...]


@dataclass(frozen=True)
class RoundMap:
    """A linear map over F2 from (round, lane, warp), one base per bit of each."""

    round: tuple[int, ...]
    lane: tuple[int, ...]
    warp: tuple[int, ...]

    def __call__(self, round_number: int, lane: int, warp: int) -> int:
        return (
            f2.apply(self.round, round_number)
            ^ f2.apply(self.lane, lane)
            ^ f2.apply(self.warp, warp)
        )


@dataclass(frozen=True)
class ShufflePlan:
    """Rounds of ``shfl.sync.idx`` between the lanes of each warp.

    The lowest ``packed`` register bits are the same in source and target: elements that differ in
    them travel together in one word. A *slot* numbers the remaining register bits. In every round
    each thread offers its source slot ``send(round, lane, warp)``, takes what lane
    ``source_lane(round, lane, warp)`` offers, and keeps it as round ``receive(round, lane, warp)``.
    Where ``send`` or ``receive`` depend on the thread, registers are exchanged by selects.
    """

    packed: int
    target_bits: tuple[int, ...]
    """The target register bit that each bit of the kept round number stands for.

    Target register bits beyond these and the packed ones hold copies.
    """
    send: RoundMap
    source_lane: RoundMap
    receive: RoundMap
    words: int
    """32-bit words, hence shuffles, per round."""

    @property
    def shuffles(self) -> int:
        """Shuffle instructions per thread."""
        return self.words << len(self.target_bits)


@dataclass(frozen=True)
class SharedMemoryPlan:
    """Store all, synchronise, load all.

    The scratch image must not be in use when the stores begin.
    """

    addresses: AddressMap
    store: VectorAccess | MatrixAccess
    load: VectorAccess | MatrixAccess
    idle_lanes: int
    """Lanes with a bit of this mask hold copies and store nothing."""
    idle_warps: int
    """Warps with a bit of this mask hold copies and store nothing."""
    crosses_warps: bool
    """Whether a barrier of the block is needed between stores and loads, not just of the warp."""
    cost: int
    """Per warp: shared-memory wavefronts, loads and stores, permutes that repack registers."""


Plan: TypeAlias = RenamePlan | ShufflePlan | SharedMemoryPlan


def plan_conversion(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool = False,
    max_shuffles: int = DEFAULT_MAX_SHUFFLES,
) -> Plan:
    """The cheapest way to give every thread the elements of ``target``.

    Args:
        source: where the elements are.
        target: where they are wanted; places may outnumber elements on both sides.
        element_bits: bits per element in registers and in shared memory.
        stmatrix: whether the target has stmatrix.
        max_shuffles: shuffles per thread above which shared memory is used.

    Raises:
        LayoutError: the layouts differ in shape or in the number of lanes, warps or blocks, the
            source lacks elements, the elements would change blocks, or elements of less than a
            byte would need shared memory.
    """
    _check(source, target)
    sources = _renamed_registers(source, target)
    if sources is not None:
        return RenamePlan(sources)
    places = _places_in_one_warp(source, target, element_bits)
    if places is not None:
        shuffle = _plan_shuffle(places, element_bits)
        if shuffle is not None and shuffle.shuffles <= max_shuffles:
            return shuffle
    return _plan_shared_memory(
        source, target, element_bits, stmatrix=stmatrix, crosses_warps=places is None
    )


def _check(source: LinearLayout, target: LinearLayout) -> None:
    if source.shape != target.shape:
        raise LayoutError(f"cannot convert a tile of shape {source.shape} to {target.shape}")
    for name in ("lanes", "warps", "blocks"):
        held, wanted = getattr(source, name), getattr(target, name)
        if held != wanted:
            raise LayoutError(f"cannot convert a layout of {held} {name} to one of {wanted}")
    if source.block != target.block:
        raise LayoutError("cannot move elements between the blocks of a cluster")
    if not source.is_surjective:
        raise LayoutError("the source of a conversion must hold every element")


def _renamed_registers(source: LinearLayout, target: LinearLayout) -> tuple[int, ...] | None:
    """The source register of every target register, when all threads keep their elements."""
    if source.thread_bases() != target.thread_bases():
        return None
    span = f2.Span(source.register)
    renamed: list[int] = []
    for base in target.register:
        remainder, combination = span.reduce(base)
        if remainder:
            return None
        renamed.append(combination)
    return tuple(f2.table(renamed))


@dataclass(frozen=True)
class _SourcePlaces:
    """Where the elements of a target place lie in the source, within the same warp.

    A place is ``lane << slot_bits | slot``; each list has one place per bit of its index.
    """

    packed: int
    slot_bits: int
    target_bits: tuple[int, ...]
    rounds: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]
    copies: tuple[int, ...]
    """Differences between places that hold the same element."""


def _source_places(source: LinearLayout, target: LinearLayout, packed: int) -> _SourcePlaces | None:
    """The places, or None when an element is in no place of the warp that wants it."""
    vectors = [*source.register[packed:], *source.lane]
    span = f2.Span(vectors)
    places: list[int] = []
    target_bits = tuple(bit for bit in range(packed, len(target.register)) if target.register[bit])
    moved = [held ^ wanted for held, wanted in zip(source.warp, target.warp, strict=True)]
    for base in (*(target.register[bit] for bit in target_bits), *target.lane, *moved):
        remainder, combination = span.reduce(base)
        if remainder:
            return None
        places.append(combination)
    first_warp = len(target_bits) + len(target.lane)
    return _SourcePlaces(
        packed=packed,
        slot_bits=len(source.register) - packed,
        target_bits=target_bits,
        rounds=tuple(places[: len(target_bits)]),
        lanes=tuple(places[len(target_bits) : first_warp]),
        warps=tuple(places[first_warp:]),
        copies=tuple(f2.kernel(vectors)),
    )


def _places_in_one_warp(
    source: LinearLayout, target: LinearLayout, element_bits: int
) -> _SourcePlaces | None:
    """The places with as many elements per word as possible, or None when warps differ."""
    packed = 0
    for held, wanted in zip(source.register, target.register, strict=False):
        if held != wanted or element_bits << (packed + 1) > 32:
            break
        packed += 1
    for bits in range(packed, -1, -1):
        places = _source_places(source, target, bits)
        if places is not None:
            return places
    return None


def _plan_shuffle(places: _SourcePlaces, element_bits: int) -> ShufflePlan | None:
    """Shuffles in which every lane offers one slot per round, or None when none are found."""
    readers = _separate_readers(places)
    if readers is None:
        return None
    slots = places.slot_bits
    mask = (1 << slots) - 1
    # In round k the reader l reads slot N l + R k + X w of lane M l + L k + W w. The lane that is
    # read knows its reader by a left inverse G of M: it offers N G (lane + L k + W w) + R k + X w.
    span = f2.Span(place >> slots for place, _ in readers)
    read_slots = [place & mask for place, _ in readers]
    offered = [f2.apply(read_slots, span.reduce(1 << bit)[1]) for bit in range(len(places.lanes))]

    def send(index_places: Sequence[int]) -> tuple[int, ...]:
        return tuple(f2.apply(offered, place >> slots) ^ place & mask for place in index_places)

    return ShufflePlan(
        packed=places.packed,
        target_bits=places.target_bits,
        send=RoundMap(send(places.rounds), tuple(offered), send(places.warps)),
        source_lane=RoundMap(
            round=tuple(place >> slots for place in places.rounds),
            lane=tuple(place >> slots for place, _ in readers),
            warp=tuple(place >> slots for place in places.warps),
        ),
        receive=RoundMap(
            round=f2.unit_vectors(len(places.rounds)),
            lane=tuple(shift for _, shift in readers),
            warp=(0,) * len(places.warps),
        ),
        words=max(1, element_bits // 32),
    )


def _separate_readers(places: _SourcePlaces) -> list[tuple[int, int]] | None:
    """Per lane bit the place read in round 0 and the shift of the round that it serves.

    In one round a lane offers one slot, so lanes that want different slots must read different
    lanes. Lanes that collide trade rounds with each other, or read another copy.
    """
    slots = places.slot_bits
    choices = [(place, 1 << bit) for bit, place in enumerate(places.rounds)]
    choices += [(copy, 0) for copy in places.copies]
    lanes = f2.Span()
    readers: list[tuple[int, int]] = []
    for place in places.lanes:
        reader = _separate_reader(place, lanes, readers, choices, slots)
        if reader is None:
            return None
        lanes.add(reader[0] >> slots)
        readers.append(reader)
    return readers


def _separate_reader(
    place: int,
    lanes: f2.Span,
    readers: Sequence[tuple[int, int]],
    choices: Sequence[tuple[int, int]],
    slots: int,
) -> tuple[int, int] | None:
    if place >> slots not in lanes or place in f2.Span(other for other, _ in readers):
        return place, 0
    for choice, shift in choices:
        if (place ^ choice) >> slots not in lanes:
            return place ^ choice, shift
    # No lane is left to read from: only lanes that want the same slot may share one.
    alternatives = [*readers, *choices]
    combination = f2.solve((other for other, _ in alternatives), place)
    if combination is None:
        return None
    chosen = combination >> len(readers)
    place ^= f2.apply([choice for choice, _ in choices], chosen)
    return place, f2.apply([shift for _, shift in choices], chosen)


@dataclass(frozen=True)
class _RowAccess:
    """How one side would access an image that keeps a row contiguous."""

    phase: tuple[int, ...]
    """The bases of the layout that differ inside one phase of the accesses."""
    cost: int
    """The cost without bank conflicts, as in ``SharedMemoryPlan``."""


def _plan_shared_memory(
    source: LinearLayout,
    target: LinearLayout,
    element_bits: int,
    *,
    stmatrix: bool,
    crosses_warps: bool,
) -> SharedMemoryPlan:
    """The cheapest of the scratch images that keep one of the candidate rows contiguous."""
    candidates: list[tuple[list[int], _RowAccess, _RowAccess]] = []
    for row in _candidate_rows(source, target, element_bits, stmatrix=stmatrix):
        store = _row_access(source, row, element_bits, matrices=stmatrix)
        load = _row_access(target, row, element_bits, matrices=True)
        candidates.append((row, store, load))
    candidates.sort(key=lambda candidate: candidate[1].cost + candidate[2].cost)
    plans: list[SharedMemoryPlan] = []
    for row, stored, loaded in candidates:
        if any(plan.cost <= stored.cost + loaded.cost for plan in plans):
            break
        addresses = _scratch(source.size, row, stored.phase, loaded.phase, element_bits)
        store, store_cost = _cheapest_access(source, addresses, matrices=stmatrix)
        load, load_cost = _cheapest_access(target, addresses, matrices=True)
        plan = SharedMemoryPlan(
            addresses=addresses,
            store=store,
            load=load,
            # stmatrix needs all lanes of the warp.
            idle_lanes=source.replicated_lanes if isinstance(store, VectorAccess) else 0,
            # Without a barrier of the block a warp sees no other warp's stores.
            idle_warps=source.replicated_warps if crosses_warps else 0,
            crosses_warps=crosses_warps,
            cost=store_cost + load_cost,
        )
        plans.append(plan)
    return min(plans, key=lambda plan: plan.cost)


def _candidate_rows(
    source: LinearLayout, target: LinearLayout, element_bits: int, *, stmatrix: bool
) -> list[list[int]]:
    """Element bits to keep contiguous in shared memory, lowest first: up to 16 bytes each."""
    if element_bits < 8:
        raise LayoutError(f"elements of {element_bits} bits cannot go through shared memory")
    longest = bit_count(8 * MAX_VECTOR_BYTES // element_bits)
    held_by_both = [base for base in target.register if base in source.register]
    rows = [
        f2.independent(bases)[:longest]
        for bases in (target.register, source.register, held_by_both)
    ]
    for side, other, usable in ((source, target, stmatrix), (target, source, True)):
        if usable:
            # The other side must at least have the first two elements of the row side by side.
            rows += [row for row in _matrix_rows(side, element_bits) if row[0] in other.register]
    return [row for index, row in enumerate(rows) if row not in rows[:index]]


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
    layout: LinearLayout, row: list[int], element_bits: int, *, matrices: bool
) -> _RowAccess:
    """The accesses that suit a contiguous row, taken to be free of bank conflicts."""
    held = sum(1 for base in layout.register if base)
    lanes = len(layout.lane)
    if matrices and row in _matrix_rows(layout, element_bits):
        transposed = row == list(layout.lane[2:])
        phase = layout.register[:1] + layout.lane[:2] if transposed else layout.lane[2:]
        words = max(1, (element_bits << held) // 32)
        return _RowAccess(phase, words + max(1, words // 4))
    width = 0
    while width < len(row) and row[width] in layout.register:
        width += 1
    instructions = 1 << (held - width)
    served = phase_bits((element_bits << width) // 8)
    wavefronts = instructions << max(0, lanes - served)
    vector = tuple(layout.register.index(base) for base in row[:width])
    repacked = _repacked_words(vector, layout, element_bits)
    return _RowAccess(layout.lane[:served], wavefronts + instructions + repacked)


def _scratch(
    size: int,
    row: Sequence[int],
    stored_phase: Sequence[int],
    loaded_phase: Sequence[int],
    element_bits: int,
) -> AddressMap:
    """The image that keeps ``row`` contiguous and spreads the phases of both sides over the banks.

    Modulo the row, let I span what a phase of the stores and a phase of the loads have in common,
    E and F the rest of either. Addressing banks by I and E keeps the stores apart; adding an
    element of F to each of E in the bits above the banks keeps the loads apart as well.
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
    rest = f2.independent(f2.unit_vectors(bits), [*row, *common, *apart, *paired])
    # Bits inside a word do not tell banks apart, so E and F stay out of them.
    row_bytes = (element_bits << len(row)) // 8
    inside = bit_count(max(1, WORD_BYTES // row_bytes))
    free = [*common, *rest]
    word, free = free[:inside], free[inside:]
    # What is left of I belongs into the banks, then what no phase touches.
    banks = bit_count(PHASE_BYTES // max(WORD_BYTES, row_bytes)) - len(apart)
    low, high = free[:banks], free[banks:]
    order = [*row, *word, *apart, *low, *paired, *high]
    bases = tuple(element_bits * base for base in f2.invert(order, bits))
    return AddressMap(bases, element_bits)


def _cheapest_access(
    layout: LinearLayout, addresses: AddressMap, *, matrices: bool
) -> tuple[VectorAccess | MatrixAccess, int]:
    """Vector accesses, or ldmatrix and stmatrix where they fit and cost less; and the cost."""
    accesses: list[VectorAccess | MatrixAccess] = [vector_access(layout, addresses)]
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
    """The 32-bit words to permute when a vector does not take the lowest register bits in order."""
    word_bits = bit_count(max(1, 32 // element_bits))
    if all(bit == position for position, bit in enumerate(vector[:word_bits])):
        return 0
    return max(1, layout.registers >> word_bits)
