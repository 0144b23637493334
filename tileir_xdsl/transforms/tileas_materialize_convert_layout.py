"""`tileas-materialize-convert-layout`: chooses how each layout conversion moves elements.

    %b = nv_tileas.convert_layout %a : T<#x> -> T<#y>
    // becomes
    %b = nv_tileas.convert_layout %a {atom_plan = #nv_tileas.atom_plan<shuffle>} : T<#x> -> T<#y>

For a tile in registers, the planner (`layout/conversion.py`) lists possible strategies: moves in a
thread, shuffles in a warp, or a shared-memory round trip. An attribute of the op names the
cheapest, and the lowering follows it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileaa.constraints import moved_bits
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas import ConvertLayoutOp
from tileir_xdsl.dialects.nv_tileas.attributes import AtomPlan, AtomPlanAttr
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.layout.conversion import (
    DEFAULT_MAX_SHUFFLES,
    conversion_plans,
    plan_cost,
    strategy_of,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.rewriting import DispatchWalker
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.transforms.function_pass import FunctionPass
from tileir_xdsl.walking import ops_in

NO_PLAN = "failed to query target spec for convert_layout"


@dataclass(frozen=True)
class ConversionChoice:
    """The possible strategies of one conversion, the cheapest first, and their costs."""

    costs: tuple[tuple[AtomPlan, int], ...]

    @property
    def plan(self) -> AtomPlan:
        """The cheapest one."""
        return self.costs[0][0]


ConversionPlan = Mapping[ConvertLayoutOp, ConversionChoice]
"""The chosen strategy of each conversion."""


def plan_conversions(
    scopes: Iterable[Operation], target: Target, max_shuffles: int = DEFAULT_MAX_SHUFFLES
) -> ConversionPlan:
    """The choice for each conversion between register layouts that has no plan yet.

    Raises `PassFailedException` if no strategy is possible for a conversion.
    """
    plan: dict[ConvertLayoutOp, ConversionChoice] = {}
    for op in (inner for scope in scopes for inner in ops_in(scope)):
        if not isinstance(op, ConvertLayoutOp):
            continue
        held, wanted = tile_layout(op.source.type), tile_layout(op.result.type)
        # Buffers have accesses of their own, and a plan that is given stays.
        if held is not None and wanted is not None and op.atom_plan is None:
            plan[op] = _choice(op, held, wanted, target, max_shuffles)
    return plan


def _choice(
    op: ConvertLayoutOp, held: LinearLayout, wanted: LinearLayout, target: Target, max_shuffles: int
) -> ConversionChoice:
    bits = moved_bits(tile_shape(op.source.type).element)
    stmatrix = Feature.STMATRIX in target.features
    try:
        plans = conversion_plans(held, wanted, bits, stmatrix=stmatrix, max_shuffles=max_shuffles)
    # Layouts that no plan can be computed for fail the same way as those without a plan.
    except LayoutError:
        plans = ()
    if not plans:
        fail(op, NO_PLAN)
    return ConversionChoice(
        tuple((AtomPlan[strategy_of(plan).name], plan_cost(plan, held)) for plan in plans)
    )


@dataclass(frozen=True)
class WriteAtomPlan(RewritePattern):
    """Sets the attribute of a conversion that names its strategy."""

    plan: ConversionPlan

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConvertLayoutOp, rewriter: PatternRewriter) -> None:
        if (choice := self.plan.get(op)) is not None:
            op.atom_plan = AtomPlanAttr(choice.plan)
            rewriter.notify_op_modified(op)


def _report(plan: ConversionPlan, report: Report) -> None:
    for op, choice in plan.items():
        tile = tile_shape(op.source.type)
        report.add(
            scope_name(scope_of(op)),
            tile="x".join(map(str, (*tile.shape, tile.element))),
            plan=choice.plan.value,
            costs={plan.value: cost for plan, cost in choice.costs},
        )


@dataclass(frozen=True)
class TileASMaterializeConvertLayoutPass(FunctionPass):
    """Plans the conversions between register layouts."""

    name = "tileas-materialize-convert-layout"

    reg2reg_vec_size: int = DEFAULT_MAX_SHUFFLES
    """The most shuffles that a thread executes in one conversion."""
    explain: str | None = None
    """The text or `.json` file for a report of the plans."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        if self.reg2reg_vec_size < 0:
            raise PassFailedException(
                f"reg2reg-vec-size must not be negative, but got {self.reg2reg_vec_size}"
            )
        plan = plan_conversions(scopes, target_or_default(module), self.reg2reg_vec_size)
        walker = DispatchWalker({ConvertLayoutOp: WriteAtomPlan(plan)})
        for scope in scopes:
            walker.rewrite(scope)
        if self.explain is not None:
            report = Report(self.name)
            _report(plan, report)
            write_report(report, self.explain)
