"""Synchronisation of tile blocks: locks, and a last block that collects all results.

The final contents of arrays do not depend on the order in which tile blocks run.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.builder import Builder, Row
from tileir_xdsl.testing.programs.elements import (
    MEMORY_ELEMENTS,
    Shape,
    element_of,
    shape_of,
    type_of,
)
from tileir_xdsl.testing.programs.values import is_equal

_WIDE = (cuda_tile.MemoryScope.DEVICE, cuda_tile.MemoryScope.SYS)
"""Scopes that include all tile blocks."""


def _maximum(lhs: SSAValue, rhs: SSAValue) -> cuda_tile.MaxIOp:
    return cuda_tile.MaxIOp(lhs, rhs, cuda_tile.Signedness.SIGNED)


_COMBINATIONS: tuple[Callable[[SSAValue, SSAValue], Operation], ...] = (
    lambda lhs, rhs: cuda_tile.AddIOp(lhs, rhs),
    cuda_tile.AndIOp,
    cuda_tile.OrIOp,
    cuda_tile.XOrIOp,
    _maximum,
)
"""Commutative and associative operations on integers."""


def _view(b: Builder, base: SSAValue, shape: Shape) -> SSAValue:
    """A view of the memory behind a pointer as one tile."""
    pointer = type_of(base).element_type
    assert isinstance(pointer, cuda_tile.PointerType)
    strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
    tensor_type = cuda_tile.TensorViewType(shape, pointer.pointee_type, strides)
    tensor = b.add(cuda_tile.MakeTensorViewOp(base, [], [], tensor_type)).result
    return b.add(
        cuda_tile.MakePartitionViewOp(tensor, cuda_tile.PartitionViewType(shape, tensor_type))
    ).result


def plain_load(
    b: Builder, base: SSAValue, like: SSAValue, token: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Loads a tile like `like` from a pointer without memory order; returns the tile and the
    token.
    """
    shape = shape_of(like)
    if not shape or b.chance(0.5):
        load = b.add(cuda_tile.LoadPtrTkoOp(b.offset(base, b.linear(shape)), token=token))
        return load.result, load.result_token
    zeros = [b.number(0, "i32")] * len(shape)
    read = b.add(cuda_tile.LoadViewTkoOp(_view(b, base, shape), zeros, token))
    return read.tile, read.result_token


def plain_store(b: Builder, base: SSAValue, value: SSAValue, token: SSAValue) -> SSAValue:
    """Stores a tile without memory order; returns the token."""
    shape = shape_of(value)
    if not shape or b.chance(0.5):
        pointers = b.offset(base, b.linear(shape))
        return b.add(cuda_tile.StorePtrTkoOp(pointers, value, None, token)).result_token
    zeros = [b.number(0, "i32")] * len(shape)
    return b.add(cuda_tile.StoreViewTkoOp(value, _view(b, base, shape), zeros, token)).result_token


def acquire_lock(b: Builder, lock: SSAValue) -> SSAValue:
    """Spins until the lock is free and acquires it; returns the token."""
    body = b.child([b.add(cuda_tile.MakeTokenOp()).result.type], repeated=True)
    (token,) = body.block.args
    zero, one = b.number(0, "i32"), b.number(1, "i32")
    semantics = b.choose(
        (cuda_tile.MemoryOrderingSemantics.ACQUIRE, cuda_tile.MemoryOrderingSemantics.ACQ_REL)
    )
    scope = b.choose(_WIDE)
    if b.chance(0.5):
        attempt = body.add(cuda_tile.AtomicCASTkoOp(semantics, scope, lock, zero, one, None, token))
    else:
        mode = cuda_tile.AtomicRMWMode.XCHG
        attempt = body.add(cuda_tile.AtomicRMWTkoOp(semantics, scope, lock, mode, one, None, token))
    taken = body.child()
    taken.add(cuda_tile.BreakOp([attempt.result_token]))
    body.add(cuda_tile.IfOp(is_equal(body, attempt.result, 0), [], taken.region()))
    body.add(cuda_tile.ContinueOp([attempt.result_token]))
    start = b.add(cuda_tile.MakeTokenOp()).result
    return b.add(cuda_tile.LoopOp([start], [start.type], body.region())).results[0]


def release_lock(b: Builder, lock: SSAValue, token: SSAValue) -> None:
    zero, scope = b.number(0, "i32"), b.choose(_WIDE)
    if b.chance(0.5):
        release = cuda_tile.MemoryOrderingSemantics.RELEASE
        b.add(cuda_tile.StorePtrTkoOp(lock, zero, None, token, semantics=release, scope=scope))
        return
    semantics = b.choose(
        (cuda_tile.MemoryOrderingSemantics.RELEASE, cuda_tile.MemoryOrderingSemantics.ACQ_REL)
    )
    b.add(
        cuda_tile.AtomicRMWTkoOp(
            semantics, scope, lock, cuda_tile.AtomicRMWMode.XCHG, zero, None, token
        )
    )


def _emit_lock(b: Builder) -> None:
    """Tile blocks combine their numbers with an array's elements one after the other, under a
    lock.
    """
    value = b.some_value(("i32", "i64", "i8"))
    lock = b.draft.zeros("i32", 1)
    array = b.draft.shared_output(element_of(value), type_of(value).element_count())
    token = acquire_lock(b, lock)
    combination = b.choose(_COMBINATIONS)
    for _ in range(b.integer(1, 2)):
        held, loaded = plain_load(b, array, value, token)
        combined = b.add(combination(held, value)).results[0]
        token = plain_store(b, array, combined, loaded)
    release_lock(b, lock, token)


def _emit_collection(b: Builder) -> None:
    """Every tile block stores a tile and increments a counter; the last block copies all tiles."""
    value = b.some_value(MEMORY_ELEMENTS)
    element, count = element_of(value), type_of(value).element_count()
    parts = b.draft.output(element, count)
    copies = b.draft.shared_output(element, count * b.draft.blocks)
    counter = b.draft.zeros("i32", 1)
    stored = plain_store(
        b, b.block_pointer(parts, count), value, b.add(cuda_tile.MakeTokenOp()).result
    )
    arrival = b.add(
        cuda_tile.AtomicRMWTkoOp(
            cuda_tile.MemoryOrderingSemantics.ACQ_REL,
            b.choose(_WIDE),
            counter,
            cuda_tile.AtomicRMWMode.ADD,
            b.number(1, "i32"),
            None,
            stored,
        )
    )
    last = b.child()
    token = arrival.result_token
    if b.chance(0.4):
        acquire, scope = cuda_tile.MemoryOrderingSemantics.ACQUIRE, b.choose(_WIDE)
        again = last.add(
            cuda_tile.LoadPtrTkoOp(counter, token=token, semantics=acquire, scope=scope)
        )
        token = again.result_token
    for block in range(b.draft.blocks):
        number = last.number(block * count, "i32")
        tile_, loaded = plain_load(last, last.offset(parts, number), value, token)
        plain_store(last, last.offset(copies, number), tile_, loaded)
    last.add(cuda_tile.YieldOp())
    all_are_there = is_equal(b, arrival.result, b.draft.blocks - 1)
    b.add(cuda_tile.IfOp(all_are_there, [], last.region()))


def _runs_once(b: Builder) -> bool:
    return not b.repeated


PATTERNS = (Row(0.7, _emit_lock, _runs_once), Row(0.7, _emit_collection, _runs_once))
"""Rows that each add several operations and so belong to no single operation."""
