"""The rewrite of one `agent_switch`: tiles from outside are recomputed, or go through shared
memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TypeVar

from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.access.copy_atoms import LOAD_ATOMS, STORE_ATOMS
from tileir_xdsl.analysis.layouts.groups import awaited, is_tile
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.builders.tiles import LocatedBuilder, allocate, wait_for
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas import AtomAttr, MemoryAttr
from tileir_xdsl.dialects.nv_tileas.accesses import CopyOp
from tileir_xdsl.dialects.nv_tileas.agents import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.async_tokens import ToAsyncOp
from tileir_xdsl.dialects.nv_tileas.attributes import Residency
from tileir_xdsl.dialects.nv_tileas.interfaces import TileMoveOpInterface
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.targets.atoms import Memory

from .boundaries import (
    BoundaryValue,
    Transfer,
    boundary_values_of,
    captured_values,
    movable_ops,
    uses_in,
)

OperationT = TypeVar("OperationT", bound=Operation)


def storage_bytes(type: Attribute) -> int:
    """The bytes of shared memory that a tile takes."""
    tile = tile_shape(type)
    return prod(tile.shape) * element_bytes(tile.element)


class ResolveBoundary(RewritePattern):
    """Transfers every tile that agents of a switch use from outside."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AgentSwitchOp, rewriter: PatternRewriter, /) -> None:
        moved = movable_ops(op)
        if moved:
            _move(moved, rewriter)
        crossing = [c for c in boundary_values_of(op) if c.transfer is not Transfer.IN_PLACE]
        if not (moved or crossing):
            return
        for boundary_value in crossing:
            if boundary_value.transfer is Transfer.RECOMPUTED:
                # Both forms of the value, operand and capture, are then the same.
                drop_inputs(op, boundary_value.value)
                for body in op.bodies:
                    _recompute(boundary_value, body)
            else:
                _through_memory(op, boundary_value.value, rewriter)
        # Last, as buffers that were made above are captured, too.
        if op.isolated is not None and op.isolated.value.data:
            _pass_captured(op)
        rewriter.notify_op_modified(op)


def _move(agents: dict[Operation, Region], rewriter: PatternRewriter) -> None:
    """Moves ops, listed operands first, into the agents that use them, right before the first use.

    At the start of an agent, the tiles would occupy registers until their first use.
    """
    position: dict[Operation, int] = {}
    # An op inserted before another one precedes all its users there.
    first: list[Operation] = []
    for agent in dict.fromkeys(agents.values()):
        for op in agent.block.ops:
            position[op] = len(first)
            first.append(op)
    for op in reversed(agents):
        agent = agents[op]
        users = (use.operation for result in op.results for use in result.uses)
        ancestors = (agent.block.find_ancestor_op_in_block(user) for user in users)
        number = min(position[ancestor] for ancestor in ancestors if ancestor is not None)
        op.detach()
        rewriter.insert(op, InsertPoint.before(first[number]))
        position[op], first[number] = number, op


def drop_inputs(op: AgentSwitchOp, value: SSAValue) -> None:
    """Makes agents capture a value that was an operand of the switch."""
    # From the last one, so that the numbers of the others stay.
    for index in reversed(range(len(op.inputs))):
        if op.inputs[index] is value:
            for body in op.bodies:
                argument = body.block.args[index]
                argument.replace_all_uses_with(value)
                body.block.erase_arg(argument)
            op.operands = [*op.operands[:index], *op.operands[index + 1 :]]


def _recompute(boundary_value: BoundaryValue, body: Region) -> None:
    """Recomputes a value at the start of an agent that uses it."""
    uses = uses_in(boundary_value.value, body)
    # An agent that does not use the value computes nothing.
    if not uses:
        return
    values: dict[SSAValue, SSAValue] = {}
    builder = Builder(InsertPoint.at_start(body.block))
    for op in boundary_value.recomputed:
        builder.insert(op.clone(values))
    for use in uses:
        use.operation.operands[use.index] = values[boundary_value.value]


def _through_memory(op: AgentSwitchOp, value: SSAValue, rewriter: PatternRewriter) -> None:
    """Stores a tile to a buffer before the switch, and loads it in the agents that use it.

    If the tile was an operand of the switch, the buffer replaces it.
    """
    builder = LocatedBuilder(InsertPoint.before(op), op.location)
    tile = value
    # Registers in flight belong to the threads that started the work, so these wait.
    if isinstance(value.type, ValueType):
        tile = wait_for(builder, value)
    buffer = _filled_buffer(builder, tile)
    buffer.name_hint = value.name_hint
    indices = [index for index, given in enumerate(op.inputs) if given is value]
    for body in op.bodies:
        local = buffer
        for index in indices:
            local = _replace_argument(body.block.args[index], buffer.type, value)
        _deliver(value, local, body, rewriter)
    for index in indices:
        op.operands[index] = buffer


def _replace_argument(argument: BlockArgument, type: Attribute, value: SSAValue) -> BlockArgument:
    """Replaces an argument by one of another type; its users use `value` from outside instead."""
    block = argument.owner
    new_argument = block.insert_arg(type, argument.index)
    argument.replace_all_uses_with(value)
    block.erase_arg(argument)
    return new_argument


def _filled_buffer(builder: LocatedBuilder, tile: SSAValue) -> SSAValue:
    """Allocates a buffer in shared memory, and stores a tile to it."""
    type = tile.type
    assert isinstance(type, TensorType)
    memory = TensorType(type.element_type, type.get_shape(), MemoryAttr(Residency.SHARED))
    buffer = allocate(builder, memory)
    copy = CopyOp(
        operands=[tile, buffer],
        properties={"atom": _atom(type, STORE_ATOMS[Memory.SHARED])},
        result_types=[memory],
    )
    builder.insert(copy)
    return buffer


def _deliver(value: SSAValue, buffer: SSAValue, body: Region, rewriter: PatternRewriter) -> None:
    """Loads a buffer to registers at the start of an agent, once for each type that its users
    need.
    """
    uses = uses_in(value, body)
    wanted = [_wanted_type(use, value) for use in uses]
    assert body.parent is not None
    builder = LocatedBuilder(InsertPoint.at_start(body.block), body.parent.location)
    # Loaded in the layout that is wanted, so that no conversion follows.
    tiles = {type: _tile_in(builder, buffer, type) for type in dict.fromkeys(wanted)}
    for use, type in zip(uses, wanted, strict=True):
        tiles[type].name_hint = value.name_hint
        if _is_conversion(use.operation):
            rewriter.replace(use.operation, [], [tiles[type]])
        else:
            use.operation.operands[use.index] = tiles[type]


def _wanted_type(use: Use, value: SSAValue) -> Attribute:
    """The type in which a user needs a tile; for a conversion, the type of the result."""
    return use.operation.results[0].type if _is_conversion(use.operation) else value.type


def _is_conversion(op: Operation) -> bool:
    return isinstance(op, TileMoveOpInterface) and is_tile(op.results[0])


def _tile_in(builder: LocatedBuilder, buffer: SSAValue, type: Attribute) -> SSAValue:
    """Loads the contents of a buffer as a tile of a type, possibly as an async value."""
    tile = awaited(type)
    properties = {"atom": _atom(tile, LOAD_ATOMS[Memory.SHARED])}
    copy = CopyOp(operands=[buffer, None], properties=properties, result_types=[tile])
    loaded = builder.insert(copy).result
    return builder.insert(ToAsyncOp(loaded)).result if isinstance(type, ValueType) else loaded


def _atom(type: Attribute, atoms: Mapping[int, str]) -> AtomAttr | None:
    """The widest plain atom for a layout; None if layouts have not been assigned."""
    layout = tile_layout(type)
    if layout is None:
        return None
    size = element_bytes(tile_shape(type).element)
    # As many neighbours as one register vector of the layout has.
    width = min(max(atoms), layout.vector_width() * size)
    return AtomAttr(atoms[width])


def _pass_captured(op: AgentSwitchOp) -> None:
    """Forwards captured values to isolated agents as operands."""
    for value in dict.fromkeys(captured_values(op)):
        op.operands = [*op.operands, value]
        for body in op.bodies:
            argument = body.block.insert_arg(value.type, len(body.block.args))
            for use in uses_in(value, body):
                use.operation.operands[use.index] = argument
