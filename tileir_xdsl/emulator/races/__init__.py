"""Data races of a launch: accesses to one place that nothing orders (PTX ISA, "Memory Consistency
Model").

`clocks` says which accesses happened before the present of a thread, `shadow` who accessed each
place last, `detector` is told about every access and every synchronisation, `objects` keeps what
barriers and flags hand on, `registers` watches those of asynchronous products, and `reports` words
what is found.
"""
