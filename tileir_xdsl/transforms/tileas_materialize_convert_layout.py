"""`tileas-materialize-convert-layout`: how each conversion of layouts moves its elements.

    %b = nv_tileas.convert_layout %a : T<#x> -> T<#y>
    // becomes
    %b = nv_tileas.convert_layout %a {atom_plan = #nv_tileas.atom_plan<shuffle>} : T<#x> -> T<#y>

Of a tile in registers the planner (`layout/conversion.py`) gives the ways that there are: other
registers of the same thread, shuffles inside of warps, a round trip through shared memory. The
cheapest is written on the op, and the lowering follows it. What shared memory conversions need is
known from here on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl.analysis.layouts.direct_conversion import moved_bits
from tileir_xdsl.analysis.regions.scopes import scope_name, scope_of
from tileir_xdsl.diagnostics import fail
from tileir_xdsl.dialects.nv_tileaa.types import tile_shape
from tileir_xdsl.dialects.nv_tileas import ConvertLayoutOp
from tileir_xdsl.dialects.nv_tileas.attributes import AtomPlan, AtomPlanAttr
from tileir_xdsl.dialects.nv_tileas.layout import tile_layout
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.explain import Report, write_report
from tileir_xdsl.layout.conversion import (
    DEFAULT_MAX_SHUFFLES,
    Plan,
    conversion_plans,
    plan_cost,
    strategy_of,
)
from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.targets import Feature, Target
from tileir_xdsl.transforms.function_pass import FunctionPass, names_of

NO_PLAN = "failed to query target spec for convert_layout"


@dataclass
class ConversionPlanner:
    """Asks for the plans of conversions, and writes the cheapest."""

    target: Target
    max_shuffles: int
    report: Report

    def choose(self, op: ConvertLayoutOp) -> None:
        """Writes the plan of a conversion between layouts of registers.

        Raises `PassFailedException` if there is none.
        """
        held, wanted = tile_layout(op.source.type), tile_layout(op.result.type)
        # Buffers have accesses of their own, and a plan that is given stays.
        if held is None or wanted is None or op.atom_plan is not None:
            return
        plans = self._plans(op, held, wanted)
        if not plans:
            fail(op, NO_PLAN)
        op.atom_plan = AtomPlanAttr(AtomPlan[strategy_of(plans[0]).name])
        tile = tile_shape(op.source.type)
        self.report.add(
            scope_name(scope_of(op)),
            tile="x".join(map(str, (*tile.shape, tile.element))),
            plan=op.atom_plan.data.value,
            costs={strategy_of(plan).value: plan_cost(plan, held) for plan in plans},
        )

    def _plans(
        self, op: ConvertLayoutOp, held: LinearLayout, wanted: LinearLayout
    ) -> tuple[Plan, ...]:
        bits = moved_bits(tile_shape(op.source.type).element)
        stmatrix = Feature.STMATRIX in self.target.features
        try:
            return conversion_plans(
                held, wanted, bits, stmatrix=stmatrix, max_shuffles=self.max_shuffles
            )
        except LayoutError:
            return ()


@dataclass(frozen=True)
class TileASMaterializeConvertLayoutPass(FunctionPass):
    """Plans the conversions between layouts of registers."""

    name = "tileas-materialize-convert-layout"
    op_names = names_of(ConvertLayoutOp)

    reg2reg_vec_size: int = DEFAULT_MAX_SHUFFLES
    """The most shuffles of a thread in one conversion."""
    explain: str | None = None
    """The file for a report of the plans: JSON if its name ends in `.json`, else text."""

    def apply_to(self, module: ModuleOp, scopes: Sequence[Operation]) -> None:
        if self.reg2reg_vec_size < 0:
            raise PassFailedException(
                f"reg2reg-vec-size must not be negative, but got {self.reg2reg_vec_size}"
            )
        report = Report(self.name)
        target = target_or_default(module)
        planner = ConversionPlanner(target, self.reg2reg_vec_size, report)
        for inner in (op for scope in scopes for op in scope.walk()):
            if isinstance(inner, ConvertLayoutOp):
                planner.choose(inner)
        if self.explain is not None:
            write_report(report, self.explain)
