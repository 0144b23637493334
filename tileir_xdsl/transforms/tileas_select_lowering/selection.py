"""The strategies of the ops of a function, as a plan, and the pattern that writes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, scf
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.analysis.buffers.scratch_requests import SCRATCH_USES
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.strategies import EXCHANGES, STRATEGY
from tileir_xdsl.explain import OperationLabels, Report
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Target

from . import float_division, functions, integer_division, mma_loops
from .exchanges import ExchangeSelection
from .strategies import Family, StrategySelection

FAMILIES: Mapping[type[Operation], Family[Any]] = {
    **dict.fromkeys(integer_division.DIVISIONS, integer_division.FAMILY),
    **dict.fromkeys((arith.DivfOp, nv_tileaa.DivFOp), float_division.FAMILY),
    **dict.fromkeys(functions.FUNCTIONS, functions.FAMILY),
    nv_tileaa.FPowIOp: functions.POWERS,
    scf.ForOp: mma_loops.FAMILY,
}
"""The strategies of each op that is computed by one of several."""

OPS = (*FAMILIES, *SCRATCH_USES)
"""The ops that have strategies."""

Selection = StrategySelection | ExchangeSelection


LoweringPlan = Mapping[Operation, Selection]
"""The strategies of the ops of a function, in the order of the program."""


def select_lowering(
    function: Operation, target: Target, forced: Mapping[Operation, str]
) -> LoweringPlan:
    """The strategies of the ops of a function: what is forced or written on them, or the cheapest.

    Raises `PassFailedException` for a strategy that an op cannot have.
    """
    plan: dict[Operation, Selection] = {}
    for op in function.walk():
        name, selection = forced.get(op), None
        if (family := FAMILIES.get(type(op))) is not None:
            selection = StrategySelection.of(op, family, target, name)
        elif type(op) in SCRATCH_USES:
            selection = ExchangeSelection.of(op, target, name)
        if selection is not None:
            plan[op] = selection
        elif name is not None or STRATEGY in op.attributes or EXCHANGES in op.attributes:
            fail(op, f"'{op.name}' op has no strategies to choose from")
    return plan


@dataclass(frozen=True)
class WriteStrategies(RewritePattern):
    """Writes on an op the strategies that a plan has for it."""

    plan: LoweringPlan

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if (selection := self.plan.get(op)) is not None:
            selection.write()
            rewriter.notify_op_modified(op)

    def carry_out(self, scope: Operation) -> None:
        """Writes what the plan has for ops of a scope."""
        DispatchWalker(dict.fromkeys(map(type, self.plan), self)).rewrite(scope)


def report_lowering(
    plan: LoweringPlan, report: Report, function: str, labels: OperationLabels
) -> None:
    """Adds what was selected for every op."""
    for op, selection in plan.items():
        report.add(function, op=labels.label(op), **selection.facts_of_report())
