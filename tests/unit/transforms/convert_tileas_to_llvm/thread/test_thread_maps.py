"""Linear maps over F2 as instructions: what they compute, and how many there are."""

import operator
import random
from collections.abc import Callable

import pytest
from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from tileir_xdsl.layout import f2
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import KnownValues, LLVMBuilder
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.thread_maps import linear_map

BITS = 8

ARITHMETIC: dict[type[Operation], Callable[[int, int], int]] = {
    llvm.AndOp: operator.and_,
    llvm.LShrOp: operator.rshift,
    llvm.MulOp: operator.mul,
    llvm.ShlOp: operator.lshift,
    llvm.XOrOp: operator.xor,
}


def emitted(bases: list[int]) -> tuple[Block, SSAValue | int]:
    """A block with the map of its argument, and the value of it."""
    block = Block(arg_types=[i32])
    Region(block)
    builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    return block, linear_map(builder, block.args[0], bases)


def value_of(block: Block, result: SSAValue | int, number: int) -> int:
    """What the map gives for a number."""
    if isinstance(result, int):
        return result
    values: dict[SSAValue, int] = {block.args[0]: number}
    for op in block.ops:
        if isinstance(op, llvm.ConstantOp):
            assert isinstance(op.value, IntegerAttr)
            values[op.result] = op.value.value.data
        else:
            values[op.results[0]] = ARITHMETIC[type(op)](*(values[each] for each in op.operands))
    return values[result]


def check(bases: list[int]) -> None:
    block, result = emitted(bases)
    for number in range(1 << BITS):
        assert value_of(block, result, number) == f2.apply(bases, number), (bases, number)


def test_random_maps():
    rng = random.Random(0)
    for _ in range(60):
        check([rng.choice((0, 1, 3, 16, 48, 1 << rng.randrange(12))) for _ in range(BITS)])


@pytest.mark.parametrize(
    ("bases", "products"),
    [
        ([16, 32, 64, 144, 288, 576, 1024, 2048], 1),
        ([0, 0, 0, 144, 288, 576, 1152, 0], 2),
        ([3, 6, 12, 0, 0, 0, 0, 0], 3),
        ([0, 0, 0, 5, 10, 20, 0, 0], 2),
        ([1, 2, 4, 8, 16, 32, 64, 128], 0),
    ],
    ids=("swizzle of 128 bytes", "one too many", "bits side by side", "a bit between", "bits"),
)
def test_doubling_bases_are_one_product(bases: list[int], products: int):
    """Where multiples by a part of the number would carry, there are more."""
    check(bases)
    block, _ = emitted(bases)
    assert sum(isinstance(op, llvm.MulOp) for op in block.ops) == products
