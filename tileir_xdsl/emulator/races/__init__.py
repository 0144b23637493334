"""Data races of a launch: unordered accesses to one location (PTX ISA, "Memory Consistency Model").

`clocks` knows which accesses happened before the present of a thread, `shadow` the last accesses to
each cell. `detector` is called for every access and every synchronisation. `barriers`, `objects`
and `flags` hold the knowledge that synchronisation forwards, and `work` the asynchronous work of
threads. `registers` checks the registers of asynchronous mma; `uses` finds their uses when blocks
are compiled. `sites` describes the kernel's instructions to the detector. `reports` words the
diagnostics.
"""
