"""Whether the tiles of a kernel fit in the registers if another agent loads.

Agents have whole warpgroups, so that a single loading warp occupies the registers of four. If tiles
need these, one agent loads and computes.
"""

from math import ceil

from xdsl.ir import Operation, SSAValue

from tileir_xdsl.analysis.access.fragment_loads import mma_of_fragments
from tileir_xdsl.analysis.layouts.uses import share_of_step
from tileir_xdsl.analysis.threads.block_sharing import expected_blocks
from tileir_xdsl.analysis.threads.register_pressure import (
    RESERVED_REGISTERS,
    largest_register_pressure,
    thread_registers,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.compute import issues_mma
from tileir_xdsl.targets import Target
from tileir_xdsl.targets.agents import agent_registers, map_units, registers_at_launch
from tileir_xdsl.walking import ops_in

from .agents import PRODUCER_WARPS


def registers_missed(function: nv_tileaa.FuncOp, target: Target) -> str | None:
    """The reason if tiles fit in the registers of one agent, but not in those of two; otherwise
    None.

    Kernels with asynchronous MMAs always get two agents: their overlap is worth some spills.
    """
    ops = ops_in(function)
    if function.kernel_spec is None or any(map(issues_mma, ops)):
        return None
    if not any(isinstance(op, nv_tileas.DotOp) for op in ops):
        return None
    warps, blocks = function.kernel_spec.num_warps.data, expected_blocks(function, target)
    mapping = map_units((warps, PRODUCER_WARPS))
    dealt = agent_registers(mapping, (True, False), target.limits, blocks)
    there = (
        registers_at_launch(mapping.total * blocks, target.limits) if dealt is None else dealt[0]
    )
    alone = registers_at_launch(warps * blocks, target.limits)
    needed = largest_register_pressure(function, registers_in_steps).registers + RESERVED_REGISTERS
    if needed <= there or alone <= there:
        return None
    return f"its tiles need {needed} registers of a thread; agents leave {there}, one has {alone}"


def registers_in_steps(tile: SSAValue) -> int:
    """The registers of a thread for a tile; for fragments that an MMA loads, those of one step
    along K.
    """
    registers, owner = thread_registers(tile), tile.owner
    mma = mma_of_fragments(owner) if registers and isinstance(owner, Operation) else None
    return registers if mma is None else ceil(registers * share_of_step(mma))
