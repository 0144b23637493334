"""Copies tiles between registers and shared memory: `convert_layout` and `copy`.

The shared layout is fixed; an access's strategy selects vectors, or `stmatrix` and `ldmatrix`.
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout
from tileir_xdsl.analysis.layouts.buffer_accesses import vectors_of
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.strategies import accesses_of, refuse_undecided
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import AccessKind, staging_plan
from tileir_xdsl.layout.shared import SharedLayout

from ..thread.builder import Index
from ..thread.packed_registers import from_moved, moved_type, to_moved
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadRewriter, register_type
from ..thread.shared_buffers import SharedTile
from .layout_conversions import convert_registers
from .scratch import LoadedTile, store_tile
from .tensor_memory import copy_in_tensor_memory


def own_buffer(op: Operation, tile: SSAValue, rewriter: ThreadRewriter) -> SharedTile:
    """The buffer that is allocated for an op's result."""
    layout = shared_layout(op, tile.type)
    return SharedTile(
        rewriter.shared_memory(0), rewriter.function.shared_allocation.offsets[op], layout
    )


def write_tile(
    op: Operation,
    values: Sequence[SSAValue],
    source: LinearLayout,
    tile: SharedTile,
    rewriter: ThreadRewriter,
    number: int = 0,
) -> None:
    """Stores registers to a buffer whose earlier contents are no longer read.

    `number` is the index of the access among the op's accesses.
    """
    builder = rewriter.builder
    plan = _plan(op, number, source, tile.layout)
    moved = [to_moved(builder, value) for value in values]
    store_tile(tile.pointer(builder), plan, moved, source, rewriter)


def read_tile(
    op: Operation,
    tile: SharedTile,
    target: LinearLayout,
    element: SSAValue,
    rewriter: ThreadRewriter,
    number: int = 0,
) -> tuple[SSAValue, ...]:
    """Loads the registers of a layout from a buffer with the type of `element`."""
    type = register_type(op, tile_shape(element.type).element)
    loaded = loaded_tile(op, tile, target, element, rewriter, number).registers()
    return tuple(from_moved(rewriter.builder, value, type) for value in loaded)


def loaded_tile(
    op: Operation,
    tile: SharedTile,
    target: LinearLayout,
    element: SSAValue,
    rewriter: ThreadRewriter,
    number: int = 0,
    moved: Index = 0,
    moved_bits: int = -1,
) -> LoadedTile:
    """The registers of a layout, to be loaded from a buffer before it is overwritten.

    `moved` is a byte offset, combined by exclusive or, with bits of `moved_bits` only.
    """
    type = moved_type(register_type(op, tile_shape(element.type).element))
    plan = _plan(op, number, target, tile.layout)
    pointer = tile.pointer(rewriter.builder)
    return LoadedTile(pointer, plan, type, target, rewriter, moved, moved_bits)


def _plan(op: Operation, number: int, layout: LinearLayout, staging: SharedLayout):
    """The plan of an op's access, by the strategy on the op; loads are numbered before stores."""
    accesses = accesses_of(op)
    if accesses is None or number >= len(accesses):
        refuse_undecided(op, f"strategy for its access {number} of shared memory")
    try:
        return staging_plan(layout, staging.address_map(), AccessKind(accesses[number]))
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")


class LowerConvertLayout(LowerOp[nv_tileas.ConvertLayoutOp]):
    """Converts between register layouts by the op's plan, or copies from or to a buffer.

    If only an MMA uses the fragments, the MMA loads them.
    """

    def lower(self, op: nv_tileas.ConvertLayoutOp, rewriter: ThreadRewriter) -> None:
        # Loaded by the MMA step by step, so that not all fragments are live at once.
        if stands_at_mma(op):
            return
        source, result = op.source, op.result
        if not is_shared(source.type) and not is_shared(result.type):
            given, wanted = layout_of(op, source), layout_of(op, result)
            assert given is not None and wanted is not None
            values = rewriter.registers(source)
            strategy = None if op.atom_plan is None else op.atom_plan.data.strategy
            rewriter.replace(
                result, convert_registers(op, values, given, wanted, rewriter, strategy)
            )
            return
        copy_tile(op, source, result, None, rewriter)


def copy_tile(
    op: nv_tileas.ConvertLayoutOp | nv_tileas.CopyOp,
    source: SSAValue,
    result: SSAValue,
    destination: SharedTile | None,
    rewriter: ThreadRewriter,
) -> None:
    """Copies a tile from registers to a buffer, from a buffer to registers, or between buffers."""
    if not is_shared(source.type):
        layout, values = layout_of(op, source), rewriter.registers(source)
    else:
        tile = rewriter.shared_tile(source)
        layout = layout_of(op, result) if not is_shared(result.type) else None
        layout = layout or vectors_of(tile.layout, rewriter.region.threads)
        values = read_tile(op, tile, layout, source, rewriter)
    if not is_shared(result.type):
        rewriter.replace(result, tuple(values))
        return
    assert layout is not None
    if destination is None:
        destination = own_buffer(op, result, rewriter)
    write_tile(op, values, layout, destination, rewriter, int(is_shared(source.type)))
    rewriter.replace(result, destination)


def registers_of(
    op: Operation, source: SSAValue, rewriter: ThreadRewriter, number: int
) -> tuple[LinearLayout, Sequence[SSAValue]]:
    """The layout and registers of a tile; a tile in a buffer is loaded as access `number`."""
    if rewriter.buffer(source) is not None:
        tile = rewriter.shared_tile(source)
        layout = vectors_of(tile.layout, rewriter.region.threads)
        return layout, read_tile(op, tile, layout, source, rewriter, number)
    layout = layout_of(op, source)
    assert layout is not None
    return layout, rewriter.registers(source)


class LowerCopy(LowerOp[nv_tileas.CopyOp]):
    """Copies between registers and shared or tensor memory; global memory has separate access
    ops.
    """

    def lower(self, op: nv_tileas.CopyOp, rewriter: ThreadRewriter) -> None:
        if is_in_tensor_memory(op.source.type) or is_in_tensor_memory(op.result.type):
            copy_in_tensor_memory(op, rewriter)
            return
        destination = None if op.destination is None else rewriter.shared_tile(op.destination)
        copy_tile(op, op.source, op.result, destination, rewriter)


PATTERNS: Patterns = {
    nv_tileas.ConvertLayoutOp: LowerConvertLayout,
    nv_tileas.CopyOp: LowerCopy,
}
