"""Tiles in shared memory: where a buffer is, and how its elements lie there."""

from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, i8
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.analysis.buffers.pipelines import payload_of
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas import AllocTensorOp, CreatePipelineOp
from tileir_xdsl.dialects.nv_tileas.types import layout_of, memory_of
from tileir_xdsl.layout.cute import NO_SWIZZLE, Layout
from tileir_xdsl.layout.shared import SharedLayout, shared
from tileir_xdsl.targets.atoms import Memory

from .builder import Index, LLVMBuilder


@dataclass(frozen=True)
class SharedTile:
    """A tile in shared memory.

    It begins `offset` bytes behind `base`, a pointer that is aligned as the layout asks; so is the
    offset.
    """

    base: SSAValue
    offset: Index
    layout: SharedLayout

    def pointer(self, builder: LLVMBuilder, bytes: Index = 0) -> SSAValue:
        """The address of the tile, or a number of bytes further."""
        pointer = builder.element_pointer(self.base, self.offset, i8)
        return builder.element_pointer(pointer, bytes, i8)


def is_shared(type: Attribute) -> bool:
    """Whether values of a type are buffers in shared memory."""
    return isinstance(type, TensorType) and memory_of(type) is Memory.SHARED


def shared_layout(op: Operation, type: Attribute) -> SharedLayout:
    """How the elements of a buffer lie; dense in row-major order where its type leaves that open.

    Elements have at least a byte. Raises `PassFailedException` for what is no such buffer.
    """
    if not isinstance(type, TensorType) or not is_shared(type):
        fail(op, f"'{op.name}' op expects a buffer in shared memory, but got {type}")
    bits = 8 * element_bytes(type.get_element_type())
    attribute = layout_of(type)
    if attribute is None:
        return shared(type.get_shape(), bits)
    descriptor = attribute.data
    return SharedLayout(descriptor.layout, bits, descriptor.swizzle or NO_SWIZZLE)


def buffer_layout(op: AllocTensorOp) -> SharedLayout:
    """How the elements of an allocated buffer lie.

    Where the type of a pipeline's buffer leaves that open, each stage is a tile as the iterators of
    the pipeline say, one behind the other.
    """
    type = op.result.type
    stage = _stage_type(op)
    if stage is None or layout_of(type) is not None:
        return shared_layout(op, type)
    tile = shared_layout(op, stage)
    modes = tile.layout.modes()
    assert isinstance(type, TensorType)
    distance = -(-size_in_bytes(tile) // tile.alignment) * tile.alignment
    return SharedLayout(
        Layout(
            (type.get_shape()[0], *(mode.shape for mode in modes)),
            (distance * 8 // tile.element_bits, *(mode.stride for mode in modes)),
        ),
        tile.element_bits,
        tile.swizzle,
    )


def _stage_type(op: AllocTensorOp) -> Attribute | None:
    """The type of the tile that a stage of a pipeline has in a buffer; None for other buffers."""
    for use in op.result.uses:
        if isinstance(use.operation, CreatePipelineOp) and (tiles := payload_of(use.operation)):
            return tiles[use.index]
    return None


def size_in_bytes(layout: SharedLayout) -> int:
    """The bytes from the first element of a tile to its last."""
    return layout.layout.cosize * layout.element_bits // 8


def stage_bytes(layout: SharedLayout) -> int:
    """How far apart the stages of a buffer are, of which its first dimension has one each."""
    first = layout.layout.modes()[0]
    return first(1) * layout.element_bits // 8 if first.size > 1 else size_in_bytes(layout)
