"""Pictures of layouts, and the documentation that shows them."""

import doctest

from pytest import raises

from tests.unit.tools import REPOSITORY
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import SWIZZLE_64B, LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.pictures import banks_picture, distributed_picture
from tileir_xdsl.layout.shared import shared


def test_every_example_of_the_documentation_holds():
    path = REPOSITORY / "docs" / "layouts.md"
    failures, examples = doctest.testfile(str(path), module_relative=False)
    assert examples > 20
    assert failures == 0


def test_threads_are_numbered_across_warps():
    layout = blocked((2, 8), vector=2, warps=2, lanes=4)
    assert distributed_picture(layout).splitlines() == [
        "  |   0   1   2   3   4   5   6   7",
        "--+--------------------------------",
        "0 | 0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1",
        "1 | 4:0 4:1 5:0 5:1 6:0 6:1 7:0 7:1",
    ]


def test_banks_follow_the_swizzle():
    assert banks_picture(shared((4, 32), 16, SWIZZLE_64B)).splitlines() == [
        "  |  +0B +16B +32B +48B",
        "--+--------------------",
        "0 |    0    4    8   12",
        "1 |   16   20   24   28",
        "2 |    4    0   12    8",
        "3 |   20   16   28   24",
    ]


def test_what_cannot_be_drawn_is_refused():
    with raises(LayoutError, match=r"two dimensions, got shape \(64,\)"):
        distributed_picture(blocked((64,), 2, 1))
    with raises(LayoutError, match="hold every element"):
        distributed_picture(LinearLayout((1,), (), (), (), (2, 2)))
    with raises(LayoutError, match="two dimensions"):
        banks_picture(shared((64,), 16))
    with raises(LayoutError, match="rows of 4 elements are no multiple of 16 bytes"):
        banks_picture(shared((8, 4), 16))
