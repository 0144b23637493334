"""Which parts of a tile the iterations of a slice name."""

from collections.abc import Callable

import pytest
from xdsl.dialects import scf

from tests.unit.transforms.tileas_slicing.random_loops import TILE, VIEW, kernel
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_slicing.operands import tiled_operands
from tileir_xdsl.transforms.tileas_slicing.partition import Range

COORDINATES: dict[str, tuple[str, Callable[[int], int]]] = {
    "itself": ("%j = arith.addi %i, %c0 : i32", lambda i: i),
    "sum": ("%j = arith.addi %i, %c5 : i32", lambda i: i + 5),
    "difference": ("%j = arith.subi %i, %c3 : i32", lambda i: i - 3),
    "negative": ("%j = arith.subi %c7, %i : i32", lambda i: 7 - i),
    "multiple": ("%j = arith.muli %i, %m2 : i32", lambda i: -2 * i),
    "shifted": (
        "%s1 = arith.shli %i, %c2 : i32\n%j = arith.addi %s1, %m1 : i32",
        lambda i: 4 * i - 1,
    ),
    "multiple of a sum": (
        "%s1 = arith.addi %i, %c1 : i32\n%j = arith.muli %s1, %c6 : i32",
        lambda i: 6 * (i + 1),
    ),
    "sum of multiples": (
        "%s1 = arith.muli %i, %c2 : i32\n%s2 = arith.subi %c4, %i : i32\n"
        "%j = arith.addi %s1, %s2 : i32",
        lambda i: i + 4,
    ),
}
"""How a coordinate is computed of the induction variable."""


@pytest.mark.parametrize("name", COORDINATES)
def test_the_interval_of_a_slice(name: str):
    text, coordinate = COORDINATES[name]
    module = tools.parse(
        kernel(f"""
    scf.for %i = %c0 to %c4 step %c1 : i32 {{
      {text}
      %x = nv_tileas.tiled_load weak %in[%c0, %j] : {VIEW}[i32, i32] -> {TILE}
    }}
    """)
    )
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    (operand,) = tiled_operands(loop)
    (divided,) = operand.divided
    assert divided.dimension == 1
    assert divided.offset == coordinate(0)
    assert divided.scale == coordinate(1) - coordinate(0)
    for part in (Range(0, 4, 1), Range(1, 8, 2), Range(3, 4, 5)):
        named = [coordinate(i) for i in range(part.lower, part.upper, part.step)]
        assert divided.interval(part) == (min(named), max(named))
