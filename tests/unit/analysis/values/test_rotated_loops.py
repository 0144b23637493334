"""Bounds of the induction variables of rotated loops."""

import pytest
from xdsl.dialects import scf

from tileir_xdsl.analysis.values.rotated_loops import rotated_bounds
from tileir_xdsl.analysis.values.unsigned_ranges import UnsignedRanges
from tileir_xdsl.testing import tools

GUARD, LEFT, NEXT, MORE = "slt, %zero, %last", "%last, %i", "%i, %one", "ugt, %left, %one"


def rotated(
    guard: str = GUARD, left: str = LEFT, following: str = NEXT, more: str = MORE
) -> scf.WhileOp:
    """A loop of one induction variable, from 0 to at most 100."""
    module = tools.parse(f"""
    %any = "test.op"() : () -> i32
    %last = nv_tileaa.assume #nv_tileaa.bounded<0, 100>, %any : i32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %some = arith.cmpi {guard} : i32
    scf.if %some {{
      %end = scf.while (%i = %zero) : (i32) -> i32 {{
        %moving = arith.muli %i, %last : i32
        %next = arith.addi {following} : i32
        %left = arith.subi {left} : i32
        %more = arith.cmpi {more} : i32
        scf.condition(%more) %next : i32
      }} do {{
      ^bb0(%j: i32):
        scf.yield %j : i32
      }}
    }}
    """)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.WhileOp))
    return loop


def test_it_stays_below_its_bound():
    argument = rotated().before_region.block.args[0]
    bounds = rotated_bounds(argument)
    assert bounds is not None and bounds.ub.name_hint == "last"
    assert UnsignedRanges().of(argument) == 99


@pytest.mark.parametrize(
    "changed",
    [
        {"guard": "sle, %zero, %last"},
        {"guard": "slt, %one, %last"},
        {"left": "%i, %last"},
        {"left": "%moving, %i"},
        {"following": "%i, %last"},
        {"more": "uge, %left, %one"},
        {"more": "ugt, %left, %last"},
    ],
    ids=lambda changed: " ".join(changed.values()),
)
def test_other_loops_have_none(changed: dict[str, str]):
    argument = rotated(**changed).before_region.block.args[0]
    assert rotated_bounds(argument) is None
    assert UnsignedRanges().of(argument) == 2**32 - 1


def test_what_follows_the_test_is_no_induction_variable():
    assert rotated_bounds(rotated().after_region.block.args[0]) is None
