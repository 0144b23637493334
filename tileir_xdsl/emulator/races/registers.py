"""Checks accesses to the registers of asynchronous mma while an mma is in flight.

From issue to `wgmma.wait_group`, no other instruction may access the accumulator of an mma, or
write operand A in registers. A `wgmma.fence` must separate other accesses to these registers from a
later mma (PTX ISA, "wgmma.fence").
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
    """The mma registers that instructions read and write, by their number.

    For an mma, `writes` is the accumulator and `reads` operand A. `instructions` has the first
    instruction for each of `(*reads, *writes)`. `pending` is the operand of `wgmma.wait_group`.
    """

    what: Literal["other", "mma", "fence", "commit", "wait"]
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    pending: int = 0


class MMARegisters:
    """The state of the named registers in every warpgroup, `[registers, blocks, warpgroups]`.

    `results` and `operands` hold the commit group, counted from 1, of the last mma in flight that
    writes or reads a register; 0 means none. `touched` marks registers that other instructions have
    accessed since the last fence.
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
        """Which warpgroups of the group's view have active lanes."""
        first, last = group.t0 // WARPGROUP, -(-group.t1 // WARPGROUP)
        whole = np.zeros((group.shape[0], (last - first) * WARPGROUP), np.bool_)
        start = group.t0 - first * WARPGROUP
        whole[:, start : start + group.shape[1]] = lanes
        return np.asarray(whole.reshape(group.shape[0], -1, WARPGROUP).any(axis=-1))

    def use(self, group: Threads, lanes: Mask, use: RegisterUse) -> None:
        """Threads use registers. Raises `LaneFault` if an mma in flight uses them."""
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
        """An mma occupies registers until a wait for its commit group."""
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
