"""The registers of a block that warps release and request (PTX ISA, "setmaxnreg").

A block is launched with `.maxnreg` registers for each thread. Registers that a warpgroup releases
go to the pool of its block. A warpgroup that requests more registers waits until the pool has them.
A kernel without `.maxnreg` has no pool, as the assembler ignores the instruction there.
"""

from __future__ import annotations

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Array, Mask

LEAST, MOST, STEP = 24, 256, 8
"""A thread has a number of registers from `LEAST` to `MOST`, a multiple of `STEP`."""


class RegisterPool:
    """The registers of each thread by warp, `[blocks, warps]`, and the free ones of each block.

    `launched` is the number with which every thread begins; `None` without a pool.
    """

    def __init__(self, launched: int | None, blocks: int, warps: int) -> None:
        self.is_modelled = launched is not None
        first = -(-(launched or 0) // STEP) * STEP
        self.held = np.full((blocks, warps), first, np.int64)
        self.free = np.zeros(blocks, np.int64)

    def missing(self, group: Threads, count: int) -> str:
        """Why the threads of a group cannot take registers yet; empty if they can."""
        if not self.is_modelled:
            return ""
        lacking = self._change(group, group.active(), count).sum(axis=1) - self._free(group)
        if (lacking <= 0).all():
            return ""
        block = int(np.argmax(lacking > 0))
        free = int(self._free(group)[block])
        return f"{int(lacking[block]) + free} registers of the block; {free} are free"

    def set(self, group: Threads, count: int, *, grows: bool) -> None:
        """Sets the number of registers of each thread of a group.

        Raises `LaneFault` if the number should grow (`grows`) and would shrink, or the reverse.
        Also raises it for a warpgroup of which some threads have ended.
        """
        lanes = group.active()
        warpgroups = lanes.reshape(group.shape[0], -1, 4 * WARP_SIZE)
        divided = warpgroups.any(axis=-1) & ~warpgroups.all(axis=-1)
        if divided.any():
            among = lanes & np.repeat(divided, 4 * WARP_SIZE, axis=1)
            raise LaneFault("only some threads of a warpgroup have ended", among)
        if not self.is_modelled:
            return
        change = self._change(group, lanes, count)
        wrong = change < 0 if grows else change > 0
        if wrong.any():
            block, warp = (int(i) for i in np.argwhere(wrong)[0])
            held = int(self._held(group)[block, warp])
            among = lanes & np.repeat(wrong, WARP_SIZE, axis=1)
            other = "dec" if grows else "inc"
            raise LaneFault(
                f"each thread has {held} registers, so setting {count} needs setmaxnreg.{other}",
                among,
            )
        self._free(group)[...] -= change.sum(axis=1)
        self._held(group)[change != 0] = count

    def _change(self, group: Threads, lanes: Mask, count: int) -> Array:
        """How many registers each warp gains, `[blocks, warps]`."""
        warps = lanes.reshape(group.shape[0], -1, WARP_SIZE).any(axis=-1)
        return np.where(warps, (count - self._held(group)) * WARP_SIZE, 0)

    def _held(self, group: Threads) -> Array:
        return self.held[group.b0 : group.b1, group.t0 // WARP_SIZE : group.t1 // WARP_SIZE]

    def _free(self, group: Threads) -> Array:
        return self.free[group.b0 : group.b1]
