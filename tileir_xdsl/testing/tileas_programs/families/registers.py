"""Tiles in registers: arithmetic, layout conversions, reshapes, slices, loads and stores."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, f32, i1, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.arith import CmpIOp, SelectOp, SIToFPOp
from tileir_xdsl.dialects.nv_tileaa import AddFOp, MaxFOp, MulFOp, SplatOp
from tileir_xdsl.dialects.nv_tileas import (
    ExtractSliceOp,
    InsertSliceOp,
    ReinterpretOp,
    TiledStoreOp,
)
from tileir_xdsl.dialects.nv_tileas.layout import register_layout, tile_layout
from tileir_xdsl.dialects.nv_tileas.slices import Index, Slice
from tileir_xdsl.dialects.tile import SelectOp as SelectValueOp
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing.tileas_programs.draft import Shape, TileType
from tileir_xdsl.testing.tileas_programs.scope import Row, Scope, access_properties, type_of

_INTEGER_OPS: tuple[Callable[[SSAValue, SSAValue], Operation], ...] = (
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.XOrIOp,
    arith.MaxSIOp,
)
_FLOAT_OPS: tuple[Callable[[SSAValue, SSAValue], Operation], ...] = (AddFOp, MulFOp, MaxFOp)


def combined(s: Scope, first: SSAValue, second: SSAValue) -> SSAValue:
    """The result of a random elementwise op on two tiles of one type."""
    ops = _FLOAT_OPS if type_of(first).element_type == f32 else _INTEGER_OPS
    return s.add(s.choose(ops)(first, second)).results[0]


def _elementwise(s: Scope) -> None:
    first = s.tile()
    s.tiles.append(combined(s, first, s.tile(type_of(first))))


def _to_float(s: Scope) -> None:
    source = s.tile(s.draft.tile(i32, s.draft.shape))
    type_ = type_of(source)
    result = TensorType(f32, type_.get_shape(), type_.encoding)
    s.tiles.append(s.add(SIToFPOp(source, result)).result)


def _select_elements(s: Scope) -> None:
    """Selects elements of two tiles by a comparison."""
    first = s.tile(s.draft.tile(i32, s.draft.shape))
    second, third = s.tile(type_of(first)), s.tile(type_of(first))
    condition = s.add(CmpIOp(first, second, "slt")).result
    assert isinstance(condition.type, TensorType) and condition.type.element_type == i1
    s.tiles.append(s.add(SelectOp(condition, second, third)).result)


def _select_tile(s: Scope) -> None:
    first = s.tile()
    second = s.tile(type_of(first))
    s.tiles.append(s.add(SelectValueOp(s.flag(), first, second)).result)


def _splat(s: Scope) -> None:
    """A tile whose elements are one number: an index, or a parameter."""
    indices = s.visible_indices()
    if indices and s.chance(0.7):
        number = s.add(arith.IndexCastOp(s.choose(indices).value, i32)).result
    else:
        number = s.draft.scalar((-5, 3, 2**31 - 1))
    s.tiles.append(s.add(SplatOp(number, s.draft.tile(i32, s.draft.shape))).result)


def _convert_layout(s: Scope) -> None:
    source = s.tile()
    type_ = type_of(source)
    shape = type_.get_shape()
    result = TensorType(type_.element_type, shape, s.draft.layout(shape))
    s.tiles.append(s.convert(source, result))


# Changes of shape. Values without a layout stay without; otherwise no element moves.


def view_as(s: Scope, source: SSAValue, shape: Shape) -> SSAValue:
    """Reshapes a tile; elements keep their linear offsets."""
    return s.view(source, reshaped_type(type_of(source), shape))


def reshaped_type(type_: TileType, shape: Shape) -> TileType:
    """The type of a reshaped tile whose elements keep their linear offsets."""
    layout = tile_layout(type_)
    if layout is None:
        return TensorType(type_.element_type, shape)
    moved = LinearLayout(layout.register, layout.lane, layout.warp, layout.block, shape)
    return TensorType(type_.element_type, shape, register_layout(moved))


def _reshape(s: Scope) -> None:
    """Reshapes a tile, computes on it, and reshapes it back."""
    source = s.tile()
    rows, columns = type_of(source).get_shape()
    shape = s.choose(((rows * columns,), (rows // 2, 2 * columns), (2, rows // 2, columns)))
    reshaped = view_as(s, source, shape)
    if s.chance(0.5):
        reshaped = combined(s, reshaped, reshaped)
    s.tiles.append(view_as(s, reshaped, (rows, columns)))


def _slice(s: Scope) -> None:
    """Extracts half of a tile and inserts it into another tile, at an offset that may be
    dynamic.
    """
    source = s.tile()
    type_ = type_of(source)
    rows, columns = type_.get_shape()
    axis = s.integer(0, 1)
    sizes = (rows // 2, columns) if axis == 0 else (rows, columns // 2)
    half = s.draft.tile(type_.element_type, sizes)
    part = s.add(ExtractSliceOp(source, _half(s, sizes, axis), half)).result
    if s.chance(0.3):
        part = combined(s, part, part)
    destination = s.tile(type_)
    s.tiles.append(s.add(InsertSliceOp(part, destination, _half(s, sizes, axis))).result)


def _half(s: Scope, sizes: Shape, axis: int) -> Slice:
    """The slice of half a tile along one dimension."""
    number = s.integer(0, 1) * sizes[axis]
    offset: Index = number
    if s.chance(0.4):
        chosen = SelectValueOp(s.flag(), s.number(0), s.number(sizes[axis]))
        offset = s.add(chosen).result
    offsets = (offset, 0) if axis == 0 else (0, offset)
    return Slice(offsets, sizes, (1, 1))


def _reinterpret(s: Scope) -> None:
    """Reinterprets floats; for machine code only loaded floats, since computed NaNs may differ."""
    floats = s.draft.tile(f32, s.draft.shape)
    source = s.load(floats) if s.draft.for_machine else s.tile(floats)
    type_ = type_of(source)
    result = TensorType(i32, type_.get_shape(), type_.encoding)
    s.tiles.append(s.add(ReinterpretOp(source, result)).result)


def _load(s: Scope) -> None:
    s.tiles.append(s.load(s.draft.tile(s.element(), s.draft.shape)))


def store(s: Scope, tile: SSAValue) -> None:
    """Stores a tile to unused memory of the output array, if there is any."""
    type_ = type_of(tile)
    element, shape = type_.element_type, type_.get_shape()
    first = s.draft.reserve(type_, s.trips)
    if first is None:
        return
    row = s.number(first)
    if s.trip is not None:
        row = s.add(arith.AddiOp(s.trip, row)).result
    coords = [row, *[s.number(0)] * (len(shape) - 1)]
    s.add(
        TiledStoreOp(
            operands=[s.draft.view("out", element, shape), tile, coords, [], None],
            properties=access_properties(s.draft, type_, "stg_32"),
            result_types=[[]],
        )
    )


def _store(s: Scope) -> None:
    store(s, s.tile())


ROWS = (
    Row(4, _elementwise),
    Row(0.5, _to_float),
    Row(1, _select_elements),
    Row(1, _select_tile),
    Row(1, _splat),
    Row(3, _convert_layout),
    Row(1.5, _reshape),
    Row(2, _slice),
    Row(0.5, _reinterpret),
    Row(1, _load),
    Row(1.5, _store),
)
