"""Where values are computed that several branches need."""

from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import KnownValues, LLVMBuilder


def started() -> tuple[LLVMBuilder, Block, SSAValue, SSAValue]:
    """A builder in the block behind one that computes a sum of its two arguments."""
    first, second = Block(arg_types=[i32, i32]), Block(arg_types=[i32])
    Region(first)
    builder = LLVMBuilder(Builder(InsertPoint.at_end(first)), KnownValues(first))
    lhs, rhs = first.args
    total = builder.insert(llvm.AddOp(lhs, rhs))
    builder.insert_without_result(llvm.BrOp(second, total))
    builder.enter(second)
    return builder, first, lhs, total


def product(builder: LLVMBuilder, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    return builder.at_definition([lhs, rhs], lambda: builder.insert(llvm.MulOp(lhs, rhs)))


def test_at_the_end_of_the_block_of_its_operands():
    builder, first, _, total = started()
    found = product(builder, total, total)
    assert [type(op) for op in first.ops] == [llvm.AddOp, llvm.MulOp, llvm.BrOp]
    assert product(builder, total, total) is found
    assert builder.block is not first and not builder.block.ops


def test_in_the_present_block_what_comes_as_an_argument():
    """At the start of a loop, a product of the iteration before may still read its registers."""
    builder, first, argument, _ = started()
    found = product(builder, argument, argument)
    assert found.owner.parent_block() is builder.block
    assert [type(op) for op in first.ops] == [llvm.AddOp, llvm.BrOp]


def test_in_the_present_block_what_needs_it():
    builder, _, _, total = started()
    (own,) = builder.block.args
    found = product(builder, own, total)
    assert found.owner.parent_block() is builder.block
    following = product(builder, found, found)
    assert following.owner.parent_block() is builder.block


def test_a_block_without_an_end():
    builder, first, _, total = started()
    end = first.last_op
    assert end is not None
    end.detach()
    found = product(builder, total, total)
    assert found.owner.parent_block() is builder.block
