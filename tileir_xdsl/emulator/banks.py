"""Counts the shared-memory wavefronts of warps' accesses, and so bank conflicts.

Shared memory has 32 banks of 4 bytes. The lanes of a warp are served in phases of 128 bytes. In a
phase, each bank delivers one word per wavefront to all lanes that read that word. Source: CUDA C++
Programming Guide, "Shared Memory".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tileir_xdsl.emulator.errors import WARP_SIZE
from tileir_xdsl.emulator.types import Array, Mask

_WORD_BYTES = 4
_BANKS = 32


@dataclass(frozen=True)
class SharedTraffic:
    """The shared-memory traffic of one instruction: warps that issue it, and wavefronts."""

    warps: int
    wavefronts: int

    def __add__(self, other: SharedTraffic) -> SharedTraffic:
        return SharedTraffic(self.warps + other.warps, self.wavefronts + other.wavefronts)


def count_traffic(index: Array, active: Mask, size: int) -> SharedTraffic:
    """The traffic of an access in which each active lane accesses vector number `index`, of `size`
    bytes.

    `index` and `active` are `[blocks, threads]`, in whole warps. Phases without active lanes cost
    nothing.
    """
    unit = max(_WORD_BYTES, size)
    lanes = _BANKS * _WORD_BYTES // unit
    phases = (index * size // unit).reshape(-1, lanes)
    served = active.reshape(-1, lanes)
    # Inactive lanes ask for what no other lane has, and are not counted.
    wanted = np.sort(np.where(served, phases, -1), axis=-1)
    distinct = wanted >= 0
    distinct[:, 1:] &= wanted[:, 1:] != wanted[:, :-1]
    positions = np.arange(len(wanted))[:, None] * lanes + wanted % lanes
    per_bank = np.bincount(positions[distinct], minlength=len(wanted) * lanes)
    wavefronts = int(per_bank.reshape(-1, lanes).max(axis=-1).sum())
    return SharedTraffic(int(active.reshape(-1, WARP_SIZE).any(axis=-1).sum()), wavefronts)
