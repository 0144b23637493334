"""Runs tile blocks of `cuda_tile` together, as batch axes of numpy arrays.

A value that differs between the tile blocks of a batch has three batch axes before its tile axes:
z, y, x. A batch axis has extent one if the value does not differ along it. A value that all tile
blocks share has the shape of its tile alone, and is computed once. Elementwise ops and dots need no
change, since numpy broadcasts from the last axis. Other ops have an implementation in `_BATCHED`,
or accept only shared values.

The effect must be that of running the blocks one after another. So stores are logged, and executed
at the end, block by block. A batch is refused if its stores overlap with its loads. A batch whose
control flow differs between blocks is refused, too. So is any kernel with an op that is not listed
here: atomics, prints, allocations. After a refused batch, running its blocks one by one still gives
the right results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile as dialect
from tileir_xdsl.interpreters.accesses import TOKEN
from tileir_xdsl.interpreters.address_space import AddressSpace, Allocation, Use
from tileir_xdsl.interpreters.cuda_tile.bitwise import BITWISE
from tileir_xdsl.interpreters.cuda_tile.blocks import TERMINATORS, BlockRunner, Exit, Leave
from tileir_xdsl.interpreters.cuda_tile.control_flow import CONTROL_FLOW
from tileir_xdsl.interpreters.cuda_tile.conversions import CONVERSIONS
from tileir_xdsl.interpreters.cuda_tile.core_matrix import CORE_MATRIX
from tileir_xdsl.interpreters.cuda_tile.core_reductions import REDUCTIONS
from tileir_xdsl.interpreters.cuda_tile.core_shapes import ELEMENTWISE
from tileir_xdsl.interpreters.cuda_tile.floating_point import FLOATING_POINT
from tileir_xdsl.interpreters.cuda_tile.integer import INTEGER
from tileir_xdsl.interpreters.cuda_tile.views import accessed_tile
from tileir_xdsl.interpreters.element_types import pointee_of, shape_of
from tileir_xdsl.interpreters.execution import Execution
from tileir_xdsl.interpreters.grid import Coordinates
from tileir_xdsl.interpreters.integer_operations import as_unsigned
from tileir_xdsl.interpreters.numerics import Array, Element
from tileir_xdsl.interpreters.operands import Operands
from tileir_xdsl.interpreters.tile_operations import slice_positions
from tileir_xdsl.interpreters.views import load_tile, load_tile_grid, store_tile
from tileir_xdsl.walking import ops_in

BATCH_ELEMENTS = 1 << 20
"""The most elements of a kernel's largest tile, over all blocks of a batch: a few caches full."""

_LOGGED_ELEMENTS = 1 << 25
"""The most elements that the stores of a batch may write."""

_AXES = 3

Position: TypeAlias = tuple[int, ...]
"""The position of a tile block in a batch: z, y, x, relative to the first one."""


class BatchRefused(Exception):
    """The tile blocks of a batch must run one after another."""


@dataclass(frozen=True)
class Batch:
    """Adjacent tile blocks, x fastest: the first one, and how many along x, y, z."""

    first: Coordinates
    extents: Coordinates

    def coordinates(self) -> tuple[Array, ...]:
        """The coordinates x, y and z of the tile blocks, each along its own axis."""
        return tuple(map(self._along, range(_AXES)))

    def _along(self, axis: int) -> Array:
        first, extent = self.first[axis], self.extents[axis]
        if extent == 1:
            return np.asarray(first, np.int32)
        shape = [1] * _AXES
        shape[_AXES - 1 - axis] = extent
        return np.arange(first, first + extent, dtype=np.int32).reshape(shape)


def batches(grid: Coordinates, capacity: int) -> Iterator[Batch]:
    """All tile blocks of a grid in order, in batches of at most `capacity`."""
    x, y, z = grid
    along_x = min(x, capacity)
    along_y = min(y, max(1, capacity // x))
    along_z = min(z, max(1, capacity // (x * y)))
    for k in range(0, z, along_z):
        for j in range(0, y, along_y):
            for i in range(0, x, along_x):
                extents = min(along_x, x - i), min(along_y, y - j), min(along_z, z - k)
                yield Batch((i, j, k), extents)


@dataclass
class BatchMemory(AddressSpace):
    """Global memory that refuses writes to allocations that were read, even in part."""

    read: dict[int, Allocation] = field(default_factory=dict[int, Allocation])

    def _resolve(
        self, addresses: Array, element: Element, mask: Array | None, use: Use
    ) -> list[tuple[Allocation, Array, Array]]:
        resolved = super()._resolve(addresses, element, mask, use)
        for allocation, _, _ in resolved:
            self._note(allocation, use)
        return resolved

    def _box(self, base: int, shape: Any, strides: Any, element: Element, use: Use) -> Array:
        box = super()._box(base, shape, strides, element, use)
        if (allocation := self._allocation_at(base)) is not None:
            self._note(allocation, use)
        return box

    def _note(self, allocation: Allocation, use: Use) -> None:
        if use is Use.READ:
            self.read[allocation.base] = allocation
        elif any(np.may_share_memory(allocation.data, each.data) for each in self.read.values()):
            raise BatchRefused("the batch stores to memory that it has loaded")


@dataclass(frozen=True)
class LoggedStore:
    """A store by all tile blocks of a batch: functions for one block, and for all in order."""

    of_block: Callable[[Position], None]
    of_all: Callable[[], None]


@dataclass(frozen=True)
class BatchRunner(BlockRunner):
    """Runs blocks of operations for all tile blocks of a batch."""

    batch: Batch
    log: list[LoggedStore]
    logged: list[int]
    """The number of elements of each logged store."""

    def _run_operations(self, block: Block) -> Exit:
        for op in block.ops:
            operands = self.interpreter.get_values(op.operands)
            if (leave := TERMINATORS.get(type(op))) is not None:
                return Exit(leave, operands)
            if (run := self.region_operations.get(type(op))) is not None:
                exit_ = run(self, op, operands)
                if exit_.leave is not Leave.YIELD:
                    return exit_
                results = exit_.values
            elif type(op) in _ANY_SHAPE:
                results = self.interpreter.run_op(op, operands)
            elif (batched := _BATCHED.get(type(op))) is not None:
                results = batched(self, op, operands)
            elif any(map(is_batched, op.operands, operands)):
                raise BatchRefused(f"'{op.name}' has operands that differ between tile blocks")
            else:
                results = self.interpreter.run_op(op, operands)
            self.interpreter.set_values(zip(op.results, results, strict=True))
        raise AssertionError("a verified block ends in a terminator")

    def store(self, stored: LoggedStore, elements: int) -> None:
        """Delays a store to the end of the batch. Raises `BatchRefused` beyond a limit."""
        self.log.append(stored)
        self.logged.append(elements)
        if sum(self.logged) > _LOGGED_ELEMENTS:
            raise BatchRefused("the batch stores too many elements")

    def finish(self) -> None:
        """Executes all stores: those of the first tile block, then those of the next one."""
        if len(self.log) == 1:
            self.log[0].of_all()
            return
        x, y, z = self.batch.extents
        for position in np.ndindex(z, y, x):
            for stored in self.log:
                stored.of_block(position)


def is_batched(operand: SSAValue, value: Any) -> bool:
    """Whether an operand's value has batch axes."""
    return isinstance(value, np.ndarray) and value.ndim > len(shape_of(operand.type))


def _batch_shape(rank: int, value: Array) -> tuple[int, ...]:
    return value.shape[: value.ndim - rank]


def _at(value: Array, rank: int, position: Position) -> Array:
    """The tile of rank `rank` of one tile block."""
    if value.ndim == rank:
        return value
    return value[_clipped(position, value.shape[:_AXES])]


def _clipped(position: Position, extents: tuple[int, ...]) -> Position:
    return tuple(p if n > 1 else 0 for p, n in zip(position, extents, strict=False))


# Shapes


def _broadcast(_runner: BatchRunner, op: dialect.BroadcastOp, values: PythonValues) -> PythonValues:
    (source,) = values
    outer = _batch_shape(len(shape_of(op.source.type)), source)
    return (np.broadcast_to(source, outer + shape_of(op.result.type)),)


def _reshape(_runner: BatchRunner, op: dialect.ReshapeOp, values: PythonValues) -> PythonValues:
    (source,) = values
    outer = _batch_shape(len(shape_of(op.source.type)), source)
    return (source.reshape(outer + shape_of(op.result.type)),)


def _permute(_runner: BatchRunner, op: dialect.PermuteOp, values: PythonValues) -> PythonValues:
    (source,) = values
    permutation = tuple(op.get_permutation())
    outer = source.ndim - len(permutation)
    return (source.transpose((*range(outer), *(outer + p for p in permutation))),)


def _concatenate(_runner: BatchRunner, op: dialect.CatOp, values: PythonValues) -> PythonValues:
    tiles = [shape_of(operand.type) for operand in op.operands]
    outer = np.broadcast_shapes(
        *(_batch_shape(len(tile), value) for tile, value in zip(tiles, values, strict=True))
    )
    parts = [np.broadcast_to(v, outer + tile) for tile, v in zip(tiles, values, strict=True)]
    return (np.concatenate(parts, axis=len(outer) + op.dim.value.data),)


def _extract(_runner: BatchRunner, op: dialect.ExtractOp, values: PythonValues) -> PythonValues:
    source, *indices = values
    if any(index.ndim for index in indices):
        raise BatchRefused("the tile blocks extract different slices")
    slices = slice_positions(shape_of(op.source.type), shape_of(op.result.type), indices)
    return (source[(..., *slices)],)


def _block_id(runner: BatchRunner, _op: Operation, _values: PythonValues) -> PythonValues:
    return runner.batch.coordinates()


# Reductions and scans


def _along_tile(run: Callable[..., Exit]) -> Callable[..., Exit]:
    """Adapts a reduction or scan of tiles, whose axis is counted from 0, to batches."""

    def run_batched(runner: BatchRunner, op: Any, values: PythonValues) -> Exit:
        if not any(map(is_batched, op.operands, values)):
            return run(runner, op, values)
        tile = shape_of(op.operands[0].type)
        outer = np.broadcast_shapes(*(_batch_shape(len(tile), v) for v in values))
        # The batch goes last, so that the axis keeps its number.
        last = [np.moveaxis(np.broadcast_to(v, outer + tile), _FIRST, _LAST) for v in values]
        exit_ = run(runner, op, tuple(last))
        return Exit(exit_.leave, tuple(np.moveaxis(v, _LAST, _FIRST) for v in exit_.values))

    return run_batched


_FIRST, _LAST = tuple(range(_AXES)), tuple(range(-_AXES, 0))


# Accesses


def _load_view(
    runner: BatchRunner, op: dialect.LoadViewTkoOp, values: PythonValues
) -> PythonValues:
    operands = Operands(op, values)
    ranks = [len(shape_of(index.type)) for index in op.indices]
    indices = operands.several(op.indices)
    outer = np.broadcast_shapes(*map(_batch_shape, ranks, indices))
    execution, tiles = runner.execution, []
    memory = execution.memory
    if outer and not any(ranks):
        unsigned = [as_unsigned(index) for index in indices]
        # A tile that is not all inside is not among these, whatever `inbounds` promises.
        if (loaded := load_tile_grid(memory, operands[op.view], unsigned)) is not None:
            return loaded, TOKEN
    for position in np.ndindex(outer):
        of_block = _operands_at(op, values, position)
        tiles.append(load_tile(memory, *accessed_tile(execution, op, of_block)))
    if not outer:
        return tiles[0], TOKEN
    return np.stack(tiles).reshape(outer + tiles[0].shape), TOKEN


def _operands_at(op: Operation, values: PythonValues, position: Position) -> Operands:
    """The operands of one tile block. Raises `BatchRefused` if pointers differ between blocks."""
    return Operands(
        op,
        tuple(
            _at(value, len(shape_of(operand.type)), position)
            if isinstance(value, np.ndarray)
            else value
            for operand, value in zip(op.operands, values, strict=True)
        ),
    )


def _store_view(
    runner: BatchRunner, op: dialect.StoreViewTkoOp, values: PythonValues
) -> PythonValues:
    memory = runner.execution.memory
    arrays = [(o, v) for o, v in zip(op.operands, values, strict=True) if isinstance(v, np.ndarray)]
    shapes = [_batch_shape(len(shape_of(operand.type)), value) for operand, value in arrays]
    outer = np.broadcast_shapes(*shapes)

    def of_block(position: Position) -> None:
        operands = _operands_at(op, values, position)
        view, indices = accessed_tile(runner.execution, op, operands)
        store_tile(memory, view, indices, operands[op.tile])

    def of_all() -> None:
        for position in np.ndindex(outer):
            of_block(position)

    elements = math.prod(outer) * math.prod(shape_of(op.tile.type))
    runner.store(LoggedStore(of_block, of_all), elements)
    return (TOKEN,)


def _load_pointers(
    runner: BatchRunner, op: dialect.LoadPtrTkoOp, values: PythonValues
) -> PythonValues:
    operands = Operands(op, values)
    mask, padding = operands.optional(op.mask), operands.optional(op.padding_value)
    pointers, element = operands[op.source], pointee_of(op.source.type)
    if mask is not None:
        pointers, mask = np.broadcast_arrays(pointers, mask)
    loaded = runner.execution.memory.load(pointers, element, mask)
    if padding is None and runner.execution.undefined is not None:
        runner.execution.undefined.note_mask(op, mask)
    if mask is not None and padding is not None:
        loaded = np.where(mask, loaded, padding)
    return loaded, TOKEN


def _store_pointers(
    runner: BatchRunner, op: dialect.StorePtrTkoOp, values: PythonValues
) -> PythonValues:
    operands, memory = Operands(op, values), runner.execution.memory
    element, rank = pointee_of(op.destination.type), len(shape_of(op.destination.type))
    mask = operands.optional(op.mask)
    pointers, value, mask = np.broadcast_arrays(
        operands[op.destination], operands[op.value], np.True_ if mask is None else mask
    )

    def of_block(position: Position) -> None:
        at = (_at(each, rank, position) for each in (pointers, value, mask))
        chosen_pointers, chosen, chosen_mask = at
        memory.store(chosen_pointers, chosen, element, chosen_mask)

    # In row-major order, x fastest: of equal addresses the last tile block wins, as one by one.
    runner.store(
        LoggedStore(of_block, lambda: memory.store(pointers, value, element, mask)), pointers.size
    )
    return (TOKEN,)


_ANY_SHAPE = {
    *BITWISE,
    *CONVERSIONS,
    *CORE_MATRIX,
    *ELEMENTWISE,
    *FLOATING_POINT,
    *INTEGER,
    dialect.AssertOp,
    dialect.AssumeOp,
}
"""The ops whose usual implementation accepts tiles with batch axes."""

_BATCHED: dict[type[Operation], Callable[..., PythonValues]] = {
    dialect.BroadcastOp: _broadcast,
    dialect.CatOp: _concatenate,
    dialect.ExtractOp: _extract,
    dialect.GetTileBlockIdOp: _block_id,
    dialect.LoadPtrTkoOp: _load_pointers,
    dialect.LoadViewTkoOp: _load_view,
    dialect.PermuteOp: _permute,
    dialect.ReshapeOp: _reshape,
    dialect.StorePtrTkoOp: _store_pointers,
    dialect.StoreViewTkoOp: _store_view,
}
"""The implementations of ops that must know which axes are batch axes."""

_REGIONS: dict[type[Operation], Callable[..., Exit]] = {
    **CONTROL_FLOW,
    **{type_: _along_tile(run) for type_, run in REDUCTIONS.items()},
}

_SAME_IN_ALL = {
    dialect.ConstantOp,
    dialect.GetGlobalOp,
    dialect.GetIndexSpaceShapeOp,
    dialect.GetNumTileBlocksOp,
    dialect.GetTensorShapeOp,
    dialect.IotaOp,
    dialect.JoinTokensOp,
    dialect.MakeGatherScatterViewOp,
    dialect.MakePartitionViewOp,
    dialect.MakeStridedViewOp,
    dialect.MakeTensorViewOp,
    dialect.MakeTokenOp,
}
"""The ops that accept only values without batch axes."""

_ALLOWED = {*_ANY_SHAPE, *_BATCHED, *_REGIONS, *_SAME_IN_ALL, *TERMINATORS}


def batch_capacity(entry: dialect.EntryOp, grid: Coordinates) -> int:
    """The number of tile blocks of a kernel in a batch; one if an op forbids batches."""
    largest = 1
    if math.prod(grid) == 1:
        return 1
    for op in ops_in(entry.body):
        if type(op) not in _ALLOWED:
            return 1
        largest = max(largest, *(math.prod(shape_of(r.type)) for r in op.results), 1)
    return max(1, BATCH_ELEMENTS // largest)


def run_batches(
    entry: dialect.EntryOp,
    capacity: int,
    interpreter: Interpreter,
    execution: Execution,
    parameters: PythonValues,
) -> int:
    """Runs the tile blocks of the grid, up to `capacity` together; returns how many have run.

    The tile blocks from the first refused batch on are left to run one by one.
    """
    memory = execution.memory
    try:
        for batch in batches(execution.grid, capacity):
            execution.memory = BatchMemory(memory.allocations)
            execution.iterations = 0
            runner = BatchRunner(interpreter, execution, _REGIONS, {}, batch, [], [])
            runner.run_block(entry.body.block, parameters)
            runner.finish()
            execution.ended += math.prod(batch.extents)
    except Exception:
        # Running the blocks one by one tells which of them is at fault, and where.
        pass
    finally:
        execution.memory = memory
    return execution.ended
