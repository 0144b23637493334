"""Loads and stores through tiles of pointers, tokens, and local memory."""

from __future__ import annotations

import math

from xdsl.ir import SSAValue

from tileir_xdsl.dialects import cuda_tile
from tileir_xdsl.testing.programs.accesses import (
    any_token,
    distinct_offsets,
    fits,
    follow,
    load_options,
    maybe_follow,
    store_options,
)
from tileir_xdsl.testing.programs.builder import Builder, Row, Rows
from tileir_xdsl.testing.programs.draft import Buffer
from tileir_xdsl.testing.programs.elements import (
    MEMORY_ELEMENTS,
    WIDE_INTEGERS,
    element_of,
    pointer_tile,
    shape_of,
    tile,
    type_of,
)
from tileir_xdsl.testing.programs.pointers import spread_pointers
from tileir_xdsl.testing.programs.values import below, holding, offsets_below


def _emit_load(b: Builder) -> None:
    buffers = b.buffers()
    if buffers and b.chance(0.5):
        _load_buffer(b, b.choose(buffers))
    elif b.chance(0.5):
        _gather(b)
    else:
        _gather_masked(b)


def _load_buffer(b: Builder, buffer: Buffer) -> None:
    """Loads the same memory once or more, in no order among the loads."""
    before = b.tokens[buffer]
    after: list[SSAValue] = []
    for _ in range(b.integer(1, 2)):
        offsets = offsets_below(b, b.some_value(WIDE_INTEGERS), buffer.size)
        pointers = spread_pointers(b, buffer.base, offsets)
        load = b.add(cuda_tile.LoadPtrTkoOp(pointers, token=before, **load_options(b)))
        b.keep(load.result)
        after.append(load.result_token)
    follow(b, buffer, after)


def _gather(b: Builder) -> None:
    array = b.draft.input(b.choose(MEMORY_ELEMENTS))
    offsets = offsets_below(b, b.some_value(WIDE_INTEGERS), b.array)
    pointers = spread_pointers(b, array, offsets)
    load = b.add(cuda_tile.LoadPtrTkoOp(pointers, token=any_token(b), **load_options(b)))
    b.keep(load.result)
    maybe_follow(b, load.result_token)


def _gather_masked(b: Builder) -> None:
    """Loads through masked pointers; masked-off pointers may be past the array's end."""
    element = b.choose(MEMORY_ELEMENTS)
    offsets = below(b, b.some_value(("i16", "i32", "i64")), 2 * b.array)
    shape = shape_of(offsets)
    end = b.number(b.array, element_of(offsets), shape)
    predicate = cuda_tile.ComparisonPredicate.LESS_THAN
    mask = b.add(cuda_tile.CmpIOp(predicate, offsets, end, cuda_tile.Signedness.UNSIGNED)).result
    if b.chance(0.3):
        mask = b.add(cuda_tile.AndIOp(mask, b.value(tile("i1", shape)))).result
    pointers = spread_pointers(b, b.draft.input(element), offsets)
    padding = b.value(tile(element, shape))
    load = b.add(cuda_tile.LoadPtrTkoOp(pointers, mask, padding, any_token(b), **load_options(b)))
    b.keep(load.result)
    maybe_follow(b, load.result_token)


def _can_store(b: Builder) -> bool:
    return not b.repeated or bool(b.buffers())


def _emit_store(b: Builder) -> None:
    buffers = b.buffers()
    if buffers and (b.repeated or b.chance(0.6)):
        _store_buffer(b, b.choose(buffers))
    else:
        value = b.some_value(MEMORY_ELEMENTS, fits(b.draft.scale.buffer))
        size = b.draft.scale.buffer
        base = b.output(element_of(value), size)
        _store(b, base, size, value, any_token(b))


def _store_buffer(b: Builder, buffer: Buffer) -> None:
    value = b.some_value((buffer.element,), fits(buffer.size))
    token = _store(b, buffer.base, buffer.size, value, b.tokens[buffer])
    follow(b, buffer, [token])


def store_whole(b: Builder, value: SSAValue) -> None:
    """Stores a whole tile to a new array."""
    shape, type_ = shape_of(value), type_of(value)
    base = b.output(element_of(value), math.prod(shape))
    if not shape:
        b.add(cuda_tile.StorePtrTkoOp(base, value))
        return
    if b.chance(0.2):
        b.add(cuda_tile.StorePtrTkoOp(b.offset(base, b.linear(shape)), value))
        return
    strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
    tensor_type = cuda_tile.TensorViewType(shape, type_.element_type, strides)
    tensor = b.add(cuda_tile.MakeTensorViewOp(base, [], [], tensor_type)).result
    view = b.add(
        cuda_tile.MakePartitionViewOp(tensor, cuda_tile.PartitionViewType(shape, tensor_type))
    ).result
    b.add(cuda_tile.StoreViewTkoOp(value, view, [b.number(0, "i32")] * len(shape)))


def _store(
    b: Builder, base: SSAValue, size: int, value: SSAValue, token: SSAValue | None
) -> SSAValue:
    shape = shape_of(value)
    pointers = spread_pointers(b, base, distinct_offsets(b, shape, size))
    mask = b.value(tile("i1", shape)) if b.chance(0.4) else None
    return b.add(
        cuda_tile.StorePtrTkoOp(pointers, value, mask, token, **store_options(b))
    ).result_token


def _emit_join(b: Builder) -> None:
    chains = b.sample(list(b.tokens), 0.6)
    tokens = [b.tokens[chain] for chain in chains]
    while len(tokens) < 2:
        tokens.append(b.add(cuda_tile.MakeTokenOp()).result)
    joined = b.add(cuda_tile.JoinTokensOp(tokens)).result
    for chain in chains:
        b.tokens[chain] = joined


def _emit_allocation(b: Builder) -> None:
    """Allocates local memory, fills it, and loads some elements."""
    element = b.choose(MEMORY_ELEMENTS)
    value = b.some_value((element,), lambda s: bool(s))
    shape = shape_of(value)
    count = math.prod(shape)
    alignment = b.choose((8, 16, 128))
    allocation = cuda_tile.AllocaOp(
        count, alignment, pointer_tile(element), is_global=b.chance(0.5)
    )
    memory = b.add(allocation).result
    filled = b.offset(memory, b.linear(shape))
    token = b.add(
        cuda_tile.StorePtrTkoOp(filled, value, None, b.add(cuda_tile.MakeTokenOp()).result)
    ).result_token
    offsets = below(b, b.some_value(holding(WIDE_INTEGERS, count - 1)), count)
    load = b.add(cuda_tile.LoadPtrTkoOp(spread_pointers(b, memory, offsets), token=token))
    b.keep(load.result)


ROWS: Rows = {
    cuda_tile.AllocaOp: Row(1, _emit_allocation),
    cuda_tile.JoinTokensOp: Row(1, _emit_join),
    cuda_tile.LoadPtrTkoOp: Row(3, _emit_load),
    cuda_tile.StorePtrTkoOp: Row(2.5, _emit_store, _can_store),
}
