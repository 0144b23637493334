"""The parts of `run_pack.py`, which `bench.pack.build` joins into one file in the order of `PARTS`.

They import numpy and each other, by names alone. Only the emulator's device imports `tileir_xdsl`.
"""

PARTS = (
    "formats",
    "results",
    "clock",
    "driver",
    "fake",
    "memory",
    "device",
    "emulation",
    "references",
    "checks",
    "competitors",
    "timing",
    "costs",
    "plan",
    "rehearsal",
    "tools",
    "worker",
    "processes",
    "supervisor",
)
"""In order of use."""
