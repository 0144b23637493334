"""How ops move tiles between registers and buffers in shared memory, in the order of the accesses.

    %x = nv_tileas.convert_layout %b : tensor<.., #nv_tileas.memory<smem, ..>> -> tensor<.., #L>

This op loads the registers of layout L; a copy between two buffers is a load and a store.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.buffers.origin import is_in_tensor_memory
from tileir_xdsl.analysis.buffers.pipelines import payload_of, pipeline_of
from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.analysis.threads.agent_warps import THREADS_PER_WARP
from tileir_xdsl.analysis.threads.replication import threads_around
from tileir_xdsl.dialects.nv_tileas.interfaces import StageTokenOpInterface, ThreadMovesOpInterface
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
    if isinstance(op, ThreadMovesOpInterface):
        for number, (source, target) in enumerate(op.moved_tiles):
            type = _stage_type(op, number) if target is None else target.type
            yield from _accesses(op, source, target, type)


def _stage_type(op: Operation, number: int) -> Attribute | None:
    """The type of a value in the stage that an op writes; None where it is not known."""
    pipeline = pipeline_of(op.token) if isinstance(op, StageTokenOpInterface) else None
    types = () if pipeline is None else payload_of(pipeline)
    # Of another number of values the conversion says what is wrong.
    return types[number] if number < len(types) else None


def _accesses(
    op: Operation, source: SSAValue, target: SSAValue | None, type: Attribute | None
) -> Iterator[BufferAccess]:
    if type is None or any(map(is_in_tensor_memory, (source.type, type))):
        return
    held: LinearLayout | None = None
    if is_shared(source.type):
        staging = shared_layout(op, source.type)
        wanted = None if target is None or is_shared(type) else layout_of(op, target)
        held = wanted or vectors_of(staging, threads_around(op))
        yield BufferAccess(held, staging, is_store=False)
    if is_shared(type):
        layout = held or layout_of(op, source)
        if layout is not None:
            yield BufferAccess(layout, shared_layout(op, type), is_store=True)
