"""`optimize-execution-unit-mapping`: assigns warps and registers to each agent.

    agent_switch {num_warps = [8, 1]} {..}, {..}
    // becomes
    agent_switch {num_warps = [8, 1], warp_id = [0, 8], agent_strides = [8, 4],
                  max_regs = [232, 40]} {..}, {..}

Agents of whole warpgroups come first, the index of an agent's first warp is aligned, and a block
has whole warpgroups (`targets/agents.py`). An agent without a number of warps, or a function that
agents call, gets as many as the kernel or the agent around it. A kernel is launched with
`nv_tileas.num_warps` warps.

If the target has `setmaxnreg` and agents have no registers assigned yet, warpgroups without tiles
keep few. If a kernel states how many blocks a multiprocessor should run at once, these share its
registers, as long as live tiles fit.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.analysis.buffers.pipelines import holds_accumulators, pipeline_of
from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.analysis.threads.block_sharing import blocks_with_agents
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileaa.functions import look_up_function
from tileir_xdsl.dialects.nv_tileas import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.agents import INHERIT, WARPS_KEY
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.targets.agents import UnitMapping, agent_registers, map_units
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

INCONSISTENT = (
    "inconsistent numWarps in the agent switch, "
    "maybe it is called in different agents with different numWarps"
)
TOO_MANY = "agent warp count exceeds module budget"


@dataclass
class UnitMappings:
    """The warps of each agent in a module, computed on demand."""

    callers: dict[nv_tileaa.FuncOp, list[nv_tileaa.CallOp]]
    known: dict[AgentSwitchOp, UnitMapping] = field(
        default_factory=dict[AgentSwitchOp, UnitMapping]
    )

    @staticmethod
    def of(module: ModuleOp) -> "UnitMappings":
        callers: dict[nv_tileaa.FuncOp, list[nv_tileaa.CallOp]] = {}
        for op in ops_in(module):
            if isinstance(op, nv_tileaa.CallOp):
                callee = look_up_function(op, op.callee)
                if callee is not None:
                    callers.setdefault(callee, []).append(op)
        return UnitMappings(callers)

    def __getitem__(self, switch: AgentSwitchOp) -> UnitMapping:
        """The warps that run each agent of a switch.

        Raises `PassFailedException` if the switch is run by different numbers of warps.
        """
        # Found recursively: without memory, each level would repeat those around it.
        if switch not in self.known:
            warps = switch.agent_warps or [INHERIT] * len(switch.bodies)
            # Asked only where needed: it fails where callers disagree.
            around = self.warps_around(switch) if INHERIT in warps else 0
            counts = tuple(around if n == INHERIT else n for n in warps)
            placed = switch.first_warps
            self.known[switch] = (
                # Stated places stay: they were asked for, or the pass ran before.
                map_units(counts) if placed is None else UnitMapping(counts, tuple(placed))
            )
        return self.known[switch]

    def warps_around(self, op: Operation) -> int:
        """How many warps run an op: those of the agent around the op, or of the kernel."""
        region = op.parent_region()
        while region is not None:
            parent = region.parent
            if isinstance(parent, AgentSwitchOp):
                return self[parent].num_warps[parent.bodies.index(region)]
            if isinstance(parent, nv_tileaa.FuncOp):
                return self._warps_of(parent, op)
            region = None if parent is None else parent.parent_region()
        return 1

    def _warps_of(self, function: nv_tileaa.FuncOp, op: Operation) -> int:
        # A kernel is not called, so its own number is the only one.
        if function.kernel_spec is not None:
            return function.kernel_spec.num_warps.data
        counts = {self.warps_around(call) for call in self.callers.get(function, ())}
        if len(counts) > 1:
            fail(op, INCONSISTENT)
        # Nobody calls it: any number is right, and one always fits.
        return counts.pop() if counts else 1

    def units_in(self, region: Region) -> int:
        """How many warps the switches of a region need, including those of called functions."""
        units = (self._units_of(op) for op in outermost(region))
        # The switches of a region run one after the other, so they share the warps.
        return max(units, default=0)

    def _units_of(self, op: AgentSwitchOp | nv_tileaa.CallOp) -> int:
        if isinstance(op, AgentSwitchOp):
            return self[op].total
        callee = look_up_function(op, op.callee)
        return 0 if callee is None else self.units_in(callee.body)


def outermost(region: Region) -> Iterator[AgentSwitchOp | nv_tileaa.CallOp]:
    """The switches and calls in a region, except those in agents."""
    for block in region.blocks:
        for op in block.ops:
            if isinstance(op, AgentSwitchOp | nv_tileaa.CallOp):
                # Agents nest inside their own warps, so what is in them does not add up.
                yield op
                continue
            for inner in op.regions:
                yield from outermost(inner)


def deal_registers(
    switch: AgentSwitchOp, mapping: UnitMapping, kernel: nv_tileaa.FuncOp, target: Target
) -> tuple[int, ...] | None:
    """The registers per thread of each agent; None if registers are not to be reassigned."""
    tiles = list(map(_handles_tiles, switch.bodies))
    with_tiles = zip(mapping.num_warps, tiles, strict=True)
    warps = sum(warps for warps, has_tiles in with_tiles if has_tiles)
    blocks = blocks_with_agents(kernel, switch, warps, mapping.total, target)
    return agent_registers(mapping, tiles, target.limits, blocks)


def _handles_tiles(agent: Region) -> bool:
    """Whether threads of an agent hold tiles in registers; accumulators in tensor memory do not
    count.
    """
    if any(
        isinstance(op, nv_tileas.ProducerCommitOp) and _fills_columns(op) for op in ops_in(agent)
    ):
        return False
    return any(is_tile(result) for op in ops_in(agent) for result in op.results)


def _fills_columns(op: nv_tileas.ProducerCommitOp) -> bool:
    pipeline = pipeline_of(op.token)
    return pipeline is not None and holds_accumulators(pipeline)


def may_set_registers(switch: AgentSwitchOp, function: nv_tileaa.FuncOp, target: Target) -> bool:
    """Whether warps may keep few registers: nothing but the return may follow the switch."""
    return (
        Feature.SETMAXNREG in target.features
        and function.kernel_spec is not None
        # Elsewhere code of all warps would follow, some of which have given registers up.
        and switch.parent is function.body.block
        and isinstance(switch.next_op, nv_tileaa.ReturnOp)
    )


@dataclass(frozen=True)
class UnitPlan:
    """The warps, and possibly the registers, of the agents of each switch."""

    function: nv_tileaa.FuncOp
    units: Mapping[AgentSwitchOp, UnitMapping]
    registers: Mapping[AgentSwitchOp, tuple[int, ...] | None]
    """The registers per thread of the agents of each switch; None if they are not reassigned."""
    launched_warps: int | None
    """How many warps a kernel with agents is launched with."""


def plan_units(function: nv_tileaa.FuncOp, mappings: UnitMappings, target: Target) -> UnitPlan:
    """The warps and registers for the switches of a function, and for a kernel the warps of a
    block.

    Raises `PassFailedException` if switches in an agent need more warps than the agent has.
    """
    units: dict[AgentSwitchOp, UnitMapping] = {}
    registers: dict[AgentSwitchOp, tuple[int, ...] | None] = {}
    for switch in ops_in(function):
        if not isinstance(switch, AgentSwitchOp):
            continue
        mapping = units[switch] = mappings[switch]
        for body, warps in zip(switch.bodies, mapping.num_warps, strict=True):
            # A nested switch cannot start warps: those of a block are fixed at launch.
            if mappings.units_in(body) > warps:
                fail(switch, TOO_MANY)
        # Registers that were dealt by hand stay.
        if switch.max_regs is None and may_set_registers(switch, function, target):
            registers[switch] = deal_registers(switch, mapping, function, target)
    total, launched = mappings.units_in(function.body), None
    if function.kernel_spec is not None and total:
        # Code around a switch has the layouts of the kernel's warps.
        launched = max(total, function.kernel_spec.num_warps.data)
    return UnitPlan(function, units, registers, launched)


@dataclass(frozen=True)
class WriteUnits(RewritePattern):
    """Sets the attributes of a switch with the warps and registers of its agents."""

    plan: UnitPlan

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AgentSwitchOp, rewriter: PatternRewriter) -> None:
        mapping = self.plan.units[op]
        op.set_units(mapping.num_warps, mapping.warp_id, mapping.agent_strides)
        if op in self.plan.registers:
            op.set_registers(self.plan.registers[op])
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class WriteLaunchedWarps(RewritePattern):
    """Sets the attribute of a kernel with the number of launched warps."""

    plan: UnitPlan

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        if self.plan.launched_warps is not None:
            op.attributes[WARPS_KEY] = IntegerAttr(self.plan.launched_warps, i32)
            rewriter.notify_op_modified(op)


def execute(plan: UnitPlan) -> None:
    """Sets the attributes that a plan determines."""
    DispatchWalker(
        {AgentSwitchOp: WriteUnits(plan), nv_tileaa.FuncOp: WriteLaunchedWarps(plan)}
    ).rewrite(plan.function)


def _report(plan: UnitPlan, report: Report) -> None:
    for switch, mapping in plan.units.items():
        dealt = plan.registers.get(switch)
        report.add(
            plan.function.sym_name.data,
            warps=mapping.num_warps,
            first_warps=mapping.warp_id,
            holes=mapping.total - sum(mapping.num_warps),
            registers=switch.agent_registers if dealt is None else dealt,
        )


@dataclass(frozen=True)
class OptimizeExecutionUnitMappingPass(FunctionPass):
    """Assigns the warps and registers of thread blocks to agents."""

    name = "optimize-execution-unit-mapping"

    explain: str | None = None
    """The text or `.json` file for a report of the agents."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        report = Report(self.name)
        target = target_or_default(module)
        mappings = UnitMappings.of(module)
        for function in functions_in(scopes):
            plan = plan_units(function, mappings, target)
            _report(plan, report)
            execute(plan)
        if self.explain is not None:
            write_report(report, self.explain)
