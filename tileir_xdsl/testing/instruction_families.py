"""Finds the families of asynchronous instructions that occur in PTX."""

from __future__ import annotations

import re

FAMILIES = {
    "cp.async": r"\bcp\.async\.c[ag]\b",
    "tma load": r"\bcp\.async\.bulk\.tensor\.\dd\.shared",
    "tma store": r"\bcp\.async\.bulk\.tensor\.\dd\.global",
    "mma": r"\bmma\.sync\b",
    "wgmma": r"\bwgmma\.mma_async\b",
    "tcgen05": r"\btcgen05\.mma\b",
    "mbarrier": r"\bmbarrier\.try_wait\b",
    "setmaxnreg": r"\bsetmaxnreg\b",
    "tma gather": r"\bcp\.async\.bulk\.tensor\.2d\.\S*tile::gather4",
    "clusters": r"\.reqnctapercluster\b",
    "multicast": r"\bcp\.async\.bulk\.\S*multicast::cluster",
    "cluster barrier": r"\bbarrier\.cluster\.",
    "proxy fence": r"\bfence\.proxy\.async",
    "block scaling": r"\bmma\S*\.block_scale",
    "launch control": r"\bclusterlaunchcontrol\.try_cancel",
}
"""The instructions in PTX by which a family is recognised (PTX ISA, chapter 9)."""

OF_TARGET = {
    "sm_80": ("cp.async", "mma"),
    "sm_90a": ("cp.async", "tma load", "mma", "wgmma", "mbarrier", "setmaxnreg"),
    "sm_100a": ("cp.async", "tma load", "mma", "tcgen05", "mbarrier", "setmaxnreg"),
    "sm_120a": ("cp.async", "tma load", "mma", "mbarrier", "setmaxnreg"),
}
"""The targets of long tests, one per generation, with the families their kernels should use."""


def families(ptx: str) -> frozenset[str]:
    """The families of which a PTX text has an instruction."""
    return frozenset(name for name, pattern in FAMILIES.items() if re.search(pattern, ptx))
