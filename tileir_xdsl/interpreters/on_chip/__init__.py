"""Detects races between threads of a block: `nv_tileas` accesses that nothing orders.

It checks shared and tensor memory, and global memory for accesses that tokens order.

The detector is an oracle for `tileas-insert-barriers`, without sharing any code. The detector
observes a run. From the executed ops it derives the accesses of threads and hardware, and which
accesses each of them knows as complete.
"""

from tileir_xdsl.interpreters.on_chip.detector import OnChipRace, OnChipRaces

__all__ = ["OnChipRace", "OnChipRaces"]
"""The names that the interpreter uses."""
