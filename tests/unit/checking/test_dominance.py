"""SSA dominance, in one block, in nested regions and along branches."""

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Block, Region
from xdsl.utils.exceptions import VerifyException

from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.testing import tools

BRANCHES = """
func.func @f(%c: i1) {{
  %a = arith.constant 1 : i32
  cf.cond_br %c, ^left, ^right
^left:
  %b = arith.addi %a, %a : i32
  cf.br ^join
^right:
  cf.br ^join
^join:
  %d = arith.addi {operand}, %a : i32
  func.return
}}
"""


def test_what_dominates_a_join_is_visible_there():
    verify_dominance(tools.parse(BRANCHES.format(operand="%a")))


def test_what_one_branch_defines_is_not_visible_after_the_join():
    module = tools.parse(BRANCHES.format(operand="%b"))
    with pytest.raises(VerifyException, match=r"'arith.addi' op at .* uses operand #0 at a place"):
        verify_dominance(module)


def test_a_use_before_the_definition():
    module = tools.parse("""
    %a = arith.constant 1 : i32
    %b = arith.addi %a, %a : i32
    """)
    verify_dominance(module)
    constant, _ = module.body.block.ops
    constant.detach()
    module.body.block.add_op(constant)
    with pytest.raises(VerifyException, match=r"'arith.addi' op at .* uses operand #0"):
        verify_dominance(module)


def test_a_value_of_a_region_is_gone_after_it():
    inner = test.TestOp(result_types=[i32])
    outer = test.TestOp(regions=[Region(Block([inner]))])
    user = test.TestOp(operands=[inner.results[0]])
    with pytest.raises(VerifyException, match=r"'test\.op' op"):
        verify_dominance(ModuleOp([outer, user]))


def test_an_isolated_region_sees_nothing_from_above():
    module = tools.parse("""
    %a = arith.constant 1 : i32
    func.func @f() { func.return }
    """)
    constant, function = module.body.block.ops
    user = test.TestOp(operands=[constant.results[0]])
    returns = next(op for op in function.walk() if op.name == "func.return")
    assert returns.parent is not None
    returns.parent.insert_op_before(user, returns)
    with pytest.raises(VerifyException, match=r"'test\.op' op"):
        verify_dominance(module)
