"""Models the time of a launch by the rates of its target: the cycles of waves of tile blocks.

The emulator counts the work of a launch's instructions. A multiprocessor runs as many thread blocks
at once as its resources allow. The unit with the most work bounds the time of resident blocks; the
latency of one memory access is added. Waves run one after the other: larger tiles make waves
longer, and fewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from tileir_xdsl.emulator.machine import LaunchStatistics
from tileir_xdsl.runtime.compiled import Compiled
from tileir_xdsl.targets.residency import MULTIPROCESSORS, resident_blocks
from tileir_xdsl.targets.target import Target, get_target
from tileir_xdsl.targets.throughput import throughput_of


@dataclass(frozen=True)
class Modelled:
    """The modelled time of a launch, and its components."""

    cycles: float
    waves: int
    resident: int
    """The number of thread blocks that all multiprocessors together run at once."""
    bound: str
    """The unit that bounds the time."""


def modelled(done: LaunchStatistics, compiled: Compiled, kernel: str | None = None) -> Modelled:
    """The modelled time of a launch. Raises CompileError as `Compiled.cubin` does."""
    target = get_target(compiled.gpu)
    resources = compiled.resources[compiled.kernel(kernel).symbol]
    shared = compiled.shared_bytes(kernel)
    resident = resident_blocks(target, done.threads_per_block, resources.registers, shared)
    multiprocessors = MULTIPROCESSORS[target.compute_capability]
    needed = dict(unit_cycles(done, target))
    # A word that spills is stored or loaded as often as an instruction is executed on average.
    spilled = resources.spills * done.lane_instructions / compiled.text.count(";\n")
    needed["spilled registers"] = spilled / throughput_of(target).shared_bytes
    units = {name: cycles / done.blocks for name, cycles in needed.items()}
    bound = max(units, key=lambda name: units[name])
    full, rest = divmod(done.blocks, resident)
    # Blocks of the last wave are spread over all multiprocessors.
    waves = [resident // multiprocessors] * full
    waves += [ceil(rest / multiprocessors)] if rest else []
    latency = throughput_of(target).memory_latency
    cycles = sum(blocks * units[bound] + latency for blocks in waves)
    return Modelled(cycles, len(waves), resident, bound)


def unit_cycles(done: LaunchStatistics, target: Target) -> Mapping[str, float]:
    """The cycles that all thread blocks of a launch take on each unit of one multiprocessor."""
    rates, work = throughput_of(target), done.work
    return {
        "issue of instructions": done.lane_instructions / rates.arithmetic,
        "special functions": work.special / rates.special,
        "arithmetic on f64": work.double / rates.double,
        "global memory": work.global_bytes / rates.memory_bytes,
        "shared memory": work.shared_bytes / rates.shared_bytes,
        "matrix unit": work.mma_bits / (16 * rates.mma_macs_of_16_bits),
    }
