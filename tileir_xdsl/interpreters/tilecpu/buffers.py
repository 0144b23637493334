"""Buffers of `tilecpu`, their elements, and the ops on whole buffers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import SSAValue

from tileir_xdsl.dialects import tilecpu as dialect
from tileir_xdsl.dialects.nv_tileaa.attributes import Signedness, SignednessAttr
from tileir_xdsl.dialects.tilecpu.core import ARENA_BYTES
from tileir_xdsl.dialects.tilecpu.types import BufferType
from tileir_xdsl.interpreters.collectives import combination
from tileir_xdsl.interpreters.element_types import constant_value, element_of
from tileir_xdsl.interpreters.errors import ExecutionError
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.formatting import format_tiles
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.interpreters.nv_tileaa.bodies import ELEMENTWISE, body_function
from tileir_xdsl.interpreters.nv_tileaa.matrix import mma
from tileir_xdsl.interpreters.registration import RegionTable, StatefulTable
from tileir_xdsl.interpreters.tile_operations import slice_positions
from tileir_xdsl.interpreters.tilecpu.indices import mapped, nest_extents
from tileir_xdsl.walking import ancestors


@dataclass(eq=False)
class TileBuffer:
    """A tile in memory."""

    array: Array


def _type(value: SSAValue) -> BufferType:
    assert isinstance(value.type, BufferType)
    return value.type


def _alloc(execution: Execution, op: dialect.AllocOp) -> PythonValues:
    buffer = _type(op.buffer)
    dtype, shape = element_of(buffer.element_type).dtype, buffer.get_shape()
    if op.offset is None:
        array = np.full(buffer.byte_size, 0xFF, np.uint8)
    else:
        offset = op.offset.value.data
        arena = _arena(execution, op)
        array = arena[offset : offset + buffer.byte_size]
        if array.size < buffer.byte_size:
            raise ExecutionError(
                f"the arena ends before byte {offset + buffer.byte_size}, the end of the buffer"
            )
    return (TileBuffer(array.view(dtype).reshape(shape)),)


def _arena(execution: Execution, op: dialect.AllocOp) -> Array:
    """The arena of the running tile block."""
    arena = execution.arenas.get(execution.block)
    if arena is None:
        function = next(each for each in ancestors(op) if isinstance(each, dialect.FuncOp))
        size = function.attributes.get(ARENA_BYTES)
        assert size is not None
        arena = np.full(size.value.data, 0xFF, np.uint8)  # pyright: ignore
        # One block runs after the other, or all at once: each has its own.
        execution.arenas[execution.block] = arena
    return arena


def _constant(_execution: Execution, op: dialect.ConstantOp) -> PythonValues:
    return (TileBuffer(constant_value(op.value, op.value.type)),)


def _read(_execution: Execution, op: dialect.ReadOp, buffer: TileBuffer) -> PythonValues:
    return (np.asarray(buffer.array[mapped(op, op.index)]),)


def _write(
    _execution: Execution, op: dialect.WriteOp, element: Array, buffer: TileBuffer
) -> PythonValues:
    buffer.array[mapped(op, op.index)] = np.broadcast_to(element, nest_extents(op))
    return ()


def _copy(
    _execution: Execution, _op: dialect.CopyOp, source: TileBuffer, destination: TileBuffer
) -> PythonValues:
    destination.array[...] = source.array.reshape(destination.array.shape)
    return ()


def _copy_slice(
    _execution: Execution,
    op: dialect.CopySliceOp,
    source: TileBuffer,
    destination: TileBuffer,
    *indices: Array,
) -> PythonValues:
    at = slice_positions(*op.shapes(), indices)
    if source.array.size > destination.array.size:
        destination.array[...] = source.array[at]
    else:
        destination.array[at] = source.array
    return ()


def _dot(
    _execution: Execution,
    op: dialect.DotOp,
    a: TileBuffer,
    b: TileBuffer,
    accumulator: TileBuffer,
    *_scratch: TileBuffer,
) -> PythonValues:
    left, right = (
        np.swapaxes(buffer.array, -1, -2) if flag is not None else buffer.array
        for buffer, flag in ((a, op.transposed_a), (b, op.transposed_b))
    )
    signs = tuple(
        SignednessAttr(Signedness.SIGNED if flag is None else Signedness.UNSIGNED)
        for flag in (op.unsigned_a, op.unsigned_b)
    )
    result = _type(op.accumulator).tile_type
    tiles = np.ascontiguousarray(left), np.ascontiguousarray(right), accumulator.array
    accumulator.array[...] = mma(result, *tiles, (), (signs[0], signs[1]), None)
    return ()


def _print(execution: Execution, op: dialect.PrintOp, *buffers: TileBuffer) -> PythonValues:
    execution.output.write(format_tiles(op.format.data, [each.array for each in buffers]))
    return ()


def _scan(
    _execution: Execution, interpreter: Interpreter, op: dialect.ScanOp, *buffers: TileBuffer
) -> PythonValues:
    count, axis = len(op.inputs), op.dimension.value.data
    step = 1 if op.reverse is None else -1
    parts = [np.moveaxis(b.array, axis, 0)[::step].copy() for b in buffers[:count]]
    combine = combination(body_function(interpreter, op.body), op.body.block, ELEMENTWISE)
    for number in range(1, len(parts[0])):
        earlier = tuple(part[number - 1] for part in parts)
        later = tuple(part[number] for part in parts)
        for part, value in zip(parts, combine(earlier, later), strict=True):
            part[number] = value
    for buffer, part in zip(buffers[count:], parts, strict=True):
        buffer.array[...] = np.moveaxis(part[::step], 0, axis)
    return ()


BUFFERS: StatefulTable = {
    dialect.AllocOp: _alloc,
    dialect.ConstantOp: _constant,
    dialect.CopyOp: _copy,
    dialect.CopySliceOp: _copy_slice,
    dialect.DotOp: _dot,
    dialect.PrintOp: _print,
    dialect.ReadOp: _read,
    dialect.WriteOp: _write,
}

SCANS: RegionTable = {dialect.ScanOp: _scan}
