"""Tensor memory against the access shapes of tcgen05.ld, for every register, lane and warp."""

from collections.abc import Callable

import numpy as np
from pytest import mark, raises

from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.tensor_memory import (
    AccessShape,
    tensor_memory_accumulator,
    tensor_memory_registers,
)

# (i, lane) -> (tensor-memory lane, column) of register i of one .x8 access or larger.
FORMULAS: dict[AccessShape, Callable[[int, int], tuple[int, int]]] = {
    AccessShape.LANES_32_BITS_32: lambda i, lane: (lane, i),
    AccessShape.LANES_16_BITS_64: lambda i, lane: (
        lane // 4 + 8 * (lane & 1),
        2 * i + (lane >> 1 & 1),
    ),
    AccessShape.LANES_16_BITS_128: lambda i, lane: (
        lane // 4 + 8 * (i & 1),
        lane % 4 + 4 * (i // 2),
    ),
    AccessShape.LANES_16_BITS_256: lambda i, lane: (
        lane // 4 + 8 * (i >> 1 & 1),
        2 * (lane % 4) + (i & 1) + 8 * (i // 4),
    ),
}


@mark.parametrize("access", AccessShape, ids=lambda access: access.value)
@mark.parametrize("columns", [8, 64, 256])
def test_accumulators_of_128_rows(access: AccessShape, columns: int):
    layout = tensor_memory_accumulator((128, columns))
    registers = tensor_memory_registers(layout, access)
    assert registers.is_surjective
    halves = 1 if access is AccessShape.LANES_32_BITS_32 else 2
    per_half = registers.registers // halves
    for warp in range(4):
        for lane in range(32):
            for register in range(registers.registers):
                half, i = divmod(register, per_half)
                row, column = FORMULAS[access](i, lane)
                expected = (32 * warp + 16 * half + row, column)
                assert registers.coordinate(register, lane, warp) == expected
                element = registers.element(register, lane, warp)
                assert layout.address(element) == expected[0] << 16 | expected[1]


@mark.parametrize(
    "access",
    [shape for shape in AccessShape if shape is not AccessShape.LANES_32_BITS_32],
    ids=lambda access: access.value,
)
def test_accumulators_of_64_rows_use_half_the_lanes(access: AccessShape):
    layout = tensor_memory_accumulator((64, 32))
    registers = tensor_memory_registers(layout, access)
    assert registers.is_surjective and registers.replication == 1
    for warp in range(4):
        for lane in range(32):
            for register in range(registers.registers):
                row, column = FORMULAS[access](register, lane)
                assert registers.coordinate(register, lane, warp) == (16 * warp + row, column)
                element = registers.element(register, lane, warp)
                assert layout.address(element) == (32 * warp + row) << 16 | column


def test_warpgroups_split_the_columns():
    layout = tensor_memory_accumulator((128, 64))
    registers = tensor_memory_registers(layout, AccessShape.LANES_32_BITS_32, warpgroups=2)
    assert (registers.registers, registers.lanes, registers.warps) == (32, 32, 8)
    for register, lane, warp in np.ndindex(32, 32, 8):
        expected = (32 * (warp % 4) + lane, 32 * (warp // 4) + register)
        assert registers.coordinate(register, lane, warp) == expected
    assert layout.columns == 64


def test_what_tensor_memory_cannot_hold_is_refused():
    with raises(LayoutError, match="64 or 128 rows, got 32"):
        tensor_memory_accumulator((32, 64))
    with raises(LayoutError, match="tensor memory has 512 columns, got 1024"):
        tensor_memory_accumulator((128, 1024))
    with raises(LayoutError, match="access 32x32b reaches lanes that hold no element"):
        tensor_memory_registers(tensor_memory_accumulator((64, 64)), AccessShape.LANES_32_BITS_32)
    with raises(LayoutError, match="is too small"):
        tensor_memory_registers(tensor_memory_accumulator((128, 4)), AccessShape.LANES_16_BITS_256)
