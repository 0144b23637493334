"""`agent_switch`: warp specialization; the warps of a block diverge by agent and join after it.

    nv_tileas.async.pipeline.agent_switch {max_regs = [232, 40], num_warps = [8, 1], ..} {..}, {..}

The warps of an agent execute its region. Inside the region, thread indices start at the agent's
first thread, barriers are named barriers of its threads, and scratch memory is the agent's own. If
agents request register counts, warpgroups first allocate or release registers (PTX ISA,
"setmaxnreg"). Warps without an agent also change their registers, and continue after the switch. If
the agent's strategy is `one_thread`, one thread of its warp executes the region.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, Region, SSAValue

from tileir_xdsl.analysis.mma.cta_pairs import issues_mmas
from tileir_xdsl.analysis.threads import agent_warps
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.strategies import (
    Strategy,
    refuse_undecided,
    region_strategies_of,
)
from tileir_xdsl.dialects.nvvm.attributes import RegisterAction
from tileir_xdsl.dialects.nvvm.miscellaneous import SetMaxRegisterOp
from tileir_xdsl.dialects.nvvm.special_registers import ClusterRankOp

from ..thread.clusters import bind_cta_id, is_leader
from ..thread.device_calls import go_on, only_where
from ..thread.elected_thread import enter_one_thread, leave_one_thread, warp_index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ControlFlow, ExecutedRegion, ThreadRewriter

EXECUTIONS = frozenset({Strategy.ALL_THREADS, Strategy.ONE_THREAD})

MOST_AGENTS = 15
"""The number of named barriers besides the block's barrier; each agent gets one."""


class LowerAgentSwitch(LowerOp[AgentSwitchOp]):
    """Branches every warp to its agent."""

    def lower(self, op: AgentSwitchOp, rewriter: ThreadRewriter) -> None:
        agents = agent_warps.agents_of(op, agent_warps.kernel_warps(agent_warps.function_of(op)))
        if len(agents) > MOST_AGENTS:
            fail(op, f"'{op.name}' op expects at most {MOST_AGENTS} agents, but got {len(agents)}")
        for agent in agents:
            for argument, value in zip(agent.region.block.args, op.inputs, strict=True):
                _alias(argument, value, rewriter)
        entries = [Block() for _ in agents]
        switch = _Switch(op, agents, entries, Block(), rewriter.region, _executions(op))
        switch.dispatch(rewriter)
        switch.enter(0, rewriter)


def _executions(op: AgentSwitchOp) -> Sequence[Strategy]:
    """The strategy of each agent: all threads or one thread.

    Raises `PassFailedException` if no strategy has been assigned.
    """
    strategies = region_strategies_of(op)
    if strategies is None:
        refuse_undecided(op, "strategies")
    if len(strategies) != len(op.bodies) or not set(strategies) <= EXECUTIONS:
        listed = ", ".join(strategy.value for strategy in strategies)
        fail(
            op,
            f"'{op.name}' op expects all_threads or one_thread as the strategy of "
            f"each of {len(op.bodies)} agents, got {listed}",
        )
    return strategies


def _alias(argument: SSAValue, value: SSAValue, rewriter: ThreadRewriter) -> None:
    """Binds an argument to the registers of a value."""
    # Tokens have none.
    if value in rewriter.values:
        rewriter.replace(argument, rewriter.values[value])


def _continue_in(region: ExecutedRegion, rewriter: ThreadRewriter) -> None:
    """Continues in another region, with the threads that execute it."""
    rewriter.region = region
    rewriter.builder.first_thread = region.first_thread
    rewriter.builder.threads = region.threads


def _read_cta_ids(op: AgentSwitchOp, rewriter: ThreadRewriter) -> None:
    """Computes the row and column numbers of this CTA again from a newly read rank."""
    for inner in agent_warps.function_of(op).body.block.ops:
        if isinstance(inner, nv_tileaa.GetCtaIdOp):
            bind_cta_id(inner, rewriter)


@dataclass(frozen=True)
class _Switch(ControlFlow):
    """An `agent_switch`: the entry block of each agent, the exit, and the enclosing region."""

    runs_once = True

    op: AgentSwitchOp
    agents: Sequence[agent_warps.AgentWarps]
    entries: Sequence[Block]
    after: Block
    outside: ExecutedRegion
    strategies: Sequence[Strategy]
    leaders: dict[Region, Block] = field(default_factory=dict[Region, Block])
    """Where the other CTA's threads continue, for agents that only the first CTA of a pair
    executes.
    """
    joins: dict[Region, list[Block]] = field(default_factory=dict[Region, list[Block]])
    """Where the other threads continue, for agents that one thread executes."""

    def enter(self, number: int, rewriter: ThreadRewriter) -> None:
        """Starts the region of an agent."""
        agent, builder = self.agents[number], rewriter.builder
        builder.enter(self.entries[number])
        builder.open_scope()
        inside = replace(
            self.outside,
            threads=agent.warps * agent_warps.THREADS_PER_WARP,
            first_thread=agent.first_warp * agent_warps.THREADS_PER_WARP,
            barrier_id=number + 1,
        )
        _continue_in(inside, rewriter)
        if rewriter.function.has_pairs and issues_mmas(agent.region):
            builder.compute_again(ClusterRankOp)
            self.leaders[agent.region] = only_where(rewriter, is_leader(rewriter))
            rewriter.region = replace(rewriter.region, is_leader=True)
        if self.strategies[number] is Strategy.ONE_THREAD:
            self.joins[agent.region] = enter_one_thread(self.op, rewriter)
        if rewriter.function.has_pairs:
            # A register that agents share is one of the few of the smallest agent.
            builder.compute_again(ClusterRankOp)
            _read_cta_ids(self.op, rewriter)
        rewriter.enter_region(self, agent.region)

    def end_region(self, terminator: Operation, rewriter: ThreadRewriter) -> None:
        builder, region = rewriter.builder, terminator.parent_region()
        (agent,) = (agent for agent in self.agents if agent.region is region)
        leave_one_thread(rewriter, self.joins.get(agent.region, []))
        if agent.region in self.leaders:
            go_on(rewriter, self.leaders[agent.region])
        builder.insert_without_result(llvm.BrOp(self.after))
        builder.close_scope()
        # Regions are visited in order, so that each continues where the one before it ended.
        if agent.number + 1 < len(self.agents):
            self.enter(agent.number + 1, rewriter)
            return
        _continue_in(self.outside, rewriter)
        builder.enter(self.after)
        if rewriter.function.has_pairs:
            _read_cta_ids(self.op, rewriter)

    def dispatch(self, rewriter: ThreadRewriter) -> None:
        """Branches on the warp index, first between warpgroups if registers are reallocated."""
        # Registers are reallocated by whole warpgroups, so warps are told apart by group first.
        counts = agent_warps.sets_registers(self.agents, rewriter.function.target)
        total = rewriter.region.threads // agent_warps.THREADS_PER_WARP
        sections = agent_warps.sections_of(self.agents, total, in_groups=counts)
        launched = (
            agent_warps.launch_registers(self.op, sections, rewriter.function.target)
            if counts
            else None
        )
        builder, warp = rewriter.builder, warp_index(rewriter)
        for section in sections:
            # Sections are in the order of warps: one comparison each tells who belongs to it.
            following = self._branch(warp, section.end, Block(), total, rewriter)
            builder.open_scope()
            if launched is not None:
                _set_registers(section, launched, rewriter)
            self._choose_agent(section, warp, rewriter)
            builder.close_scope()
            if following is not None:
                builder.enter(following)

    def _choose_agent(
        self, section: agent_warps.Section, warp: SSAValue, rewriter: ThreadRewriter
    ) -> None:
        """Branches the warps of a section to their agents, or to the exit."""
        reached = section.first_warp
        for agent in section.agents:
            for target, end in ((self.after, agent.first_warp), (None, agent.end)):
                if end == reached:
                    continue
                reached = end
                block = self.entries[agent.number] if target is None else target
                following = self._jump(warp, end, block, section.end, rewriter)
                if following is None:
                    return
                rewriter.builder.enter(following)
        rewriter.builder.insert_without_result(llvm.BrOp(self.after))

    def _jump(
        self, warp: SSAValue, end: int, target: Block, last: int, rewriter: ThreadRewriter
    ) -> Block | None:
        """Branches warps below `end` to a block; returns the block where the other warps continue,
        None if there are no others.
        """
        builder = rewriter.builder
        if end == last:
            builder.insert_without_result(llvm.BrOp(target))
            return None
        following = Block()
        is_below = builder.compare("ult", warp, builder.integer(end, i32))
        builder.insert_without_result(llvm.CondBrOp(is_below, target, [], following, []))
        return following

    def _branch(
        self, warp: SSAValue, end: int, target: Block, last: int, rewriter: ThreadRewriter
    ) -> Block | None:
        """Branches warps below `end` to a block as `_jump` does, and continues in this block."""
        following = self._jump(warp, end, target, last, rewriter)
        rewriter.builder.enter(target)
        return following


def _set_registers(section: agent_warps.Section, launched: int, rewriter: ThreadRewriter) -> None:
    """Emits the allocation or release of registers for whole warpgroups."""
    wanted = section.registers
    # An increase waits for free registers (PTX ISA, "setmaxnreg"): never without need.
    if wanted is None or wanted == launched:
        return
    # All warps of a warpgroup execute the same `setmaxnreg` (PTX ISA, "setmaxnreg").
    action = RegisterAction.INCREASE if wanted > launched else RegisterAction.DECREASE
    rewriter.builder.insert_without_result(SetMaxRegisterOp(action, wanted))


PATTERNS: Patterns = {AgentSwitchOp: LowerAgentSwitch}
