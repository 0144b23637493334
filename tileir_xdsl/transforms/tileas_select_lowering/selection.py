"""The plan of the strategies for the ops of a function, and the pattern that sets their
attributes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from xdsl.dialects import arith, scf
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from tileir_xdsl.analysis.allocation.scratch_uses import may_use_scratch
from tileir_xdsl.analysis.layouts.groups import is_kind
from tileir_xdsl.analysis.mma.tensor_memory_mmas import tensor_memory_mmas
from tileir_xdsl.analysis.threads.agent_warps import function_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.async_pipeline import ProduceOp
from tileir_xdsl.dialects.nv_tileas.interfaces import ThreadMovesOpInterface
from tileir_xdsl.dialects.nv_tileas.strategies import (
    ACCESSES,
    EXCHANGES,
    ISSUER,
    REGIONS,
    STRATEGY,
    Strategy,
)
from tileir_xdsl.explain import OperationLabels, Report
from tileir_xdsl.rewriting import DispatchWalker, look_up
from tileir_xdsl.targets import Target
from tileir_xdsl.walking import ops_around, ops_in

from . import float_arithmetic, float_division, functions, integer_division, mma_loops, regions
from .buffer_accesses import NAMES as KINDS_OF_ACCESS
from .buffer_accesses import AccessSelection
from .exchanges import ExchangeSelection
from .issuers import ISSUERS, ISSUING, IssuingFunction, issuer_selection
from .regions import SEPARATOR, RegionSelection
from .strategies import Family, StrategySelection

FAMILIES: Mapping[type[Operation], Family[Any]] = {
    **dict.fromkeys(integer_division.DIVISIONS, integer_division.FAMILY),
    **dict.fromkeys(float_arithmetic.ARITHMETIC, float_arithmetic.FAMILY),
    **dict.fromkeys((arith.DivfOp, nv_tileaa.DivFOp), float_division.FAMILY),
    **dict.fromkeys(functions.FUNCTIONS, functions.FAMILY),
    nv_tileaa.FPowIOp: functions.POWERS,
    ProduceOp: regions.PRODUCERS,
    scf.ForOp: mma_loops.FAMILY,
}
"""The family of strategies for each op type."""

KINDS = (*FAMILIES, ThreadMovesOpInterface, *ISSUING, nv_tileaa.AgentLikeOpInterface)
"""The ops that have strategies, except those that may exchange elements through scratch memory."""


def has_strategies(op: Operation) -> bool:
    """Whether ops of this kind have strategies."""
    return is_kind(type(op), KINDS) or may_use_scratch(op)


def refuse(op: Operation) -> NoReturn:
    """Raises `PassFailedException` for a forced strategy of an op without strategies."""
    others = OperationLabels(function_of(op)).expected(has_strategies)
    fail(op, f"'{op.name}' op has no strategies to choose from, {others}")


Selection = StrategySelection | ExchangeSelection | RegionSelection | AccessSelection

LoweringPlan = Mapping[Operation, tuple[Selection, ...]]
"""The strategies of the ops of a function, in program order."""

DECISIONS = (STRATEGY, EXCHANGES, REGIONS, ISSUER, ACCESSES)
"""The attributes that only ops with strategies have."""


@dataclass
class Selector:
    """Selects the strategies of ops one by one, in program order."""

    target: Target
    forced: Mapping[Operation, str]
    extensions: Collection[str] = ()
    """The extensions whose strategies are further candidates."""
    of_one_thread: set[Region] = field(default_factory=set[Region])
    """The regions of visited ops that one thread executes."""
    around_mmas: frozenset[Operation] = frozenset()
    """Ops that contain `tcgen05` MMAs; other loops have no strategies."""
    functions: dict[Operation, IssuingFunction] = field(
        default_factory=dict[Operation, IssuingFunction]
    )

    def select(self, op: Operation) -> tuple[Selection, ...]:
        """The strategies of an op.

        Raises `PassFailedException` for an impossible strategy.
        """
        is_alone = op.parent_region() in self.of_one_thread
        # Most ops: nothing to choose, and no region.
        if not has_strategies(op) and op not in self.forced and not op.attributes:
            self.of_one_thread.update(op.regions if is_alone else ())
            return ()
        strategy, accesses, issuer = _names(self.forced.get(op))
        found = list(self._strategies(op, strategy))
        if isinstance(op, ThreadMovesOpInterface):
            accessed = AccessSelection.of(op, self.target, accesses)
            found += [] if accessed is None else [accessed]
        executed = _executed(found)
        for region, by in zip(op.regions, executed or (None,) * len(op.regions), strict=True):
            if is_alone or by is Strategy.ONE_THREAD:
                self.of_one_thread.add(region)
        # The one table of an op refuses a name that is not an issuer.
        name = issuer if found else self.forced.get(op)
        if look_up(ISSUING, op) or executed:
            function = self._function(op)
            issued = issuer_selection(op, executed, function, name, is_alone=is_alone)
            found += [] if issued is None else [issued]
            name = None if issued is not None else name
        unknown = name is not None or not found
        if unknown and (op in self.forced or any(each in op.attributes for each in DECISIONS)):
            refuse(op)
        return tuple(found)

    def _strategies(self, op: Operation, forced: str | None) -> Iterator[Selection]:
        """The strategies for computing an op, or for executing its regions."""
        selection: Selection | None = None
        if isinstance(op, scf.ForOp) and op not in self.around_mmas:
            return
        if (family := look_up(FAMILIES, op)) is not None:
            if self.extensions:
                family = family.extended(op, self.target, self.extensions)
            selection = StrategySelection.of(op, family, self.target, forced)
        elif isinstance(op, nv_tileaa.AgentLikeOpInterface):
            selection = RegionSelection.of(op, forced)
        elif may_use_scratch(op):
            selection = ExchangeSelection.of(op, self.target, forced)
        if selection is not None:
            yield selection

    def _function(self, op: Operation) -> IssuingFunction:
        function = function_of(op)
        if function not in self.functions:
            self.functions[function] = IssuingFunction(function, self.target)
        return self.functions[function]


def _names(forced: str | None) -> tuple[str | None, str | None, str | None]:
    """Splits forced names into strategies, kinds of accesses, and the issuer."""
    names = [] if forced is None else forced.split(SEPARATOR)
    accesses = [name for name in names if name in KINDS_OF_ACCESS]
    issuers = [name for name in names if name in ISSUERS]
    others = [name for name in names if name not in ISSUERS | KINDS_OF_ACCESS]
    strategies, kinds, issuer = map(SEPARATOR.join, (others, accesses, issuers))
    return strategies or None, kinds or None, issuer or None


def _executed(selections: Sequence[Selection]) -> tuple[Strategy, ...]:
    """The chosen strategies for executing the regions of an op; empty if there is no choice."""
    for selection in selections:
        if isinstance(selection, RegionSelection):
            return selection.chosen
        if isinstance(selection, StrategySelection) and selection.chosen in EXECUTIONS:
            return (Strategy(selection.chosen),)
    return ()


EXECUTIONS = (Strategy.ALL_THREADS, Strategy.ONE_THREAD)
"""The strategies for executing regions."""


def select_lowering(
    function: Operation,
    target: Target,
    forced: Mapping[Operation, str],
    extensions: Collection[str] = (),
) -> LoweringPlan:
    """The strategies of the ops of a function: forced ones, those in attributes, or the cheapest.

    Raises `PassFailedException` for an impossible strategy.
    """
    ops = ops_in(function)
    around_mmas = frozenset(ops_around(tensor_memory_mmas(ops)))
    selector = Selector(target, forced, extensions, around_mmas=around_mmas)
    found = ((op, selector.select(op)) for op in ops)
    return {op: selections for op, selections in found if selections}


@dataclass(frozen=True)
class WriteStrategies(RewritePattern):
    """Sets the attributes of an op with its strategies in a plan."""

    plan: LoweringPlan

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        for selection in self.plan.get(op, ()):
            selection.write()
            rewriter.notify_op_modified(op)

    def execute(self, scope: Operation) -> None:
        """Sets the attributes of all ops in a scope."""
        DispatchWalker(dict.fromkeys(map(type, self.plan), self)).rewrite(scope)


def report_lowering(
    plan: LoweringPlan, report: Report, function: str, labels: OperationLabels
) -> None:
    """Adds the selected strategies of every op to a report."""
    for op, selections in plan.items():
        for selection in selections:
            report.add(function, op=labels.label(op), **selection.facts_of_report())
