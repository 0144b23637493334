"""`tileas-materialize-schedule`: assigns the parts of a function with pipelines to agents.

Two agents, where one warp can issue all loads as bulk copies (`warp-specialize`):

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

Loops of the computing agent are then expanded as their schedule asks, so that MMAs overlap other
ops (`expansion.py`).

Otherwise one agent does both, and `tileas-unspecialized-pipeline` issues loads ahead of time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.diagnostics import STRATEGY_NOT_HAD, remark
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.resource_attributes import STRATEGY_ATTRIBUTE, asked_string
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.transforms.function_pass import FunctionPass, names_of

from .agents import AgentPlan, plan_agents, split_agents
from .expansion import expand_loop
from .ping_pong import alternate_agents
from .program_ids import insert_own_answers

__all__ = ["STRATEGIES", "TileASMaterializeSchedulePass"]

NONE, UNSPECIALIZE, WARP_SPECIALIZE = STRATEGIES = ("none", "unspecialize", "warp-specialize")


@dataclass
class MaterializeSchedule(RewritePattern):
    """Splits each kernel into agents where that is legal and requested."""

    target: Target
    strategy: str | None
    ping_pong: bool
    report: Report

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> None:
        plan = None
        strategy = asked_string(op, STRATEGY_ATTRIBUTE) or self.strategy or WARP_SPECIALIZE
        if strategy == WARP_SPECIALIZE and op.kernel_spec is not None:
            plan = self._plan(op, rewriter)
            if isinstance(plan, str):
                if self.strategy is not None:
                    message = f"kernel '{op.sym_name.data}' is not warp-specialized: {plan}"
                    remark(op, STRATEGY_NOT_HAD, message)
            else:
                switch = split_agents(op, plan, rewriter)
                loops = [inner for inner in switch.walk() if isinstance(inner, scf.ForOp)]
                # Inner loops first: an expanded outer loop contains copies of them.
                for loop in reversed(loops):
                    expand_loop(loop, rewriter)
                if self.ping_pong:
                    alternate_agents(switch, rewriter)
        self.report.add(op.sym_name.data, agents=2 if isinstance(plan, AgentPlan) else 1)

    def _plan(self, function: nv_tileaa.FuncOp, rewriter: PatternRewriter) -> AgentPlan | str:
        # Without it the loading warp keeps as many registers as the computing ones have.
        if Feature.SETMAXNREG not in self.target.features:
            return f"warps of {self.target.name} cannot hand registers to others"
        own = insert_own_answers(function, rewriter)
        plan = plan_agents(function, own)
        if isinstance(plan, str):
            own.erase(rewriter)
        return plan


@dataclass(frozen=True)
class TileASMaterializeSchedulePass(FunctionPass):
    """Creates the agents of functions with pipelines."""

    name = "tileas-materialize-schedule"
    # A kernel without pipelines has a remark where agents were asked for.
    op_names = names_of(nv_tileaa.FuncOp)

    pipeline_strategy: str | None = None
    """`none`, `unspecialize` or `warp-specialize`; left out, the last, where it is possible."""
    ping_pong: bool = False
    """Whether the warpgroups of an agent issue their MMAs in turns."""
    explain: str | None = None
    """The file for a report of the agents: JSON if its name ends in `.json`, else text."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        if self.pipeline_strategy not in (None, *STRATEGIES):
            raise PassFailedException(
                f"pipeline-strategy must be one of {', '.join(STRATEGIES)}, "
                f"but got {self.pipeline_strategy}"
            )
        report = Report(self.name)
        if self.pipeline_strategy != NONE:
            target = target_or_default(module)
            pattern = MaterializeSchedule(target, self.pipeline_strategy, self.ping_pong, report)
            walker = DispatchWalker({nv_tileaa.FuncOp: pattern})
            for scope in scopes:
                walker.rewrite(scope)
        if self.explain is not None:
            write_report(report, self.explain)
