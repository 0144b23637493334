"""Races between threads of a block: accesses of `nv_tileas` ops that no barrier or wait orders.

In shared and tensor memory, and in global memory among accesses that tokens order.

An oracle for `tileas-insert-barriers`, which it shares nothing with: it watches a run, and knows
from the ops executed what threads and hardware have accessed, and what each knows to be over.
"""

from tileir_xdsl.interpreters.on_chip.detector import OnChipRace, OnChipRaces

__all__ = ["OnChipRace", "OnChipRaces"]
"""What the interpreter uses."""
