"""Changes of index, bit by bit, against numpy on tiles of element numbers."""

import numpy as np
from numpy.typing import NDArray
from pytest import mark

from tileir_xdsl.layout.cute import product
from tileir_xdsl.layout.reindexing import (
    OneSided,
    Reindexing,
    broadcast,
    extract_slice,
    identity,
    permute,
    reduce,
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
