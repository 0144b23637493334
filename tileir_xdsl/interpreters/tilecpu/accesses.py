"""Memory accesses of `tilecpu`, for all elements of a nest at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.interpreter import PythonValues

from tileir_xdsl.dialects import tilecpu as dialect
from tileir_xdsl.dialects.nv_tileaa.attributes import PaddingAttr
from tileir_xdsl.interpreters.accesses import Ordering
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.modifications import compare_and_swap, modify
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.tilecpu.indices import mapped, nest_extents
from tileir_xdsl.interpreters.views import (
    TileView,
    access_padding,
    load_tile,
    promise_inside,
    store_tile,
    tile_addresses,
)


def _tile(
    op: dialect.LoadOp | dialect.StoreOp | dialect.AtomicUpdateOp,
    operands: Operands,
    padding: PaddingAttr | None,
) -> tuple[TileView, list[Array]]:
    view: TileView = operands[op.view]
    if padding is not None:
        view = replace(view, padding=access_padding(padding))
    coords = [as_unsigned(coord) for coord in operands.several(op.coords)]
    if op.in_bounds is not None:
        promise_inside(view, coords, [bool(flag) for flag in op.in_bounds.get_values()])
    return view, coords


def _load(execution: Execution, op: dialect.LoadOp, *values: object) -> PythonValues:
    view, coords = _tile(op, Operands(op, values), op.padding_value)
    at = mapped(op, op.index)
    chosen = np.zeros(view.tile, np.bool_)
    chosen[at] = True

    def action() -> Array:
        taken = None if chosen.all() else chosen
        return np.asarray(load_tile(execution.memory, view, coords, taken)[at])

    return execution.perform(op, None, action)[:1]


def _store(execution: Execution, op: dialect.StoreOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    view, coords = _tile(op, operands, None)
    element, at = operands[op.element], mapped(op, op.index)
    tile, chosen = np.zeros(view.tile, element.dtype), np.zeros(view.tile, np.bool_)
    tile[at] = np.broadcast_to(element, nest_extents(op))
    chosen[at] = True

    def action() -> None:
        store_tile(execution.memory, view, coords, tile, None if chosen.all() else chosen)

    execution.perform(op, None, action)
    return ()


def _ordering(op: Any) -> Ordering:
    if op.mem_semantic is None:
        return Ordering()
    return Ordering(op.mem_semantic.data.value, "device")


def _load_pointer(execution: Execution, op: dialect.LoadPointerOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    pointer, element = operands[op.pointer], pointee_of(op.pointer.type)
    mask, other = operands.optional(op.mask), operands.optional(op.other)
    if mask is not None:
        pointer, mask = np.broadcast_arrays(pointer, mask)

    def action() -> Array:
        loaded = execution.memory.load(pointer, element, mask)
        return loaded if mask is None or other is None else np.where(mask, loaded, other)

    return execution.perform(op, None, action, _ordering(op))[:1]


def _store_pointer(
    execution: Execution, op: dialect.StorePointerOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    extents, element = nest_extents(op), pointee_of(op.pointer.type)
    pointer = np.broadcast_to(operands[op.pointer], extents)
    value = np.broadcast_to(operands[op.element], extents)
    mask = operands.optional(op.mask)
    mask = None if mask is None else np.broadcast_to(mask, extents)

    def action() -> None:
        execution.memory.store(pointer, value, element, mask)

    execution.perform(op, None, action, _ordering(op))
    return ()


def _atomic(execution: Execution, op: dialect.AtomicRMWOp, *values: object) -> PythonValues:
    operands, extents = Operands(op, values), nest_extents(op)
    pointer = np.broadcast_to(operands[op.pointer], extents)
    value = np.broadcast_to(operands[op.value], extents)
    mask, element = operands.optional(op.mask), pointee_of(op.pointer.type)
    mask = None if mask is None else np.broadcast_to(mask, extents)

    def action() -> Array:
        mode = op.rmw_mode.data.value
        return modify(execution.memory, mode, pointer, value, element, mask)

    return execution.perform(op, None, action, _ordering(op))[:1]


def _exchange(execution: Execution, op: dialect.AtomicCASOp, *values: object) -> PythonValues:
    operands, extents = Operands(op, values), nest_extents(op)
    pointer, compare, replacement = (
        np.broadcast_to(operands[value], extents)
        for value in (op.pointer, op.compare, op.replacement)
    )
    mask, element = operands.optional(op.mask), pointee_of(op.pointer.type)
    mask = None if mask is None else np.broadcast_to(mask, extents)

    def action() -> Array:
        memory = execution.memory
        return compare_and_swap(memory, pointer, compare, replacement, element, mask)

    return execution.perform(op, None, action, _ordering(op))[:1]


def _update(execution: Execution, op: dialect.AtomicUpdateOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    view, coords = _tile(op, operands, None)
    at, extents = mapped(op, op.index), nest_extents(op)
    value = np.broadcast_to(operands[op.value], extents)
    addresses, inside = tile_addresses(view, coords)

    def action() -> None:
        mode, element = op.rmw_mode.data.value, view.tensor.element
        modify(execution.memory, mode, addresses[at], value, element, inside[at])

    execution.perform(op, None, action, _ordering(op))
    return ()


ACCESSES: StatefulTable = {
    dialect.AtomicCASOp: _exchange,
    dialect.AtomicRMWOp: _atomic,
    dialect.AtomicUpdateOp: _update,
    dialect.LoadOp: _load,
    dialect.LoadPointerOp: _load_pointer,
    dialect.StoreOp: _store,
    dialect.StorePointerOp: _store_pointer,
}
