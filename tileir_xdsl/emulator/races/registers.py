"""The registers of asynchronous mma: who touches them while an mma is in flight.

From the instruction on until `wgmma.wait_group` the accumulator belongs to the dot, and the
left operand in registers may only be read. `wgmma.fence` comes between any other access to these
registers and an MMA, except between MMAs (PTX ISA, "wgmma.fence").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE, LaneFault, RaceFault
from tileir_xdsl.emulator.syntax import Instruction
from tileir_xdsl.emulator.threads import Threads
from tileir_xdsl.emulator.types import Mask

WARPGROUP = 4 * WARP_SIZE


@dataclass(frozen=True)
class RegisterUse:
    """Registers that instructions read and write, by their number among those of mma.

    Of an mma, `writes` is the accumulator and `reads` operand A. `instructions` has the
    first one for each of `(*reads, *writes)`. `pending` is the operand of `wgmma.wait_group`.
    """

    what: Literal["other", "mma", "fence", "commit", "wait"]
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    pending: int = 0


class MMARegisters:
    """The state of the named registers in every warpgroup, `[registers, blocks, warpgroups]`.

    `results` and `operands` hold the commit group, counted from 1, of the last dot in flight that
    writes or reads a register; 0 for none. `touched` marks registers that have been accessed since
    the last fence.
    """

    def __init__(self, names: Sequence[str], shape: tuple[int, int]) -> None:
        self.names = names
        warpgroups = -(-shape[1] // WARPGROUP)
        extent = (len(names), shape[0], warpgroups)
        self.results = np.zeros(extent, np.int64)
        self.operands = np.zeros(extent, np.int64)
        self.touched = np.ones(extent, np.bool_)
        self.commits = np.zeros(extent[1:], np.int64)
        self.waited = np.zeros(extent[1:], np.int64)

    def _view(self, group: Threads) -> tuple[slice, slice]:
        return slice(group.b0, group.b1), slice(group.t0 // WARPGROUP, -(-group.t1 // WARPGROUP))

    def _active(self, group: Threads, lanes: Mask) -> Mask:
        """The warpgroups of a view that have active lanes."""
        first, last = group.t0 // WARPGROUP, -(-group.t1 // WARPGROUP)
        whole = np.zeros((group.shape[0], (last - first) * WARPGROUP), np.bool_)
        start = group.t0 - first * WARPGROUP
        whole[:, start : start + group.shape[1]] = lanes
        return np.asarray(whole.reshape(group.shape[0], -1, WARPGROUP).any(axis=-1))

    def use(self, group: Threads, lanes: Mask, use: RegisterUse) -> None:
        """Threads use registers. Raises `LaneFault` if an mma in flight has them."""
        match use.what:
            case "other":
                self._touch(group, lanes, use)
            case "mma":
                self._issue_mma(group, use)
            case "fence":
                self.touched[:, *self._view(group)] &= ~self._active(group, lanes)
            case "commit":
                self.commits[self._view(group)] += self._active(group, lanes)
            case "wait":
                view = self._view(group)
                done = np.where(self._active(group, lanes), self.commits[view] - use.pending, 0)
                self.waited[view] = np.maximum(self.waited[view], done)

    def _touch(self, group: Threads, lanes: Mask, use: RegisterUse) -> None:
        view, active = self._view(group), self._active(group, lanes)
        reads, writes = list(use.reads), list(use.writes)
        self.touched[:, *view][reads + writes] |= active
        waited = self.waited[view]
        flying = np.concatenate(
            [
                self.results[:, *view][reads] > waited,
                (self.results[:, *view][writes] > waited)
                | (self.operands[:, *view][writes] > waited),
            ]
        )
        flying &= active
        if flying.any():
            register, block, warpgroup = (int(i) for i in np.argwhere(flying)[0])
            name = self.names[(reads + writes)[register]]
            raise LaneFault(
                f"race: register '{name}' of a wgmma is accessed before wgmma.wait_group",
                _within(group, lanes, block, warpgroup),
                use.instructions[register],
                RaceFault,
            )

    def _issue_mma(self, group: Threads, use: RegisterUse) -> None:
        """A dot takes registers until the commit group is waited for that it will be in."""
        view, active = self._view(group), self._active(group, group.active())
        operands, results = list(use.reads), list(use.writes)
        touched = np.asarray(self.touched[:, *view][results + operands].any(axis=0)) & active
        if touched.any():
            self._fail(
                group,
                touched,
                "no wgmma.fence is between other accesses to the registers and this wgmma",
            )
        written = (
            np.asarray((self.results[:, *view][operands] > self.waited[view]).any(axis=0)) & active
        )
        if written.any():
            self._fail(group, written, "it reads registers that a wgmma in flight writes")
        for state, registers in ((self.results, results), (self.operands, operands)):
            old = state[:, *view][registers]
            state[:, *view][registers] = np.where(active, self.commits[view] + 1, old)

    def _fail(self, group: Threads, where: Mask, problem: str) -> NoReturn:
        block, warpgroup = (int(i) for i in np.argwhere(where)[0])
        lanes = _within(group, group.active(), block, warpgroup)
        raise LaneFault(f"race: {problem}", lanes, becomes=RaceFault)


def _within(group: Threads, lanes: Mask, block: int, warpgroup: int) -> Mask:
    """The lanes that are in one warpgroup of the group's rectangle."""
    chosen = np.zeros_like(lanes)
    first = (group.t0 // WARPGROUP + warpgroup) * WARPGROUP - group.t0
    chosen[block, max(first, 0) : first + WARPGROUP] = True
    return lanes & chosen
