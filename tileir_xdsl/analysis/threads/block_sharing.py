"""Resident blocks per multiprocessor, as the hint `occupancy` requests.

Resident blocks share the registers. Where warpgroups reallocate registers, no instruction may need
more than a thread has at launch. So the number of blocks is lowered until the live tiles fit.
"""

from xdsl.ir import Operation

from tileir_xdsl.analysis.threads.register_pressure import largest_register_pressure
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.agents import THREADS_PER_WARP, WARPS_PER_GROUP, registers_at_launch

# Careful rather than exact: no reference program changes with 16 or 64.
OTHER_REGISTERS = 32
"""Registers of a thread besides those of tiles: for addresses, indices and intermediate values."""


def wanted_blocks(function: nv_tileaa.FuncOp) -> int:
    """The resident blocks per multiprocessor that a kernel requests."""
    return 1 if function.kernel_spec is None else getattr(function.kernel_spec.occupancy, "data", 1)


def blocks_with_agents(
    function: nv_tileaa.FuncOp, computing: Operation, warps: int, total: int, target: Target
) -> int:
    """The resident blocks that fit a multiprocessor, at most as many as the kernel requests.

    Args:
        function: the kernel.
        computing: the op whose tiles are held.
        warps: the warps that hold them.
        total: the warps of a block.
        target: what registers there are.
    """
    blocks = wanted_blocks(function)
    if blocks == 1:
        return 1
    needed = largest_register_pressure(computing).registers
    for sharing in range(blocks, 1, -1):
        launched = registers_at_launch(total * sharing, target.limits)
        if needed <= (launched - OTHER_REGISTERS) * warps * THREADS_PER_WARP:
            return sharing
    return 1


def expected_blocks(function: nv_tileaa.FuncOp, target: Target) -> int:
    """`blocks_with_agents` before agents exist; one more warpgroup may be added, without tiles."""
    if Feature.SETMAXNREG not in target.features or function.kernel_spec is None:
        return wanted_blocks(function)
    warps = function.kernel_spec.num_warps.data
    return blocks_with_agents(function, function, warps, warps + WARPS_PER_GROUP, target)
