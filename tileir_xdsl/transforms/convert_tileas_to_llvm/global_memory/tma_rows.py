"""Bulk copies of rows between a matrix in global memory and buffers in shared memory.

    %x = nv_tileas.async.gather_tma_load %map, %buffer[%j], %rows, %m {atom = ..}
    ->
    %r = llvm.load %scratch : !llvm.ptr<3> -> vector<4xi32>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %b, %map, %barrier,
        box[%j, %r0, %r1, %r2, %r3] {mode = #nvvm.tma_load_mode<tile_gather4>} : ..

A copy moves four rows. Their indices go from the registers of all threads through scratch memory to
the issuing thread. The tensor map has boxes of one row. Source: PTX ISA, "Tiled mode",
`.tile::gather4` and `.tile::scatter4`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from xdsl.dialects.builtin import i8, i32
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nvvm.attributes import TMALoadMode, TMAStoreMode
from tileir_xdsl.dialects.nvvm.requirements import Requirement, unmet_message
from tileir_xdsl.dialects.nvvm.tensor_copies import (
    CpAsyncBulkTensorGlobalToSharedClusterOp,
    CpAsyncBulkTensorSharedCTAToGlobalOp,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.shared import TMABoxes, boxes_of
from tileir_xdsl.targets import Feature

from ..shared_memory.staging_buffers import StagingBuffer, StagingSlice
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram
from ..thread.shared_buffers import SharedTile
from .tma_boxes import copy_coordinate
from .tma_copies import start_load, start_store, wait_for_load, wait_for_store

ROWS = 4
"""The rows of one copy."""

ROW_NUMBER_BYTES = 4

BOX_ALIGNMENT = 128
"""The alignment in bytes of a box in shared memory (PTX ISA, "Tensor copy")."""

RowsOp = nv_tileas.AsyncGatherTmaLoadOp | nv_tileas.AsyncScatterTmaStoreOp


def _row_boxes(op: RowsOp, tile: SharedTile) -> TMABoxes:
    """The boxes of a tile of rows.

    Raises `PassFailedException` where four rows are not a legal box.
    """
    try:
        boxes = boxes_of(tile.layout)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    if len(boxes.box) != 2 or boxes.order[0] != 1:
        fail(op, f"'{op.name}' op expects a matrix of contiguous rows")
    # `.tile::gather4` and `.tile::scatter4` take exactly four row indices.
    if boxes.box[0] % ROWS:
        fail(op, f"'{op.name}' op expects boxes of {ROWS} rows, but got {boxes.box[0]}")
    # Each copy of four rows begins at a multiple of their bytes in the buffer.
    if boxes.bytes_per_box * ROWS // boxes.box[0] % BOX_ALIGNMENT:
        fail(op, f"'{op.name}' op expects {ROWS} rows to be a multiple of {BOX_ALIGNMENT} bytes")
    (count,) = tile_shape(op.rows.type).shape
    if count != tile.layout.shape[0]:
        fail(op, f"'{op.name}' op expects {tile.layout.shape[0]} row numbers, got {count}")
    return boxes


def _publish_rows(op: RowsOp, feature: Feature, program: ThreadProgram) -> SSAValue:
    """The scratch memory with the row indices, after all threads have written theirs.

    Raises `PassFailedException` for a target that cannot copy rows.
    """
    if feature not in program.target.features:
        fail(op, unmet_message(op.name, Requirement(feature=feature), program.target))
    layout, rows = layout_of(op, op.rows), program.registers[op.rows]
    (count,) = tile_shape(op.rows.type).shape
    staging = StagingBuffer(op, count, rows[0], program)
    staging.store(rows, layout, StagingSlice.whole((count,)))
    # The issuing thread reads the indices of all threads.
    program.barrier()
    return staging.pointer


def _copies(
    op: RowsOp, tile: SharedTile, numbers: SSAValue, program: ThreadProgram
) -> Iterator[tuple[SSAValue, list[SSAValue]]]:
    """Each copy: the offset of its rows in the buffer, and its column and row indices."""
    builder, boxes = program.builder, _row_boxes(op, tile)
    row_bytes = boxes.bytes_per_box // boxes.box[0]
    column = copy_coordinate(op.coords[-1], program)
    rows: dict[int, list[SSAValue]] = {}
    for (first_row, first_column), offset in boxes.positions():
        position = builder.integer(builder.add(column, first_column, i32), i32)
        for row in range(0, boxes.box[0], ROWS):
            number = first_row + row
            # Boxes next to each other have the same rows: their indices are read once.
            if number not in rows:
                pointer = builder.element_pointer(numbers, number * ROW_NUMBER_BYTES, i8)
                alignment = ROWS * ROW_NUMBER_BYTES
                rows[number] = builder.load(pointer, i32, alignment, [None] * ROWS, None)
            yield tile.pointer(builder, offset + row * row_bytes), [position, *rows[number]]


class LowerGatherTmaLoad(LowerOp[nv_tileas.AsyncGatherTmaLoadOp]):
    """A copy per four rows, on the barrier of the stage they fill, or on one of their own."""

    def lower(self, op: nv_tileas.AsyncGatherTmaLoadOp, program: ThreadProgram) -> None:
        numbers = _publish_rows(op, Feature.TMA_GATHER, program)

        def start_copies(tile: SharedTile, barrier: SSAValue) -> None:
            tensor_map = program.scalar(op.descriptor)
            for buffer, coordinates in _copies(op, tile, numbers, program):
                copy = CpAsyncBulkTensorGlobalToSharedClusterOp(
                    buffer, tensor_map, coordinates, barrier, mode=TMALoadMode.TILE_GATHER4
                )
                program.builder.insert_without_result(copy)

        start_load(op, program, start_copies)


class LowerScatterTmaStore(LowerOp[nv_tileas.AsyncScatterTmaStoreOp]):
    """A copy per four rows, all in one group."""

    def lower(self, op: nv_tileas.AsyncScatterTmaStoreOp, program: ThreadProgram) -> None:
        numbers = _publish_rows(op, Feature.TMA_SCATTER, program)

        def start_copies(tile: SharedTile) -> None:
            tensor_map = program.scalar(op.descriptor)
            for buffer, coordinates in _copies(op, tile, numbers, program):
                copy = CpAsyncBulkTensorSharedCTAToGlobalOp(
                    tensor_map, buffer, coordinates, mode=TMAStoreMode.TILE_SCATTER4
                )
                program.builder.insert_without_result(copy)

        start_store(op, program, start_copies)


PATTERNS: Patterns = {
    nv_tileas.AsyncGatherTmaLoadOp: LowerGatherTmaLoad,
    nv_tileas.AsyncScatterTmaStoreOp: LowerScatterTmaStore,
}

WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadProgram], None]] = {
    nv_tileas.AsyncGatherTmaLoadOp: wait_for_load,
    nv_tileas.AsyncScatterTmaStoreOp: wait_for_store,
}
"""How copies of rows are waited for, by the op that starts them."""
