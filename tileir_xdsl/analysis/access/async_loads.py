"""Loads into shared memory that can be issued long before their tiles are read.

    %b = nv_tileas.alloc_tensor : B                        a bulk copy into a buffer of its own, or
    %v = nv_tileas.async.tiled_tma_load %d, %b[..], %m
    %t = nv_tileas.async.future_wait %v                    alike of rows whose numbers are known

    %t = nv_tileas.tiled_load %view[..] {atom = #nv_tileas<atom ldgsts_128>} : .. -> B

or a load through pointers that threads execute:

    %b = nv_tileas.alloc_tensor : B
    %v = nv_tileas.async.load %p into %b ..
    %t = nv_tileas.async.future_wait %v

A load qualifies if nothing but ops of the same iteration reads its tile. Loads whose tiles the same
op uses form a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from tileir_xdsl.analysis.access.fragment_loads import mma_of_fragments
from tileir_xdsl.analysis.buffers.origin import is_buffer
from tileir_xdsl.analysis.regions.scopes import is_made_once
from tileir_xdsl.analysis.values.carried_values import is_seen
from tileir_xdsl.analysis.values.divisibility import element_bytes
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.dialects.async_ import ValueType
from tileir_xdsl.dialects.element_interfaces import (
    BufferViewOpInterface,
    OrderedElementsOpInterface,
    works_on_elements,
)
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas.async_tokens import only_wait
from tileir_xdsl.dialects.nv_tileas.compute import MMAOp
from tileir_xdsl.dialects.nv_tileas.interfaces import AllocationOpInterface
from tileir_xdsl.dialects.resource_attributes import asked_latency
from tileir_xdsl.targets.atoms import CopyKind

BulkTileLoad = nv_tileas.AsyncTiledTmaLoadOp | nv_tileas.AsyncGatherTmaLoadOp
BufferedLoad = BulkTileLoad | nv_tileas.AsyncLoadOp | nv_tileas.AsyncTiledLoadOp
"""Loads that are asynchronous already, into a buffer of their own."""
StartedLoad = BufferedLoad | nv_tileas.TiledLoadOp | nv_tileas.LoadOp


REINDEXING = OrderedElementsOpInterface | BufferViewOpInterface
"""Ops that change the layout or shape of a tile before a dot uses it."""


@dataclass(frozen=True)
class AsyncLoad:
    """One load, and the shared-memory tile that it produces."""

    op: StartedLoad
    tile: SSAValue

    @property
    def tile_type(self) -> TensorType[Attribute]:
        """The type of the tile, with the layout of its buffer."""
        assert isinstance(self.tile.type, TensorType)
        return self.tile.type

    @property
    def bytes(self) -> int:
        """The bytes of the tile in shared memory."""
        shape = tile_shape(self.tile.type)
        return prod(shape.shape) * element_bytes(shape.element)

    @property
    def parts(self) -> tuple[Operation, ...]:
        """The ops of a load that a pipeline replaces, each before the ops that it uses."""
        if not isinstance(self.op, BufferedLoad):
            return (self.op,)
        destination = self.op.destination
        assert destination is not None
        wait, buffer = self.tile.owner, destination.owner
        assert isinstance(wait, Operation) and isinstance(buffer, Operation)
        return (wait, self.op, buffer)


@dataclass(frozen=True)
class LoadGroup:
    """Loads of one block whose tiles are needed at the same time, in the order of the program."""

    loads: tuple[AsyncLoad, ...]

    @property
    def block(self) -> Block:
        """The block of all loads."""
        block = self.loads[0].op.parent
        assert block is not None
        return block

    @property
    def latency(self) -> int | None:
        """The greatest of the hints `latency` of its loads."""
        asked = (asked_latency(load.op) for load in self.loads)
        return max((latency for latency in asked if latency is not None), default=None)

    @property
    def bytes(self) -> int:
        """The bytes of the tiles of all loads in shared memory."""
        return sum(load.bytes for load in self.loads)


def async_load(op: Operation) -> AsyncLoad | None:
    """An op as a load that can be started early, if it is one."""
    match op:
        case (
            nv_tileas.AsyncTiledTmaLoadOp()
            | nv_tileas.AsyncGatherTmaLoadOp()
            | nv_tileas.AsyncLoadOp()
            | nv_tileas.AsyncTiledLoadOp()
        ) if op.destination is not None:
            buffer, wait = op.destination.owner, only_wait(op.result)
            if (
                isinstance(buffer, AllocationOpInterface)
                and buffer.results[0].get_user_of_unique_use() is op
                and wait is not None
                and _are_rows_known(op)
            ):
                return AsyncLoad(op, wait.result)
        case nv_tileas.TiledLoadOp() | nv_tileas.LoadOp():
            atom = None if op.atom is None else op.atom.copy_atom
            tile = op.results[0]
            if atom is not None and atom.kind is CopyKind.ASYNC_COPY and is_buffer(tile.type):
                return AsyncLoad(op, tile)
        case _:
            pass
    return None


def _are_rows_known(op: BufferedLoad) -> bool:
    """Whether one thread finds in shared memory, before all loops, which rows an op loads."""
    if not isinstance(op, nv_tileas.AsyncGatherTmaLoadOp):
        return True
    # Stages may be filled for the next iteration of an outer loop, too.
    return is_buffer(op.rows.type) and is_made_once(op.rows)


def load_groups(block: Block) -> tuple[LoadGroup, ...]:
    """The groups of loads in the body of a loop, in the order of the program."""
    positions = {op: number for number, op in enumerate(block.ops)}
    found: list[list[AsyncLoad]] = []
    open_groups: dict[Operation, list[AsyncLoad]] = {}
    first_reads: dict[Operation, int] = {}
    for op in block.ops:
        load = async_load(op)
        if load is None or not _stays_in(load, block):
            # A load is not put off beyond an op that memory can tell.
            if is_seen(op) and not isinstance(op, BulkTileLoad):
                open_groups.clear()
            continue
        users = [use.operation for use in load.tile.uses]
        first_user = min(
            (ancestor_in(_wanted_by(user), block) for user in users), key=positions.__getitem__
        )
        first_read = min(positions[ancestor_in(user, block)] for user in users)
        # All tiles of a group are available from its last load on: none is read, or copied, before.
        if first_user not in open_groups or first_reads[first_user] < positions[op]:
            open_groups[first_user] = []
            found.append(open_groups[first_user])
            first_reads[first_user] = first_read
        open_groups[first_user].append(load)
        first_reads[first_user] = min(first_read, first_reads[first_user])
    return tuple(LoadGroup(tuple(group)) for group in found)


def _stays_in(load: AsyncLoad, block: Block) -> bool:
    """Whether a tile has users, all of them in a block and before its terminator."""
    users = list(users_of(load.tile))
    return bool(users) and all(
        (ancestor := block.find_ancestor_op_in_block(user)) is not None
        and not ancestor.has_trait(IsTerminator)
        for user in users
    )


def _wanted_by(user: Operation) -> Operation:
    """The dot that uses a tile, through views or conversions; without a dot, the user itself."""
    # Padding is put in where the tile is wanted.
    if isinstance(user, nv_tileas.PadOp):
        return _wanted_by(user.result.get_user_of_unique_use() or user)
    op: Operation | None = user
    while op is not None and op.results and is_buffer(op.results[0].type):
        op = op.results[0].get_user_of_unique_use()
    # Scales are wanted with the operands that they belong to.
    dot = op if isinstance(op, MMAOp) else op and (mma_of_fragments(op) or changed_for(op)[1])
    return dot or user


def changed_for(load: Operation) -> tuple[Sequence[Operation], MMAOp | None]:
    """The ops that change a tile from shared memory for one dot of the same block, and the dot.

    The first op is the conversion that loads registers. The result is empty where any other op uses
    the tile.
    """
    changes: list[Operation] = []
    if _loads_registers(load):
        op: Operation | None = load
        while op is not None and op.parent is load.parent:
            if isinstance(op, MMAOp):
                return changes, op
            if not (works_on_elements(op) or isinstance(op, REINDEXING)):
                break
            changes.append(op)
            op = op.results[0].get_user_of_unique_use()
    return (), None


def _loads_registers(op: Operation) -> bool:
    """Whether an op brings a whole tile from shared memory to registers."""
    is_ordered = isinstance(op, OrderedElementsOpInterface) and is_buffer(op.repeated.type)
    return is_ordered and not is_buffer(op.results[0].type)


def ancestor_in(op: Operation, block: Block) -> Operation:
    """The op of a block that contains an op, or that op itself."""
    ancestor = block.find_ancestor_op_in_block(op)
    assert ancestor is not None
    return ancestor


def users_of(tile: SSAValue) -> Iterator[Operation]:
    """The ops that read a tile in shared memory, also through views, and the waits for those reads.

    A dot reads the tiles that its fragments come from.
    """
    for use in tile.uses:
        op = use.operation
        yield mma_of_fragments(op) or op
        for result in op.results:
            if is_buffer(result.type) or isinstance(
                result.type, ValueType | nv_tileas.AsyncTokenType
            ):
                yield from users_of(result)


def last_user(tiles: Sequence[SSAValue], block: Block) -> Operation:
    """The last op of a block that reads any of the tiles."""
    users = {ancestor_in(user, block) for tile in tiles for user in users_of(tile)}
    return next(op for op in reversed(list(block.ops)) if op in users)
