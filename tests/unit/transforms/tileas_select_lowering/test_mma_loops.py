"""Loops of MMAs in tensor memory: by one thread or by all, they accumulate the same."""

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tests.unit.road import zoo
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import DIVISIBLE
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass

from .forcing import forcing, selections

KERNELS = ("matmul_f16_warpgroup", "matmul_tf32_warpgroup")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("strategy", [Strategy.ONE_THREAD, Strategy.ALL_THREADS])
def test_values(strategy: Strategy, name: str):
    forced = list[Operation]()
    prepare = forcing(strategy, forced)

    def before(step: ModulePass, module: ModuleOp) -> None:
        if isinstance(step, TileASSelectLoweringPass):
            prepare(module)

    case = DIVISIBLE[name]
    lowered = zoo.lower(tools.parse(case.text_path.read_text()), "sm_100a", before)
    zoo.run(case, lowered, case.typical, case.grid(case.typical), late=True, races=True)
    # Operands in tf32 are converted in the loop, which takes all threads.
    assert bool(forced) == (strategy is Strategy.ALL_THREADS or name == KERNELS[0])


def test_what_one_thread_cannot_execute():
    module, context = tools.parse(DIVISIBLE[KERNELS[1]].text_path.read_text()), tools.context()
    pruned = dict[str, str]()
    for module_pass in zoo.steps("sm_100a"):
        if isinstance(module_pass.module_pass, TileASSelectLoweringPass):
            for selection in selections(module):
                if Strategy.ALL_THREADS in selection.costs:
                    pruned |= selection.pruned
        module_pass.module_pass.apply(context, module)
    assert "one thread cannot execute" in pruned[Strategy.ONE_THREAD]
