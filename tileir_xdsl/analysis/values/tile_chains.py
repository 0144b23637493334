"""Chains of ops that only shape tiles, and whether a rewrite may follow them.

A chain leads from a value towards the allocation or slice that it is made of: through slices that
were inserted, to what they were inserted into; through views and extracted slices, to their source.
A rewrite is safe when all that it moves, repeats or erases is reached by such chains, and so lies
outside of the ops whose order matters. Source: the TileAS notes on folds, "Safe-Rewrite Predicate".
"""

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects.nv_tileas.interfaces import (
    MemoryConsistencyOpInterface,
    TileStructureOpInterface,
)
from tileir_xdsl.dialects.nv_tileas.slices import (
    AllocTensorOp,
    ExtractSliceOp,
    Index,
    InsertSliceOp,
    Slice,
)


def is_memory_consistent(op: Operation) -> bool:
    """Whether the order of the op matters."""
    return isinstance(op, MemoryConsistencyOpInterface)


def holds_memory_consistency(op: Operation) -> bool:
    """Whether the order of the op, or of one in its regions, matters."""
    return any(is_memory_consistent(inner) for inner in op.walk())


def next_in_chain(op: Operation) -> SSAValue | None:
    """The tile that the result of a tile-structure op is made of; None for an allocation."""
    match op:
        case AllocTensorOp():
            return None
        case InsertSliceOp():
            return op.destination
        case _:
            return op.operands[0]


def walk_chain(value: SSAValue) -> tuple[tuple[Operation, ...], SSAValue | None]:
    """The tile-structure ops that a value is made by, last one first, and where the chain ends.

    The end is None after an allocation, else the value of a block argument or of another op. Such
    an op may be one whose order matters: nobody looks after it.
    """
    chain: list[Operation] = []
    current: SSAValue | None = value
    while current is not None:
        owner = current.owner
        if not isinstance(owner, TileStructureOpInterface):
            return tuple(chain), current
        chain.append(owner)
        current = next_in_chain(owner)
    return tuple(chain), None


def chain_to_allocation(value: SSAValue) -> tuple[Operation, ...] | None:
    """The chain from a value to an allocation, which is its last op; None if it ends elsewhere."""
    chain, end = walk_chain(value)
    return chain if end is None else None


def chain_to(value: SSAValue, end: SSAValue) -> tuple[Operation, ...] | None:
    """The chain from a value to another one; None if it ends elsewhere."""
    chain, last = walk_chain(value)
    return chain if last is end else None


def constant_index(index: Index) -> int | None:
    """The number that an offset, size or stride is, if it is known."""
    if isinstance(index, int):
        return index
    owner = index.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def resolve_slice(position: Slice) -> Slice:
    """The same slice with the numbers that are known in place of values."""

    def resolve(indices: tuple[Index, ...]) -> tuple[Index, ...]:
        numbers = [constant_index(index) for index in indices]
        return tuple(
            index if number is None else number
            for index, number in zip(indices, numbers, strict=True)
        )

    return Slice(resolve(position.offsets), resolve(position.sizes), resolve(position.strides))


def is_slice_of_storage(op: Operation, storage: SSAValue) -> bool:
    """Whether an op inserts or extracts a slice of a tile, or of one that is made of it."""
    if not isinstance(op, InsertSliceOp | ExtractSliceOp):
        return False
    tile: SSAValue | None = op.destination if isinstance(op, InsertSliceOp) else op.source
    while tile is not None:
        if tile is storage:
            return True
        owner = tile.owner
        tile = next_in_chain(owner) if isinstance(owner, TileStructureOpInterface) else None
    return False
