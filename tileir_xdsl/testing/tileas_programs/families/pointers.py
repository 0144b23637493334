"""Accesses through tiles of pointers or to single rows; some of the accesses are atomic.

Only programs for machine code have accesses through pointers. Each asynchronous access is waited
for immediately, since nothing else orders later accesses after it.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TensorType, i1, i32
from xdsl.ir import Attribute, Block, Region, SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.arith import CmpIOp
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.enumerations import MemoryOrdering as MemSemantic
from tileir_xdsl.dialects.nv_tileaa import AddPtrOp, PointerType, SplatOp
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties
from tileir_xdsl.dialects.nv_tileas.attributes import RMWMode, RMWModeAttr
from tileir_xdsl.testing.tileas_programs.draft import TileType
from tileir_xdsl.testing.tileas_programs.families.buffers import read
from tileir_xdsl.testing.tileas_programs.scope import (
    SHARED_MEMORY,
    Row,
    Scope,
    access_properties,
    type_of,
)

_INTEGER_MODES = (RMWMode.ADD, RMWMode.AND, RMWMode.OR, RMWMode.XOR, RMWMode.MAX, RMWMode.UMIN)


def _add(block: Block, first: SSAValue, second: SSAValue) -> SSAValue:
    op = arith.AddiOp(first, second)
    block.add_op(op)
    return op.result


def _multiply(block: Block, first: SSAValue, second: SSAValue) -> SSAValue:
    op = arith.MuliOp(first, second)
    block.add_op(op)
    return op.result


def _constant(block: Block, value: int) -> SSAValue:
    op = arith.ConstantOp(IntegerAttr(value, i32))
    block.add_op(op)
    return op.result


def numbered(s: Scope, type_: TileType, start: SSAValue | None = None) -> SSAValue:
    """A tile whose elements are `start` plus their row-major indices."""
    body = Block(arg_types=[i32] * len(type_.get_shape()))
    number = body.args[0]
    for index, extent in zip(body.args[1:], type_.get_shape()[1:], strict=True):
        number = _add(body, _multiply(body, number, _constant(body, extent)), index)
    if start is not None:
        number = _add(body, number, start)
    body.add_op(nv_tileas.YieldOp([number]))
    return s.add(nv_tileas.GenerateOp(type_, Region(body))).result


def _start(s: Scope, tile: SSAValue, size: int) -> SSAValue:
    """The offset of a tile in an array, as an i32."""
    number = s.add(arith.IndexCastOp(tile, i32)).result
    return s.add(arith.MuliOp(number, s.draft.number(size, i32))).result


def _with_element(type_: TileType, element: Attribute) -> TileType:
    return TensorType(element, type_.get_shape(), type_.encoding)


def _pointers(s: Scope, kind: str, type_: TileType, tile: SSAValue) -> SSAValue:
    """Pointers to the elements of one tile of an array."""
    shape, element = type_.get_shape(), type_.element_type
    size = 1
    for extent in shape:
        size *= extent
    base = s.draft.pointer(kind, element, shape)
    pointers = s.add(SplatOp(base, _with_element(type_, PointerType(element)))).result
    offsets = numbered(s, _with_element(type_, i32), _start(s, tile, size))
    return s.add(AddPtrOp(pointers, offsets)).result


def _mask(s: Scope, type_: TileType) -> SSAValue:
    """A mask that is true below a random index."""
    numbers = numbered(s, _with_element(type_, i32))
    limit = s.add(SplatOp(s.draft.scalar((0, 7, 30, 1000)), _with_element(type_, i32))).result
    mask = s.add(CmpIOp(numbers, limit, "slt")).result
    assert isinstance(mask.type, TensorType) and mask.type.element_type == i1
    return mask


def _any_tile(s: Scope) -> SSAValue:
    """The index of a random tile of an array: a constant, or a loop's index."""
    indices = [index for index in s.visible_indices() if index.end <= 16]
    if indices and s.chance(0.6):
        return s.choose(indices).value
    return s.number(s.integer(0, 15))


def reserved(s: Scope, type_: TileType) -> SSAValue | None:
    """The index of an array's tile that nothing else writes; None if the array is full."""
    first = s.draft.reserve(type_, s.trips)
    if first is None:
        return None
    row = s.number(first)
    return row if s.trip is None else s.add(arith.AddiOp(s.trip, row)).result


def _load(s: Scope) -> None:
    type_ = s.draft.tile(s.element(), s.draft.shape)
    pointers = _pointers(s, "in", type_, _any_tile(s))
    mask, other = (_mask(s, type_), s.tile(type_)) if s.chance(0.5) else (None, None)
    properties = access_properties(s.draft, type_, "ldg_32")
    if s.chance(0.5):
        load = nv_tileas.LoadOp(
            operands=[pointers, mask, other, None], properties=properties, result_types=[type_, []]
        )
        s.tiles.append(s.add(load).value)
        return
    stage = new_buffer(s, type_)
    # Elements of `cp.async` without a mask: what it leaves out it fills with zeros.
    load = nv_tileas.AsyncLoadOp(
        operands=[pointers, None, None, None, stage],
        properties={**properties, "atom": s.draft.atom("ldgsts_32")},
        result_types=[ValueType(stage.type)],
    )
    s.tiles.append(read(s, s.wait(s.add(load).result)))


def new_buffer(s: Scope, type_: TileType) -> SSAValue:
    """A new buffer for a tile."""
    shape = type_.get_shape()
    memory = s.draft.memory(shape) if s.draft.assigned else SHARED_MEMORY
    return s.allocate(type_.element_type, shape, memory)


def _async_tiled_load(s: Scope) -> None:
    type_ = s.draft.tile(s.element(), s.draft.shape)
    stage = new_buffer(s, type_)
    coords = [_any_tile(s), s.number(0)]
    load = nv_tileas.AsyncTiledLoadOp(
        operands=[s.draft.view("in", type_.element_type, s.draft.shape), coords, [], None, stage],
        properties=access_properties(s.draft, type_, "ldgsts_32"),
        result_types=[ValueType(stage.type)],
    )
    s.tiles.append(read(s, s.wait(s.add(load).result)))


def _store(s: Scope) -> None:
    value = s.tile()
    type_ = type_of(value)
    place = reserved(s, type_)
    if place is None:
        return
    pointers = _pointers(s, "out", type_, place)
    mask = _mask(s, type_) if s.chance(0.5) else None
    operands = [pointers, value, mask, None]
    properties = access_properties(s.draft, type_, "stg_32")
    if s.chance(0.5):
        s.add(nv_tileas.StoreOp(operands=operands, properties=properties, result_types=[[]]))
        return
    store = nv_tileas.AsyncStoreOp(
        operands=operands, properties=properties, result_types=[nv_tileas.AsyncTokenType()]
    )
    s.add(nv_tileas.WaitOp([s.add(store).result_token]))


def _modify(s: Scope) -> None:
    """Updates a tile of an array atomically, and uses the old values."""
    value = s.tile(s.draft.tile(i32, s.draft.shape))
    type_ = type_of(value)
    place = reserved(s, type_)
    if place is None:
        return
    properties: dict[str, Attribute | None] = {
        **memory_order_properties(MemSemantic.RELAXED, MemScope.GPU),
        "rmw_mode": RMWModeAttr(s.choose(_INTEGER_MODES)),
        "nv_tileas.layout": type_.encoding if s.draft.assigned else None,
    }
    view = s.draft.view("out", i32, type_.get_shape())
    operands = [view, value, [place, s.number(0)], None]
    if s.chance(0.5):
        op = nv_tileas.TiledAtomicRMWOp(
            operands=operands, properties=properties, result_types=[type_, []]
        )
        s.tiles.append(s.add(op).old)
        return
    op = nv_tileas.AsyncTiledAtomicRMWOp(
        operands=operands, properties=properties, result_types=[ValueType(type_)]
    )
    s.tiles.append(s.wait(s.add(op).result))


# Rows wherever they are


def row_numbers(s: Scope, rows: int, place: SSAValue) -> SSAValue:
    """The row indices of a tile of an array, with neighbours swapped."""
    start = _start(s, place, rows)
    body = Block(arg_types=[i32])
    turned = arith.XOrIOp(body.args[0], _constant(body, s.integer(0, rows - 1)))
    body.add_op(turned)
    body.add_op(nv_tileas.YieldOp([_add(body, turned.result, start)]))
    return s.add(nv_tileas.GenerateOp(s.draft.tile(i32, (rows,)), Region(body))).result


def _gather(s: Scope) -> None:
    type_ = s.draft.tile(s.element(), s.draft.shape)
    rows = row_numbers(s, s.draft.shape[0], _any_tile(s))
    gather = nv_tileas.GatherLoadOp(
        operands=[
            s.draft.view("in", type_.element_type, s.draft.shape),
            [rows, s.draft.number(0, i32)],
            None,
        ],
        properties={
            **access_properties(s.draft, type_, "ldg_32"),
            "sparse_dim": IntegerAttr(0, i32),
        },
        result_types=[type_, []],
    )
    s.tiles.append(s.add(gather).tile)


def _scatter(s: Scope) -> None:
    value = s.tile(s.draft.tile(s.element(), s.draft.shape))
    type_ = type_of(value)
    place = reserved(s, type_)
    if place is None:
        return
    rows = row_numbers(s, type_.get_shape()[0], place)
    s.add(
        nv_tileas.ScatterStoreOp(
            operands=[
                s.draft.view("out", type_.element_type, type_.get_shape()),
                value,
                [rows, s.draft.number(0, i32)],
                None,
            ],
            properties={
                **access_properties(s.draft, type_, "stg_32"),
                "sparse_dim": IntegerAttr(0, i32),
            },
            result_types=[[]],
        )
    )


def is_for_machine(s: Scope) -> bool:
    """Whether the program is for machine code."""
    return s.draft.for_machine


ROWS = (
    Row(1.5, _load, is_for_machine),
    Row(1, _async_tiled_load, is_for_machine),
    Row(1.5, _store, is_for_machine),
    Row(1, _modify, is_for_machine),
    Row(0.7, _gather, is_for_machine),
    Row(0.7, _scatter, is_for_machine),
)
