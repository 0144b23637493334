"""Uses of scratch memory: the layouts between which elements move to other threads.

An op states the elements that it exchanges (`SharedMemoryOpInterface.scratch`); this module has one
function for each kind of need.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.layouts import exchanges
from tileir_xdsl.analysis.layouts.multimem import packed_access
from tileir_xdsl.analysis.layouts.tile_layouts import held_layout, layout_of
from tileir_xdsl.analysis.layouts.transfer import reindexing_of
from tileir_xdsl.analysis.mma.tensor_memory_mmas import multiplies_elements
from tileir_xdsl.analysis.threads.replication import replicating_threads, threads_around
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import scratch
from tileir_xdsl.dialects.memory_effects import NoScratchOpInterface, SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileaa.constraints import bit_width
from tileir_xdsl.dialects.nv_tileaa.multimem import MultimemTileOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.layout.conversion import ConversionStrategy
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.reindexing import carry_layout


@dataclass(frozen=True)
class Exchange:
    """A conversion of a tile between two layouts of registers, by any strategy or a given one."""

    source: LinearLayout
    target: LinearLayout
    element_bits: int
    strategy: ConversionStrategy | None = None


ScratchUse = Exchange | scratch.Staging


def may_use_scratch(op: Operation) -> bool:
    """Whether ops of this kind may use scratch memory."""
    return _may_use_scratch(type(op))


@cache
def _may_use_scratch(kind: type[Operation]) -> bool:
    if not issubclass(kind, SharedMemoryOpInterface):
        return False
    return kind.scratch is not NoScratchOpInterface.scratch


def stated_uses(op: Operation) -> Iterator[ScratchUse]:
    """The uses that an op has for scratch memory by its types and layouts, one after the other."""
    # An MMA loads its fragments itself.
    if isinstance(op, SharedMemoryOpInterface) and not stands_at_mma(op):
        for need in op.scratch:
            yield from USES[type(need)](op, need)


def moved_bits(tile: SSAValue) -> int:
    """The bits of an element of a tile in scratch memory: an i1 takes a byte."""
    element = tile_shape(tile.type).element
    return 64 if isinstance(element, IndexType) else 8 * element_bytes(element)


def _staging(_op: Operation, need: scratch.Staging) -> Iterator[ScratchUse]:
    yield need


def _rearranged(op: Operation, need: scratch.Rearranged) -> Iterator[ScratchUse]:
    if not _is_register_tile(need.source.type) or not _is_register_tile(need.result.type):
        return
    source, target = layout_of(op, need.source), layout_of(op, need.result)
    if source is None or target is None:
        return
    if source != target or need.strategy is not None:
        yield Exchange(source, target, moved_bits(need.source), need.strategy)


def _is_register_tile(type: Attribute) -> bool:
    return isinstance(type, TensorType) and not is_buffer(type)


def _folded(op: Operation, need: scratch.Folded) -> Iterator[ScratchUse]:
    axis, held = need.axis, held_layout(op, need.inputs[0])
    layout = exchanges.folding_layout(held, axis, not exchanges.commutes(need.body))
    in_warps = exchanges.folded_inside_warps(layout, axis)
    gathered, folded = (
        exchanges.gathered_from_warps(in_warps, axis),
        exchanges.folded_across_warps(in_warps, axis),
    )
    for tile, result in zip(need.inputs, need.results, strict=True):
        bits, wanted = moved_bits(tile), layout_of(op, result)
        yield Exchange(held, layout, bits)
        if gathered != in_warps:
            yield Exchange(in_warps, gathered, bits)
        if wanted is not None:
            yield Exchange(exchanges.without_axis(folded, axis), wanted, bits)


def _scanned(op: Operation, need: scratch.Scanned) -> Iterator[ScratchUse]:
    axis, held = need.axis, held_layout(op, need.inputs[0])
    layout = exchanges.scan_layout(held, axis)
    totals = exchanges.totals_of_warps(layout, axis)
    gathered = exchanges.gathered_from_warps(totals, axis)
    for tile, result in zip(need.inputs, need.results, strict=True):
        bits = moved_bits(tile)
        yield Exchange(held, layout, bits)
        if gathered != totals:
            yield Exchange(totals, gathered, bits)
        yield Exchange(layout, held_layout(op, result), bits)


def _multiplied(op: Operation, _need: scratch.Multiplied) -> Iterator[ScratchUse]:
    assert isinstance(op, MMAOp)
    if not multiplies_elements(op):
        return
    c, depth = held_layout(op, op.c), tile_shape(op.a.type).shape[-1]
    for number, (operand, layout) in enumerate(
        ((op.a, exchanges.row_layout(c, depth)), (op.b, exchanges.column_layout(c, depth)))
    ):
        yield Exchange(held_layout(op, operand), layout, moved_bits(operand))
        if op.scales:
            scales = op.scales[number]
            held, axis = held_layout(op, scales), len(layout.shape) - (1 if number == 0 else 2)
            wanted, _ = exchanges.scales_layout(layout, axis, held.shape)
            yield Exchange(held, wanted, moved_bits(scales))


def _along(op: Operation, need: scratch.Along) -> Iterator[ScratchUse]:
    held = layout_of(op, need.index)
    if held is not None:
        wanted = exchanges.along_dimension(held_layout(op, need.tile), need.dimension)
        yield Exchange(held, wanted, moved_bits(need.index))


def _forwarded(op: Operation, need: scratch.Forwarded) -> Iterator[ScratchUse]:
    if need.result is not None:
        layout = layout_of(op, need.tile)
        yield from _results_of_one(op, layout, need.result, moved_bits(need.tile) // 8)


def _results_of_one(
    op: Operation, layout: LinearLayout | None, result: SSAValue, bytes: int
) -> Iterator[ScratchUse]:
    """The results of transactions that one of several threads has executed."""
    if result.uses and replicating_threads(layout, threads_around(op)):
        yield scratch.Staging((1 if layout is None else layout.size) * bytes, bytes)


def _packed(op: Operation, need: scratch.Packed) -> Iterator[ScratchUse]:
    assert isinstance(op, MultimemTileOp)
    tile, access = need.tile, packed_access(op, threads_around(op))
    held, bits = held_layout(op, tile), moved_bits(tile)
    if need.is_loaded:
        yield from _results_of_one(op, access.layout, tile, bits * access.packed // 8)
    if access.packed > 1:
        loads = (access.elements, held)
        source, target = loads if need.is_loaded else loads[::-1]
        yield Exchange(source, target, bits)


def _bytes(op: Operation, need: scratch.Bytes) -> Iterator[ScratchUse]:
    source, result = need.source, need.result
    change = None if is_buffer(source.type) else reindexing_of(op)
    if change is None:
        return
    held, wanted = held_layout(op, source), held_layout(op, result)
    from_bits, to_bits = (bit_width(tile_shape(v.type).element) for v in (source, result))
    if from_bits > to_bits:
        needed = exchanges.layout_of_wholes(change, wanted)
    else:
        needed = carry_layout(change.inverse(), wanted)
    if needed is not None:
        yield Exchange(held, needed, moved_bits(source))


def _carried(op: Operation, need: scratch.Carried) -> Iterator[ScratchUse]:
    value = op.operands[need.operand]
    if is_buffer(value.type) or is_buffer(op.results[0].type):
        return
    needed = _carried_operand(op, need.operand)
    if needed is not None:
        yield Exchange(held_layout(op, value), needed, moved_bits(value))


def _carried_operand(op: Operation, operand: int) -> LinearLayout | None:
    """The layout that an operand of an op that re-indexes tiles is converted to; None where
    re-indexing registers is not enough.
    """
    value, (result,) = op.operands[operand], op.results
    return exchanges.carried_layout(op, operand, held_layout(op, value), held_layout(op, result))


def _whole(op: Operation, need: scratch.Whole) -> Iterator[ScratchUse]:
    carried = need.unless_carried
    if carried and is_buffer(need.tile.type):
        return
    layout = layout_of(op, need.tile)
    # A scalar has no layout, and every thread has it.
    if layout is None:
        return
    if not carried or any(_carried_operand(op, operand) is None for operand in carried):
        bytes = moved_bits(need.tile) // 8
        yield scratch.Staging(layout.size * bytes, bytes)


USES: Mapping[type[scratch.ScratchNeed], Callable[[Operation, Any], Iterator[ScratchUse]]] = {
    scratch.Along: _along,
    scratch.Bytes: _bytes,
    scratch.Carried: _carried,
    scratch.Folded: _folded,
    scratch.Forwarded: _forwarded,
    scratch.Multiplied: _multiplied,
    scratch.Packed: _packed,
    scratch.Rearranged: _rearranged,
    scratch.Scanned: _scanned,
    scratch.Staging: _staging,
    scratch.Whole: _whole,
}
"""The scratch memory that each kind of need requires."""
