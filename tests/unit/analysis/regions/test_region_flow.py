"""The values that structured control flow forwards."""

import pytest
from xdsl.ir import SSAValue

from tileir_xdsl.analysis.regions.region_flow import forwarded_values
from tileir_xdsl.testing import tools

IF = """
%r = scf.if %c -> (i32) { scf.yield %a : i32 } else { scf.yield %b : i32 }
"""
EMPTY_IF = "scf.if %c { scf.yield }"
FOR = """
%r = scf.for %i = %a to %b step %b iter_args(%x = %a) -> (i32) : i32 {
  %y = arith.addi %x, %i : i32
  scf.yield %y : i32
}
"""
WHILE = """
%r = scf.while (%x = %a) : (i32) -> i32 {
  %y = arith.addi %x, %b : i32
  scf.condition(%c) %y : i32
} do {
^bb0(%z: i32):
  %w = arith.muli %z, %b : i32
  scf.yield %w : i32
}
"""


def _name(value: SSAValue) -> str:
    return value.name_hint or "_"


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (IF, ["a r", "b r"]),
        (EMPTY_IF, []),
        (FOR, ["a x", "y x", "x r"]),
        (WHILE, ["a x", "w x", "y z", "y r"]),
    ],
)
def test_forwarded_values(text: str, pairs: list[str]):
    module = tools.parse(f"""
    %a = arith.constant 1 : i32
    %b = arith.constant 2 : i32
    %c = arith.constant true
    {text}
    """)
    found = [pair for op in module.walk() for pair in forwarded_values(op)]
    assert [f"{_name(source)} {_name(target)}" for source, target in found] == pairs
