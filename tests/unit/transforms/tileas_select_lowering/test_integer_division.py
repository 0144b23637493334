"""Every strategy that a division can have gives the same quotients."""

import pytest
from xdsl.ir import Operation

from tests.unit.transforms.convert_tileas_to_llvm.arithmetic.test_integer_division import operations
from tests.unit.transforms.convert_tileas_to_llvm.elementwise import compare, kernel
from tileir_xdsl.dialects.nv_tileas.strategies import Strategy

from .forcing import forcing, lowered

DIVISIONS = {
    Strategy.SHIFT: ("shr", "and.b32"),
    Strategy.RECIPROCAL: ("mul.hi",),
    Strategy.INSTRUCTION: ("div.", "rem."),
}
"""What the strategies show themselves by in PTX."""


@pytest.mark.one_in(5)
@pytest.mark.parametrize("element", ["i8", "i32", "i64"])
@pytest.mark.parametrize("strategy", DIVISIONS)
def test_values(strategy: Strategy, element: str):
    ops, forced = operations(element), list[Operation]()
    ptx = lowered(kernel(ops), "sm_90a", forcing(strategy, forced))
    assert forced
    assert any(name in ptx for name in DIVISIONS[strategy])
    for comparison in compare(ops, "sm_90a", ptx):
        differs = comparison.differs()
        assert not differs.any(), comparison.example(differs)
