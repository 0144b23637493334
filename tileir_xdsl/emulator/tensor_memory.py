"""Tensor memory: 128 lanes of 512 columns of 32 bits in every block (PTX ISA, "Tensor Memory").

An address has the lane in its high 16 bits and the column in its low 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

LANES = 128
COLUMNS = 512
_LEAST_COLUMNS = 32
_WARPS = LANES // WARP_SIZE


@dataclass(frozen=True)
class Fragment:
    """The part of tensor memory that a warp loads or stores: `count` times a shape.

    `split` is added to the columns of the upper half of the warp in shape `16x32bx2`. If `packed`,
    a register holds the low halves of two columns.
    """

    shape: str
    count: int
    split: int
    packed: bool

    @property
    def registers(self) -> int:
        """The number of registers of a thread."""
        return REGISTERS[self.shape] * self.count

    @property
    def width(self) -> int:
        """The number of columns per register."""
        return 2 if self.packed else 1


class TensorMemory:
    """The tensor memory of the resident blocks."""

    def __init__(self, blocks: int) -> None:
        self.blocks = blocks
        # The number of the allocation that each column belongs to, 0 for none.
        self.owners = np.zeros((blocks, COLUMNS), np.int64)
        self.closed = np.zeros(blocks, np.bool_)
        # How many blocks allocate together, 0 until one does.
        self.groups = np.zeros(blocks, np.int64)

    @cached_property
    def cells(self) -> Array:
        """All words, `[blocks, lanes, columns]`."""
        return np.full((self.blocks, LANES, COLUMNS), 0xDBDBDBDB, np.uint32)

    def allocate(self, block: int, count: int) -> int:
        """Allocates `count` columns; returns the first one.

        Raises `ValueError` for an unsupported number, too few free columns, and a block that has
        given up its right to allocate.
        """
        if not _LEAST_COLUMNS <= count <= COLUMNS or count & (count - 1):
            raise ValueError(
                f"{count} columns of tensor memory cannot be allocated, only powers of two "
                f"from {_LEAST_COLUMNS} to {COLUMNS}"
            )
        if self.closed[block]:
            raise ValueError("the block has given up the right to allocate tensor memory")
        free = ~self.owners[block].reshape(-1, count).any(axis=1)
        if not free.any():
            used = int(np.count_nonzero(self.owners[block]))
            raise ValueError(
                f"{used} columns of tensor memory are in use, and no aligned {count} columns are "
                "free"
            )
        first = int(np.argmax(free)) * count
        self.owners[block, first : first + count] = int(self.owners[block].max()) + 1
        return first

    def free(self, block: int, address: int, count: int) -> None:
        """Frees columns. Raises `ValueError` unless they are one whole allocation."""
        owner = int(self.owners[block, address]) if address < COLUMNS else 0
        columns = np.flatnonzero(self.owners[block] == owner)
        if not owner or columns[0] != address or len(columns) != count:
            raise ValueError(
                f"{count} columns at {address:#x} are not one whole allocation of tensor memory"
            )
        self.owners[block, columns] = 0

    def unfreed(self, block: int) -> int:
        """The number of columns that a block has allocated."""
        return int(np.count_nonzero(self.owners[block]))

    def check(self, block: int, lanes: Array, columns: Array, only: Mask) -> None:
        """Raises `LaneFault` for a cell that does not exist or is not allocated."""
        if int(lanes.max()) >= LANES or int(columns.max()) >= COLUMNS:
            raise LaneFault(
                f"lane {int(lanes.max())}, column {int(columns.max())} is outside of tensor memory",
                only,
            )
        missing = self.owners[block, columns] == 0
        if missing.any():
            column = int(columns[missing].min())
            raise LaneFault(f"column {column} of tensor memory is not allocated", only)

    def cells_of(
        self, group: Threads, mask: Mask, address: Array, fragment: Fragment
    ) -> tuple[Array, Array, Array]:
        """Block, lane and column of each register of each active thread, `[threads, registers]`.

        For a packed register it is the first column. Raises `LaneFault` for threads of a warp with
        different addresses, for lanes of another warp, and for unallocated columns.
        """
        positions = np.broadcast_to(address, group.shape).astype(np.int64)
        per_warp = positions.reshape(group.shape[0], -1, WARP_SIZE)
        if ((per_warp != per_warp[..., :1]) & mask.reshape(per_warp.shape)).any():
            raise LaneFault("the threads of a warp have different addresses in tensor memory", mask)
        blocks, threads = np.nonzero(mask)
        warps = (group.t0 + threads) // WARP_SIZE % _WARPS
        first = positions[mask] >> 16
        within = first - warps * WARP_SIZE
        wrong = (within != 0) & ((within != 16) | (fragment.shape == "32x32b"))
        if wrong.any():
            i = int(np.argmax(wrong))
            lanes = np.zeros(group.shape, np.bool_)
            lanes[blocks[wrong], threads[wrong]] = True
            low = int(warps[i]) * WARP_SIZE
            message = (
                f"a warp has lanes {low} to {low + 31} of tensor memory, it cannot begin at lane"
            )
            raise LaneFault(f"{message} {int(first[i])}", lanes)
        lanes, columns = fragment_cells(fragment)
        lane = (group.t0 + threads) % WARP_SIZE
        row = first[:, None] + lanes[lane]
        column = (positions[mask] & 0xFFFF)[:, None] + columns[lane]
        for block in np.unique(blocks):
            of_block = blocks == block
            last = column[of_block] + fragment.width - 1
            self.check(group.b0 + int(block), row[of_block], last, mask)
        return np.broadcast_to(blocks[:, None] + group.b0, row.shape), row, column

    def load(
        self, group: Threads, mask: Mask, at: tuple[Array, Array, Array], *, packed: bool
    ) -> list[Array]:
        """Loads registers of threads: one array per register, `[blocks, threads]`.

        If `packed`, a register gets the low halves of two columns.
        """
        block, row, column = at
        cells = self.cells
        words = cells[block, row, column]
        if packed:
            words = words & np.uint32(0xFFFF) | cells[block, row, column + 1] << np.uint32(16)
        results = np.zeros((words.shape[1], *group.shape), np.uint32)
        results[:, mask] = words.T
        return list(results)

    def store(
        self,
        group: Threads,
        mask: Mask,
        at: tuple[Array, Array, Array],
        registers: tuple[Array, ...],
        *,
        packed: bool,
    ) -> None:
        """Stores registers; if `packed`, each one into the low halves of two columns."""
        block, row, column = at
        words = np.stack([np.broadcast_to(each, group.shape)[mask] for each in registers], axis=1)
        cells = self.cells
        if packed:
            cells[block, row, column] = words & np.uint32(0xFFFF)
            cells[block, row, column + 1] = words >> np.uint32(16)
        else:
            cells[block, row, column] = words


@cache
def fragment_cells(fragment: Fragment) -> tuple[Array, Array]:
    """The lane and the column, relative to the address, of each register of each thread.

    Both are `[32, registers]`; a packed register has its first column.
    """
    thread = np.arange(WARP_SIZE)[:, None]
    register = np.arange(fragment.registers)[None, :]
    match fragment.shape:
        case "32x32b":
            lanes, columns = thread, register
        case "16x32bx2":
            lanes, columns = thread % 16, register
        case "16x64b":
            lanes, columns = thread // 4 + thread % 2 * 8, thread // 2 % 2 + 2 * register
        case "16x128b":
            lanes, columns = thread // 4 + register % 2 * 8, thread % 4 + register // 2 * 4
        case _:
            lanes = thread // 4 + register // 2 % 2 * 8
            columns = thread % 4 * 2 + register % 2 + register // 4 * 8
    columns = columns * fragment.width
    if fragment.shape == "16x32bx2":
        columns = columns + thread // 16 * fragment.split
    shape_of_both = (WARP_SIZE, register.shape[1])
    return np.broadcast_to(lanes, shape_of_both), np.broadcast_to(columns, shape_of_both)


# How many registers of a thread each shape of `tcgen05.ld` fills per repetition.
REGISTERS = {"32x32b": 1, "16x32bx2": 1, "16x64b": 1, "16x128b": 2, "16x256b": 4}
