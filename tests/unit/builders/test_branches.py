"""Branches that give values."""

from xdsl.builder import Builder
from xdsl.dialects import scf, test
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr, i1, i32
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint

from tileir_xdsl.builders import arithmetic
from tileir_xdsl.builders.branches import choose


def test_each_region_gives_its_own_values():
    block = Block(arg_types=[i1, i32])
    condition, number = block.args
    place = FileLineColLoc(StringAttr("kernel.py"), IntAttr(3), IntAttr(4))
    one, same = choose(
        Builder(InsertPoint.at_end(block)),
        condition,
        lambda inner: [arithmetic.add(inner, number, number), number],
        lambda inner: [number, inner.insert(test.TestOp(result_types=[i32])).results[0]],
        place,
    )
    branch = one.owner
    assert isinstance(branch, scf.IfOp) and same.owner is branch and branch.location == place
    assert branch.cond is condition and [result.type for result in branch.results] == [i32, i32]
    branch.verify()
    kinds = [[op.name for op in region.block.ops] for region in branch.regions]
    assert [names[-1] for names in kinds] == ["scf.yield", "scf.yield"]
    assert kinds[1] == ["test.op", "scf.yield"]
    then, otherwise = (region.block.last_op for region in branch.regions)
    assert then is not None and otherwise is not None
    assert then.operands[1] is number and otherwise.operands[0] is number
