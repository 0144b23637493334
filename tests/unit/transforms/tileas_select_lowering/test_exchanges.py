"""Exchanges between layouts inside of ops: every strategy that they can have moves the same tiles."""

import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.passes import ModulePass

from tests.unit.road import zoo
from tileir_xdsl.analysis.allocation.scratch_uses import may_use_scratch
from tileir_xdsl.dialects.nv_tileas import ConvertLayoutOp
from tileir_xdsl.dialects.nv_tileas.attributes import AtomPlan, AtomPlanAttr
from tileir_xdsl.dialects.nv_tileas.strategies import EXCHANGES
from tileir_xdsl.dialects.target_attributes import target_or_default
from tileir_xdsl.layout.conversion import conversion_plans, strategy_of
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass
from tileir_xdsl.transforms.tileas_select_lowering.exchanges import ExchangeSelection

ALL = 1 << 30
"""More shuffles than any exchange takes."""

KERNELS_WITH_EXCHANGES = ("layer_norm", "cumulative", "cat_extract", "gather_rows", "permute_3d")


def force(module: ModuleOp, wanted: AtomPlan) -> int:
    """Writes a strategy on all exchanges that can have it; returns how many these are."""
    count = 0
    for op in list(module.walk()):
        if not may_use_scratch(op):
            continue
        selection = ExchangeSelection.of(op, target_or_default(module), None)
        if selection is None:
            continue
        plans = list[AtomPlan]()
        for exchange, chosen in zip(selection.exchanges, selection.chosen, strict=True):
            given = exchange.source, exchange.target, exchange.element_bits
            known = {strategy_of(plan) for plan in conversion_plans(*given, max_shuffles=ALL)}
            plans.append(wanted if wanted.strategy in known else chosen)
        count += plans.count(wanted)
        if isinstance(op, ConvertLayoutOp):
            op.atom_plan = AtomPlanAttr(plans[0])
        else:
            op.attributes[EXCHANGES] = ArrayAttr(map(AtomPlanAttr, plans))
    return count


@pytest.mark.parametrize("strategy", [AtomPlan.SHUFFLE, AtomPlan.SHARED_MEMORY])
def test_values(strategy: AtomPlan):
    forced = 0
    for name in KERNELS_WITH_EXCHANGES:
        case = KERNELS[name]

        def before(step: ModulePass, module: ModuleOp) -> None:
            nonlocal forced
            if isinstance(step, TileASSelectLoweringPass):
                forced += force(module, strategy)

        module = zoo.tools.parse(case.text_path.read_text())
        lowered = zoo.lower(module, "sm_90a", before)
        problem = case.typical
        zoo.run(case, lowered, problem, case.grid(problem), late=True, races=True)
    assert forced
