"""Which integers are known not to be negative."""

import pytest

from tests.unit import tools
from tileir_xdsl.analysis.ranges import is_non_negative


@pytest.mark.parametrize(
    ("definition", "known"),
    [
        ("%v = nv_tileaa.get_program_id 0 : i32", True),
        ("%v = nv_tileaa.get_num_programs 1 : i32", True),
        ("%v = arith.constant 3 : i32", True),
        ("%v = arith.constant -3 : i32", False),
        ("%v = nv_tileaa.assume #nv_tileaa.bounded<0, ?>, %a : i32", True),
        ("%v = nv_tileaa.assume #nv_tileaa.bounded<-1, ?>, %a : i32", False),
        ("%v = nv_tileaa.assume #nv_tileaa.div_by<8>, %a : i32", False),
        ("%v = arith.extui %a : i32 to i64", True),
        ("%v = arith.extsi %a : i32 to i64", False),
        ("%b = nv_tileaa.get_program_id 0 : i32\n%v = arith.extsi %b : i32 to i64", True),
        ("%v = nv_tileaa.addi %a, %a : i32", False),
    ],
)
def test_is_non_negative(definition: str, known: bool):
    module = tools.parse(f'%a = "test.op"() : () -> i32\n{definition}')
    last = module.body.block.last_op
    assert last is not None
    assert is_non_negative(last.results[0]) is known
