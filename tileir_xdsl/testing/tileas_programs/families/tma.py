"""Bulk copies through tensor maps: boxes from and to arrays, and single rows.

Only programs for machine code have bulk copies, if their target supports the copies.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from tileir_xdsl.dialects.nv_tileaa import CreateMemTokenOp
from tileir_xdsl.dialects.nv_tileas import (
    AsyncGatherTmaLoadOp,
    AsyncScatterTmaStoreOp,
    AsyncTiledTmaLoadOp,
    AsyncTiledTmaStoreOp,
    AtomAttr,
    WaitOp,
)
from tileir_xdsl.testing.tileas_programs.draft import TileType
from tileir_xdsl.testing.tileas_programs.families.buffers import copy_into, read
from tileir_xdsl.testing.tileas_programs.families.pointers import (
    is_for_machine,
    reserved,
    row_numbers,
)
from tileir_xdsl.testing.tileas_programs.scope import Row, Scope, type_of

_WITH_TMA = ("sm_90a", "sm_100a", "sm_120a")
_WITH_GATHERED_ROWS = ("sm_100a", "sm_120a")
_WITH_SCATTERED_ROWS = ("sm_100a",)
"""The targets with copies of scattered rows (PTX ISA, "cp.async.bulk.tensor")."""

LOAD, STORE = AtomAttr("tma_load_2d"), AtomAttr("tma_store_2d")
GATHER, SCATTER = AtomAttr("tma_gather4_2d"), AtomAttr("tma_scatter4_2d")


def _buffer(s: Scope, type_: TileType) -> SSAValue:
    """A row-major buffer, which is how TMA writes boxes."""
    return s.allocate(type_.element_type, type_.get_shape())


def _corner(s: Scope, place: SSAValue, rows: int) -> list[SSAValue]:
    """The coordinates of the first element of an array's tile."""
    return [s.add(arith.MuliOp(place, s.number(rows))).result, s.number(0)]


def _loaded_place(s: Scope) -> SSAValue:
    indices = [index for index in s.visible_indices() if index.end <= 16]
    if indices and s.chance(0.6):
        return s.choose(indices).value
    return s.number(s.integer(0, 15))


def _load(s: Scope) -> None:
    """Loads a box of an array, or its rows in another order."""
    type_ = s.draft.tile(s.element(), s.draft.shape)
    element, shape = type_.element_type, type_.get_shape()
    buffer, place = _buffer(s, type_), _loaded_place(s)
    barrier = s.add(CreateMemTokenOp()).result
    if s.draft.target in _WITH_GATHERED_ROWS and s.chance(0.5):
        rows = row_numbers(s, shape[0], place)
        descriptor = s.draft.descriptor("in", element, shape, GATHER.data)
        load = AsyncGatherTmaLoadOp(descriptor, buffer, [s.number(0)], rows, barrier, GATHER)
        s.add(WaitOp([s.add(load).result]))
    else:
        descriptor = s.draft.descriptor("in", element, shape, LOAD.data)
        corner = _corner(s, place, shape[0])
        load = AsyncTiledTmaLoadOp(descriptor, buffer, corner, barrier, LOAD)
        s.add(WaitOp([s.add(load).result]))
    s.tiles.append(read(s, buffer))


def _store(s: Scope) -> None:
    """Stores to a box of an array that nothing else writes, or to its rows in another order."""
    tile = s.tile()
    type_ = type_of(tile)
    element, shape = type_.element_type, type_.get_shape()
    place = reserved(s, type_)
    if place is None:
        return
    buffer = _buffer(s, type_)
    copy_into(s, tile, buffer)
    if s.draft.target in _WITH_SCATTERED_ROWS and s.chance(0.5):
        rows = row_numbers(s, shape[0], place)
        descriptor = s.draft.descriptor("out", element, shape, SCATTER.data)
        store = AsyncScatterTmaStoreOp(descriptor, buffer, [s.number(0)], rows, SCATTER)
        s.add(WaitOp([s.add(store).result]))
        return
    descriptor = s.draft.descriptor("out", element, shape, STORE.data)
    store = AsyncTiledTmaStoreOp(descriptor, buffer, _corner(s, place, shape[0]), STORE)
    s.add(WaitOp([s.add(store).result]))


def _has_tma(s: Scope) -> bool:
    return is_for_machine(s) and s.draft.target in _WITH_TMA


ROWS = (Row(1.5, _load, _has_tma), Row(1.5, _store, _has_tma))
