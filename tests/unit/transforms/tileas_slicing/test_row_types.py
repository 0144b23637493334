"""Parts of tiles by rows: their shapes, and the registers that hold each of them."""

import itertools

import pytest
from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneAttr, TensorType, f16, i32

from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr, Residency
from tileir_xdsl.dialects.nv_tileas.layout import register_layout, tile_layout
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.transforms.tileas_slicing.row_types import first_extent, part_type


@pytest.mark.parametrize("encoding", [NoneAttr(), MemoryAttr(Residency.SHARED)])
@pytest.mark.parametrize(
    ("shape", "count", "part"),
    [
        ((6, 4), 3, (2, 4)),
        ((6, 4), 2, (3, 4)),
        ((6, 4), 6, (1, 4)),
        ((4,), 2, (2,)),
        # Neither unequal parts nor empty ones, nor parts of what has no known rows.
        ((6, 4), 4, None),
        ((2, 8), 4, None),
        ((DYNAMIC_INDEX, 4), 2, None),
        ((), 2, None),
    ],
)
def test_equal_parts(
    shape: tuple[int, ...],
    count: int,
    part: tuple[int, ...] | None,
    encoding: NoneAttr | MemoryAttr,
):
    found = part_type(TensorType(f16, shape, encoding), count)
    assert found == (None if part is None else TensorType(f16, part, encoding))
    assert part_type(f16, count) is None


def test_rows_of_tiles_alone_are_known():
    assert first_extent(TensorType(i32, (8, 2))) == 8
    assert first_extent(TensorType(i32, ())) is first_extent(i32) is None
    assert first_extent(TensorType(i32, (8, DYNAMIC_INDEX))) is None


def held(layout: LinearLayout, lane: int) -> list[int]:
    return [layout.element(register, lane, 0) for register in range(layout.registers)]


@pytest.mark.parametrize("copies", [(), (0,)])
def test_registers_of_each_part(copies: tuple[int, ...]):
    """Where parts are registers of their own, each is held as its type says."""
    found = 0
    for order in itertools.permutations((1, 2, 4, 8)):
        lane = (*order[2:], 0, 0, 0)
        whole = LinearLayout((*order[:2], *copies), lane, (), (), (8, 2))
        type_ = TensorType(f16, (8, 2), register_layout(whole))
        for count in (2, 4):
            part, size = part_type(type_, count), 16 // count
            assert (part is not None) == all(base < size for base in lane)
            if part is None:
                continue
            found += 1
            layout = tile_layout(part)
            assert layout is not None and part.get_shape() == (8 // count, 2)
            for number, thread in itertools.product(range(count), range(4)):
                own = [e for e in held(whole, thread) if e // size == number]
                assert [e % size for e in own] == held(layout, thread)
    assert found
