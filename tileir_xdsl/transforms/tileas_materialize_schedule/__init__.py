"""`tileas-materialize-schedule`: assigns the parts of a function with pipelines to agents.

Two agents, if one warp can issue all loads as bulk copies (`warp-specialize`):

    scf.for .. iter_args(%acc, %in, %out) {        agent_switch {
      produce_one_async %p, %in {..}                 scf.for .. iter_args(%acc, %out) {
      %w = consumer_wait %c, %out                      %w = consumer_wait %c, %out
      ..                                      ->       ..
    }                                                }
    store ..                                         store ..
                                                   }, {
                                                     scf.for .. iter_args(%in) {
                                                       produce_one_async %p, %in {..}
                                                     }
                                                   }

Loops of the computing agent are then expanded by their schedule, so that MMAs overlap other ops
(`expansion.py`).

If a loop has `nv_tile.aws.ping_pong`, the warpgroups of the computing agent issue their MMAs in
ping-pong (`ping_pong.py`).

Otherwise one agent loads and computes, and `tileas-unspecialized-pipeline` issues loads ahead of
time. One agent also does both if tiles need the registers of a loading warp (`register_need.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.scheduling.ping_pong import PING_PONG_KEY
from tileir_xdsl.diagnostics import MMA_SCHEDULE_NOT_HAD, STRATEGY_NOT_HAD, remark
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.resource_attributes import STRATEGY_ATTRIBUTE, asked_string
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.transforms.function_pass import FunctionPass, functions_in
from tileir_xdsl.walking import ops_in

from .agents import AgentPlan, plan_agents, split_agents
from .expansion import ExpandLoop
from .ping_pong import AlternateAgents
from .program_ids import insert_own_answers
from .register_need import registers_missed

__all__ = ["STRATEGIES", "TileASMaterializeSchedulePass"]

NO_PING_PONG = (
    "no agent of several warpgroups issues dots, or all of them meet for an operand that threads "
    "store"
)

NONE, UNSPECIALIZE, WARP_SPECIALIZE = STRATEGIES = ("none", "unspecialize", "warp-specialize")


@dataclass(frozen=True)
class Request:
    """The target, and the options that request agents."""

    target: Target
    strategy: str | None
    ping_pong: bool | None

    def is_of(self, function: nv_tileaa.FuncOp) -> bool:
        """Whether agents are requested for a function."""
        strategy = asked_string(function, STRATEGY_ATTRIBUTE) or self.strategy or WARP_SPECIALIZE
        return strategy == WARP_SPECIALIZE and function.kernel_spec is not None


def specialize(function: nv_tileaa.FuncOp, request: Request) -> AgentPlan | str:
    """Splits a kernel into agents if possible; returns the plan, or the reason why not."""
    # Without it the loading warp keeps as many registers as the computing ones have.
    if Feature.SETMAXNREG not in request.target.features:
        return f"warps of {request.target.name} cannot hand registers to others"
    # A kernel that asks for agents gets them, even if registers spill.
    if (asked_string(function, STRATEGY_ATTRIBUTE) or request.strategy) is None:
        missed = registers_missed(function, request.target)
        if missed is not None:
            return missed
    own = insert_own_answers(function)
    plan = plan_agents(function, own)
    if isinstance(plan, str):
        own.erase(function)
        return plan
    is_ping_pong = _take_ping_pong(function)
    switch = split_agents(function, plan)
    # Inner loops first: an expanded outer loop contains copies of them.
    DispatchWalker({scf.ForOp: ExpandLoop()}, walk_regions_first=True, walk_reverse=True).rewrite(
        switch
    )
    if is_ping_pong if request.ping_pong is None else request.ping_pong:
        DispatchWalker({nv_tileas.AgentSwitchOp: AlternateAgents()}).rewrite(switch)
        if not any(isinstance(op, nv_tileas.CreateMutexOp) for op in function.body.block.ops):
            message = f"kernel '{function.sym_name.data}' has no ping-pong: {NO_PING_PONG}"
            remark(function, MMA_SCHEDULE_NOT_HAD, message)
    return plan


def _take_ping_pong(function: nv_tileaa.FuncOp) -> bool:
    """Whether the schedule of any loop requests ping-pong; removes the attribute."""
    loops = [op for op in ops_in(function) if PING_PONG_KEY in op.attributes]
    for loop in loops:
        del loop.attributes[PING_PONG_KEY]
    return bool(loops)


@dataclass(frozen=True)
class TileASMaterializeSchedulePass(FunctionPass):
    """Creates the agents of functions with pipelines."""

    name = "tileas-materialize-schedule"
    # A kernel without pipelines has a remark where agents were asked for.

    pipeline_strategy: str | None = None
    """`none`, `unspecialize` or `warp-specialize`; by default the last, if it is possible."""
    ping_pong: bool | None = None
    """Whether the warpgroups of an agent issue their MMAs in ping-pong; by default the schedule
    decides.
    """
    explain: str | None = None
    """The text or `.json` file for a report of the agents."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        if self.pipeline_strategy not in (None, *STRATEGIES):
            raise PassFailedException(
                f"pipeline-strategy must be one of {', '.join(STRATEGIES)}, "
                f"but got {self.pipeline_strategy}"
            )
        report = Report(self.name)
        if self.pipeline_strategy != NONE:
            target = target_or_default(module)
            request = Request(target, self.pipeline_strategy, self.ping_pong)
            for function in functions_in(scopes):
                name = function.sym_name.data
                plan = specialize(function, request) if request.is_of(function) else None
                if isinstance(plan, str) and request.strategy is not None:
                    message = f"kernel '{name}' is not warp-specialized: {plan}"
                    remark(function, STRATEGY_NOT_HAD, message)
                why = {"why": plan} if isinstance(plan, str) else {}
                report.add(name, agents=2 if isinstance(plan, AgentPlan) else 1, **why)
        if self.explain is not None:
            write_report(report, self.explain)
