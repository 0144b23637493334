"""Pictures of layouts, and the documentation that shows them."""

import doctest
from xml.etree import ElementTree

from pytest import mark, raises

from tests.unit.tools import REPOSITORY
from tileir_xdsl.layout.banks import matrix_access, vector_access, wavefronts
from tileir_xdsl.layout.constructors import blocked, mma_accumulator, mma_operand_a
from tileir_xdsl.layout.cute import SWIZZLE_64B, SWIZZLES, LayoutError, Swizzle
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.pictures import (
    Cell,
    banks_picture,
    distributed_picture,
    wavefronts_picture,
)
from tileir_xdsl.layout.shared import shared


def test_every_example_of_the_documentation_holds():
    path = REPOSITORY / "docs" / "layouts.md"
    failures, examples = doctest.testfile(str(path), module_relative=False)
    assert examples > 20
    assert failures == 0


def test_threads_are_numbered_across_warps():
    layout = blocked((2, 8), vector=2, warps=2, lanes=4)
    assert str(distributed_picture(layout)).splitlines() == [
        "  |   0   1   2   3   4   5   6   7",
        "--+--------------------------------",
        "0 | 0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1",
        "1 | 4:0 4:1 5:0 5:1 6:0 6:1 7:0 7:1",
    ]


def test_a_large_picture_has_a_corner():
    picture = distributed_picture(blocked((16, 16), vector=2, warps=1)).corner(2, 4)
    assert picture.texts() == [["0:0", "0:1", "1:0", "1:1"], ["8:0", "8:1", "9:0", "9:1"]]
    assert picture.columns == ("0", "1", "2", "3")


def test_banks_follow_the_swizzle():
    assert str(banks_picture(shared((4, 32), 16, SWIZZLE_64B))).splitlines() == [
        "  |  +0B +16B +32B +48B",
        "--+--------------------",
        "0 |    0    4    8   12",
        "1 |   16   20   24   28",
        "2 |    4    0   12    8",
        "3 |   20   16   28   24",
    ]


def test_lanes_wait_for_their_bank():
    column = LinearLayout((), (32, 64, 128, 256, 0), (), (), (16, 32))
    access = vector_access(column, shared((16, 32), 32).address_map())
    picture = wavefronts_picture(access)
    # Sixteen rows of 128 bytes start in bank 0; the upper half of the lanes reads the same.
    assert [row[0] for row in picture.rows] == [Cell(str(lane), lane) for lane in range(16)]
    assert not any(cell for row in picture.rows for cell in row[1:])


@mark.parametrize("swizzle", SWIZZLES[:4], ids=str)
def test_a_picture_has_a_row_for_each_wavefront(swizzle: Swizzle):
    addresses = shared((64, 64), 16, swizzle).address_map()
    for layout in (mma_accumulator((64, 64), (2, 2)), blocked((64, 64), 8, 4, order=(0, 1))):
        access = vector_access(layout, addresses)
        rows = len(wavefronts_picture(access).rows)
        assert rows == wavefronts(access.lane_offsets, access.vector_bytes)
    matrices = matrix_access(mma_operand_a((64, 64), (2, 2), 16), addresses)
    assert matrices is not None
    rows = len(wavefronts_picture(matrices).rows)
    assert rows * matrices.instructions << len(matrices.matrices) == matrices.wavefronts


def test_notebooks_get_a_drawing():
    picture = distributed_picture(blocked((2, 8), vector=2, warps=2, lanes=4))
    assert repr(picture) == str(picture)
    drawing = ElementTree.fromstring(picture._repr_svg_())  # pyright: ignore[reportPrivateUsage]
    boxes = [element for element in drawing if element.tag.endswith("rect")]
    texts = [element.text for element in drawing if element.tag.endswith("text")]
    assert len({box.get("fill") for box in boxes}) == 8
    assert texts.count("7:1") == 1
    assert len(boxes) == 16


def test_what_cannot_be_drawn_is_refused():
    with raises(LayoutError, match=r"two dimensions for a picture, got shape \(64,\)"):
        distributed_picture(blocked((64,), 2, 1))
    with raises(LayoutError, match="holds every element"):
        distributed_picture(LinearLayout((1,), (), (), (), (2, 2)))
    with raises(LayoutError, match="two dimensions"):
        banks_picture(shared((64,), 16))
    with raises(LayoutError, match="rows of 4 elements do not fill a multiple of 16 bytes"):
        banks_picture(shared((8, 4), 16))
