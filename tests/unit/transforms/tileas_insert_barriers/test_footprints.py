"""Which views map elements of different indices to one address, by listing all addresses."""

from itertools import product

from xdsl.dialects.builtin import f32

from tileir_xdsl.dialects.nv_tileaa.types import MemRefType
from tileir_xdsl.transforms.tileas_insert_barriers.footprints import overlaps_itself


def has_aliases(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether two elements have one address."""
    addresses = [
        sum(index * stride for index, stride in zip(place, strides, strict=True))
        for place in product(*map(range, sizes))
    ]
    return len(set(addresses)) < len(addresses)


def test_no_alias_is_missed():
    for sizes in product((1, 2, 3, 5), repeat=2):
        for strides in product(range(7), repeat=2):
            if has_aliases(sizes, strides):
                assert overlaps_itself(MemRefType(sizes, f32, strides)), (sizes, strides)


def test_rows_side_by_side_have_no_aliases():
    for sizes in product((1, 2, 3, 5), repeat=3):
        strides = (sizes[1] * sizes[2], sizes[2], 1)
        assert not overlaps_itself(MemRefType(sizes, f32, strides)), (sizes, strides)
