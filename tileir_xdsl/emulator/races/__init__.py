"""Data races of a launch: accesses to one place that nothing orders (PTX ISA, "Memory Consistency
Model").

`clocks` says which accesses happened before the present of a thread, `shadow` which accesses
touched each cell last. `detector` sees every access and every synchronisation. `barriers`,
`objects` and `flags` keep what synchronisation forwards, and `work` what threads have started.
`registers` watches those of asynchronous dots; `uses` finds them when blocks are compiled. `sites`
describes the kernel's instructions to the detector. `reports` words what is found.
"""
