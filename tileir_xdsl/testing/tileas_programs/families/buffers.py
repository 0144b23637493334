"""Buffers in shared memory: slots of allocations, nested views, selects and copies."""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.dialects.builtin import TensorType, f32, i32
from xdsl.ir import Attribute, SSAValue

from tileir_xdsl.dialects.nv_tileas import (
    CopyOp,
    ReinterpretOp,
)
from tileir_xdsl.dialects.tile import SelectOp
from tileir_xdsl.testing.tileas_programs.families.registers import view_as
from tileir_xdsl.testing.tileas_programs.scope import (
    Allocation,
    Buffer,
    Row,
    Scope,
    type_of,
)


def copy_into(s: Scope, tile: SSAValue, buffer: SSAValue) -> SSAValue:
    """Copies a tile in registers to a buffer; returns the buffer."""
    return s.add(
        CopyOp(
            operands=[tile, buffer],
            properties={"atom": s.draft.atom("sts_32")},
            result_types=[buffer.type],
        )
    ).result


def read(s: Scope, buffer: SSAValue) -> SSAValue:
    """Copies a buffer to a tile in registers."""
    type_ = type_of(buffer)
    result = s.draft.tile(type_.element_type, type_.get_shape())
    properties = {"atom": s.draft.atom("lds_32")}
    copy = CopyOp(operands=[buffer, None], properties=properties, result_types=[result])
    return s.add(copy).result


def _allocate(s: Scope) -> None:
    """An allocation of one or more slots, each filled immediately."""
    shape, slots = s.draft.shape, s.choose((1, 2, 2, 2, 4))
    element = s.element()
    slot = TensorType(element, shape, s.draft.memory(shape))
    whole = (slots, *shape) if slots > 1 else shape
    storage = s.allocate(element, whole, s.draft.memory(whole) if slots > 1 else slot.encoding)
    allocation = Allocation(shape, slots, s.chance(0.25))
    if s.allocated is not None:
        s.allocated.append(allocation)
    for number in range(slots):
        buffer = storage
        if slots > 1:
            buffer = s.view(storage, slot, number * math.prod(shape))
        tile = s.tile(s.draft.tile(element, shape))
        filled = copy_into(s, tile, buffer)
        s.buffers.append(Buffer(filled if s.chance(0.2) else buffer, allocation))
    if slots > 1:
        s.buffers.append(Buffer(storage, allocation))


def _offset(s: Scope, slots: int, size: int) -> SSAValue | int:
    """The offset of one of several slots, perhaps dynamic."""
    indices = [index for index in s.visible_indices() if 1 < index.end <= slots]
    if slots == 1 or s.chance(0.3):
        return s.integer(0, slots - 1) * size
    if indices and s.chance(0.6):
        return s.add(arith.MuliOp(s.choose(indices).value, s.number(size))).result
    first, second = (s.number(s.integer(0, slots - 1) * size) for _ in range(2))
    return s.add(SelectOp(s.flag(), first, second)).result


def _view(s: Scope) -> None:
    """A view of one slot, half a slot, or the whole buffer."""
    buffer = s.choose(s.visible_buffers())
    s.buffers.append(view_of(s, buffer))


def view_of(s: Scope, buffer: Buffer) -> Buffer:
    """A view of a part of a buffer, at an offset that may be dynamic."""
    type_, shape = buffer.type, s.draft.shape
    size, slot = math.prod(type_.get_shape()), math.prod(shape)
    if size < slot or s.chance(0.1):
        same = TensorType(type_.element_type, type_.get_shape(), type_.encoding)
        return Buffer(s.view(buffer.value, same), buffer.allocation)
    if size == slot and s.chance(0.7):
        half = (shape[0] // 2, *shape[1:])
        result = TensorType(type_.element_type, half, s.draft.memory(half))
        offset = _offset(s, 2, slot // 2)
    else:
        result = TensorType(type_.element_type, shape, _slot_encoding(s, buffer))
        offset = _offset(s, size // slot, slot)
    return Buffer(s.view(buffer.value, result, offset), buffer.allocation)


def _slot_encoding(s: Scope, buffer: Buffer) -> Attribute:
    """The encoding of a slot, mostly the one that other views of the allocation's slots have."""
    known = [
        other.type.encoding
        for other in s.visible_buffers()
        if other.allocation is buffer.allocation and other.type.get_shape() == s.draft.shape
    ]
    if known and s.chance(0.9):
        return s.choose(known)
    return s.draft.memory(s.draft.shape)


def _select(s: Scope) -> None:
    first = s.choose(s.visible_buffers())
    second = s.choose(aliases(s, first))
    chosen = s.add(SelectOp(s.flag(), first.value, second.value)).result
    s.buffers.append(Buffer(chosen, first.allocation))


def aliases(s: Scope, buffer: Buffer) -> list[Buffer]:
    """The buffers of the same type in the same allocation; in any if the program mixes
    allocations.
    """
    writable = s.writable_buffers() if s.draft.mixes_allocations else []
    return [
        other
        for other in s.visible_buffers()
        if other.type == buffer.type
        and (other.allocation is buffer.allocation or (buffer in writable and other in writable))
    ]


def _write(s: Scope) -> None:
    """Copies a tile of a buffer's shape to it."""
    shapes = (s.draft.shape, (s.draft.shape[0] // 2, *s.draft.shape[1:]))
    buffers = [b for b in s.writable_buffers() if b.type.get_shape() in shapes]
    if buffers:
        buffer = s.choose(buffers)
        type_ = buffer.type
        tile = s.tile(s.draft.tile(type_.element_type, type_.get_shape()))
        copy_into(s, tile, buffer.value)


def _read(s: Scope) -> None:
    """Reads a buffer; constant memory also by a load."""
    buffer = s.choose(s.visible_buffers())
    if not buffer.allocation.constant or s.chance(0.5):
        s.tiles.append(read_tile(s, buffer.value))
        return
    type_ = s.draft.tile(buffer.type.element_type, buffer.type.get_shape())
    s.tiles.append(_flat(s, s.load_tile(buffer.value, [], type_, "lds_32")))


def read_tile(s: Scope, buffer: SSAValue) -> SSAValue:
    """Reads a buffer as a tile of two dimensions."""
    return _flat(s, read(s, buffer))


def _flat(s: Scope, tile: SSAValue) -> SSAValue:
    """Collapses a tile of several slots to two dimensions."""
    *rows, columns = type_of(tile).get_shape()
    return tile if len(rows) == 1 else view_as(s, tile, (math.prod(rows), columns))


def _convert(s: Scope) -> None:
    """Copies a buffer to a buffer of another layout."""
    buffers = [b for b in s.visible_buffers() if b.type.get_shape() == s.draft.shape]
    if buffers:
        source = s.choose(buffers).value
        type_ = type_of(source)
        result = TensorType(type_.element_type, s.draft.shape, s.draft.memory(s.draft.shape))
        s.tiles.append(read(s, s.convert(source, result)))


def _reinterpret(s: Scope) -> None:
    """Reinterprets a buffer of floats; not for machine code, whose NaN results may differ."""
    buffers = [b for b in s.visible_buffers() if b.type.element_type == f32]
    if buffers and not s.draft.for_machine:
        source = s.choose(buffers).value
        type_ = type_of(source)
        result = TensorType(i32, type_.get_shape(), type_.encoding)
        s.tiles.append(read_tile(s, s.add(ReinterpretOp(source, result)).result))


def has_buffers(s: Scope) -> bool:
    """Whether any buffer is usable here."""
    return bool(s.visible_buffers())


ROWS = (
    Row(4, _allocate),
    Row(4, _view, has_buffers),
    Row(4, _select, has_buffers),
    Row(4, _write, has_buffers),
    Row(5, _read, has_buffers),
    Row(1, _convert, has_buffers),
    Row(0.5, _reinterpret, has_buffers),
)
