"""Aliases that change the layout of their allocation, which copies replace.

A view in another layout would read elements at wrong addresses. An alias that is only read can
become a separate buffer in its layout, filled where the alias is made:

    %v = nv_tileas.view %m offset %o : tensor<2x16x8xf32, smem> to tensor<16x8xf32, smem>
    %t = nv_tileas.copy %v : tensor<16x8xf32, smem> -> tensor<16x8xf32, #registers>
    %n = nv_tileas.alloc_tensor : tensor<16x8xf32, smem, #other>
    %c = nv_tileas.copy %t into %n : ..

The copy goes through registers, as no hardware copies from shared memory to shared memory. A copy
is correct only if nothing writes the allocation after the alias is made. A write is earlier if it
precedes the alias in a block that encloses both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tileir_xdsl.analysis.buffers.origin import BufferOrigins, is_buffer
from tileir_xdsl.dialects.element_interfaces import BufferViewOpInterface
from tileir_xdsl.dialects.nv_tileaa.interfaces import AgentLikeOpInterface
from tileir_xdsl.dialects.nv_tileaa.views import LoadTileOp
from tileir_xdsl.dialects.nv_tileas.compute import DotOp, WgmmaOp
from tileir_xdsl.dialects.nv_tileas.interfaces import TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.pipeline_regions import PipelineYieldOp
from tileir_xdsl.dialects.nv_tileas.slices import ExtractSliceOp
from tileir_xdsl.dialects.nv_tileas.types import layout_of
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.walking import ops_in

FORWARDING = (
    AgentLikeOpInterface,
    BufferViewOpInterface,
    PipelineYieldOp,
    SelectOp,
    arith.SelectOp,
    scf.ConditionOp,
    scf.ForOp,
    scf.IfOp,
    scf.WhileOp,
    scf.YieldOp,
)
"""Ops that create aliases of a buffer."""

READ = (DotOp, ExtractSliceOp, LoadTileOp, WgmmaOp)
"""Ops that only read a buffer.

All other ops may write the buffer. Among writing ops, only `copy` certainly writes at its position;
others may be asynchronous, or ordered by tokens.
"""


def changes_layout(storage: Attribute, alias: Attribute) -> bool:
    """Whether the types of an alias and of its allocation have elements at different addresses.

    Types without a layout change nothing. For an alias of a part, the strides of its dimensions are
    compared, from the last one.
    """
    known, wanted = layout_of(storage), layout_of(alias)
    # An open layout is that of the allocation.
    if known is None or wanted is None or known == wanted:
        return False
    if known.data.swizzle != wanted.data.swizzle:
        return True
    strides = [mode.stride for mode in known.data.layout.modes()]
    others = [mode.stride for mode in wanted.data.layout.modes()]
    # A part of a buffer drops leading dimensions, such as the number of the stage.
    return strides[-len(others) :] != others


def aliases_to_copy(
    function: Operation, aliases: set[SSAValue], origins: BufferOrigins
) -> set[SSAValue]:
    """The aliases that change the layout, and can become copies."""
    changed: list[SSAValue] = []
    for alias in aliases:
        origin = origins.of(alias)
        if (
            origin is not None
            and isinstance(alias.type, TensorType)
            and changes_layout(origin.allocation.type, alias.type)
        ):
            changed.append(alias)
    if not changed:
        return set()
    # Only where a layout changes at all: the walk is over the whole function.
    writes = list(_writes(function, origins))
    return {alias for alias in changed if _is_settled(alias, writes, origins)}


@dataclass(frozen=True)
class _Write:
    """An op that writes an allocation; None stands for an unknown allocation."""

    op: Operation
    allocation: SSAValue | None


def _writes(function: Operation, origins: BufferOrigins) -> Iterator[_Write]:
    for op in ops_in(function):
        if isinstance(op, FORWARDING + READ):
            continue
        written = [op.filled] if isinstance(op, TileMoveOpInterface) else op.operands
        for operand in written:
            if operand is not None and is_buffer(operand.type):
                origin = origins.of(operand)
                yield _Write(op, None if origin is None else origin.allocation)


def _is_settled(alias: SSAValue, writes: list[_Write], origins: BufferOrigins) -> bool:
    """Whether all writes to the allocation of an alias precede the alias."""
    origin = origins.of(alias)
    assert origin is not None
    return all(
        # A `copy` is done where it stands, other writes may be in flight.
        isinstance(write.op, TileMoveOpInterface) and _is_earlier(write.op, alias)
        for write in writes
        if write.allocation is None or write.allocation is origin.allocation
    )


def _is_earlier(op: Operation, value: SSAValue) -> bool:
    """Whether an op precedes the definition of a value, in a block that encloses both."""
    around: dict[Block, Operation | None] = {}
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    made_by = None if isinstance(value.owner, Block) else value.owner
    while block is not None:
        around[block] = made_by
        made_by = block.parent_op()
        block = None if made_by is None else made_by.parent
    current: Operation | None = op
    while current is not None and current.parent not in around:
        current = current.parent_op()
    if current is None or current.parent is None:
        return False
    other = around[current.parent]
    if other is None or current is other:
        return False
    # An op after one that holds the alias starts when the alias is no longer used.
    return current.is_before_in_block(other) or value.owner is not other
