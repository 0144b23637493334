"""The exchanges of an op, which move tiles between layouts by registers, shuffles or staging.

A layout conversion is an exchange. Reductions, scans and re-indexing ops have exchanges if their
operands or results are in other layouts than the op requires inside. The planner of conversions
lists the strategies and their costs (`layout/conversion.py`). Shuffles that combine the lanes of a
reduction are not exchanges.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from tileir_xdsl.analysis.allocation.scratch_requests import plan_of, refuse_number
from tileir_xdsl.analysis.allocation.scratch_uses import Exchange, stated_uses
from tileir_xdsl.analysis.layouts.exchanges import combined_lanes, commutes, folding_layout
from tileir_xdsl.analysis.layouts.tile_layouts import layout_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.cute_nvgpu import ReduceAtomAttr
from tileir_xdsl.dialects.nv_tileaa.collectives import ReductionOp
from tileir_xdsl.dialects.nv_tileaa.constraints import moved_bits
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas import ConvertLayoutOp, ShuffleOp
from tileir_xdsl.dialects.nv_tileas.attributes import AtomPlan, AtomPlanAttr
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.nv_tileas.strategies import EXCHANGES, exchanges_of
from tileir_xdsl.explain import ReportValue
from tileir_xdsl.layout.conversion import (
    conversion_plans,
    plan_conversion,
    plan_cost,
    strategy_of,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.shuffles import ShufflePlan
from tileir_xdsl.rewriting import replace_op
from tileir_xdsl.targets import Feature, Target

SEPARATOR = "/"
"""Separates the strategies of several exchanges of one op in `force`."""


@dataclass(frozen=True)
class ExchangeSelection:
    """The exchanges of an op, and the strategy of each."""

    op: Operation
    exchanges: tuple[Exchange, ...]
    target: Target
    given: tuple[AtomPlan, ...] | None

    @staticmethod
    def of(op: Operation, target: Target, forced: str | None) -> "ExchangeSelection | None":
        """The forced strategies, otherwise those in the op's attribute, otherwise the cheapest.

        None for an op without exchanges between different layouts. Raises `PassFailedException` if
        a given strategy is impossible.
        """
        exchanges = tuple(_exchanges(op))
        given = _given(op) if forced is None else _named(op, forced)
        # Copies between registers and a buffer have the layout of the buffer for a plan.
        if not exchanges and (given is None or isinstance(op, ConvertLayoutOp)):
            return None
        selection = ExchangeSelection(op, exchanges, target, given)
        if given is not None:
            selection.check(given)
        return selection

    def check(self, given: tuple[AtomPlan, ...]) -> None:
        """Raises `PassFailedException` if the given strategies are impossible for the op."""
        if len(given) != len(self.exchanges):
            refuse_number(self.op, len(given))
        for exchange, plan in zip(self.exchanges, given, strict=True):
            self._plan_of(replace(exchange, strategy=plan.strategy))

    def _plan_of(self, exchange: Exchange) -> AtomPlan:
        try:
            return AtomPlan[strategy_of(plan_of(exchange, self.target)).name]
        except LayoutError as error:
            fail(self.op, f"'{self.op.name}' op {error}")

    @cached_property
    def chosen(self) -> tuple[AtomPlan, ...]:
        """The chosen strategies."""
        if self.given is not None:
            return self.given
        cheapest = (replace(exchange, strategy=None) for exchange in self.exchanges)
        return tuple(map(self._plan_of, cheapest))

    def write(self) -> None:
        """Sets the attribute of the op with the chosen strategies."""
        plans = [AtomPlanAttr(plan) for plan in self.chosen]
        if isinstance(self.op, ConvertLayoutOp):
            (self.op.atom_plan,) = plans
        else:
            self.op.attributes[EXCHANGES] = ArrayAttr(plans)

    def facts_of_report(self) -> Mapping[str, ReportValue]:
        """The facts of the report."""
        return {
            "strategy": SEPARATOR.join(plan.value for plan in self.chosen),
            "exchanges": [
                self._considered(exchange, plan)
                for exchange, plan in zip(self.exchanges, self.chosen, strict=True)
            ],
        }

    def _considered(self, exchange: Exchange, chosen: AtomPlan) -> Mapping[str, ReportValue]:
        """The costs of all strategies of an exchange."""
        given = (exchange.source, exchange.target, exchange.element_bits)
        stmatrix = Feature.STMATRIX in self.target.features
        plans = conversion_plans(*given, stmatrix=stmatrix, max_shuffles=ALL_SHUFFLES)
        costs = {strategy_of(plan).value: plan_cost(plan, exchange.source) for plan in plans}
        pruned = {plan.value: NO_WAY[plan] for plan in AtomPlan if plan.value not in costs}
        return {
            "from": str(exchange.source.to_cute()),
            "to": str(exchange.target.to_cute()),
            "strategy": chosen.value,
            "costs": costs,
            "pruned": pruned,
        }


ALL_SHUFFLES = 1 << 30
"""No limit on shuffles, so that a report lists the costs of all strategies."""

NO_WAY: Mapping[AtomPlan, str] = {
    AtomPlan.REGISTERS: "elements change threads",
    AtomPlan.SHUFFLE: "elements change warps, or no sequence of shuffles moves them",
}
"""The reason why a strategy is impossible between two layouts; staging is always possible."""


def _exchanges(op: Operation) -> Iterator[Exchange]:
    """The exchanges of an op that have strategies."""
    for use in stated_uses(op):
        # Where nothing has to move, a given strategy is executed all the same.
        if isinstance(use, Exchange) and (use.strategy is not None or use.source != use.target):
            yield use


def _given(op: Operation) -> tuple[AtomPlan, ...] | None:
    if isinstance(op, ConvertLayoutOp):
        return None if op.atom_plan is None else (op.atom_plan.data,)
    return exchanges_of(op)


def _named(op: Operation, names: str) -> tuple[AtomPlan, ...]:
    known = [plan.value for plan in AtomPlan]
    for name in names.split(SEPARATOR):
        if name not in known:
            known_names = ", ".join(known)
            fail(op, f"'{op.name}' op has no strategy '{name}', expected one of {known_names}")
    return tuple(map(AtomPlan, names.split(SEPARATOR)))


class ShuffleInWarps(RewritePattern):
    """Replaces a layout conversion within warps by `nv_tileas.shuffle`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvertLayoutOp, rewriter: PatternRewriter) -> None:
        if op.atom_plan is None or op.atom_plan.data is not AtomPlan.SHUFFLE:
            return
        source, result = tile_layout(op.source.type), tile_layout(op.result.type)
        if source is None or result is None:
            return
        # One that is forced where another strategy is cheaper stays a conversion.
        plan = plan_conversion(source, result, moved_bits(tile_shape(op.source.type).element))
        if isinstance(plan, ShufflePlan):
            shuffle = ShuffleOp(op.source, op.result.type)
            shuffle.attributes.update(op.attributes)
            shuffle.attributes[EXCHANGES] = ArrayAttr([op.atom_plan])
            replace_op(rewriter, op, shuffle)


class AssignReduceAtom(RewritePattern):
    """Sets how many lanes of a warp a reduction combines, unless its attribute says so already.

    nv_tileas.reduce %x {axis = 1 : i32} : ..
    ->
    nv_tileas.reduce %x {axis = 1 : i32, reduce_atom = #cute_nvgpu.reduce_atom<32>} : ..
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ReductionOp)
        held = layout_of(op, op.inputs[0])
        if op.reduce_atom is not None or held is None:
            return
        axis = op.axis.value.data
        layout = folding_layout(held, axis, not commutes(op.body.block))
        lanes = combined_lanes(layout, axis)
        if lanes > 1:
            op.reduce_atom = ReduceAtomAttr(lanes)
            rewriter.notify_op_modified(op)
