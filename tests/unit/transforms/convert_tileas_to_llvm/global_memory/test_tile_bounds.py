"""The first element of a tile: coordinates so large that an index would wrap are cut off, no others."""

import pytest
from xdsl.builder import Builder
from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, i32, i64
from xdsl.ir import Block, Operation, Region
from xdsl.rewriter import InsertPoint

from tileir_xdsl.transforms.convert_tileas_to_llvm.global_memory.tile_bounds import (
    FAR,
    tile_start,
)
from tileir_xdsl.transforms.convert_tileas_to_llvm.thread.builder import KnownValues, LLVMBuilder

WRAPS = 1 << 64


def operations(type: IntegerType, step: int, largest: int) -> list[type[Operation]]:
    """What computes the start of a tile from a coordinate in a register."""
    block = Block(arg_types=[type])
    Region(block)
    builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    tile_start(builder, block.args[0], step, largest)
    return [op.__class__ for op in block.ops]


def is_cut_off(type: IntegerType, step: int, largest: int) -> bool:
    return any("min" in op.name for op in operations(type, step, largest))


@pytest.mark.parametrize("step", [1, 48, 64, 4096])
def test_what_cannot_be_far_is_not_cut_off(step: int):
    assert not is_cut_off(i64, step, 1000)
    assert not is_cut_off(i64, step, FAR // step)
    assert is_cut_off(i64, step, FAR // step + 1)
    assert is_cut_off(i64, step, WRAPS - 1)
    # 32 bits do not reach that far.
    assert not is_cut_off(i32, step, WRAPS - 1)


@pytest.mark.parametrize("number", [0, 7, FAR // 64, FAR // 64 + 1, WRAPS - 1])
def test_known_coordinates(number: int):
    block = Block()
    Region(block)
    builder = LLVMBuilder(Builder(InsertPoint.at_end(block)), KnownValues(block))
    start = tile_start(builder, number, 64)
    assert isinstance(start, int) and start == min(number * 64, FAR)
    assert not block.ops and llvm.MulOp not in operations(i64, 1, 1000)
