"""Where parts of tiles in shared memory lie."""

from tileir_xdsl.layout.cute import SWIZZLE_32B, Layout
from tileir_xdsl.layout.parts import PartOffset, offset_of_part
from tileir_xdsl.layout.shared import SharedLayout, shared


def test_slots_of_dense_tiles():
    slots, slot = shared((4, 4, 8), 32), shared((4, 8), 32)
    assert offset_of_part(slots, slot, 0, None) == PartOffset(0, 4)
    assert offset_of_part(slots, slot, 64, None) == PartOffset(256, 4)
    assert offset_of_part(slots, slot, 0, 32) == PartOffset(0, 4)
    assert offset_of_part(slots, shared((16,), 32), 16, 16) == PartOffset(64, 4)


def test_slots_further_apart_than_their_elements():
    slots = SharedLayout(Layout((3, 4, 8), (64, 8, 1)), 32)
    assert offset_of_part(slots, shared((4, 8), 32), 32, None) == PartOffset(256, 4)
    assert offset_of_part(slots, shared((4, 8), 32), 0, 32) == PartOffset(0, 8)
    assert offset_of_part(slots, shared((2, 4, 8), 32), 0, None) is None


def test_elements_lie_elsewhere():
    whole, columns = shared((8, 8), 32), SharedLayout(Layout((4, 8), (1, 4)), 32)
    assert offset_of_part(whole, columns, 32, None) is None
    assert offset_of_part(whole, shared((4, 8), 32, SWIZZLE_32B), 32, None) is None
    assert offset_of_part(whole, shared((8, 4), 32), 0, None) == PartOffset(0, 4)


def test_parts_must_be_aligned():
    whole = shared((64,), 16)
    assert offset_of_part(whole, shared((8,), 16), 8, None) == PartOffset(16, 2)
    assert offset_of_part(whole, shared((4,), 16), 4, None) is None
    assert offset_of_part(whole, shared((4,), 16), 0, 4) is None


def test_swizzled_parts_begin_at_periods():
    whole, part = shared((64, 8), 32, SWIZZLE_32B), shared((32, 8), 32, SWIZZLE_32B)
    assert offset_of_part(whole, part, 256, None) == PartOffset(1024, 4)
    assert offset_of_part(whole, part, 32, None) is None
