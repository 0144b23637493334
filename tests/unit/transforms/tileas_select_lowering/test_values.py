"""Every strategy of divisions, functions and powers that an op can have keeps to the bounds."""

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from tests.unit.road import zoo
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS
from tileir_xdsl.transforms.tileas_select_lowering import TileASSelectLoweringPass

from .forcing import forcing

DIVISIONS = ("float_division_f32", "softmax_f32", "approximations")
FUNCTIONS = ("elementary_f16", "elementary_f32", "approximations", "softmax_online", "rms_norm")
POWERS = ("integer_powers_f16", "integer_powers_f32", "integer_powers_f64")

# `grouped` and `inverse` ask for divisors of which something is known: see test_float_division.py.
# `tested_inverse` is for targets slow in f64: see convert_tileas_to_llvm/arithmetic.
KERNELS_OF = {
    Strategy.APPROXIMATION: FUNCTIONS,
    Strategy.INSTRUCTION: DIVISIONS,
    Strategy.LOOP: POWERS,
    Strategy.POLYNOMIAL: FUNCTIONS,
    Strategy.PRODUCTS: POWERS,
    Strategy.SCALED_INVERSE: DIVISIONS,
    Strategy.WIDE_INVERSE: DIVISIONS,
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("strategy", KERNELS_OF)
def test_values(strategy: Strategy):
    forced = list[Operation]()
    prepare = forcing(strategy, forced)

    def before(step: ModulePass, module: ModuleOp) -> None:
        if isinstance(step, TileASSelectLoweringPass):
            prepare(module)

    for name in KERNELS_OF[strategy]:
        case = KERNELS[name]
        lowered = zoo.lower(tools.parse(case.text_path.read_text()), "sm_90a", before)
        zoo.run(case, lowered, case.typical, case.grid(case.typical), late=True, races=True)
    assert len(forced) > 1
