"""The types of parts of tiles that are divided along their first dimension.

    tensor<128x64xf16> in two parts  ->  tensor<64x64xf16>

A register layout can be divided if the rows of different parts are in different registers. Each
thread then holds a part of its former elements.
"""

from functools import lru_cache
from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneAttr, TensorType
from xdsl.ir import Attribute

from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr
from tileir_xdsl.dialects.nv_tileas.layout import LayoutAttr, register_layout, tile_layout
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout


def first_extent(type_: Attribute) -> int | None:
    """The number of rows of a tile; None for other values, and tiles of unknown extents."""
    if not isinstance(type_, TensorType):
        return None
    shape = type_.get_shape()
    return None if not shape or DYNAMIC_INDEX in shape else shape[0]


@lru_cache(maxsize=1024)
def part_type(type_: Attribute, count: int) -> TensorType[Attribute] | None:
    """The type of one of `count` equal parts of a tile; None if the tile has no equal parts."""
    rows = first_extent(type_)
    if rows is None or rows % count:
        return None
    assert isinstance(type_, TensorType)
    shape = (rows // count, *type_.get_shape()[1:])
    match type_.encoding:
        case NoneAttr() | MemoryAttr(layout=NoneAttr()):
            return TensorType(type_.get_element_type(), shape, type_.encoding)
        case LayoutAttr():
            layout = _part_layout(type_, shape)
            if layout is None:
                return None
            return TensorType(type_.get_element_type(), shape, register_layout(layout))
        case _:
            return None


def _part_layout(type_: TensorType[Attribute], shape: tuple[int, ...]) -> LinearLayout | None:
    """The layout of the registers that hold one part; None if parts share registers."""
    try:
        layout = tile_layout(type_)
    except LayoutError:
        return None
    size = prod(shape)
    # Linear layouts have extents that are powers of two.
    if layout is None or size & (size - 1):
        return None
    outside = [base for base in layout.bases() if base >= size]
    dropped = [base for base in layout.register if base >= size]
    bits = {size << bit for bit in range((layout.size // size).bit_length() - 1)}
    # A part is registers of every thread only if its rows are told apart by registers alone.
    if len(outside) != len(dropped) or len(dropped) != len(bits) or set(dropped) != bits:
        return None
    kept = tuple(base for base in layout.register if base < size)
    return LinearLayout(kept, layout.lane, layout.warp, layout.block, shape)
