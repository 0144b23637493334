"""The values that agents use from outside, and the transfer of each."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.traits import is_side_effect_free

from tileir_xdsl.analysis.layouts.groups import awaited, is_tile
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.shapes import InsertedDimensionOp
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface
from tileir_xdsl.rewriting import dialect_name
from tileir_xdsl.walking import ops_in

# Chosen, not tuned: no reference program changes with 0, 4 or 16.
MAX_RECOMPUTED = 8
"""The most ops that an agent recomputes for a tile, instead of loading it from shared memory."""

CHEAP_OPS = (
    arith.ConstantOp,
    nv_tileaa.AddPtrOp,
    nv_tileaa.BroadcastOp,
    InsertedDimensionOp,
    nv_tileaa.MakeRangeOp,
    nv_tileaa.SplatOp,
    nv_tileas.ViewOp,
    PoisonOp,
)
"""Ops of a few instructions, besides integer arithmetic, which agents may recompute."""


class Transfer(Enum):
    """How a value is transferred to an agent."""

    IN_PLACE = "consumed in place"
    """A scalar, a pointer, a view, a buffer or a token, which agents use directly."""
    RECOMPUTED = "computed again"
    """A tile that a few cheap ops compute from values in place: each agent that uses the tile
    recomputes it.
    """
    MOVED = "computed there"
    """A tile that only one agent uses, computed from values in place: its ops move into the
    agent.
    """
    SHARED_MEMORY = "through shared memory"
    """Any other tile, which is in registers of other threads than the agent's."""


@dataclass(frozen=True)
class BoundaryValue:
    """A value from outside of an `agent_switch` that agents use.

    `recomputed` are the ops that the agent recomputes, or that move into it, in order.
    """

    value: SSAValue
    transfer: Transfer
    recomputed: tuple[Operation, ...] = ()


def boundary_values_of(op: nv_tileaa.AgentLikeOpInterface) -> list[BoundaryValue]:
    """The values that agents use from outside, as operands or captured, in order of appearance."""
    values = dict.fromkeys((*op.inputs, *captured_values(op)))
    moved = movable_ops(op)
    return [_boundary_value(value, moved) for value in values]


def _boundary_value(value: SSAValue, moved: Container[Operation]) -> BoundaryValue:
    if not is_tile(value):
        return BoundaryValue(value, Transfer.IN_PLACE)
    if isinstance(value.owner, Operation) and value.owner in moved:
        return BoundaryValue(value, Transfer.MOVED, (value.owner,))
    # Preferred to memory: no buffer, and nothing to wait for.
    slice = recomputation(value)
    if slice is not None:
        return BoundaryValue(value, Transfer.RECOMPUTED, slice)
    return BoundaryValue(value, Transfer.SHARED_MEMORY)


def captured_values(op: Operation) -> Iterator[SSAValue]:
    """The values from outside that the regions of an op use, once for each use."""
    for region in op.regions:
        for inner in ops_in(region):
            for operand in inner.operands:
                if not is_defined_in(operand, op):
                    yield operand


def is_defined_in(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in a region of an op."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    parent = None if block is None else block.parent_op()
    return parent is not None and op.is_ancestor(parent)


def uses_in(value: SSAValue, region: Region) -> list[Use]:
    """The uses of a value in a region and its nested regions, older uses first."""
    return [use for use in reversed(tuple(value.uses)) if _is_in(use.operation, region)]


def _is_in(op: Operation, region: Region) -> bool:
    current: Operation | None = op
    while current is not None:
        parent = current.parent_region()
        if parent is region:
            return True
        current = current.parent_op()
    return False


def movable_ops(op: nv_tileaa.AgentLikeOpInterface) -> dict[Operation, Region]:
    """The ops before a switch that compute tiles for one agent alone, each with the agent, in
    program order.

    None of these ops needs a tile that must go through memory, since moving it could increase the
    number of such tiles.
    """
    agents: dict[Operation, Region] = {}
    current = op.prev_op
    # Users before what they use.
    while current is not None:
        if _makes_tiles(current):
            users = (use.operation for result in current.results for use in result.uses)
            using = {agents.get(user) or _agent_of(user, op) for user in users}
            agent = using.pop() if len(using) == 1 else None
            if agent is not None:
                agents[current] = agent
        current = current.prev_op
    moved = {maker: agents[maker] for maker in reversed(agents)}
    # An op stays for an operand that stays, and then all that is used by it does.
    while len(stay := [maker for maker in moved if _has_to_stay(maker, moved)]) > 0:
        for maker in stay:
            del moved[maker]
    return moved


def _has_to_stay(op: Operation, moved: Mapping[Operation, Region]) -> bool:
    """Whether an op has an operand that must go through memory, or a user that stays outside."""
    users = (use.operation for result in op.results for use in result.uses)
    if any(user.parent is op.parent and user not in moved for user in users):
        return True
    tiles = (operand for operand in op.operands if is_tile(operand))
    return any(tile.owner not in moved and recomputation(tile) is None for tile in tiles)


def _makes_tiles(op: Operation) -> bool:
    """Whether an op only computes tiles, or allocates undefined ones."""
    return (
        all(map(is_tile, op.results))
        and not op.regions
        and (isinstance(op, AllocationOpInterface) or is_side_effect_free(op))
    )


def _agent_of(op: Operation, switch: nv_tileaa.AgentLikeOpInterface) -> Region | None:
    """The agent of a switch that executes an op; None if the op is outside of the switch."""
    region = op.parent_region()
    while region is not None:
        parent = region.parent
        if parent is switch:
            return region
        region = None if parent is None else parent.parent_region()
    return None


def recomputation(value: SSAValue) -> tuple[Operation, ...] | None:
    """The ops that recompute a tile from values that agents use in place; None if they are too many
    or too expensive.
    """
    found: dict[Operation, None] = {}
    return tuple(found) if _collect([value], found) else None


def _collect(values: Sequence[SSAValue], found: dict[Operation, None]) -> bool:
    """Adds the ops that compute the tiles among some values, operands first; returns whether all
    are cheap.
    """
    for value in values:
        op = value.owner
        if not is_tile(value) or op in found:
            continue
        # A value that a loop carries has no op that could be repeated.
        if isinstance(op, Block) or not _is_cheap(op) or not _collect(op.operands, found):
            return False
        found[op] = None
        if len(found) > MAX_RECOMPUTED:
            return False
    return True


def _is_cheap(op: Operation) -> bool:
    if isinstance(op, CHEAP_OPS):
        return True
    elements = [tile_shape(awaited(result.type)).element for result in op.results]
    return (
        dialect_name(op) == "arith"
        and is_side_effect_free(op)
        # Floats may be divided or converted, integers of index arithmetic hardly ever.
        and all(isinstance(element, IntegerType | IndexType) for element in elements)
    )
