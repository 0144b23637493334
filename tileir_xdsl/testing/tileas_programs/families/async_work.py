"""Asynchronous values and tokens: ready tiles, and dots, copies and stores in flight.

Only programs for machine code have asynchronous work.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType, f16, f32, i32
from xdsl.ir import Attribute, Region, SSAValue

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa import CreateMemTokenOp
from tileir_xdsl.dialects.nv_tileaa.types import MemTokenType
from tileir_xdsl.dialects.nv_tileas.slices import Slice
from tileir_xdsl.testing.tileas_programs.draft import INDEX
from tileir_xdsl.testing.tileas_programs.families.buffers import read
from tileir_xdsl.testing.tileas_programs.families.pointers import (
    is_for_machine,
    new_buffer,
    reserved,
)
from tileir_xdsl.testing.tileas_programs.families.registers import combined
from tileir_xdsl.testing.tileas_programs.scope import Row, Scope, access_properties, type_of

_DEPTH = 16
"""The extent of K in a dot."""


def _slices(s: Scope) -> None:
    """Extracts half of an asynchronous tile, and inserts it into another tile."""
    first = s.tile()
    type_ = type_of(first)
    second = s.tile(type_)
    works = [s.add(nv_tileas.ToAsyncOp(tile)).result for tile in (first, second)]
    rows, columns = type_.get_shape()
    half = s.draft.tile(type_.element_type, (rows // 2, columns))
    sizes, ones = (rows // 2, columns), (1, 1)
    start, end = (s.integer(0, 1) * (rows // 2) for _ in range(2))
    part = s.add(
        nv_tileas.AsyncExtractSliceOp(works[0], Slice((start, 0), sizes, ones), ValueType(half))
    ).result
    source = s.wait(part) if s.chance(0.5) else part
    both = s.add(
        nv_tileas.AsyncInsertSliceOp(source, works[1], Slice((end, 0), sizes, ones))
    ).result
    s.tiles.append(s.wait(both))


def _copy(s: Scope) -> None:
    """Copies a tile asynchronously to an existing buffer or to a new one."""
    tile = s.tile()
    buffer = new_buffer(s, type_of(tile))
    properties = {"atom": s.draft.atom("sts_32")}
    if s.chance(0.5):
        copy = nv_tileas.AsyncCopyOp(
            operands=[tile, buffer],
            properties=properties,
            result_types=[nv_tileas.AsyncTokenType()],
        )
        s.add(nv_tileas.WaitOp([s.add(copy).result]))
        s.tiles.append(read(s, buffer))
        return
    copy = nv_tileas.AsyncCopyOp(
        operands=[tile, None], properties=properties, result_types=[ValueType(buffer.type)]
    )
    s.tiles.append(read(s, s.wait(s.add(copy).result)))


def _dot(s: Scope) -> None:
    """An asynchronous dot of integers; another op may precede the wait for it."""
    rows, columns = s.draft.shape
    a = s.load(TensorType(f16, (rows, _DEPTH)), "whole")
    b = s.load(TensorType(f16, (_DEPTH, columns)), "whole")
    sums = TensorType(f32, s.draft.shape)
    c = s.load(sums, "whole")
    if s.chance(0.5):
        c = s.add(nv_tileas.ToAsyncOp(c)).result
    dot = s.add(nv_tileas.AsyncDotOp(a, b, c, result_type=ValueType(sums)))
    if s.chance(0.5):
        s.step()
    s.tiles.append(s.wait(dot.result))


def _through_memory(s: Scope) -> None:
    """Stores a tile, and loads it again after the store has completed."""
    tile = s.tile()
    type_ = type_of(tile)
    place = reserved(s, type_)
    if place is None:
        return
    token = s.add(CreateMemTokenOp()).result
    if s.chance(0.3):
        token = s.add(nv_tileas.CreateNoneOp(MemTokenType())).result
    view, coords = s.draft.view("out", type_.element_type, type_.get_shape()), [place, s.number(0)]
    stored = s.add(
        nv_tileas.TiledStoreOp(
            operands=[view, tile, coords, [], token],
            properties=access_properties(s.draft, type_, "stg_32"),
            result_types=[[MemTokenType()]],
        )
    ).result_token
    assert stored is not None
    work = s.add(nv_tileas.TokenToAsyncOp(stored)).result
    if s.chance(0.3):
        s.add(nv_tileas.WaitOp([s.add(nv_tileas.CreateNoneOp(nv_tileas.AsyncTokenType())).result]))
    done = s.add(nv_tileas.WaitOp([work], with_token=True)).result_token
    s.tiles.append(s.load_tile(view, coords, type_, "ldg_32", done))


def _nothing_at_first(s: Scope) -> None:
    """A loop whose initial values are empty and replaced in its first iteration."""
    tile = s.tile()
    initial = [s.add(nv_tileas.CreateNoneOp(type_)).result for type_ in (tile.type, i32)]
    types: list[Attribute] = [INDEX, tile.type, i32]
    body = s.child(types)
    index = body.block.args[0]
    number = body.add(arith.IndexCastOp(index, i32)).result
    given: list[SSAValue] = [combined(body, tile, tile), number]
    body.add(scf.YieldOp(*given))
    bounds = (s.number(0), s.number(s.integer(1, 3)), s.number(1))
    loop = s.add(scf.ForOp(*bounds, initial, Region(body.block)))
    s.tiles.append(loop.results[0])


def _has_no_layouts(s: Scope) -> bool:
    return is_for_machine(s) and not s.draft.assigned


ROWS = (
    Row(1.5, _slices, is_for_machine),
    Row(1.5, _copy, is_for_machine),
    Row(2, _dot, _has_no_layouts),
    Row(1, _through_memory, is_for_machine),
    Row(0.7, _nothing_at_first, is_for_machine),
)
