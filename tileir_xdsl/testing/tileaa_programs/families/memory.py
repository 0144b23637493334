"""Accesses through views and pointers, also atomic ones, and the tokens that order them.

Read-only arrays are read in any order. The accesses of a buffer form a chain of tokens, sometimes
joined with tokens of other buffers.
"""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseArrayBase,
    IntegerAttr,
    TensorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.arith import SelectOp
from tileir_xdsl.dialects.enumerations import MemoryOrdering, PaddingValue, RMWMode
from tileir_xdsl.dialects.nv_tileaa.attributes import MemScope, PaddingValueAttr
from tileir_xdsl.dialects.nv_tileaa.pointer_accesses import memory_order_properties
from tileir_xdsl.testing.programs.elements import ELEMENT_TYPES
from tileir_xdsl.testing.tileaa_programs.draft import ARRAY, Buffer, Shape, row_major, tile
from tileir_xdsl.testing.tileaa_programs.scope import (
    FLOATS,
    INTEGERS,
    NARROW,
    TOKEN,
    Row,
    Scope,
    load_op,
)

MEMORY_ELEMENTS = (
    *INTEGERS,
    *FLOATS,
    *(element for element in NARROW if element != "f4E2M1FN"),
)
_WEAK = memory_order_properties(MemoryOrdering.WEAK, None)
_SCOPES = (MemScope.TILE_BLOCK, MemScope.GPU, MemScope.SYSTEM)
_MODES = (
    RMWMode.ADD,
    RMWMode.AND,
    RMWMode.OR,
    RMWMode.XOR,
    RMWMode.MAX,
    RMWMode.MIN,
    RMWMode.UMAX,
    RMWMode.UMIN,
)


# Tokens.


def new_buffer(s: Scope, element: str) -> Buffer:
    """A new array of this tile block, with its own token chain."""
    buffer = Buffer(element, s.draft.output(element))
    s.tokens[buffer] = s.fresh_token()
    return buffer


def _has_buffers(s: Scope) -> bool:
    return bool(s.tokens)


def _follow(s: Scope, buffer: Buffer, *tokens: SSAValue) -> None:
    """Makes later accesses of a buffer wait for tokens, perhaps also for those of other buffers."""
    after = list(tokens)
    if s.chance(0.2):
        after += s.draft.random.sample(list(s.tokens.values()), min(len(s.tokens), 2))
    if s.chance(0.1):
        after.append(s.fresh_token())
    s.tokens[buffer] = (
        after[0] if len(after) == 1 else s.add(nv_tileaa.JoinMemTokenOp(after)).result
    )


# Views.


def _extents(s: Scope) -> tuple[Shape, Shape]:
    """Sizes and strides of a memory object in `ARRAY` elements, without overlaps."""
    rank = s.choose((1, 1, 2, 2, 2, 3))
    match rank:
        case 1:
            size = s.integer(40, ARRAY // 2)
            return (size,), (s.choose((1, 1, 1, 2)),)
        case 2:
            sizes = (s.integer(5, 17), s.integer(6, 20))
            inner = s.choose((0, 0, 0, 1))
            row = sizes[1 - inner] if inner else sizes[1]
            pitch = s.choose((row, row + 1, row + 3, 24))
            pitch = max(pitch, row)
            sizes = (min(sizes[0], ARRAY // pitch), sizes[1]) if not inner else sizes
            return (sizes, (pitch, 1)) if not inner else (sizes, row_major(sizes))
        case _:
            sizes = (s.integer(2, 4), s.integer(2, 6), s.integer(3, 12))
            return sizes, row_major(sizes)


def make_view(s: Scope, base: SSAValue, most: int = 64) -> tuple[SSAValue, Shape, Shape]:
    """A view of memory as tiles, the shape of a tile, and the number of tiles along each
    dimension.
    """
    sizes, strides = _extents(s)
    dynamic = [s.chance(0.3) for _ in sizes]
    assert isinstance(base.type, nv_tileaa.PointerType)
    known = [DYNAMIC_INDEX if d else n for n, d in zip(sizes, dynamic, strict=True)]
    type_ = nv_tileaa.MemRefType(known, base.type.pointee, strides)
    extents = [s.draft.scalar((n,)) for n, d in zip(sizes, dynamic, strict=True) if d]
    memref = s.add(nv_tileaa.MakeMemRefOp(base, extents, [], type_)).result
    if s.chance(0.2):
        axis = s.integer(0, len(sizes) - 1)
        s.keep(s.add(nv_tileaa.GetDimSizeOp(memref, axis, i32)).result)
    groups, walked = [[dim] for dim in range(len(sizes))], sizes
    if len(sizes) == 2 and not any(dynamic) and strides == row_major(sizes) and s.chance(0.3):
        groups, walked = [[0, 1]], (sizes[0] * sizes[1],)
    shape = tuple(1 << s.integer(0, 3 if len(walked) > 1 else 6) for _ in walked)
    while math.prod(shape) > most:
        shape = tuple(max(1, extent // 2) for extent in shape)
    counts = tuple(-(-n // extent) for n, extent in zip(walked, shape, strict=True))
    return s.add(nv_tileaa.BlockTileOp(memref, shape, groups)).result, shape, counts


def _coords(s: Scope, counts: Shape) -> list[SSAValue]:
    """The indices of a random tile."""
    made: list[SSAValue] = []
    for count in counts:
        if s.chance(0.5):
            made.append(s.number(s.integer(0, count - 1)))
        else:
            value = s.value("i32", ())
            made.append(s.add(arith.RemUIOp(value, s.number(count))).result)
    return made


def _padding(s: Scope, element: str) -> PaddingValueAttr:
    if element in INTEGERS:
        return PaddingValueAttr(PaddingValue.ZERO)
    return PaddingValueAttr(s.choose(list(PaddingValue)))


def _read_view(s: Scope, base: SSAValue, element: str, token: SSAValue | None) -> SSAValue:
    """Loads a tile; elements outside the memory are padding. Returns the token."""
    view, shape, counts = make_view(s, base)
    properties: dict[str, Attribute | None] = {**_WEAK, "padding_value": _padding(s, element)}
    if s.chance(0.2):
        properties["latency"] = IntegerAttr(s.integer(1, 10), i32)
    if s.chance(0.2):
        properties["allow_tma"] = BoolAttr.from_bool(s.chance(0.5))
    load = nv_tileaa.TiledLoadOp(
        operands=[view, _coords(s, counts), token],
        properties=properties,
        result_types=[TensorType(ELEMENT_TYPES[element], shape), TOKEN],
    )
    s.keep(s.add(load).tile)
    return load.result_token


def _load_view(s: Scope) -> None:
    element = s.choose(MEMORY_ELEMENTS)
    _read_view(s, s.draft.input(element), element, s.fresh_token() if s.chance(0.3) else None)


def _reload_view(s: Scope) -> None:
    buffer = s.choose(list(s.tokens))
    _follow(s, buffer, _read_view(s, buffer.base, buffer.element, s.tokens[buffer]))


def _store_view(s: Scope) -> None:
    buffer = s.choose(list(s.tokens))
    view, shape, counts = make_view(s, buffer.base)
    value, properties = s.value(buffer.element, shape), dict[str, Attribute | None](_WEAK)
    if s.chance(0.2):
        properties["in_bounds"] = DenseArrayBase.from_list(i1, [0] * len(shape))
    store = nv_tileaa.TiledStoreOp(
        operands=[view, value, _coords(s, counts), s.tokens[buffer]],
        properties=properties,
        result_types=[TOKEN],
    )
    _follow(s, buffer, s.add(store).result_token)


def _gather(s: Scope) -> None:
    """Loads rows of memory in any order, some of them outside the memory."""
    element = s.choose(MEMORY_ELEMENTS)
    sizes, shape = (16, s.integer(8, 20)), (8, s.choose((4, 8)))
    memref = nv_tileaa.MemRefType(sizes, ELEMENT_TYPES[element], row_major(sizes))
    source = s.add(nv_tileaa.MakeMemRefOp(s.draft.input(element), [], [], memref)).result
    view = s.add(nv_tileaa.BlockTileOp(source, shape, [[0], [1]])).result
    rows = s.add(arith.AndIOp(s.value("i32", (8,)), s.filled(31, "i32", (8,)))).result
    places = [rows, s.number(s.integer(0, 4))]
    load = nv_tileaa.GatherLoadOp(
        view, places, sparse_dim=0, padding_value=_padding(s, element).data
    )
    s.keep(s.add(load).tile)


def _scatter(s: Scope) -> None:
    """Stores rows to distinct rows of memory."""
    buffer = s.choose(list(s.tokens))
    sizes, shape = (16, 20), (8, 8)
    memref = nv_tileaa.MemRefType(sizes, ELEMENT_TYPES[buffer.element], row_major(sizes))
    target = s.add(nv_tileaa.MakeMemRefOp(buffer.base, [], [], memref)).result
    view = s.add(nv_tileaa.BlockTileOp(target, shape, [[0], [1]])).result
    flipped = s.filled(s.integer(0, 15), "i32", (8,))
    rows = s.add(arith.XOrIOp(s.numbers((8,)), flipped)).result
    places = [rows, s.number(s.integer(0, 12))]
    value = s.value(buffer.element, shape)
    store = nv_tileaa.ScatterStoreOp(view, value, places, s.tokens[buffer], sparse_dim=0)
    _follow(s, buffer, s.add(store).result_token)


# Pointers.


def _distinct(s: Scope, shape: Shape) -> SSAValue:
    """Distinct offsets into a buffer."""
    numbers = s.numbers(shape)
    flipped = s.filled(s.integer(0, ARRAY - 1), "i32", shape)
    return s.add(arith.XOrIOp(numbers, flipped)).result if s.chance(0.5) else numbers


def _load(s: Scope) -> None:
    element, shape = s.choose(MEMORY_ELEMENTS), s.shape()
    offsets = s.add(arith.AndIOp(s.value("i32", shape), s.filled(ARRAY - 1, "i32", shape))).result
    pointers = s.pointers(s.draft.input(element), offsets)
    if s.chance(0.4):
        mask, other = s.value("i1", shape), s.value(element, shape)
        s.keep(s.load(pointers, None, mask, other))
    else:
        s.keep(s.load(pointers))


def _reload(s: Scope) -> None:
    buffer, shape = s.choose(list(s.tokens)), s.shape()
    pointers = s.pointers(buffer.base, _distinct(s, shape))
    load = s.add(load_op(pointers, s.tokens[buffer]))
    s.keep(load.value)
    _follow(s, buffer, load.result_token)


def _store(s: Scope) -> None:
    buffer, shape = s.choose(list(s.tokens)), s.shape()
    pointers = s.pointers(buffer.base, _distinct(s, shape))
    mask = s.value("i1", shape) if s.chance(0.4) else None
    store = nv_tileaa.StoreOp(
        operands=[pointers, s.value(buffer.element, shape), mask, s.tokens[buffer]],
        properties=dict(_WEAK),
        result_types=[TOKEN],
    )
    _follow(s, buffer, s.add(store).result_token)


def _integer_buffers(s: Scope) -> list[Buffer]:
    return [buffer for buffer in s.tokens if buffer.element in ("i32", "i64")]


def _has_integer_buffers(s: Scope) -> bool:
    return bool(_integer_buffers(s))


def _modify(s: Scope) -> None:
    """An atomic update whose old values are used; where the mask is false, the operand is used
    instead.
    """
    buffer, shape = s.choose(_integer_buffers(s)), s.shape()
    pointers = s.pointers(buffer.base, _distinct(s, shape))
    value = s.value(buffer.element, shape)
    mask = s.value("i1", shape) if s.chance(0.4) else None
    atomic = nv_tileaa.AtomicRMWOp(
        pointers,
        value,
        mask,
        s.tokens[buffer],
        rmw_mode=s.choose((*_MODES, RMWMode.XCHG)),
        mem_semantic=s.choose((MemoryOrdering.RELAXED, MemoryOrdering.ACQ_REL)),
        mem_scope=s.choose(_SCOPES),
    )
    _follow(s, buffer, s.add(atomic).result_token)
    s.keep(atomic.old if mask is None else s.add(SelectOp(mask, atomic.old, value)).result)


def _swap(s: Scope) -> None:
    buffer, shape = s.choose(_integer_buffers(s)), s.shape()
    pointers = s.pointers(buffer.base, _distinct(s, shape))
    load = s.add(load_op(pointers, s.tokens[buffer]))
    compared = SelectOp(s.value("i1", shape), load.value, s.value(buffer.element, shape))
    swap = nv_tileaa.AtomicCASOp(
        pointers,
        s.add(compared).result,
        s.value(buffer.element, shape),
        None,
        load.result_token,
        mem_semantic=s.choose((MemoryOrdering.RELAXED, MemoryOrdering.ACQUIRE)),
        mem_scope=s.choose(_SCOPES),
    )
    _follow(s, buffer, s.add(swap).result_token)
    s.keep(swap.old)


def _modify_view(s: Scope) -> None:
    buffer = s.choose(_integer_buffers(s))
    view, shape, counts = make_view(s, buffer.base)
    atomic = nv_tileaa.TiledAtomicRMWOp(
        view,
        s.value(buffer.element, shape),
        _coords(s, counts),
        s.tokens[buffer],
        rmw_mode=s.choose(_MODES),
        mem_semantic=MemoryOrdering.RELAXED,
        mem_scope=s.choose(_SCOPES),
    )
    _follow(s, buffer, s.add(atomic).result_token)


def element_of(value: SSAValue) -> str | None:
    """The name of a value's element type; None if arrays do not have this type."""
    type_ = value.type.element_type if isinstance(value.type, TensorType) else value.type
    return next((name for name in MEMORY_ELEMENTS if ELEMENT_TYPES[name] == type_), None)


def fits(shape: Shape) -> bool:
    """Whether an array is large enough for a tile."""
    return math.prod(shape) <= ARRAY


def store_whole(s: Scope, value: SSAValue, element: str, shape: Shape) -> None:
    """Stores a value at the beginning of a new array."""
    base = s.draft.output(element)
    assert value.type == tile(element, shape)
    if shape:
        pointers = s.pointers(base, s.numbers(shape))
    else:
        pointers = s.add(nv_tileaa.AddPtrOp(base, s.number(0))).result
    s.add(
        nv_tileaa.StoreOp(
            operands=[pointers, value, None, None],
            properties=dict(_WEAK),
            result_types=[TOKEN],
        )
    )


ROWS = (
    Row(2, _load_view),
    Row(1.5, _reload_view, _has_buffers),
    Row(2, _store_view, _has_buffers),
    Row(1, _gather),
    Row(0.7, _scatter, _has_buffers),
    Row(1.5, _load),
    Row(1, _reload, _has_buffers),
    Row(1.5, _store, _has_buffers),
    Row(1, _modify, _has_integer_buffers),
    Row(0.7, _swap, _has_integer_buffers),
    Row(0.7, _modify_view, _has_integer_buffers),
)
