"""Canonicalization keeps the locations of what it replaces."""

import pytest
from xdsl.dialects.builtin import UnknownLoc

from tileir_xdsl.testing.tools import context, parse, run_passes, to_text
from tileir_xdsl.transforms.canonicalize import LocatedCanonicalizePass

FOLDED = """
func.func @f(%x: i32) -> (i32, i32) {
  %two = arith.constant 2 : i32 loc("a.py":1:0)
  %three = arith.constant 3 : i32 loc("a.py":2:0)
  %sum = arith.addi %two, %three : i32 loc("a.py":3:0)
  %product = arith.muli %two, %x : i32 loc("a.py":4:0)
  func.return %sum, %product : i32, i32 loc("a.py":5:0)
} loc("a.py":0:0)
"""


@pytest.mark.parametrize(("name", "line"), [("arith.constant", 3), ("arith.muli", 4)])
def test_new_ops_are_where_the_replaced_one_was(name: str, line: int):
    module = parse(FOLDED)
    LocatedCanonicalizePass().apply(context(), module)
    locations = [str(op.location) for op in module.walk() if op.name == name]
    assert f'loc("a.py":{line}:0)' in locations
    assert str(UnknownLoc()) not in locations


def test_the_ir_is_that_of_xdsl():
    module = parse(FOLDED)
    LocatedCanonicalizePass().apply(context(), module)
    assert to_text(module) == to_text(run_passes(parse(FOLDED), "canonicalize"))
    assert to_text(module) != to_text(parse(FOLDED))
