"""The road of kernels for processors as data: its passes, and how each is made."""

from typing import Any

from xdsl.passes import ModulePass

from tileir_xdsl.passes import CANONICALIZE, PASSES

CPU_ROAD = (
    "convert-cuda-tile-to-tileaa",
    CANONICALIZE,
    "tilecpu-group",
    "convert-tileaa-to-tilecpu",
    "tilecpu-assign-buffers",
    "convert-tilecpu-to-llvm",
)
"""The passes from `cuda_tile` to `llvm` for processors, in order."""

FIRST_OF_CPU = "tilecpu-group"
"""The first pass that other roads do not have."""


def cpu_pass(name: str, target: str, *, unchecked: bool = False) -> ModulePass:
    """A pass of the road for a target; `unchecked` leaves out the checks of addresses."""
    pass_class: Any = PASSES[name].load()
    match name:
        case _ if name == FIRST_OF_CPU:
            return pass_class(gpu=target)
        case "convert-tilecpu-to-llvm":
            return pass_class(unchecked=unchecked)
        case _:
            return pass_class()
