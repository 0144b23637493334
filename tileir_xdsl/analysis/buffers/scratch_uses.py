"""What each op uses scratch memory for, by its types and layouts: one function a family of ops."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.access.multimem import packed_access
from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.layouts.exchanges import (
    along_dimension,
    carried_layout,
    column_layout,
    commutes,
    folded_across_warps,
    folded_inside_warps,
    folding_layout,
    gathered_from_warps,
    layout_of_wholes,
    row_layout,
    scales_layout,
    scan_layout,
    totals_of_warps,
    without_axis,
)
from tileir_xdsl.analysis.layouts.tile_layouts import held_layout, layout_of
from tileir_xdsl.analysis.layouts.transfer import reindexing_of
from tileir_xdsl.analysis.mma.convolutions import padded_activation
from tileir_xdsl.analysis.mma.matrix_instructions import multiplies_elements
from tileir_xdsl.analysis.threads.replication import replicating_threads, threads_around
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.enumerations import MemoryOrdering
from tileir_xdsl.dialects.nv_tileaa.constraints import bit_width
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.conversion import ConversionStrategy
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.reindexing import carry_layout

SCRATCH_ALIGNMENT = 128
"""The alignment in bytes of scratch memory."""

COUNT_BYTES = 4
"""The bytes of a counter of a histogram."""

ADDRESS_BYTES = 8
"""The bytes of the address that one thread allocates on the heap for all."""

TENSOR_MAP_BYTES = 128
"""The bytes of a tensor map (CUDA driver API, `CUtensorMap`)."""

SLOT_BYTES = 4
"""The bytes of the number of the slot that one thread takes for all."""


@dataclass(frozen=True)
class Exchange:
    """A conversion of a tile between two layouts of registers, by any strategy or a given one."""

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    strategy: ConversionStrategy | None = None


@dataclass(frozen=True)
class Staging:
    """Tiles in shared memory that threads write, and others read; `bytes` of them altogether."""

    bytes: int
    unit: int | None = None
    """The bytes of an element of a tile that may go through memory in windows; else None."""
    beside: int = 0
    """The bytes of a second tile of such elements, which is in memory together with the first."""

    def windows(self, steps: int) -> tuple[int, int]:
        """In how many windows each of the two tiles goes, so that there are `steps` pairs of them.

        Both are powers of two; the larger window is halved first.
        """
        first = second = 1
        while first * second < steps:
            if self.bytes * second >= self.beside * first:
                first *= 2
            else:
                second *= 2
        return first, second

    def bytes_in(self, steps: int) -> int:
        """The bytes of the largest pair of windows."""
        first, second = self.windows(steps)
        size = window_bytes(self.bytes, self.unit or 1, first)
        if not self.beside:
            return size
        return second_offset(size) + window_bytes(self.beside, self.unit or 1, second)


ScratchUse = Exchange | Staging


def moved_bits(tile: SSAValue) -> int:
    """The bits of an element of a tile in scratch memory: an i1 takes a byte."""
    element = tile_shape(tile.type).element
    return 64 if isinstance(element, IndexType) else 8 * element_bytes(element)


def window_bytes(bytes: int, unit: int, count: int) -> int:
    """The bytes of each of so many windows of a tile: whole elements of `unit` bytes."""
    return -(-bytes // (unit * count)) * unit


def second_offset(bytes: int) -> int:
    """Where a second tile in scratch memory begins, after a first one of so many bytes."""
    return -(-bytes // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT


def _conversion(op: nv_tileas.ConvertLayoutOp) -> Iterator[ScratchUse]:
    if is_buffer(op.source.type) or is_buffer(op.result.type) or stands_at_mma(op):
        return
    source, target = layout_of(op, op.source), layout_of(op, op.result)
    if source is not None and target is not None:
        strategy = None if op.atom_plan is None else op.atom_plan.data.strategy
        yield Exchange(source, target, moved_bits(op.source), strategy)


def _reduction(op: nv_tileas.ReduceOp | nv_tileaa.ReduceOp) -> Iterator[ScratchUse]:
    axis, held = op.axis.value.data, held_layout(op, op.inputs[0])
    layout = folding_layout(held, axis, not commutes(op.body.block))
    in_warps = folded_inside_warps(layout, axis)
    gathered, folded = gathered_from_warps(in_warps, axis), folded_across_warps(in_warps, axis)
    for tile, result in zip(op.inputs, op.outputs, strict=True):
        bits, wanted = moved_bits(tile), layout_of(op, result)
        yield Exchange(held, layout, bits)
        if gathered != in_warps:
            yield Exchange(in_warps, gathered, bits)
        if wanted is not None:
            yield Exchange(without_axis(folded, axis), wanted, bits)


def _scan(op: nv_tileas.ScanOp | nv_tileaa.ScanOp) -> Iterator[ScratchUse]:
    axis, held = op.axis.value.data, held_layout(op, op.inputs[0])
    layout = scan_layout(held, axis)
    totals = totals_of_warps(layout, axis)
    gathered = gathered_from_warps(totals, axis)
    for tile, result in zip(op.inputs, op.outputs, strict=True):
        bits = moved_bits(tile)
        yield Exchange(held, layout, bits)
        if gathered != totals:
            yield Exchange(totals, gathered, bits)
        yield Exchange(layout, held_layout(op, result), bits)


def _dot(op: MMAOp) -> Iterator[ScratchUse]:
    """Rows of A and columns of B to the threads that multiply them, and their scales."""
    if not multiplies_elements(op):
        return
    c, depth = held_layout(op, op.c), tile_shape(op.a.type).shape[-1]
    for number, (operand, layout) in enumerate(
        ((op.a, row_layout(c, depth)), (op.b, column_layout(c, depth)))
    ):
        yield Exchange(held_layout(op, operand), layout, moved_bits(operand))
        if op.scales:
            scales = op.scales[number]
            held, axis = held_layout(op, scales), len(layout.shape) - (1 if number == 0 else 2)
            wanted, _ = scales_layout(layout, axis, held.shape)
            yield Exchange(held, wanted, moved_bits(scales))


def _convolution(op: nv_tileaa.ConvDotOp) -> Iterator[ScratchUse]:
    """The padded activation, and after it the filter."""
    padded, _ = padded_activation(op)
    unit = moved_bits(op.activation) // 8
    yield Staging(prod(padded) * unit, unit, prod(tile_shape(op.filter.type).shape) * unit)


def _sparse_access(op: nv_tileas.GatherLoadOp | nv_tileas.ScatterStoreOp) -> Iterator[ScratchUse]:
    """The indices to the threads whose elements they belong to."""
    dimension = op.sparse_dim.value.data
    index, held = op.coords[dimension], layout_of(op, op.coords[dimension])
    if held is not None:
        wanted = along_dimension(held_layout(op, op.tile), dimension)
        yield Exchange(held, wanted, moved_bits(index))


def _rows(
    op: nv_tileas.AsyncGatherTmaLoadOp | nv_tileas.AsyncScatterTmaStoreOp,
) -> Iterator[ScratchUse]:
    """The numbers of the rows, which one thread reads from shared memory."""
    if not is_buffer(op.rows.type):
        yield Staging(prod(tile_shape(op.rows.type).shape) * moved_bits(op.rows) // 8)


def _forwarded(
    op: Operation, layout: LinearLayout | None, result: SSAValue | None, bytes: int
) -> Iterator[ScratchUse]:
    """The results of transactions that one of several threads has executed."""
    if result is None or not result.uses:
        return
    if replicating_threads(layout, threads_around(op)):
        yield Staging((1 if layout is None else layout.size) * bytes, bytes)


def _modification(op: nv_tileaa.AtomicRMWOp) -> Iterator[ScratchUse]:
    return _forwarded(op, layout_of(op, op.value), op.old, moved_bits(op.value) // 8)


def _exchange(op: nv_tileaa.AtomicCASOp) -> Iterator[ScratchUse]:
    return _forwarded(op, layout_of(op, op.compare), op.old, moved_bits(op.compare) // 8)


def _tiled_modification(op: nv_tileas.TiledAtomicRMWOp) -> Iterator[ScratchUse]:
    return _forwarded(op, layout_of(op, op.value), op.old, moved_bits(op.value) // 8)


def _ordered_load(op: nv_tileas.LoadOp | nv_tileas.TiledLoadOp) -> Iterator[ScratchUse]:
    """A load that may race with other threads, which one of those with an element executes."""
    tile = op.value if isinstance(op, nv_tileas.LoadOp) else op.tile
    if op.mem_semantic.data is MemoryOrdering.WEAK or is_buffer(op.operands[0].type):
        return
    yield from _forwarded(op, layout_of(op, tile), tile, moved_bits(tile) // 8)


def _multimem_load(op: nv_tileaa.MultimemLoadReduceOp) -> Iterator[ScratchUse]:
    access = packed_access(op, threads_around(op))
    bits = moved_bits(op.tile) * access.packed
    yield from _forwarded(op, access.layout, op.tile, bits // 8)
    if access.packed > 1:
        yield Exchange(access.elements, held_layout(op, op.tile), moved_bits(op.tile))


def _multimem_update(
    op: nv_tileaa.MultimemReduceOp | nv_tileaa.MultimemStoreOp,
) -> Iterator[ScratchUse]:
    access = packed_access(op, threads_around(op))
    if access.packed > 1:
        yield Exchange(held_layout(op, op.tile), access.elements, moved_bits(op.tile))


def _histogram(op: nv_tileaa.HistogramOp) -> Iterator[ScratchUse]:
    (bins,) = tile_shape(op.result.type).shape
    yield Staging(COUNT_BYTES * bins, COUNT_BYTES)


def _heap_allocation(_op: nv_tileaa.AllocaOp) -> Iterator[ScratchUse]:
    yield Staging(ADDRESS_BYTES)


def _tensor_maps(op: nv_tileas.MakeDeviceTmaDescsOp) -> Iterator[ScratchUse]:
    yield Staging(TENSOR_MAP_BYTES * len(op.recipes) + SLOT_BYTES)


def _printed(op: nv_tileaa.PrintOp) -> Iterator[ScratchUse]:
    for tile in op.args:
        layout = layout_of(op, tile)
        if layout is not None:
            bytes = moved_bits(tile) // 8
            yield Staging(layout.size * bytes, bytes)


def _shuffle(op: nv_tileas.ShuffleOp) -> Iterator[ScratchUse]:
    yield Exchange(held_layout(op, op.source), held_layout(op, op.result), moved_bits(op.source))


def _bytes(op: Operation) -> Iterator[ScratchUse]:
    """`pack`, `unpack` and `reinterpret` of tiles in registers."""
    (source,), (result,) = op.operands, op.results
    if is_buffer(source.type):
        return
    change = reindexing_of(op)
    if change is None:
        return
    held, wanted = held_layout(op, source), held_layout(op, result)
    from_bits, to_bits = (bit_width(tile_shape(v.type).element) for v in (source, result))
    if from_bits > to_bits:
        needed = layout_of_wholes(change, wanted)
    else:
        needed = carry_layout(change.inverse(), wanted)
    if needed is not None:
        yield Exchange(held, needed, moved_bits(source))


def carried_operand(op: Operation, operand: int) -> LinearLayout | None:
    """The layout that an operand of an op that re-indexes tiles is converted to; None where
    re-indexing registers is not enough.
    """
    value, (result,) = op.operands[operand], op.results
    return carried_layout(op, operand, held_layout(op, value), held_layout(op, result))


def _reindexed(op: Operation) -> Iterator[ScratchUse]:
    if not is_buffer(op.operands[0].type):
        yield from _carried(op, 0)


def _carried(op: Operation, operand: int) -> Iterator[ScratchUse]:
    needed, value = carried_operand(op, operand), op.operands[operand]
    if needed is not None:
        yield Exchange(held_layout(op, value), needed, moved_bits(value))


def _whole(op: Operation, tile: SSAValue) -> Staging:
    bytes = moved_bits(tile) // 8
    return Staging(held_layout(op, tile).size * bytes, bytes)


def _joined(op: nv_tileaa.CatOp) -> Iterator[ScratchUse]:
    if any(carried_operand(op, operand) is None for operand in (0, 1)):
        yield _whole(op, op.result)
    yield from _carried(op, 0)
    yield from _carried(op, 1)


def _extracted(op: nv_tileaa.ExtractOp) -> Iterator[ScratchUse]:
    if op.indices:
        yield _whole(op, op.source)


def _extracted_slice(op: nv_tileas.ExtractSliceOp) -> Iterator[ScratchUse]:
    if is_buffer(op.source.type):
        return
    if carried_operand(op, 0) is None:
        yield _whole(op, op.source)
    yield from _carried(op, 0)


def _inserted_slice(op: nv_tileas.InsertSliceOp) -> Iterator[ScratchUse]:
    if is_buffer(op.destination.type):
        return
    if any(carried_operand(op, operand) is None for operand in (0, 1)):
        yield _whole(op, op.destination)
    yield from _carried(op, 0)
    yield from _carried(op, 1)


def _handed_on(
    op: Operation, values: Iterable[SSAValue], results: Iterable[SSAValue]
) -> Iterator[ScratchUse]:
    for value, result in zip(values, results, strict=True):
        if not _is_register_tile(value.type) or not _is_register_tile(result.type):
            continue
        held, wanted = layout_of(op, value), layout_of(op, result)
        if held is not None and wanted is not None and held != wanted:
            yield Exchange(held, wanted, moved_bits(value))


def _is_register_tile(type: Attribute) -> bool:
    return isinstance(type, TensorType) and not is_buffer(type)


def _optimization_barrier(op: nv_tileaa.OptimizationBarrierOp) -> Iterator[ScratchUse]:
    return _handed_on(op, op.values, op.outputs)


def _pragma(op: nv_tileas.PragmaOp) -> Iterator[ScratchUse]:
    terminator = op.regions[0].block.last_op
    assert terminator is not None
    return _handed_on(op, terminator.operands, op.outputs)


SCRATCH_USES: Mapping[type[Operation], Callable[[Any], Iterator[ScratchUse]]] = {
    nv_tileaa.AllocaOp: _heap_allocation,
    nv_tileaa.AtomicCASOp: _exchange,
    nv_tileaa.AtomicRMWOp: _modification,
    nv_tileaa.BroadcastOp: _reindexed,
    nv_tileaa.CatOp: _joined,
    nv_tileaa.ConvDotOp: _convolution,
    nv_tileaa.ExpandDimsOp: _reindexed,
    nv_tileaa.ExtractOp: _extracted,
    nv_tileaa.HistogramOp: _histogram,
    nv_tileaa.MultimemLoadReduceOp: _multimem_load,
    nv_tileaa.MultimemReduceOp: _multimem_update,
    nv_tileaa.MultimemStoreOp: _multimem_update,
    nv_tileaa.OptimizationBarrierOp: _optimization_barrier,
    nv_tileaa.PackOp: _bytes,
    nv_tileaa.PermuteOp: _reindexed,
    nv_tileaa.PrintOp: _printed,
    nv_tileaa.ReduceOp: _reduction,
    nv_tileaa.ScanOp: _scan,
    nv_tileaa.UnpackOp: _bytes,
    nv_tileas.AsyncDotOp: _dot,
    nv_tileas.AsyncGatherTmaLoadOp: _rows,
    nv_tileas.AsyncScatterTmaStoreOp: _rows,
    nv_tileas.ConvertLayoutOp: _conversion,
    nv_tileas.DotOp: _dot,
    nv_tileas.ExpandDimsOp: _reindexed,
    nv_tileas.ExtractSliceOp: _extracted_slice,
    nv_tileas.GatherLoadOp: _sparse_access,
    nv_tileas.InsertSliceOp: _inserted_slice,
    nv_tileas.LoadOp: _ordered_load,
    nv_tileas.MakeDeviceTmaDescsOp: _tensor_maps,
    nv_tileas.PragmaOp: _pragma,
    nv_tileas.ReduceOp: _reduction,
    nv_tileas.ReinterpretOp: _bytes,
    nv_tileas.ScanOp: _scan,
    nv_tileas.ScatterStoreOp: _sparse_access,
    nv_tileas.ShuffleOp: _shuffle,
    nv_tileas.TiledAtomicRMWOp: _tiled_modification,
    nv_tileas.TiledLoadOp: _ordered_load,
    nv_tileas.ViewOp: _reindexed,
}
"""What each op uses scratch memory for."""
