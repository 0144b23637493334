"""Layouts of buffers: makes a buffer in the layout to which it is converted.

The layout of a buffer is part of the type of the op that makes it, so one op changes:

    %t = tiled_load %m : M -> B1                 %t = tiled_load %m : M -> B2
    %c = convert_layout %t : B1 -> B2     ->     %v = view %t : B2
    wgmma %c, .. : B2, ..                        wgmma %t, .. : B2, ..
    %r = tiled_load %t : B1 -> R                 %r = tiled_load %v : B2 -> R

Other users find elements by the type of their operand, here a new view of the buffer. If another
user requires the old layout, the conversion is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue, Use
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.analysis.buffers.shared_layouts import is_shared, shared_layout
from tileir_xdsl.analysis.layouts.direct_conversion import in_one_memory
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.memory_effects import SharedMemoryOpInterface
from tileir_xdsl.dialects.nv_tileas.attributes import MemoryAttr
from tileir_xdsl.dialects.nv_tileas.syntax import LAYOUT_KEY
from tileir_xdsl.dialects.nv_tileas.tma import TMA_KINDS
from tileir_xdsl.dialects.nv_tileas.types import layout_of
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.shared import boxes_of
from tileir_xdsl.rewriting import Walker
from tileir_xdsl.targets.atoms import Memory
from tileir_xdsl.transforms.tileas_remove_layout_conversions.consistency_epochs import (
    Epochs,
    number_epochs,
)

from .log import ConversionLog

PRODUCERS = (nv_tileas.AllocTensorOp, nv_tileas.CopyOp, nv_tileas.TiledLoadOp)
"""Ops that can make a buffer in any layout, given by the type of the result."""

READERS = (
    nv_tileas.ConvertLayoutOp,
    nv_tileas.CopyOp,
    nv_tileas.TiledAtomicRMWOp,
    nv_tileas.TiledLoadOp,
    nv_tileas.TiledStoreOp,
)
"""Ops that accept a buffer in any layout, given by its type."""


def propagate_through_buffers(function: Operation, log: ConversionLog) -> None:
    """Makes buffers in the layout to which they are converted."""
    if not any(is_buffer(op.result.type) for op in log.conversions):
        return
    pattern = RetypeProducer(log, number_epochs(function))
    Walker(pattern, apply_recursively=False).rewrite_region(function.regions[0])


def is_buffer(type: Attribute) -> bool:
    """Whether a type is a tile in shared or tensor memory."""
    return (
        isinstance(type, TensorType)
        and isinstance(type.encoding, MemoryAttr)
        and type.encoding.residency.data.memory in (Memory.SHARED, Memory.TENSOR)
    )


def obstacle(op: nv_tileas.ConvertLayoutOp, epochs: Epochs) -> str | None:
    """The reason why the op that makes a conversion's source cannot make the result directly; None
    if it can.
    """
    source, result = op.source, op.result
    if not is_buffer(source.type) or not in_one_memory(source.type, result.type):
        return "moves the tile to another memory"
    producer = source.owner
    if not isinstance(producer, PRODUCERS):
        return "the buffer is not made by an allocation, a copy or a load"
    if isinstance(producer, nv_tileas.CopyOp) and producer.destination is not None:
        return "the copy fills an existing buffer"
    if (
        not isinstance(producer, nv_tileas.AllocTensorOp)
        and producer.layout is not None
        and not has_boxes(producer, result.type)
    ):
        return f"'{producer.name}' has an assigned layout"
    if any(epochs.of_value(source) != epochs.of_use(use.operation) for use in source.uses):
        return "a fence, a wait or a handshake lies between the buffer and its users"
    if any(epochs.of_use(op) != epochs.of_use(use.operation) for use in result.uses):
        return "a fence, a wait or a handshake lies between the conversion and its users"
    for use in source.uses:
        if use.operation is not op and not _takes_any_layout(use):
            return f"'{use.operation.name}' uses the buffer in the layout that it has"
    for use in (*_uses(source), *_uses(result)):
        if _stores_into(use) and not _is_before(use.operation, op):
            return "the buffer is stored into after the conversion"
    return None


def _uses(buffer: SSAValue) -> Iterator[Use]:
    """The uses of a buffer and of its views."""
    for use in buffer.uses:
        yield use
        if isinstance(use.operation, nv_tileas.ViewOp):
            yield from _uses(use.operation.result)


def _stores_into(use: Use) -> bool:
    op = use.operation
    return isinstance(op, SharedMemoryOpInterface) and any(
        effect.writes and effect.buffer is op.operands[use.index] for effect in op.effects.buffers
    )


def _is_before(op: Operation, conversion: nv_tileas.ConvertLayoutOp) -> bool:
    """Whether an op, and every op around it, precedes a conversion of a buffer.

    False if the buffer is made outside of the conversion's block, as in an earlier iteration of a
    loop.
    """
    block, made = conversion.parent, conversion.source.owner
    if block is None or not isinstance(made, Operation) or made.parent is not block:
        return False
    around = block.find_ancestor_op_in_block(op)
    return around is not None and around.is_before_in_block(conversion)


def has_boxes(op: nv_tileas.CopyOp | nv_tileas.TiledLoadOp, type: Attribute) -> bool:
    """Whether a load by TMA can also fill a buffer of another type.

    The tensor map follows from the layout later; only the fastest dimension must be the same.
    """
    atom = None if op.atom is None else op.atom.copy_atom
    if not isinstance(op, nv_tileas.TiledLoadOp) or atom is None or atom.kind not in TMA_KINDS:
        return False
    # A conversion that changes nothing is folded instead.
    if op.tile.type == type or not is_shared(op.tile.type) or not is_shared(type):
        return False
    try:
        given, wanted = (boxes_of(shared_layout(op, buffer)) for buffer in (op.tile.type, type))
    except LayoutError:
        return False
    return given.order[0] == wanted.order[0]


def _takes_any_layout(use: Use) -> bool:
    """Whether a user accepts a buffer in any layout."""
    # A type that leaves its layout open takes any.
    if layout_of(use.operation.operands[use.index].type) is None:
        return True
    if not isinstance(use.operation, READERS):
        return False
    # The result of a copy is its destination, of the same type.
    return not (isinstance(use.operation, nv_tileas.CopyOp) and use.index == 1)


@dataclass
class RetypeProducer(RewritePattern):
    """Makes a buffer in the layout to which it is converted, if all other users accept that."""

    log: ConversionLog
    epochs: Epochs

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileas.ConvertLayoutOp, rewriter: PatternRewriter) -> None:
        # Forced conversions are what the user wants to measure.
        if op in self.log.kept or obstacle(op, self.epochs) is not None:
            return
        source = op.source
        assert isinstance(source, OpResult)
        producer = source.op
        old_type, new_type = source.type, op.result.type
        buffer = rewriter.replace_value_with_new_type(source, new_type)
        assigned = producer.properties.get(LAYOUT_KEY)
        if assigned is not None and (layout := layout_of(new_type)) is not None:
            producer.properties[LAYOUT_KEY] = layout
        try:
            producer.verify_()
        except VerifyException:
            # The pass goes on, and fails at its end.
            rewriter.replace_value_with_new_type(buffer, old_type)
            if assigned is not None:
                producer.properties[LAYOUT_KEY] = assigned
            self.log.refused.append(producer)
            return
        others = [use for use in buffer.uses if use.operation is not op]
        if others:
            viewed = new_type if layout_of(old_type) is not None else old_type
            view = nv_tileas.ViewOp(buffer, viewed)
            view.location = producer.location
            rewriter.insert(view, InsertPoint.after(producer))
            for use in others:
                use.operation.operands[use.index] = view.result
                rewriter.notify_op_modified(use.operation)
        self.log.removed(op, "the buffer is made in this layout", producer)
        rewriter.replace(op, (), (buffer,))
