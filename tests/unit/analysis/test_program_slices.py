"""The part of a program that some ops need, cut out of its loops and branches."""

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint

from tests.unit import tools
from tileir_xdsl.analysis.program_slices import copy_slice, slice_of

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


def tagged(module: ModuleOp, tag: str) -> Operation:
    (op,) = (op for op in module.walk() if op.attributes.get("tag") == StringAttr(tag))
    return op


def copied(tag: str) -> ModuleOp:
    """A module of what one op of the program needs."""
    module = tools.parse(PROGRAM)
    block = module.body.block
    part = ModuleOp([])
    needed = slice_of([tagged(module, tag)], block)
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
