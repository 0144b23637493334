"""Moving a tile between two layouts by shuffles inside each warp.

Every (lane, slot) of the target reads a (lane, slot) of the source in the same warp, by a map that
is linear over F2. The reads are scheduled in rounds, in each of which a lane offers only one slot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from tileir_xdsl.layout import f2
from tileir_xdsl.layout.linear import LinearLayout


@dataclass(frozen=True)
class StepMap:
    """A linear map over F2 from (round, lane, warp), one base per bit of each."""

    step: tuple[int, ...]
    lane: tuple[int, ...]
    warp: tuple[int, ...]

    def __call__(self, step_number: int, lane: int, warp: int) -> int:
        return (
            f2.apply(self.step, step_number) ^ f2.apply(self.lane, lane) ^ f2.apply(self.warp, warp)
        )


@dataclass(frozen=True)
class ShufflePlan:
    """Rounds of ``shfl.sync.idx`` between the lanes of each warp.

    The lowest ``packed`` register bits are the same in source and target: elements that differ in
    them travel together in one word. A *slot* numbers the remaining register bits. In every round
    each thread offers its source slot ``send(round, lane, warp)``. Each thread reads the slot that
    lane ``source_lane(round, lane, warp)`` offers, as the result of round ``receive(round, lane,
    warp)``. If ``send`` or ``receive`` depends on the thread, select instructions exchange
    registers.
    """

    packed: int
    target_bits: tuple[int, ...]
    """The target register bit for each bit of the number that ``receive`` returns.

    All other target register bits, except the packed ones, hold copies.
    """
    send: StepMap
    source_lane: StepMap
    receive: StepMap
    words: int
    """32-bit words, hence shuffles, per round."""

    @property
    def shuffles(self) -> int:
        """Shuffle instructions per thread."""
        return self.words << len(self.target_bits)

    def selects(self, source_registers: int) -> int:
        """Select instructions per thread, for a source of `source_registers` registers.

        For each bit of the slot that depends on the thread, all slots are exchanged once.
        """
        slots, steps = source_registers >> self.packed, 1 << len(self.target_bits)
        sent, received = (
            reduce(or_, (*bases.lane, *bases.warp), 0).bit_count()
            for bases in (self.send, self.receive)
        )
        return self.words * (slots * sent + steps * received)


@dataclass(frozen=True)
class SourcePositions:
    """The position in the source, within the same warp, of each target element.

    A position is ``lane << slot_bits | slot``; each field has one position per bit of its index.
    """

    packed: int
    slot_bits: int
    target_bits: tuple[int, ...]
    steps: tuple[int, ...]
    lanes: tuple[int, ...]
    warps: tuple[int, ...]
    copies: tuple[int, ...]
    """Differences between positions that hold the same element."""


def _source_positions(
    source: LinearLayout, target: LinearLayout, packed: int
) -> SourcePositions | None:
    """The positions, or None if a warp needs an element that it does not hold."""
    vectors = [*source.register[packed:], *source.lane]
    span = f2.Span(vectors)
    positions: list[int] = []
    target_bits = tuple(bit for bit in range(packed, len(target.register)) if target.register[bit])
    moved = [held ^ wanted for held, wanted in zip(source.warp, target.warp, strict=True)]
    for base in (*(target.register[bit] for bit in target_bits), *target.lane, *moved):
        remainder, combination = span.reduce(base)
        if remainder:
            return None
        positions.append(combination)
    first_warp = len(target_bits) + len(target.lane)
    return SourcePositions(
        packed=packed,
        slot_bits=len(source.register) - packed,
        target_bits=target_bits,
        steps=tuple(positions[: len(target_bits)]),
        lanes=tuple(positions[len(target_bits) : first_warp]),
        warps=tuple(positions[first_warp:]),
        copies=tuple(f2.kernel(vectors)),
    )


def positions_in_one_warp(
    source: LinearLayout, target: LinearLayout, element_bits: int
) -> SourcePositions | None:
    """The positions, with as many elements per word as possible; None if elements change warps."""
    packed = 0
    for held, wanted in zip(source.register, target.register, strict=False):
        if held != wanted or element_bits << (packed + 1) > 32:
            break
        packed += 1
    for bits in range(packed, -1, -1):
        positions = _source_positions(source, target, bits)
        if positions is not None:
            return positions
    return None


def plan_shuffle(positions: SourcePositions, element_bits: int) -> ShufflePlan | None:
    """Shuffles in which every lane offers one slot per round, or None if no shuffles are found."""
    readers = _separate_readers(positions)
    if readers is None:
        return None
    slots = positions.slot_bits
    mask = (1 << slots) - 1
    # In round k the reader l reads slot N l + R k + X w of lane M l + L k + W w. The lane that is
    # read knows its reader by a left inverse G of M. It offers N G (lane + L k + W w) + R k + X w.
    span = f2.Span(position >> slots for position, _ in readers)
    read_slots = [position & mask for position, _ in readers]
    offered = [
        f2.apply(read_slots, span.reduce(1 << bit)[1]) for bit in range(len(positions.lanes))
    ]

    def send(index_positions: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            f2.apply(offered, position >> slots) ^ position & mask for position in index_positions
        )

    return ShufflePlan(
        packed=positions.packed,
        target_bits=positions.target_bits,
        send=StepMap(send(positions.steps), tuple(offered), send(positions.warps)),
        source_lane=StepMap(
            step=tuple(position >> slots for position in positions.steps),
            lane=tuple(position >> slots for position, _ in readers),
            warp=tuple(position >> slots for position in positions.warps),
        ),
        receive=StepMap(
            step=f2.unit_vectors(len(positions.steps)),
            lane=tuple(shift for _, shift in readers),
            warp=(0,) * len(positions.warps),
        ),
        words=max(1, element_bits // 32),
    )


def _separate_readers(positions: SourcePositions) -> list[tuple[int, int]] | None:
    """Per lane bit, the position read in round 0, and round bits to flip for the wanted position.

    In one round a lane offers one slot, so lanes that need different slots must read different
    lanes. If two lanes need the same lane, they read in different rounds, or one reads another
    copy.
    """
    slots = positions.slot_bits
    choices = [(position, 1 << bit) for bit, position in enumerate(positions.steps)]
    choices += [(copy, 0) for copy in positions.copies]
    lanes = f2.Span()
    readers: list[tuple[int, int]] = []
    for position in positions.lanes:
        reader = _separate_reader(position, lanes, readers, choices, slots)
        if reader is None:
            return None
        lanes.add(reader[0] >> slots)
        readers.append(reader)
    return readers


def _separate_reader(
    position: int,
    lanes: f2.Span,
    readers: Sequence[tuple[int, int]],
    choices: Sequence[tuple[int, int]],
    slots: int,
) -> tuple[int, int] | None:
    if position >> slots not in lanes or position in f2.Span(other for other, _ in readers):
        return position, 0
    for choice, shift in choices:
        if (position ^ choice) >> slots not in lanes:
            return position ^ choice, shift
    # No lane is left to read from: only lanes that want the same slot may share one.
    alternatives = [*readers, *choices]
    combination = f2.solve((other for other, _ in alternatives), position)
    if combination is None:
        return None
    chosen = combination >> len(readers)
    position ^= f2.apply([choice for choice, _ in choices], chosen)
    return position, f2.apply([shift for _, shift in choices], chosen)
