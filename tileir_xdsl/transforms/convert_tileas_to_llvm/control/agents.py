"""`agent_switch`: warp specialization; the warps of a block diverge by agent and join after it.

    nv_tileas.async.pipeline.agent_switch {max_regs = [232, 40], num_warps = [8, 1], ..} {..}, {..}

The warps of an agent execute its region. Inside it thread indices start at the agent's first
thread, barriers are named barriers of its threads, and it has scratch memory of its own. Where
agents state a register count, warpgroups first allocate or release registers (PTX ISA,
"setmaxnreg"); warps without an agent do so too, then continue after the switch. An agent of one
warp that only handles scalars and issues bulk copies is executed by one thread.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Operation, SSAValue

from tileir_xdsl.analysis.threads.agent_warps import (
    THREADS_PER_WARP,
    Agent,
    Section,
    agents_of,
    function_of,
    kernel_warps,
    launch_registers,
    sections_of,
    sets_registers,
)
from tileir_xdsl.analysis.threads.one_thread import can_run_in_one_thread
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileas import AgentSwitchOp
from tileir_xdsl.dialects.nvvm.attributes import RegisterAction
from tileir_xdsl.dialects.nvvm.miscellaneous import SetMaxRegisterOp

from ..thread.elected_thread import enter_one_thread, leave_one_thread, warp_index
from ..thread.patterns import LowerOp, Patterns
from ..thread.program import ControlFlow, ExecutedRegion, ThreadProgram

MOST_AGENTS = 15
"""Named barriers other than that of the block; each agent gets one."""


class LowerAgentSwitch(LowerOp[AgentSwitchOp]):
    """Branches every warp to its agent."""

    def lower(self, op: AgentSwitchOp, program: ThreadProgram) -> None:
        agents = agents_of(op, kernel_warps(function_of(op)))
        if len(agents) > MOST_AGENTS:
            fail(op, f"'{op.name}' op expects at most {MOST_AGENTS} agents, but got {len(agents)}")
        for agent in agents:
            for argument, value in zip(agent.region.block.args, op.inputs, strict=True):
                _alias(argument, value, program)
        switch = _Switch(op, agents, [Block() for _ in agents], Block(), program.region)
        switch.dispatch(program)
        switch.enter(0, program)


def _alias(argument: SSAValue, value: SSAValue, program: ThreadProgram) -> None:
    """Binds an argument to the registers of a value."""
    # Tokens have none.
    if value in program.values:
        program.values[argument] = program.values[value]


def _continue_in(region: ExecutedRegion, program: ThreadProgram) -> None:
    """Continues with code of another region, which other threads may execute."""
    program.region = region
    program.builder.first_thread = region.first_thread
    program.builder.threads = region.threads


@dataclass
class _Switch(ControlFlow):
    """A switch: the entry block of each agent, the exit, and the region around it."""

    runs_once = True

    op: AgentSwitchOp
    agents: Sequence[Agent]
    entries: Sequence[Block]
    after: Block
    outside: ExecutedRegion
    current: int = 0
    one_thread: list[Block] = field(default_factory=list[Block])

    def enter(self, number: int, program: ThreadProgram) -> None:
        """Continues with the region of an agent."""
        agent, builder = self.agents[number], program.builder
        self.current = number
        builder.enter(self.entries[number])
        builder.open_scope()
        inside = replace(
            self.outside,
            threads=agent.warps * THREADS_PER_WARP,
            first_thread=agent.first_warp * THREADS_PER_WARP,
            barrier_id=number + 1,
            enclosing=(*self.outside.enclosing, self),
        )
        _continue_in(inside, program)
        # One branch around the region instead of an election at each copy.
        if agent.warps == 1 and can_run_in_one_thread(agent.region):
            self.one_thread = enter_one_thread(program)

    def end_region(self, terminator: Operation, program: ThreadProgram) -> None:
        builder = program.builder
        leave_one_thread(program, self.one_thread)
        self.one_thread = []
        builder.insert_without_result(llvm.BrOp(self.after))
        builder.close_scope()
        # Regions are visited in order, so that each continues where the one before it ended.
        if self.current + 1 < len(self.agents):
            self.enter(self.current + 1, program)
            return
        _continue_in(self.outside, program)
        builder.enter(self.after)

    def dispatch(self, program: ThreadProgram) -> None:
        """Branches on the warp index; first by warpgroup where registers are reallocated."""
        # Registers are reallocated by whole warpgroups, so warps are told apart by group first.
        counts = sets_registers(self.agents, program.function.target)
        total = program.region.threads // THREADS_PER_WARP
        sections = sections_of(self.agents, total, in_groups=counts)
        launched = launch_registers(self.op, sections, program.function.target) if counts else None
        builder, warp = program.builder, warp_index(program)
        for section in sections:
            # Sections are in the order of warps: one comparison each tells who belongs to it.
            following = self._branch(warp, section.end, Block(), total, program)
            builder.open_scope()
            if launched is not None:
                _set_registers(section, launched, program)
            self._choose_agent(section, warp, program)
            builder.close_scope()
            if following is not None:
                builder.enter(following)

    def _choose_agent(self, section: Section, warp: SSAValue, program: ThreadProgram) -> None:
        """Branches the warps of a section to their agents, or past the switch."""
        reached = section.first_warp
        for agent in section.agents:
            for target, end in ((self.after, agent.first_warp), (None, agent.end)):
                if end == reached:
                    continue
                reached = end
                block = self.entries[agent.number] if target is None else target
                following = self._jump(warp, end, block, section.end, program)
                if following is None:
                    return
                program.builder.enter(following)
        program.builder.insert_without_result(llvm.BrOp(self.after))

    def _jump(
        self, warp: SSAValue, end: int, target: Block, last: int, program: ThreadProgram
    ) -> Block | None:
        """Branches warps below `end` to a block; returns where the others continue, None if there
        are none.
        """
        builder = program.builder
        if end == last:
            builder.insert_without_result(llvm.BrOp(target))
            return None
        following = Block()
        is_below = builder.compare("ult", warp, builder.integer(end, i32))
        builder.insert_without_result(llvm.CondBrOp(is_below, target, [], following, []))
        return following

    def _branch(
        self, warp: SSAValue, end: int, target: Block, last: int, program: ThreadProgram
    ) -> Block | None:
        """The same, with a block that is emitted next."""
        following = self._jump(warp, end, target, last, program)
        program.builder.enter(target)
        return following


def _set_registers(section: Section, launched: int, program: ThreadProgram) -> None:
    """Allocates or releases registers, for all threads of some warpgroups."""
    wanted = section.registers
    # An increase waits for free registers (PTX ISA, "setmaxnreg"): never without need.
    if wanted is None or wanted == launched:
        return
    # All warps of a warpgroup execute the same `setmaxnreg` (PTX ISA, "setmaxnreg").
    action = RegisterAction.INCREASE if wanted > launched else RegisterAction.DECREASE
    program.builder.insert_without_result(SetMaxRegisterOp(action, wanted))


PATTERNS: Patterns = {AgentSwitchOp: LowerAgentSwitch}
