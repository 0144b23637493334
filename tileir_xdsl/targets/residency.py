"""The number of thread blocks of a kernel that a GPU runs at once."""

from __future__ import annotations

from collections.abc import Mapping

from tileir_xdsl.targets.target import Limits, Target

MULTIPROCESSORS: Mapping[int, int] = {
    80: 108,
    86: 84,
    87: 16,
    88: 16,
    89: 128,
    90: 132,
    100: 148,
    103: 148,
    107: 224,
    110: 20,
    120: 170,
    121: 48,
}
"""The multiprocessors of a GPU by compute capability.

Ampere to Hopper: A100, A40, Jetson AGX Orin (also for 8.8), GeForce RTX 4090, H100 SXM. Later: B200
(also for 10.3), Rubin, Jetson Thor, GeForce RTX 5090 and GB10.

Source: NVIDIA's data sheets of these GPUs; "Inside NVIDIA Rubin GPU Architecture".
"""


def blocks_by_resource(limits: Limits, threads: int, registers: int, shared: int) -> dict[str, int]:
    """How many thread blocks each resource of a multiprocessor allows.

    A block has `threads` threads, each with `registers` registers (0 if unknown), and `shared`
    bytes of shared memory.
    """
    reserved = limits.reserved_shared_memory_per_block
    bounds = {
        "blocks": limits.max_blocks_per_multiprocessor,
        "threads": limits.max_threads_per_multiprocessor // threads,
        "shared memory": limits.shared_memory_per_multiprocessor // (shared + reserved),
    }
    if registers:
        # Registers are dealt out to warps in units of 256, 8 for each thread.
        each = -(-registers // 8) * 8 * -(-threads // 32) * 32
        bounds["registers"] = limits.registers_per_multiprocessor // each
    return bounds


def resident_blocks(target: Target, threads: int, registers: int, shared: int) -> int:
    """The number of thread blocks that a GPU runs at once, at least one on each multiprocessor."""
    bounds = blocks_by_resource(target.limits, threads, registers, shared)
    return max(1, min(bounds.values())) * MULTIPROCESSORS[target.compute_capability]
