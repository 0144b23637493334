"""Tiles from before a switch: more warps run what is outside of agents than layouts have."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.unit.analysis.allocation.test_shared_memory_allocation import (
    through_buffer,
    through_scratch,
)
from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    MODES,
    OBJECT,
    PIPE,
    STORE,
    TILE,
    Kernel,
)
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.interpreters import launch
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools

from .pipeline_kernels import problem

VIEW = f"!nv_tileaa.tiled_view<64x32xf32, {OBJECT}>"
LOAD = (
    f"%loaded = nv_tileas.tiled_load weak %a[%n0, %n1] {{atom = #nv_tileas<atom ldg_128>}} : "
    f"{VIEW}[index, index] -> {TILE}\n"
)

BEFORE = {
    "loaded": LOAD + f"%w = nv_tileaa.addf %loaded, %loaded : {TILE}\n",
    "through scratch": LOAD + through_scratch("%loaded", "w"),
    "through a buffer": LOAD + through_buffer("%loaded", "w"),
    "stored": LOAD
    + STORE.replace("%total", "%loaded")
    + f"%w = nv_tileaa.addf %loaded, %loaded : {TILE}\n",
}
"""How %w is made by all warps of the block."""

USE = f"%total = nv_tileaa.addf %w, %w : {TILE}\n{STORE}"

AFTER = {"an agent": (USE, "", ""), "another agent": ("", USE, ""), "both": (USE, USE, ""),
         "after the switch": ("", "", USE)}  # fmt: skip
"""What the agents do, and what follows."""

WARPS = {"the same": (4, 4), "one more": (4, 1), "three": (4, 4, 1)}


def kernel(before: str, uses: tuple[str, str, str], warps: tuple[int, ...]) -> Kernel:
    first, second, after = uses
    firsts = [sum(warps[:n]) for n in range(len(warps))]
    bodies = [first, second, *[""] * (len(warps) - 2)]
    regions = ", ".join(f"{{\n{body}{PIPE}.yield\n}}" for body in bodies)
    switch = (
        f"{PIPE}.agent_switch {{num_agents_per_group = 1 : i32, "
        f"num_warps = array<i32: {', '.join(map(str, warps))}>, "
        f"warp_id = array<i32: {', '.join(map(str, firsts))}>}} {regions}\n"
    )
    return Kernel(BEFORE[before] + switch + after, maps=())


CASES = [
    (before, after, warps)
    for before in BEFORE
    for after in AFTER
    for warps in WARPS
    if warps != "one more" or after in ("an agent", "after the switch")
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("before", "after", "warps"), CASES)
def test_tiles_from_before_a_switch(before: str, after: str, warps: str):
    text = kernel(before, AFTER[after], WARPS[warps]).text(maps_are_arguments=True)
    passes = "tileas-resolve-agent-boundary"
    resolved = tools.run_passes(tools.parse(text), passes)
    wanted = problem()
    launch(resolved.clone(), "k", (1, 1, 1), list(wanted.values()))
    lowered = tools.run_passes(resolved, tools.TO_LLVM)
    loaded = emulator.load(emit(lowered, "sm_90a"))
    for modes in MODES.values():
        arrays = problem()
        run(loaded, arrays, dynamic_shared_memory(lowered, "k"), modes)
        np.testing.assert_array_equal(arrays["out"], wanted["out"])


def run(
    loaded: emulator.Module, arrays: dict[str, Any], shared: int, modes: Mapping[str, Any]
) -> None:
    loaded.launch("k", (1, 1, 1), [*arrays.values()], dynamic_shared=shared, **modes)
