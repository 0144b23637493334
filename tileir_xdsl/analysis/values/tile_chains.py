"""Chains of tile-structure ops, and whether a rewrite may follow them.

A chain leads from a value towards the allocation or slice that it is computed from. A chain passes
through inserted slices to their destination, and through views and extracted slices to their
source. A rewrite is safe when such chains reach all ops that it moves, repeats or erases, because
then none of these has a memory order. Source: the TileAS notes on folds, "Safe-Rewrite Predicate".
"""

import operator
from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from tileir_xdsl.dialects import nv_tileaa
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
from tileir_xdsl.walking import ops_in

OFFSET_ARITHMETIC = (arith.ConstantOp, arith.ExtUIOp, arith.IndexCastOp, arith.MuliOp)
"""The ops that compute the offset of a slice from its number."""

FOLDED: Mapping[type[Operation], Callable[..., int]] = {
    arith.AddiOp: operator.add,
    arith.ExtSIOp: int,
    arith.ExtUIOp: int,
    arith.IndexCastOp: int,
    arith.MuliOp: operator.mul,
    arith.SubiOp: operator.sub,
    nv_tileaa.AddIOp: operator.add,
}
"""The ops on integers whose result is known where their operands are."""


def is_memory_consistent(op: Operation) -> bool:
    """Whether the memory order of an op matters."""
    return isinstance(op, MemoryConsistencyOpInterface)


def holds_memory_consistency(op: Operation) -> bool:
    """Whether the memory order of an op, or of an op in its regions, matters."""
    return any(is_memory_consistent(inner) for inner in ops_in(op))


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
    """The tile-structure ops that compute a value, last one first, and where the chain ends.

    The end is None after an allocation, else the value of a block argument or of another op. The
    memory order of the op at the end may matter: the caller checks it.
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


def known_index(index: Index, depth: int = 16) -> int | None:
    """The value of an index, if it is known: a constant, or arithmetic on constants."""
    if (number := constant_index(index)) is not None or isinstance(index, int):
        return number
    op = index.owner
    # Bounds the walk: an offset is a cast and a multiplication of an index.
    if not depth or not isinstance(op, Operation) or type(op) not in FOLDED:
        return None
    numbers = [known_index(operand, depth - 1) for operand in op.operands]
    if None in numbers:
        return None
    width = _width(op.operands[0].type)
    # As the op reads its operands: zeros or the sign before the highest bit.
    known = [number & (1 << width) - 1 for number in numbers if number is not None]
    if not isinstance(op, arith.ExtUIOp):
        known = [number - (number >> width - 1 << width) for number in known]
    result, bits = FOLDED[type(op)](*known), _width(index.type)
    return (result + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def _width(type: Attribute) -> int:
    """The bits of an integer or an index, which has 64."""
    return type.width.data if isinstance(type, IntegerType) else 64


def resolve_slice(position: Slice) -> Slice:
    """The slice with constants in place of values that are known."""

    def resolve(indices: tuple[Index, ...]) -> tuple[Index, ...]:
        numbers = [known_index(index) for index in indices]
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
