"""The parts of `run_pack.py`, which `bench.pack.build` joins into one file in the order of `PARTS`.

They import numpy and each other, by names alone. Only the emulator's device imports `tileir_xdsl`.
"""

PARTS = (
    "formats",
    "results",
    "clock",
    "costs",
    "plan",
    "driver",
    "fake",
    "memory",
    "device",
    "emulation",
    "references",
    "checks",
    "competitors",
    "timing",
    "tools",
    "worker",
    "supervisor",
)
"""In order of use."""
