"""Tiles between registers and shared memory: `convert_layout` and `copy`.

The shared layout is fixed, so only the access is chosen: vectors, or `stmatrix` and `ldmatrix`
where they apply and take fewer wavefronts.
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import stands_at_mma
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout
from tileir_xdsl.analysis.buffers.tensor_memory_allocation import is_in_tensor_memory
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.scratch import staging_plan
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets import Feature

from ..thread.packed_registers import from_moved, moved_type, to_moved
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ThreadProgram, register_type
from ..thread.shared_buffers import SharedTile
from .layout_conversions import convert_registers
from .scratch import LoadedTile, store_tile
from .tensor_memory import copy_in_tensor_memory

# The widest access of shared memory (PTX ISA, `.v4.b32`).
VECTOR_BITS = 128
"""The most bits that one thread moves per access."""


def own_buffer(op: Operation, tile: SSAValue, program: ThreadProgram) -> SharedTile:
    """The buffer that an op allocates for its own result."""
    layout = shared_layout(op, tile.type)
    return SharedTile(
        program.shared_memory(0), program.function.shared_allocation.offsets[op], layout
    )


def write_tile(
    op: Operation,
    values: Sequence[SSAValue],
    source: LinearLayout,
    tile: SharedTile,
    program: ThreadProgram,
) -> None:
    """Stores registers to a buffer, of which no thread reads earlier contents any more."""
    builder = program.builder
    plan = _plan(op, source, tile.layout, program)
    moved = [to_moved(builder, value) for value in values]
    store_tile(tile.pointer(builder), plan, moved, source, program)


def read_tile(
    op: Operation, tile: SharedTile, target: LinearLayout, element: SSAValue, program: ThreadProgram
) -> tuple[SSAValue, ...]:
    """Loads the registers of a layout from a buffer whose type is that of `element`."""
    type = register_type(op, tile_shape(element.type).element)
    loaded = loaded_tile(op, tile, target, element, program).registers()
    return tuple(from_moved(program.builder, value, type) for value in loaded)


def loaded_tile(
    op: Operation, tile: SharedTile, target: LinearLayout, element: SSAValue, program: ThreadProgram
) -> LoadedTile:
    """The registers of a layout, to be loaded from a buffer before anything overwrites it."""
    type = moved_type(register_type(op, tile_shape(element.type).element))
    plan = _plan(op, target, tile.layout, program)
    return LoadedTile(tile.pointer(program.builder), plan, type, target, program)


def _plan(op: Operation, layout: LinearLayout, staging: SharedLayout, program: ThreadProgram):
    # `ldmatrix` is on every target from sm_80 on, `stmatrix` from sm_90 on (PTX ISA).
    stmatrix = Feature.STMATRIX in program.function.target.features
    try:
        return staging_plan(layout, staging.address_map(), stmatrix=stmatrix)
    except LayoutError as error:
        fail(op, f"'{op.name}' op {error}")


class LowerConvertLayout(LowerOp[nv_tileas.ConvertLayoutOp]):
    """Converts between registers by the op's plan, and to and from shared memory by the buffer's
    layout.

    Fragments that only an MMA uses are loaded by that MMA.
    """

    def lower(self, op: nv_tileas.ConvertLayoutOp, program: ThreadProgram) -> None:
        # Loaded by the MMA step by step, so that not all fragments are live at once.
        if stands_at_mma(op):
            return
        source, result = op.source, op.result
        if not is_shared(source.type) and not is_shared(result.type):
            given, wanted = layout_of(op, source), layout_of(op, result)
            assert given is not None and wanted is not None
            values = program.registers(source)
            strategy = None if op.atom_plan is None else op.atom_plan.data.strategy
            program.values[result] = convert_registers(op, values, given, wanted, program, strategy)
            return
        copy_tile(op, source, result, None, program)


def copy_tile(
    op: nv_tileas.ConvertLayoutOp | nv_tileas.CopyOp,
    source: SSAValue,
    result: SSAValue,
    destination: SharedTile | None,
    program: ThreadProgram,
) -> None:
    """Binds a tile in a buffer or registers as a tile in the other, or in another buffer."""
    if not is_shared(source.type):
        layout, values = layout_of(op, source), program.registers(source)
    else:
        tile = program.shared_tile(source)
        layout = layout_of(op, result) if not is_shared(result.type) else None
        layout = layout or _vectors_of(tile, program)
        values = read_tile(op, tile, layout, source, program)
    if not is_shared(result.type):
        program.values[result] = tuple(values)
        return
    assert layout is not None
    if destination is None:
        destination = own_buffer(op, result, program)
    elif is_shared(source.type):
        # Both may be parts of one buffer: all of it is read before any of it is written.
        program.barrier()
    write_tile(op, values, layout, destination, program)
    program.values[result] = destination


def _vectors_of(tile: SharedTile, program: ThreadProgram) -> LinearLayout:
    """A layout in which all threads move a tile from one buffer to another, in vectors."""
    warps = program.layout_warps
    return blocked(tile.layout.shape, VECTOR_BITS // tile.layout.element_bits, warps)


def registers_of(
    op: Operation, source: SSAValue, program: ThreadProgram
) -> tuple[LinearLayout, Sequence[SSAValue]]:
    """A tile in registers, and their layout; one in a buffer is loaded."""
    if program.buffer(source) is not None:
        tile = program.shared_tile(source)
        layout = _vectors_of(tile, program)
        return layout, read_tile(op, tile, layout, source, program)
    layout = layout_of(op, source)
    assert layout is not None
    return layout, program.registers(source)


class LowerCopy(LowerOp[nv_tileas.CopyOp]):
    """Copies between registers and shared or tensor memory; global memory has access ops of its
    own.
    """

    def lower(self, op: nv_tileas.CopyOp, program: ThreadProgram) -> None:
        if is_in_tensor_memory(op.source.type) or is_in_tensor_memory(op.result.type):
            copy_in_tensor_memory(op, program)
            return
        destination = None if op.destination is None else program.shared_tile(op.destination)
        copy_tile(op, op.source, op.result, destination, program)


PATTERNS: Patterns = {
    nv_tileas.ConvertLayoutOp: LowerConvertLayout,
    nv_tileas.CopyOp: LowerCopy,
}
