"""Data races of a launch: accesses to one place that nothing orders (PTX ISA, "Memory Consistency
Model").

`clocks` says which accesses happened before the present of a thread, `shadow` who accessed each
place last, `detector` is told about every access and every synchronisation, `barriers`,
`objects` and `flags` keep what synchronisation forwards, `work` what threads have started, and
`registers` watches those of asynchronous dots, whose `uses` are found when blocks are
compiled; `sites` is what the detector is told of the kernel's instructions. `reports` words what is
found.
"""
