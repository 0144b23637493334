"""Sparse operands: the positions of the stored elements of A (PTX ISA, "Sparse matrix storage").

Each row of A is cut into chunks along k. Memory holds half of the elements of a chunk, and four
bits of metadata say which; the others count as zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.groups import ThreadGroup
from tileir_xdsl.emulator.instructions.match import Match
from tileir_xdsl.emulator.instructions.warp import by_warp
from tileir_xdsl.emulator.types import Array

WARP_ROWS = 16
"""The number of rows of A for which the lanes of one warp hold metadata."""

# The bits that mean something, as two indices of two bits each, the lower one in the low bits.
DISTINCT = tuple(bits for bits in range(16) if bits & 3 != bits >> 2)
ORDERED = (0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110)
IN_TENSOR_MEMORY = (0b0100, 0b0110, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110)
_HALVES = (0b0100, 0b1110)
_PAIRED_TYPES = ("s4", "u4")
_WORD_TYPES = ("tf32", "f16", "bf16")
"""Types for which one word of metadata covers two rows."""


@dataclass(frozen=True, eq=False)
class Sparsity:
    """The storage of rows of A: half of every `width` adjacent elements.

    `places` (`[16, width / 2]`) maps the bits of a chunk to the positions of its stored elements;
    -1 marks invalid bits.
    """

    width: int
    places: Array

    def along_k(self, metadata: Array) -> Array:
        """The positions along k of the stored elements, `[.., k / 2]`, for metadata `[.., chunks]`.

        Elements of a chunk with invalid bits get a position before the chunk.
        """
        chunks = np.arange(metadata.shape[-1]) * self.width
        places = self.places[metadata] + chunks[:, None]
        return places.reshape(*metadata.shape[:-1], -1)

    def meaningless(self, metadata: Array) -> Array:
        """Which chunks have invalid bits."""
        return self.places[metadata, 0] < 0

    def describe(self, bits: int, row: int, chunk: int) -> str:
        """Describes the invalid bits of a chunk, for a diagnostic."""
        known = np.flatnonzero(self.places[:, 0] >= 0)
        first = chunk * self.width
        return (
            f"the metadata of row {row} and columns {first} to {first + self.width - 1} of A is "
            f"{bits:#06b}, not one of {', '.join(f'{each:#06b}' for each in known)}"
        )


@cache
def sparsity(type_: str, meaningful: tuple[int, ...], *, paired: bool = False) -> Sparsity:
    """The storage of an element type; `meaningful` has the valid metadata, two indices each.

    Of two adjacent tf32 elements, the first or the second is stored. Of four elements of another
    type the two indexed ones are stored, and of eight 4-bit integers or `paired` elements the two
    indexed pairs.
    """
    stored: Mapping[int, Iterable[int]]
    if type_ == "tf32":
        width, stored = 2, {bits: (index,) for index, bits in enumerate(_HALVES)}
    elif paired or type_ in _PAIRED_TYPES:
        width = 8
        stored = {
            bits: (2 * low, 2 * low + 1, 2 * high, 2 * high + 1)
            for bits in meaningful
            for low, high in ((bits & 3, bits >> 2),)
        }
    else:
        width, stored = 4, {bits: (bits & 3, bits >> 2) for bits in meaningful}
    places = np.full((16, width // 2), -1, np.int64)
    for bits, positions in stored.items():
        places[bits] = tuple(positions)
    return Sparsity(width, places)


def sparse_mma(left: Array, places: Array, right: Array) -> Array:
    """Multiplies stored elements `[.., m, k / 2]` by rows of `[.., k, n]` at their positions."""
    rows = np.take_along_axis(right[..., None, :, :], places[..., None], axis=-2)
    return np.matmul(left[..., None, :], rows)[..., 0, :]


@dataclass(frozen=True, eq=False)
class WarpMetadata:
    """Which lane and lowest bit hold the metadata of each chunk of 16 rows, `[16, chunks]`.

    The selector says which `contributors` of every four threads hold metadata.
    """

    contributors: int
    lanes: Array
    shifts: Array

    @property
    def selectors(self) -> int:
        """The number of possible selectors."""
        return 4 // self.contributors


@cache
def warp_metadata(type_: str, chunks: int, selector: int) -> WarpMetadata:
    """The layout of the metadata of rows of `chunks` chunks, by the element type.

    For elements of at least 16 bits, lane `4g + t` holds 16 bits of row `g` and 16 of row `g + 8`.
    Lane `4g + t + 1` holds the next four chunks. For narrower elements, lane `4g + t` holds 32 bits
    of row `g`, or of row `g + 8` if `t` is odd. Lane `4g + t + 2` holds the next eight chunks.
    """
    row, chunk = np.arange(WARP_ROWS)[:, None], np.arange(chunks)[None, :]
    contributors = chunks // 4
    if type_ in _WORD_TYPES:
        thread, shift = chunk // 4 + 0 * row, 16 * (row // 8) + 4 * (chunk % 4)
    else:
        thread, shift = 2 * (chunk // 8) + row // 8, 4 * (chunk % 8) + 0 * row
    lanes = 4 * (row % 8) + thread + contributors * selector
    return WarpMetadata(contributors, lanes, shift)


def selected_metadata(match: Match, type_: str, chunks: int) -> WarpMetadata:
    """The layout of the metadata for the sparsity selector of an instruction, a constant."""
    selector = match.immediate("selector")
    choices = warp_metadata(type_, chunks, 0).selectors
    if selector is None or not 0 <= selector < choices:
        allowed = "0" if choices == 1 else f"a constant from 0 to {choices - 1}"
        raise match.fail(f"the sparsity selector of {match['shape']} on {type_} must be {allowed}")
    return warp_metadata(type_, chunks, selector)


def positions_in_rows(
    group: ThreadGroup, words: Array, where: WarpMetadata, stored: Sparsity, warps: int = 1
) -> Array:
    """Positions along k of the stored elements of the rows of warps, `[blocks, warps, 16, k / 2]`.

    Raises `LaneFault` for invalid bits in a running warp; it numbers rows from the first of `warps`
    warps on.
    """
    held = by_warp(group, words)
    bits = (held[..., where.lanes] >> where.shifts.astype(np.uint32) & np.uint32(15)).astype(int)
    wrong = stored.meaningless(bits)
    if wrong.any():
        running = np.logical_or.reduce(by_warp(group, group.active()), axis=-1)
        wrong &= running[..., None, None]
    if wrong.any():
        block, warp, row, chunk = (int(x) for x in np.argwhere(wrong)[0])
        lanes = np.zeros((*wrong.shape[:2], WARP_SIZE), np.bool_)
        lanes[block, warp, where.lanes[row, chunk]] = True
        first = warp % warps * WARP_ROWS
        message = stored.describe(int(bits[block, warp, row, chunk]), first + row, chunk)
        raise LaneFault(message, lanes.reshape(group.shape))
    return stored.along_k(bits)
