"""Layouts and sizes of buffers in shared memory."""

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation

from tileir_xdsl.analysis.buffers.pipelines import payload_of
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas import AllocTensorOp, CreatePipelineOp
from tileir_xdsl.dialects.nv_tileas.attributes import SwizzleMode
from tileir_xdsl.dialects.nv_tileas.types import layout_of, memory_of
from tileir_xdsl.layout.cute import NO_SWIZZLE, Layout
from tileir_xdsl.layout.shared import SharedLayout, shared
from tileir_xdsl.targets.atoms import Memory


def is_shared(type: Attribute) -> bool:
    """Whether values of a type are buffers in shared memory."""
    return isinstance(type, TensorType) and memory_of(type) is Memory.SHARED


def shared_layout(op: Operation, type: Attribute) -> SharedLayout:
    """The layout of a buffer's elements; dense and row-major where its type states none.

    An element takes at least a byte. Raises `PassFailedException` for a value that is not a buffer
    in shared memory.
    """
    if not isinstance(type, TensorType) or not is_shared(type):
        fail(op, f"'{op.name}' op expects a buffer in shared memory, but got {type}")
    bits = 8 * element_bytes(type.get_element_type())
    attribute = layout_of(type)
    if attribute is None:
        return shared(type.get_shape(), bits)
    descriptor = attribute.data
    return SharedLayout(descriptor.layout, bits, descriptor.swizzle or NO_SWIZZLE)


def stage_layout(op: Operation, type: Attribute) -> SharedLayout:
    """The layout of a value in a stage of a pipeline; a scalar is a tile without dimensions."""
    if isinstance(type, TensorType):
        return shared_layout(op, type)
    return shared((), 8 * element_bytes(type))


def buffer_layout(op: AllocTensorOp) -> SharedLayout:
    """The layout of an allocated buffer.

    Where the type of a pipeline's buffer states no layout, its stages are contiguous tiles of the
    type that the pipeline's iterators state.
    """
    type = op.result.type
    stage = _stage_type(op)
    if stage is None or layout_of(type) is not None:
        return shared_layout(op, type)
    assert isinstance(type, TensorType)
    return stages_layout(stage_layout(op, stage), type.get_shape()[0])


def stages_layout(tile: SharedLayout, count: int) -> SharedLayout:
    """The layout of some tiles of one layout, one after the other, each aligned as it requires."""
    modes = tile.layout.modes()
    distance = -(-size_in_bytes(tile) // tile.alignment) * tile.alignment
    return SharedLayout(
        Layout(
            (count, *(mode.shape for mode in modes)),
            (distance * 8 // tile.element_bits, *(mode.stride for mode in modes)),
        ),
        tile.element_bits,
        tile.swizzle,
    )


def _stage_type(op: AllocTensorOp) -> Attribute | None:
    """The type of the values in the stages of a pipeline's buffer; None for other buffers."""
    for use in op.result.uses:
        if isinstance(use.operation, CreatePipelineOp):
            payload = payload_of(use.operation)
            # An iterator over other values than the buffers hold is an error of the pipeline.
            return payload[use.index] if use.index < len(payload) else None
    return None


def swizzle_mode(layout: SharedLayout) -> SwizzleMode:
    """The swizzle of a layout as tensor maps name it."""
    swizzle = layout.swizzle
    return SwizzleMode(f"{swizzle.span}B") if swizzle.bits else SwizzleMode.NONE


def size_in_bytes(layout: SharedLayout) -> int:
    """The bytes from the first element of a tile to its last."""
    return layout.layout.cosize * layout.element_bits // 8


def stage_bytes(layout: SharedLayout) -> int:
    """The distance in bytes between the stages of a buffer, whose first dimension counts them."""
    first = layout.layout.modes()[0]
    return first(1) * layout.element_bits // 8 if first.size > 1 else size_in_bytes(layout)
