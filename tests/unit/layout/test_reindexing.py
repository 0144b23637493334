"""Changes of index, bit by bit, against numpy on tiles of element numbers."""

import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pytest import mark

from tileir_xdsl.layout.cute import bit_count, product
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.reindexing import (
    OneSided,
    Reindexing,
    broadcast,
    carry_layout,
    extract_slice,
    identity,
    permute,
    reduce,
    registers_as_they_lie,
    reshape,
    widen_elements,
)


def numbers(*shape: int) -> NDArray[np.int64]:
    return np.arange(product(shape)).reshape(shape)


def corner() -> Reindexing:
    """A slice of two of eight rows and of eight of sixteen columns."""
    change = extract_slice((8, 16), (2, 8), (6, 8))
    assert change is not None
    return change


CHANGES: list[tuple[Reindexing, NDArray[np.int64]]] = [
    (identity((4, 8)), numbers(4, 8)),
    (reshape((4, 8), (2, 1, 16)), numbers(4, 8).reshape(2, 1, 16)),
    (broadcast((4, 1, 2), (4, 8, 2)), np.repeat(numbers(4, 1, 2), 8, axis=1)),
    (permute((2, 4, 8), (2, 0, 1)), numbers(2, 4, 8).transpose(2, 0, 1)),
    (corner(), numbers(8, 16)[6:8, 8:16]),
    (reduce((4, 8), 0), numbers(4, 8)[0]),
    (widen_elements((8,), 32, (16,), 16), np.repeat(numbers(8), 2)),
]


@mark.parametrize(("change", "result"), CHANGES)
def test_elements_come_from_where_numpy_takes_them(change: Reindexing, result: NDArray[np.int64]):
    assert result.shape == change.result_shape
    back = change.inverse()
    for place, element in enumerate(result.reshape(-1).tolist()):
        assert back.element(place) == element
        if not change.gained_bits:
            assert change.element(element) == place
    assert back.inverse() == change


def test_one_sided_bits_are_counted():
    change = broadcast((4, 1), (4, 8))
    assert (change.gained, change.gained_bits, change.lost_bits) == (OneSided.REPEATED, 0b111, 0)
    assert (corner().lost_bits, corner().source_offset) == (0b1101000, 6 * 16 + 8)


def test_slices_that_start_between_multiples_are_not_linear():
    assert extract_slice((8, 16), (4, 8), (2, 0)) is None


LANES, WARPS = 4, 2


def random_layout(choice: random.Random, shape: tuple[int, ...]) -> LinearLayout:
    """Elements in some order, the tile perhaps twice in registers or lanes."""
    bases = [1 << bit for bit in range(bit_count(product(shape)))]
    choice.shuffle(bases)
    bases += [0] * max(choice.randrange(2), 3 - len(bases))
    threads = choice.sample(range(len(bases)), 3)
    lanes, warp = threads[:2], threads[2]
    register = [base for index, base in enumerate(bases) if index not in threads]
    return LinearLayout(tuple(register), tuple(bases[n] for n in lanes), (bases[warp],), (), shape)


def with_other_bases(choice: random.Random, layout: LinearLayout) -> Iterator[LinearLayout]:
    """The same layout, registers in another order, a lane added to one, and in its place."""
    register, lane = list(layout.register), list(layout.lane)

    def made() -> LinearLayout:
        return LinearLayout(tuple(register), tuple(lane), layout.warp, (), layout.shape)

    yield layout
    choice.shuffle(register)
    yield made()
    if register:
        number, other = choice.randrange(len(register)), choice.randrange(len(lane))
        register[number] ^= lane[other]
        yield made()
        register[number], lane[other] = lane[other], register[number] ^ lane[other]
        yield made()


def layouts(
    choice: random.Random, change: Reindexing
) -> Iterator[tuple[LinearLayout, LinearLayout]]:
    """Layouts of both sides: such that fit each other, nearly so, and any."""
    for _ in range(20):
        source = random_layout(choice, change.source_shape)
        carried = carry_layout(change, source)
        if carried is not None and change.lost is OneSided.FIXED:
            # No element leaves its thread.
            assert all(common_registers(change, source, carried))
        for result in with_other_bases(
            choice, carried or random_layout(choice, change.result_shape)
        ):
            yield source, result
        yield source, random_layout(choice, change.result_shape)


def common_registers(
    change: Reindexing, source: LinearLayout, result: LinearLayout
) -> tuple[set[int | None], ...]:
    """For every register of the result, those of which each thread takes its element.

    None where the element of no thread comes from the source.
    """
    back, found = change.inverse(), list[set[int | None]]()
    others = change.gained_bits if change.gained is OneSided.FIXED else 0
    for register in range(result.registers):
        usable: set[int | None] = {None, *range(source.registers)}
        for lane, warp in np.ndindex(LANES, WARPS):
            place = result.element(register, lane, warp)
            if (place ^ change.result_offset) & others:
                usable &= {None}
            else:
                wanted = back.element(place)
                usable &= {
                    n for n in range(source.registers) if source.element(n, lane, warp) == wanted
                }
        found.append(usable)
    return tuple(found)


SHAPES_THAT_LIE = [
    identity((4, 8)),
    permute((2, 4, 4), (2, 0, 1)),
    reshape((4, 8), (32,)),
    broadcast((4, 1, 2), (4, 4, 2)),
    extract_slice((8, 4), (4, 4), (4, 0)),
    extract_slice((8, 8), (8, 4), (0, 4)),
    extract_slice((8, 8), (4, 4), (4, 0)),
]


@mark.parametrize("is_inverse", [False, True])
@mark.parametrize("change", SHAPES_THAT_LIE)
def test_registers_are_those_of_the_same_thread(change: Reindexing, is_inverse: bool):
    """In both directions: of a slice also the tile that it is put into, of a broadcast its sums."""
    change, choice, outcomes = (
        change.inverse() if is_inverse else change,
        random.Random(0),
        set[bool](),
    )
    for source, result in layouts(choice, change):
        registers = registers_as_they_lie(change, source, result)
        common = common_registers(change, source, result)
        # Sums combine the elements of several registers.
        possible = all(common) and change.lost is not OneSided.REPEATED
        assert (registers is not None) == possible
        if registers is not None:
            assert all(n in usable for n, usable in zip(registers, common, strict=True))
        outcomes.add(possible)
    assert outcomes == {False} if change.lost is OneSided.REPEATED else {False, True}
