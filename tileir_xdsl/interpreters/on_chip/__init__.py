"""Races between threads of a block: accesses of `nv_tileas` ops that no barrier or wait orders.

In shared and tensor memory, and in global memory among accesses that tokens order.

An oracle for `tileas-insert-barriers`, which it shares nothing with. It watches a run. From the
executed ops it knows the accesses of threads and hardware, and which accesses each of them knows to
be complete.
"""

from tileir_xdsl.interpreters.on_chip.detector import OnChipRace, OnChipRaces

__all__ = ["OnChipRace", "OnChipRaces"]
"""The names that the interpreter uses."""
