"""How ops move tiles between registers and buffers in shared memory, in the order of the accesses.

    %x = nv_tileas.convert_layout %b : tensor<.., #nv_tileas.memory<smem, ..>> -> tensor<.., #L>

loads the registers of layout L; a copy between two buffers is a load and a store.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.pipelines import payload_of, pipeline_of
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP
from tileir_xdsl.analysis.threads.replication import threads_around
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout

# The widest access of shared memory (PTX ISA, `.v4.b32`).
VECTOR_BITS = 128
"""The most bits that one thread moves per access."""


@dataclass(frozen=True)
class BufferAccess:
    """A tile in registers, and a buffer that it is stored to or loaded from."""

    layout: LinearLayout
    staging: SharedLayout
    is_store: bool


def vectors_of(staging: SharedLayout, threads: int) -> LinearLayout:
    """A layout in which all threads move a tile from one buffer to another, in vectors."""
    warps = threads // THREADS_PER_WARP
    # A layout has a power of two of warps; others hold copies.
    return blocked(
        staging.shape, VECTOR_BITS // staging.element_bits, 1 << (warps.bit_length() - 1)
    )


def buffer_accesses(op: Operation) -> Iterator[BufferAccess]:
    """The accesses of an op, loads before stores.

    Raises `PassFailedException` for a tile without a layout.
    """
    accesses = ACCESSES.get(type(op))
    if accesses is not None:
        yield from accesses(op)


def _load(op: Operation, tile: SSAValue, result: SSAValue | None) -> BufferAccess:
    """The load of a buffer, to registers for a tile or for another buffer."""
    staging = shared_layout(op, tile.type)
    wanted = None if result is None or is_shared(result.type) else layout_of(op, result)
    return BufferAccess(wanted or vectors_of(staging, threads_around(op)), staging, is_store=False)


def _copied(op: nv_tileas.ConvertLayoutOp | nv_tileas.CopyOp) -> Iterator[BufferAccess]:
    if any(is_in_tensor_memory(value.type) for value in (op.source, op.result)):
        return
    held: LinearLayout | None = None
    if is_shared(op.source.type):
        load = _load(op, op.source, op.result)
        held = load.layout
        yield load
    if is_shared(op.result.type):
        destination = op.destination if isinstance(op, nv_tileas.CopyOp) else None
        buffer = op.result if destination is None else destination
        layout = held or layout_of(op, op.source)
        if layout is not None:
            yield BufferAccess(layout, shared_layout(op, buffer.type), is_store=True)


def _written(op: nv_tileas.ProducerWriteOp) -> Iterator[BufferAccess]:
    pipeline = pipeline_of(op.token)
    types = () if pipeline is None else payload_of(pipeline)
    # Of another number of values the conversion says what is wrong.
    for value, type in zip(op.values, types, strict=False):
        if not isinstance(type, TensorType) or not isinstance(value.type, TensorType):
            continue
        held = layout_of(op, value) if not is_shared(value.type) else None
        if held is None:
            load = _load(op, value, None)
            held = load.layout
            yield load
        yield BufferAccess(held, shared_layout(op, type), is_store=True)


def _tiled_load(op: nv_tileas.TiledLoadOp) -> Iterator[BufferAccess]:
    if is_shared(op.operands[0].type) and layout_of(op, op.tile) is not None:
        yield _load(op, op.operands[0], op.tile)


def _padded(op: nv_tileas.PadOp) -> Iterator[BufferAccess]:
    if is_shared(op.tile.type):
        load = _load(op, op.tile, None)
        yield from (load, replace(load, is_store=True))


ACCESSES: Mapping[type[Operation], Callable[[Any], Iterator[BufferAccess]]] = {
    nv_tileas.ConvertLayoutOp: _copied,
    nv_tileas.CopyOp: _copied,
    nv_tileas.PadOp: _padded,
    nv_tileas.ProducerWriteOp: _written,
    nv_tileas.TiledLoadOp: _tiled_load,
}
"""The accesses of the ops that have some."""
