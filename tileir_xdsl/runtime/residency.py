"""The number of blocks of a kernel that a GPU would run at once, for the emulator."""

from __future__ import annotations

from collections.abc import Sequence

from tileir_xdsl import emulator
from tileir_xdsl.targets import TARGETS
from tileir_xdsl.targets.residency import resident_blocks


def blocks_at_once(
    module: emulator.Module,
    kernel: str | None,
    *,
    block: Sequence[int] | None = None,
    dynamic_shared: int = 0,
) -> int | None:
    """The number of resident blocks of a kernel on a GPU, if blocks may wait for others.

    None for a kernel whose blocks do not wait for others, and for a target without data. Raises
    `EmulatorError` for an unknown kernel, and for an invalid block shape.
    """
    needs = module.needs_of_waiting(kernel, block=block, dynamic_shared=dynamic_shared)
    target = TARGETS.get(module.syntax.target)
    if needs is None or target is None:
        return None
    return resident_blocks(target, needs.threads, needs.registers, needs.shared)
