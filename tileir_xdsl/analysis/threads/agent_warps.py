"""Assigns the warps of a block to the agents of `agent_switch`; the remaining warps are idle."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, Region

from tileir_xdsl.analysis.regions.scopes import function_around
from tileir_xdsl.analysis.threads.block_sharing import wanted_blocks
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.agents import INHERIT, WARPS_KEY
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.agents import (
    THREADS_PER_WARP,
    WARPS_PER_GROUP,
    map_units,
    registers_at_launch,
)
from tileir_xdsl.walking import ops_in


@dataclass(frozen=True)
class AgentWarps:
    """The warps that execute one region, and their register limit per thread; None for no limit."""

    number: int
    region: Region
    first_warp: int
    warps: int
    registers: int | None

    @property
    def end(self) -> int:
        """The first warp after those of the agent."""
        return self.first_warp + self.warps


@dataclass(frozen=True)
class Section:
    """Whole warpgroups that share no agent with other warpgroups; single agents if registers do not
    matter.
    """

    first_warp: int
    end: int
    agents: tuple[AgentWarps, ...]

    @property
    def registers(self) -> int | None:
        """The register limit of the threads of a section: the largest limit of its agents."""
        wanted = [agent.registers for agent in self.agents if agent.registers is not None]
        return max(wanted, default=None)


def function_of(op: Operation) -> nv_tileaa.FuncOp:
    """The function that an op of a kernel is in."""
    function = function_around(op)
    assert function is not None
    return function


def kernel_warps(function: nv_tileaa.FuncOp) -> int:
    """The warps that a kernel requests; an agent has as many unless it states otherwise."""
    return 1 if function.kernel_spec is None else function.kernel_spec.num_warps.data


def agents_of(switch: nv_tileaa.AgentLikeOpInterface, warps: int) -> tuple[AgentWarps, ...]:
    """The agents of a switch in the order of its regions.

    Agents without `warp_id` are assigned warps as by `optimize-execution-unit-mapping`. Raises
    `PassFailedException` where two agents share a warp.
    """
    count = len(switch.agent_bodies)
    sizes = [warps if size == INHERIT else size for size in switch.agent_warps or [INHERIT] * count]
    firsts = switch.first_warps or map_units(sizes).warp_id
    registers = switch.agent_registers or [INHERIT] * count
    agents = tuple(
        AgentWarps(number, region, first, size, None if limit == INHERIT else limit)
        for number, (region, first, size, limit) in enumerate(
            zip(switch.agent_bodies, firsts, sizes, registers, strict=True)
        )
    )
    ordered = sorted(agents, key=lambda agent: agent.first_warp)
    for before, after in pairwise(ordered):
        if before.end > after.first_warp:
            fail(switch, f"'{switch.name}' op expects each warp to run at most one agent")
    return agents


def sections_of(
    agents: Sequence[AgentWarps], total: int, *, in_groups: bool
) -> tuple[Section, ...]:
    """The warps of a block partitioned between agents; `in_groups` only between warpgroups."""
    step = WARPS_PER_GROUP if in_groups else 1
    sections: list[Section] = []
    for agent in sorted(agents, key=lambda agent: agent.first_warp):
        first = agent.first_warp // step * step
        end = -(-agent.end // step) * step
        if sections and first < sections[-1].end:
            last = sections.pop()
            sections.append(Section(last.first_warp, end, (*last.agents, agent)))
            continue
        reached = sections[-1].end if sections else 0
        if reached < first:
            sections.append(Section(reached, first, ()))
        sections.append(Section(first, end, (agent,)))
    if sections and sections[-1].end < total:
        sections.append(Section(sections[-1].end, total, ()))
    return tuple(sections)


def sets_registers(agents: Sequence[AgentWarps], target: Target) -> bool:
    """Whether warpgroups reallocate registers."""
    return Feature.SETMAXNREG in target.features and any(
        agent.registers is not None for agent in agents
    )


def block_warps(function: nv_tileaa.FuncOp) -> int:
    """The warps of a block that runs a kernel; whole warpgroups where the kernel has agents.

    The attribute `nv_tileas.num_warps` states the number, unless agents use higher warps.
    """
    decided = function.attributes.get(WARPS_KEY)
    total = decided.value.data if isinstance(decided, IntegerAttr) else kernel_warps(function)
    for op in ops_in(function):
        if isinstance(op, nv_tileaa.AgentLikeOpInterface):
            end = max(agent.end for agent in agents_of(op, kernel_warps(function)))
            # All warps of a warpgroup execute one `setmaxnreg` (PTX ISA).
            total = max(total, -(-end // WARPS_PER_GROUP) * WARPS_PER_GROUP)
    return total


def agent_region(op: Operation) -> Region | None:
    """The region of the agent that executes an op; None where the whole block does."""
    region = op.parent_region()
    while region is not None and not isinstance(region.parent, nv_tileaa.AgentLikeOpInterface):
        region = None if region.parent is None else region.parent.parent_region()
    return region


def agent_around(op: Operation, warps: int) -> AgentWarps | None:
    """The agent that executes an op; None where the whole block does."""
    region = agent_region(op)
    if region is None or not isinstance(region.parent, nv_tileaa.AgentLikeOpInterface):
        return None
    return next(agent for agent in agents_of(region.parent, warps) if agent.region is region)


def launch_registers(op: Operation, sections: Sequence[Section], target: Target) -> int:
    """The registers of a thread at launch: as many as all threads of a block can have.

    All registers that agents allocate later must be in the block's pool at launch. No instruction
    may need more: the assembler checks against the number at launch. Several resident blocks share
    the registers, unless agents need more. Raises `PassFailedException` where agents need more than
    one block can have.
    """
    blocks, warps = wanted_blocks(function_of(op)), sections[-1].end
    limits = [
        registers_at_launch(warps * sharing, target.limits) for sharing in range(blocks, 0, -1)
    ]
    wanted = [sum((s.registers or n) * (s.end - s.first_warp) for s in sections) for n in limits]
    for limit, registers in zip(limits, wanted, strict=True):
        if registers <= limit * warps:
            return limit
    fail(
        op,
        f"'{op.name}' op asks for {wanted[-1] * THREADS_PER_WARP} registers, but a thread "
        f"block of {warps} warps has at most {limits[-1] * warps * THREADS_PER_WARP}",
    )


def register_limit(function: nv_tileaa.FuncOp, target: Target) -> int | None:
    """The registers of a thread at launch if agents reallocate registers, otherwise None."""
    for op in ops_in(function):
        if isinstance(op, nv_tileaa.AgentLikeOpInterface):
            agents = agents_of(op, kernel_warps(function))
            if sets_registers(agents, target):
                total = block_warps(function)
                return launch_registers(op, sections_of(agents, total, in_groups=True), target)
    return None
