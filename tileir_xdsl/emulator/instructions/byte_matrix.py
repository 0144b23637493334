"""Copies of matrices of bytes between shared memory and a warp (PTX ISA, "ldmatrix", "stmatrix").

A row of a matrix is 16 bytes of shared memory: 16 bytes of data, or 16 elements of 6 or 4 bits and
padding. In registers every element fills a byte: a 6-bit element its low bits, a 4-bit element its
middle bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from tileir_xdsl.emulator.block_builder import BlockBuilder
from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.data_movement import memory_space
from tileir_xdsl.emulator.instructions.form import Collective, Form
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.matrix import row_lanes
from tileir_xdsl.emulator.instructions.warp import by_warp
from tileir_xdsl.emulator.state_spaces import InstructionAccess
from tileir_xdsl.emulator.types import TYPES, Array

_ROW_BYTES = 16
_LANES = np.arange(WARP_SIZE)[:, None]
_GROUP, _THREAD, _BYTE = _LANES // 4, _LANES % 4, np.arange(4)


@dataclass(frozen=True)
class _Shape:
    """The number of rows, and the position `row * 16 + column` of each byte of each lane.

    `places` is `[registers, 32, 4]`.
    """

    rows: int
    places: Array

    @property
    def registers(self) -> int:
        return len(self.places)


_SHAPES: Mapping[str, _Shape] = {
    # Columns 4t .. 4t + 3 of row g.
    "m8n16": _Shape(8, (_ROW_BYTES * _GROUP + 4 * _THREAD + _BYTE)[None]),
    # Transposed: rows 4t .. 4t + 3 of column g, and of column g + 8.
    "m16n16": _Shape(
        16,
        np.stack([_ROW_BYTES * (4 * _THREAD + _BYTE) + _GROUP + column for column in (0, 8)]),
    ),
    # Transposed: rows 2t and 2t + 1 of column g, then of column g + 8.
    "m16n8": _Shape(8, (_ROW_BYTES * (2 * _THREAD + _BYTE % 2) + _GROUP + 8 * (_BYTE // 2))[None]),
}


def _unpack(rows: Array, bits: int) -> Array:
    """Unpacks rows `[..., 16]` of packed elements to one byte each."""
    if bits == 8:
        return rows
    stream = np.unpackbits(rows[..., : 2 * bits], axis=-1, bitorder="little")
    elements = np.zeros((*rows.shape, 8), np.uint8)
    low = 2 if bits == 4 else 0
    elements[..., low : low + bits] = stream.reshape(*rows.shape, bits)
    return np.packbits(elements, axis=-1, bitorder="little")[..., 0]


def _load(
    group: ThreadGroup,
    address: Array,
    offset: int,
    access: InstructionAccess,
    count: int,
    shape: _Shape,
    bits: int,
) -> list[Array]:
    address = np.broadcast_to(address, group.shape)
    used = row_lanes(group, count * shape.rows)
    rows = _unpack(group.memory.load(group, address, offset, used, access), bits)
    matrices = rows.reshape(group.shape[0], -1, WARP_SIZE // shape.rows, shape.rows * _ROW_BYTES)
    octets = np.ascontiguousarray(matrices[:, :, :count, shape.places])
    words = octets.view(np.uint32)[..., 0]
    # [blocks, warps, matrices, registers, lanes]
    return [
        words[:, :, matrix, register].reshape(group.shape)
        for matrix in range(count)
        for register in range(shape.registers)
    ]


def _store(
    group: ThreadGroup,
    address: Array,
    offset: int,
    registers: tuple[Array, ...],
    access: InstructionAccess,
    shape: _Shape,
) -> None:
    blocks, warps = group.shape[0], group.shape[1] // WARP_SIZE
    rows = np.zeros((blocks, warps, WARP_SIZE // shape.rows, shape.rows * _ROW_BYTES), np.uint8)
    for matrix, register in enumerate(registers):
        octets = np.ascontiguousarray(by_warp(group, register)).view(np.uint8)
        rows[:, :, matrix, shape.places[0].ravel()] = octets.reshape(blocks, warps, -1)
    of_lanes = rows.reshape(*group.shape, _ROW_BYTES)
    values = tuple(of_lanes[..., column] for column in range(_ROW_BYTES))
    address = np.broadcast_to(address, group.shape)
    used = row_lanes(group, len(registers) * shape.rows)
    group.memory.store(group, address, offset, values, used, access)


_BITS = {"b8": 8, "b8x16.b6x16_p32": 6, "b8x16.b4x16_p64": 4}


def _emit_load(builder: BlockBuilder, match: Match) -> None:
    count, shape, space = int(match["count"][1:]), _SHAPES[match["shape"]], memory_space(match)
    base, offset = builder.address(match.operands["p"], space)
    function = partial(
        _load,
        offset=offset,
        access=InstructionAccess(space, np.dtype(np.uint8), _ROW_BYTES, "read"),
        count=count,
        shape=shape,
        bits=_BITS[match["kind"]],
    )
    builder.line(f"r = {builder.bind(function)}(group, {base})")
    destinations = builder.elements(match.operands["r"], count * shape.registers)
    for index, destination in enumerate(destinations):
        builder.assign(destination, TYPES["b32"], f"r[{index}]")


def _emit_store(builder: BlockBuilder, match: Match) -> None:
    space = memory_space(match)
    base, offset = builder.address(match.operands["p"], space)
    sources = builder.elements(match.operands["r"], int(match["count"][1:]))
    registers = ", ".join(builder.source(source, TYPES["b32"]) for source in sources)
    access = InstructionAccess(space, np.dtype(np.uint8), _ROW_BYTES, "write")
    function = partial(_store, offset=offset, access=access, shape=_SHAPES[match["shape"]])
    builder.line(f"{builder.bind(function)}(group, {base}, registers=({registers},))")


_SPACE = "{.<space:shared|shared::cta>}"
_PACKED = "b8x16.b6x16_p32|b8x16.b4x16_p64"

FORMS: tuple[Form, ...] = (
    Form(
        f"ldmatrix.sync.aligned.<shape:m8n16>.<count:x1|x2|x4>{_SPACE}.<kind:{_PACKED}> r, p",
        Collective(_emit_load),
    ),
    Form(
        f"ldmatrix.sync.aligned.<shape:m16n16>.<count:x1|x2>.trans{_SPACE}"
        f".<kind:b8|{_PACKED}> r, p",
        Collective(_emit_load),
    ),
    Form(
        f"stmatrix.sync.aligned.<shape:m16n8>.<count:x1|x2|x4>.trans{_SPACE}.b8 p, r",
        Collective(_emit_store),
    ),
)
