"""Races between threads of a block: accesses of `nv_tileas` ops that no barrier or wait orders.

In shared and tensor memory, and in global memory among accesses that tokens order.

An oracle for `tileas-insert-barriers`, which it shares nothing with. It watches a run, and knows
from the executed ops the accesses of threads and hardware, and which of them each knows to be over.
"""

from tileir_xdsl.interpreters.on_chip.detector import OnChipRace, OnChipRaces

__all__ = ["OnChipRace", "OnChipRaces"]
"""The names that the interpreter uses."""
