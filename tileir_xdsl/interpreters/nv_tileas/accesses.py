"""Accesses to tiles of views and to buffers, and copies between them, synchronous or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.interpreter import PythonValues
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileas as dialect
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileas.attributes import RMWMode
from tileir_xdsl.interpreters.accesses import Token
from tileir_xdsl.interpreters.buffers import Buffer, new_buffer, tiles_of
from tileir_xdsl.interpreters.element_types import pointee_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.modifications import modify
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa import pointer_accesses as tileaa_memory
from tileir_xdsl.interpreters.nv_tileaa import views as tileaa_views
from tileir_xdsl.interpreters.nv_tileaa.pointer_accesses import ordering_of
from tileir_xdsl.interpreters.nv_tileas.async_work import Work, start
from tileir_xdsl.interpreters.nv_tileas.locations import ViewedTile, accessed_location, location_of
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.pending import wait_for
from tileir_xdsl.interpreters.registration import StatefulTable
from tileir_xdsl.interpreters.views import padding_value, tile_addresses


def _token_of(value: Token | Work | None) -> Token | None:
    """The token that an access must follow; waits for asynchronous work."""
    if isinstance(value, Work):
        value.finish()
        return None
    return value


def _results(op: Operation, *values: object) -> PythonValues:
    """The first values, as many as the op has results; an async token stands for complete work."""
    results = list(values[: len(op.results)])
    if results and isinstance(op.results[-1].type, dialect.AsyncTokenType):
        token = results[-1]
        results[-1] = token if isinstance(token, Work) else Work.done()
    return tuple(results)


def _tiled_load(execution: Execution, op: dialect.TiledLoadOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    location = accessed_location(op, operands)
    token = _token_of(operands.optional(op.token))
    results = execution.perform(op, token, lambda: location.read(execution), ordering_of(op))
    return _results(op, *results)


def _pad(_execution: Execution, op: dialect.PadOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    (given,) = wait_for((operands[op.tile],))
    location = accessed_location(op, operands)
    assert isinstance(location, ViewedTile)
    _, inside = tile_addresses(location.view, location.indices)
    (tile,) = tiles_of((given,))
    padded = np.where(inside, tile, padding_value(location.view))
    if not isinstance(given, Buffer):
        return (padded,)
    given.fill(padded)
    return (given,)


def _tiled_store(execution: Execution, op: dialect.TiledStoreOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    location = accessed_location(op, operands)
    token = _token_of(operands.optional(op.token))
    (tile,) = tiles_of((operands[op.tile],))
    _, after = execution.perform(
        op, token, lambda: location.write(execution, tile), ordering_of(op)
    )
    return _results(op, after)


def _modification(
    execution: Execution,
    op: dialect.TiledAtomicRMWOp | dialect.AsyncTiledAtomicRMWOp,
    operands: Operands,
) -> Callable[[], Array]:
    """A function that modifies one tile of a view, and returns its old value."""
    location = accessed_location(op, operands)
    if not isinstance(location, ViewedTile):
        raise ExecutionError("the interpreter does not support atomic accesses to buffers")
    if op.rmw_mode.data is RMWMode.CMPXCHG:
        raise ExecutionError(
            "compare-and-swap expects a tile to compare with, and the op has no such operand"
        )
    addresses, mask = tile_addresses(location.view, location.indices)
    (value,) = tiles_of((operands[op.value],))
    mode, element = op.rmw_mode.data.value, location.view.tensor.element
    return lambda: modify(execution.memory, mode, addresses, value, element, mask)


def _tiled_modify(
    execution: Execution, op: dialect.TiledAtomicRMWOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    action = _modification(execution, op, operands)
    results = execution.perform(op, operands.optional(op.token), action, ordering_of(op))
    return _results(op, *results)


# Asynchronous accesses


def _async_load(execution: Execution, op: dialect.AsyncLoadOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    (pointers, mask, other), element = (
        tiles_of((operands[op.pointers], operands.optional(op.mask), operands.optional(op.other))),
        pointee_of(op.pointers.type),
    )

    def action() -> Array:
        loaded = execution.memory.load(pointers, element, mask)
        return loaded if mask is None or other is None else np.where(mask, loaded, other)

    return _started(execution, op, operands, action)


def _async_tiled_load(
    execution: Execution, op: dialect.AsyncTiledLoadOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    location = accessed_location(op, operands)
    return _started(execution, op, operands, lambda: location.read(execution))


def _started(
    execution: Execution,
    op: dialect.AsyncLoadOp | dialect.AsyncTiledLoadOp,
    operands: Operands,
    action: Callable[[], Array],
) -> PythonValues:
    """Starts a load, to a buffer if the op has one; returns the work."""
    destination: Buffer | None = operands.optional(op.destination)
    token = _token_of(operands.optional(op.token))
    return (start(execution, op, action, destination, token, ordering_of(op)),)


def _async_store(execution: Execution, op: dialect.AsyncStoreOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    pointers, element = operands[op.pointers], pointee_of(op.pointers.type)
    value, mask = tiles_of((operands[op.value], operands.optional(op.mask)))

    def action() -> None:
        execution.memory.store(pointers, value, element, mask)

    token = _token_of(operands.optional(op.token))
    return (start(execution, op, action, None, token, ordering_of(op)),)


def _async_modify(
    execution: Execution, op: dialect.AsyncTiledAtomicRMWOp, *values: object
) -> PythonValues:
    operands = Operands(op, values)
    action = _modification(execution, op, operands)
    return (start(execution, op, action, None, operands.optional(op.token), ordering_of(op)),)


# Copies


def _copy(execution: Execution, op: dialect.CopyOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    source = location_of(operands[op.source])
    if op.destination is not None:
        location_of(operands[op.destination]).write(execution, source.read(execution))
        return (operands[op.destination],)
    tile = source.read(execution)
    if not _is_buffer(op.result.type):
        return (tile,)
    buffer = new_buffer(op.result.type)
    buffer.fill(tile)
    return (buffer,)


def _is_buffer(type_: object) -> bool:
    return isinstance(type_, TensorType) and isinstance(type_.encoding, dialect.MemoryAttr)


def _async_copy(execution: Execution, op: dialect.AsyncCopyOp, *values: object) -> PythonValues:
    operands = Operands(op, values)
    source = location_of(operands[op.source])
    destination: Any = operands.optional(op.destination)
    if isinstance(destination, Buffer) or destination is None:
        result = op.result.type
        if destination is None and isinstance(result, ValueType) and _is_buffer(result.payload):
            destination = new_buffer(result.payload)
        return (start(execution, op, lambda: source.read(execution), destination),)
    location = location_of(destination)

    def action() -> None:
        location.write(execution, source.read(execution))

    return (start(execution, op, action),)


ACCESSES: StatefulTable = {
    dialect.GatherLoadOp: tileaa_views.load,
    dialect.LoadOp: tileaa_memory.load,
    dialect.ScatterStoreOp: tileaa_views.store,
    dialect.StoreOp: tileaa_memory.store,
}
"""The ops with the same semantics as in `nv_tileaa`."""

LOCATIONS: StatefulTable = {
    dialect.AsyncCopyOp: _async_copy,
    dialect.AsyncLoadOp: _async_load,
    dialect.AsyncStoreOp: _async_store,
    dialect.AsyncTiledAtomicRMWOp: _async_modify,
    dialect.AsyncTiledLoadOp: _async_tiled_load,
    dialect.CopyOp: _copy,
    dialect.TiledAtomicRMWOp: _tiled_modify,
    dialect.PadOp: _pad,
    dialect.TiledLoadOp: _tiled_load,
    dialect.TiledStoreOp: _tiled_store,
}
"""The ops that may access buffers."""
