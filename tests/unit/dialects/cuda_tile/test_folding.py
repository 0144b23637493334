"""Constants behind values, and what folds to what."""

from tileir_xdsl.dialects.cuda_tile import AssumeOp, ConstantOp, EntryOp, SelectOp
from tileir_xdsl.dialects.cuda_tile.folding import constant_of, splat_of
from tileir_xdsl.testing.tools import parse

KERNEL = """
cuda_tile.module @m {
  entry @k(%c: tile<i1>, %x: tile<i32>, %y: tile<i32>) {
    %0 = constant <i32: 5> : tile<4xi32>
    %1 = constant <i32: [1, 2]> : tile<2xi32>
    %2 = constant <i1: true> : tile<i1>
    %3 = assume div_by<4>, %x : tile<i32>
    %4 = assume div_by<4>, %3 : tile<i32>
    %5 = select %c, %x, %y : tile<i1>, tile<i32>
    %6 = select %2, %x, %y : tile<i1>, tile<i32>
  }
}
"""


def test_constants_behind_values():
    module = parse(KERNEL)
    entry = next(op for op in module.walk() if isinstance(op, EntryOp))
    constants = [op for op in module.walk() if isinstance(op, ConstantOp)]
    assert [splat_of(op.result) for op in constants] == [5, None, True]
    assert [constant_of(op.result) for op in constants] == [op.value for op in constants]
    assert constant_of(entry.body.block.args[0]) is None
    assert splat_of(entry.body.block.args[0]) is None


def test_folds():
    module = parse(KERNEL)
    ops = list(module.walk())
    constant = next(op for op in ops if isinstance(op, ConstantOp))
    assert constant.fold() == (constant.value,)
    first, second = (op for op in ops if isinstance(op, AssumeOp))
    assert first.fold() is None
    assert second.fold() == (first.result,)
    unknown, known = (op for op in ops if isinstance(op, SelectOp))
    assert unknown.fold() is None
    assert known.fold() == (known.val_if_true,)
