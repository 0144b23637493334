"""Words the diagnostic of a race: both accesses, and what would order them."""

from __future__ import annotations

from collections.abc import Sequence

from tileir_xdsl.emulator.errors import WARP_SIZE, ThreadLocation
from tileir_xdsl.emulator.races.clocks import Columns
from tileir_xdsl.emulator.races.device import Device
from tileir_xdsl.emulator.races.shadow import Conflict
from tileir_xdsl.emulator.syntax import Instruction


class Reports:
    """Words races of launches on a `device`; each block has agents in `columns`.

    `sites` are the instructions of one kernel.
    """

    def __init__(self, device: Device, columns: Columns, sites: Sequence[Instruction]) -> None:
        self.device = device
        self.columns = columns
        self.sites = sites

    def race(self, verb: str, where: str, who: int, conflict: Conflict) -> str:
        """The diagnostic of a race of an access of `who` with an earlier one."""
        earlier = self.device.instruction(conflict.who, conflict.stamp)
        return (
            f"race: this {verb} of {where} and the {conflict.earlier} at PTX line {earlier.line} "
            f"('{earlier.text}') by {self._agent(conflict.who)} are not ordered: "
            f"{self._missing(who, conflict)}"
        )

    def _split(self, who: int) -> tuple[int, int, int]:
        agent, lane = divmod(who, WARP_SIZE)
        block, column = divmod(agent, self.columns.total)
        return block, column, lane

    def _agent(self, who: int) -> str:
        block, column, lane = self._split(who)
        grid = self.device.grid_of(block)
        columns, place = grid.columns, grid.coordinates(block)
        if column < columns.warps:
            return str(ThreadLocation(place, column, lane))
        where = "block ({}, {}, {})".format(*place)
        if column >= columns.counted:
            return where
        if column >= columns.tensor_work:
            return f"{where}, warp {column - columns.tensor_work}"
        if column >= columns.mmas:
            warp = 4 * (column - columns.mmas)
            return f"{where}, warps {warp} to {warp + 3}"
        return f"{where}, warp {column % columns.warps}"

    def _missing(self, who: int, conflict: Conflict) -> str:
        columns = self.columns
        if conflict.missing == "proxy fence":
            if self.device.instruction(conflict.who, conflict.stamp).opcode == "mbarrier":
                return "a fence.mbarrier_init or fence.proxy.async is missing between the two"
            return "a fence.proxy.async is missing between the two"
        block, column, _ = self._split(who)
        other_block, other, _ = self._split(conflict.who)
        first, second = self.device.grid_of(other_block), self.device.grid_of(block)
        if first is not second:
            earlier, later = sorted((first, second), key=lambda grid: grid.first)
            return f"no griddepcontrol.wait of '{later.kernel}' waits for '{earlier.kernel}'"
        if other >= columns.counted:
            return "nothing waited for the mbarrier that counts the copy"
        if other >= columns.tensor_work:
            return "nothing waited for the mbarrier of a tcgen05.commit"
        if other >= columns.mmas:
            return "nothing waited for the wgmma group"
        if other >= columns.bulk_reads:
            return "nothing waited for the bulk group of the copy"
        if other >= columns.copies:
            return "nothing waited for the cp.async group"
        if column >= columns.copies and block == other_block:
            return "no barrier or wait is between the two"
        if block != other_block:
            return "no release and acquire at .gpu scope is between the blocks"
        if column == other:
            return "no bar.warp.sync is between the lanes"
        return "no barrier is between the two"
