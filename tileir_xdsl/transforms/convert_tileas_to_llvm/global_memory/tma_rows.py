"""Bulk copies of rows between a matrix in global memory and buffers in shared memory.

    %x = nv_tileas.async.gather_tma_load %map, %buffer[%j], %rows, %m {atom = ..}
    ->
    %r = llvm.load %scratch : !llvm.ptr<3> -> vector<4xi32>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %b, %map, %barrier,
        box[%j, %r0, %r1, %r2, %r3] {mode = #nvvm.tma_load_mode<tile_gather4>} : ..

A copy moves four rows. The issuing thread reads row indices from shared memory; indices in the
registers of all threads are first written to scratch memory. The tensor map has boxes of one row.
Source: PTX ISA, "Tiled mode", `.tile::gather4` and `.tile::scatter4`.
"""

from collections.abc import Callable, Mapping
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
from ..thread.builder import Index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter
from ..thread.register_loops import State, repeat_while
from ..thread.shared_buffers import SharedTile
from .tma_boxes import copy_coordinate
from .tma_copies import start_load, start_store, wait_for_load, wait_for_store

ROWS = 4
"""The number of rows that one copy moves."""

ROW_NUMBER_BYTES = 4

UNROLLED = 2
"""The most copies that are issued without a loop."""

BOX_ALIGNMENT = 128
"""The alignment in bytes of a box in shared memory (PTX ISA, "Tensor copy")."""

RowsOp = nv_tileas.AsyncGatherTmaLoadOp | nv_tileas.AsyncScatterTmaStoreOp


def _row_boxes(op: RowsOp, tile: SharedTile) -> TMABoxes:
    """The boxes of a tile of rows.

    Raises `PassFailedException` if four rows are not a legal box.
    """
    try:
        boxes = boxes_of(tile.layout)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")
    if len(boxes.box) != 2 or boxes.order[0] != 1:
        fail(op, f"'{op.name}' op expects a matrix of contiguous rows")
    # `.tile::gather4` and `.tile::scatter4` take exactly four row indices.
    if boxes.box[0] % ROWS:
        fail(
            op,
            f"'{op.name}' op expects the rows of a box to be a multiple of {ROWS}, "
            f"but got {boxes.box[0]}",
        )
    # Each copy of four rows begins at a multiple of their bytes in the buffer.
    if boxes.bytes_per_box * ROWS // boxes.box[0] % BOX_ALIGNMENT:
        fail(
            op,
            f"'{op.name}' op expects {ROWS} rows of a box to take a multiple of "
            f"{BOX_ALIGNMENT} bytes",
        )
    (count,) = tile_shape(op.rows.type).shape
    if count != tile.layout.shape[0]:
        fail(op, f"'{op.name}' op expects {tile.layout.shape[0]} row numbers, got {count}")
    return boxes


def _published_rows(op: RowsOp, feature: Feature, rewriter: ThreadRewriter) -> SSAValue:
    """The shared memory with the row indices, after all threads have written them.

    Raises `PassFailedException` for a target that cannot copy rows.
    """
    if feature not in rewriter.function.target.features:
        fail(op, unmet_message(op.name, Requirement(feature=feature), rewriter.function.target))
    if rewriter.buffer(op.rows) is not None:
        return rewriter.shared_tile(op.rows).pointer(rewriter.builder, 0)
    layout, rows = layout_of(op, op.rows), rewriter.registers(op.rows)
    (count,) = tile_shape(op.rows.type).shape
    staging = StagingBuffer(op, count, rows[0], rewriter)
    staging.store(rows, layout, StagingSlice.whole((count,)))
    # The issuing thread reads the indices of all threads.
    rewriter.barrier()
    return staging.pointer


IssueCopy = Callable[[SSAValue, list[SSAValue]], None]
"""Issues a copy of four rows; the arguments are an address in shared memory, a column and the
rows.
"""


def _repeat_copies(
    op: RowsOp, tile: SharedTile, numbers: SSAValue, rewriter: ThreadRewriter, issue: IssueCopy
) -> None:
    """Issues the copies of all rows, four rows each."""
    builder, boxes = rewriter.builder, _row_boxes(op, tile)
    column = copy_coordinate(op.coords[-1], rewriter)
    # Every row of a tile is as far from the one before as in its boxes.
    columns = [(first, offset) for (row, first), offset in boxes.positions() if row == 0]
    distance = boxes.bytes_per_box // boxes.box[0] * ROWS
    step, end = ROWS * ROW_NUMBER_BYTES, tile.layout.shape[0] * ROW_NUMBER_BYTES

    def copy_four(number: Index) -> None:
        """Copies the four rows whose indices are at a byte offset from the first index."""
        pointer = builder.element_pointer(numbers, number, i8)
        rows = builder.load(pointer, i32, step, [None] * ROWS, None)
        moved = builder.multiply(number, distance // step, i32)
        for first, offset in columns:
            position = builder.integer(builder.add(column, first, i32), i32)
            issue(tile.pointer(builder, builder.add(moved, offset, i32)), [position, *rows])

    if end <= UNROLLED * step:
        for number in range(0, end, step):
            copy_four(number)
        return

    def copy_next(state: State) -> State:
        copy_four(state[0])
        return [builder.integer(builder.add(state[0], step, i32), i32)]

    limit = builder.integer(end, i32)
    repeat_while(
        builder,
        [builder.integer(0, i32)],
        lambda state: builder.compare("slt", state[0], limit),
        copy_next,
        # Each copy takes registers that all lanes share, which one thread fills one by one.
        unrolled=False,
    )


class LowerGatherTmaLoad(LowerOp[nv_tileas.AsyncGatherTmaLoadOp]):
    """Issues a copy per four rows, on the barrier of the filled stage, or on the load's own
    barrier.
    """

    def lower(self, op: nv_tileas.AsyncGatherTmaLoadOp, rewriter: ThreadRewriter) -> None:
        numbers = _published_rows(op, Feature.TMA_GATHER, rewriter)

        def start_copies(tile: SharedTile, barrier: SSAValue) -> None:
            tensor_map = rewriter.scalar(op.descriptor)

            def issue(buffer: SSAValue, coordinates: list[SSAValue]) -> None:
                copy = CpAsyncBulkTensorGlobalToSharedClusterOp(
                    buffer, tensor_map, coordinates, barrier, mode=TMALoadMode.TILE_GATHER4
                )
                rewriter.builder.insert_without_result(copy)

            _repeat_copies(op, tile, numbers, rewriter, issue)

        start_load(op, rewriter, start_copies)


class LowerScatterTmaStore(LowerOp[nv_tileas.AsyncScatterTmaStoreOp]):
    """Issues a copy per four rows, all in one group."""

    def lower(self, op: nv_tileas.AsyncScatterTmaStoreOp, rewriter: ThreadRewriter) -> None:
        numbers = _published_rows(op, Feature.TMA_SCATTER, rewriter)

        def start_copies(tile: SharedTile) -> None:
            tensor_map = rewriter.scalar(op.descriptor)

            def issue(buffer: SSAValue, coordinates: list[SSAValue]) -> None:
                copy = CpAsyncBulkTensorSharedCTAToGlobalOp(
                    tensor_map, buffer, coordinates, mode=TMAStoreMode.TILE_SCATTER4
                )
                rewriter.builder.insert_without_result(copy)

            _repeat_copies(op, tile, numbers, rewriter, issue)

        start_store(op, rewriter, start_copies)


PATTERNS: Patterns = {
    nv_tileas.AsyncGatherTmaLoadOp: LowerGatherTmaLoad,
    nv_tileas.AsyncScatterTmaStoreOp: LowerScatterTmaStore,
}

WAITS: Mapping[type[Operation], Callable[[Any, SSAValue, ThreadRewriter], None]] = {
    nv_tileas.AsyncGatherTmaLoadOp: wait_for_load,
    nv_tileas.AsyncScatterTmaStoreOp: wait_for_store,
}
"""The wait for each kind of row copy."""
