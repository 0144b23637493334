"""The part of a program that some ops need, cut out of its loops and branches."""

import pytest
from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.analysis.regions.program_slices import copy_slice, slice_of
from tileir_xdsl.testing import tools

PROGRAM = """
%n0 = arith.constant 0 : index
%n1 = arith.constant 1 : index
%n8 = arith.constant 8 : index
%c = "test.op"() {tag = "condition"} : () -> i1
%r:3 = scf.for %i = %n0 to %n8 step %n1 iter_args(%x = %n0, %y = %n0, %z = %n0)
    -> (index, index, index) {
  "test.op"(%x) {tag = "wanted"} : (index) -> ()
  "test.op"(%y) {tag = "other"} : (index) -> ()
  %x1 = arith.addi %x, %z : index
  %y1 = arith.muli %y, %i : index
  %b:2 = scf.if %c -> (index, index) {
    scf.yield %i, %y : index, index
  } else {
    scf.yield %n1, %n8 : index, index
  }
  scf.yield %x1, %y1, %b#0 : index, index, index
}
"test.op"(%r#1) {tag = "after"} : (index) -> ()
"""

WHILE = """
%n0 = arith.constant 0 : index
%n1 = arith.constant 1 : index
%n8 = arith.constant 8 : index
%r:3 = scf.while (%i = %n0, %x = %n0, %y = %n1, %z = %n8)
    : (index, index, index, index) -> (index, index, index) {
  %more = arith.cmpi ult, %i, %n8 : index
  scf.condition(%more) %z, %i, %x : index, index, index
} do {
^bb0(%c: index, %a: index, %b: index):
  "test.op"(%a) {tag = "wanted"} : (index) -> ()
  "test.op"(%b) {tag = "other"} : (index) -> ()
  %given = "test.op"() {tag = "given"} : () -> index
  %mine = "test.op"() {tag = "mine"} : () -> index
  %next = arith.addi %a, %n1 : index
  scf.yield %given, %b, %c, %next : index, index, index, index
}
"test.op"(%r#1) {tag = "after"} : (index) -> ()
"""


def tagged(module: ModuleOp, tag: str) -> Operation:
    (op,) = (op for op in module.walk() if op.attributes.get("tag") == StringAttr(tag))
    return op


def copied(tag: str, program: str = PROGRAM, *, mine: bool = False) -> ModuleOp:
    """A module of what one op of a program needs, maybe with a value of its own instead."""
    module = tools.parse(program)
    block = module.body.block
    part = ModuleOp([])
    instead: dict[SSAValue, SSAValue] = {}
    if mine:
        instead[tagged(module, "given").results[0]] = tagged(module, "mine").results[0]
    needed = slice_of([tagged(module, tag)], block, instead)
    copy_slice(list(block.ops), needed, Builder(InsertPoint.at_end(part.body.block)), {})
    part.verify()
    return part


def test_loops_and_branches_lose_positions():
    """The carried `z` is needed as what `x` is made of, `y` is not; of the branch half is."""
    part = copied("wanted")
    (loop,) = (op for op in part.walk() if isinstance(op, scf.ForOp))
    (branch,) = (op for op in part.walk() if isinstance(op, scf.IfOp))
    assert (len(loop.iter_args), len(branch.results)) == (2, 1)
    text = str(part)
    assert "condition" in text and "other" not in text and "arith.muli" not in text


def test_a_value_of_one_position_alone():
    part = copied("after")
    (loop,) = (op for op in part.walk() if isinstance(op, scf.ForOp))
    assert len(loop.results) == 1
    assert "wanted" not in str(part) and "scf.if" not in str(part)


def test_what_nothing_needs_is_left_out():
    text = str(copied("condition"))
    assert "scf.for" not in text and "arith.constant" not in text


@pytest.mark.parametrize("tag", ["wanted", "after"])
def test_both_regions_lose_positions(tag: str):
    """`i` is needed twice: for the condition, and as it is passed on."""
    part = copied(tag, WHILE)
    (loop,) = (op for op in part.walk() if isinstance(op, scf.WhileOp))
    assert (len(loop.arguments), len(loop.results)) == (1, 1)
    text = str(part)
    assert "given" in text and "mine" not in text and "other" not in text


def test_positions_that_change_places():
    """`x` becomes what was `x`, by way of the third position that is passed on."""
    part = copied("other", WHILE)
    (loop,) = (op for op in part.walk() if isinstance(op, scf.WhileOp))
    assert (len(loop.arguments), len(loop.results)) == (2, 1)
    terminator = loop.after_region.block.last_op
    assert terminator is not None and loop.after_region.block.args[0] in terminator.operands


def test_another_value_instead():
    part = copied("wanted", WHILE, mine=True)
    text = str(part)
    assert "mine" in text and "given" not in text
