"""Runs a kernel `k` as `cuda_tile` and as PTX, on equal arguments."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

Modes = Sequence[Mapping[str, Any]]

MODES: Modes = ({"late": True, "races": True}, {"warp_seed": 1})
"""How the emulator executes a launch: one with late work and races finds what a plain one does."""


def run_at_both_ends(
    text: str,
    gpu: str,
    grid: tuple[int, int, int],
    arguments: Callable[[], list[Any]],
    compare: Callable[[list[Any]], None],
    modes: Modes = MODES,
) -> str:
    """Compares what the kernel leaves in its arguments, at both levels; returns the PTX."""
    passed = arguments()
    module = tools.parse(text)
    interpreters.launch(module, "k", grid, passed)
    compare(passed)
    tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}")
    ptx = emit(module)
    assemble(ptx, gpu)
    shared = dynamic_shared_memory(module, "k")
    for mode in modes:
        passed = arguments()
        words = with_tensor_maps(module, "k", passed)
        emulator.load(ptx).launch("k", grid, words, dynamic_shared=shared, **mode)
        compare(passed)
    return ptx


def assert_instructions(ptx: str, present: Sequence[str], absent: Sequence[str] = ()) -> None:
    """Looks for instructions, or for what begins them."""
    for instruction in present:
        assert instruction in ptx
    for instruction in absent:
        assert instruction not in ptx
