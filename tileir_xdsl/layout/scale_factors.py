"""Block scales in shared memory, in the order in which `tcgen05.cp` copies them to tensor memory.

A copy of shape 32x128b moves 512 bytes: row `l` of 16 bytes goes to lane `l` of four columns.
Column `c` receives the scales of row `32 c + l` for four blocks along K, so a copy moves 128 rows.

    byte 16 l + 4 c + b: row 32 c + l, block b

Source: PTX ISA, "tcgen05.cp", "Scale Factor A Layout", "Scale Factor B Layout".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import index_bits
from tileir_xdsl.layout.matrix_descriptors import CORE_ROWS, UNIT_BYTES, offset_of
from tileir_xdsl.layout.shared import CORE_ROW_BYTES, AddressMap, SharedLayout
from tileir_xdsl.layout.tensor_memory import (
    COPY_COLUMNS,
    ROWS_PER_COPY,
    SCALE_LANES,
    SCALES_PER_WORD,
    ScaleColumns,
)

COPY_BYTES = SCALE_LANES * CORE_ROW_BYTES
BYTE = 8

COPY_FIELDS = CORE_ROWS * CORE_ROW_BYTES // UNIT_BYTES << 32 | 1 << 46
"""The descriptor of a copy without its address: the distance of eight rows, and the version."""


def _offset(row: int, block: int, rows: int) -> int:
    """Bytes from the start of a buffer of `rows` rows to a scale."""
    part, row = divmod(row, ROWS_PER_COPY)
    word, byte = divmod(block, SCALES_PER_WORD)
    group, lane = divmod(row, SCALE_LANES)
    copies = -(-rows // ROWS_PER_COPY)
    return (word * copies + part) * COPY_BYTES + lane * CORE_ROW_BYTES + group * 4 + byte


def scale_buffer(rows: int, blocks: int) -> SharedLayout:
    """The layout that `tcgen05.cp` needs for scales [rows, blocks] of one byte.

    Raises:
        LayoutError: a column or a word would have other bytes than scales.
    """
    if rows < SCALE_LANES or blocks % SCALES_PER_WORD:
        raise LayoutError(
            f"copies of scales need {SCALE_LANES} or more rows and a multiple of "
            f"{SCALES_PER_WORD} blocks"
        )
    row_bits, block_bits = (_bits(extent) for extent in (rows, blocks))
    bases = [_offset(0, bit, rows) for bit in block_bits]
    bases += [_offset(bit, 0, rows) for bit in row_bits]
    addresses = AddressMap(tuple(BYTE * base for base in bases), BYTE)
    return SharedLayout.from_address_map(addresses, (rows, blocks))


def _bits(extent: int) -> list[int]:
    return [1 << bit for bit in range(extent.bit_length() - 1)]


@dataclass(frozen=True)
class ScaleCopy:
    """One copy: its start in shared memory, and its first column."""

    offset: int
    """Bytes from the start of the buffer."""
    column: int


def scale_copies(layout: SharedLayout, *, rows_first: bool) -> tuple[ScaleCopy, ...]:
    """The copies of a buffer of scales, [rows, blocks] or [blocks, rows].

    Raises:
        LayoutError: its bytes are not in the order that copies want.
    """
    rows, blocks = layout.shape if rows_first else tuple(reversed(layout.shape))
    wanted = scale_buffer(rows, blocks)

    def offset(of: SharedLayout, row: int, block: int, *, first: bool) -> int:
        return offset_of(of, (row, block) if first else (block, row))

    inside = [(row, 0) for row in _bits(min(rows, ROWS_PER_COPY))]
    inside += [(0, block) for block in _bits(SCALES_PER_WORD)]
    if layout.swizzle.bits or any(
        offset(layout, *position, first=rows_first) != offset(wanted, *position, first=True)
        for position in inside
    ):
        raise LayoutError(f"tcgen05.cp cannot copy scales in the layout {layout.layout}")
    columns = ScaleColumns.of_copies(rows, blocks)
    copies: list[ScaleCopy] = []
    for word in range(columns.words):
        for part in range(columns.groups // COPY_COLUMNS):
            at = offset(layout, part * ROWS_PER_COPY, word * SCALES_PER_WORD, first=rows_first)
            if at % COPY_BYTES:
                raise LayoutError(
                    f"tcgen05.cp cannot copy scales from byte {at}, not a multiple of {COPY_BYTES}"
                )
            copies.append(ScaleCopy(at, word * columns.groups + part * COPY_COLUMNS))
    return tuple(copies)


def renamed(layout: SharedLayout, shape: Sequence[int]) -> SharedLayout:
    """The layout of the same memory as a tile of another shape, in the same row-major order.

    Raises:
        LayoutError: an extent is not a power of two, or no shape:stride layout says so.
    """
    return SharedLayout.from_address_map(layout.address_map(), shape)


def identity(shape: Sequence[int]) -> SharedLayout:
    """The bytes of a tile in row-major order."""
    count = sum(map(len, index_bits(shape)))
    addresses = AddressMap(tuple(BYTE << bit for bit in range(count)), BYTE)
    return SharedLayout.from_address_map(addresses, shape)


def before_renaming(
    renaming: SharedLayout, wanted: SharedLayout, shape: Sequence[int]
) -> SharedLayout:
    """The layout of a tile that becomes layout `wanted` when its elements get other coordinates.

    `renaming` maps new coordinates to the row-major index of an element in the tile.

    Raises:
        LayoutError: no shape:stride layout says so.
    """
    numbers = renaming.address_map().bases
    bases = dict(zip(numbers, wanted.address_map().bases, strict=True))
    addresses = AddressMap(tuple(bases[BYTE << bit] for bit in range(len(bases))), BYTE)
    return SharedLayout.from_address_map(addresses, shape)
