"""Tensor memory against the access shapes of tcgen05.ld, for every register, lane and warp."""

from collections.abc import Callable

import numpy as np
from pytest import mark, raises

from tileir_xdsl.layout.cute import LayoutError
from tileir_xdsl.layout.tensor_memory import (
    OPERAND_A_ACCESSES,
    AccessShape,
    ScaleColumns,
    columns_of_operand_a,
    tensor_memory_accumulator,
    tensor_memory_addresses,
    tensor_memory_operand_a,
    tensor_memory_registers,
    tile_columns,
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


@mark.one_in(3)
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


@mark.one_in(3)
@mark.parametrize("access", AccessShape, ids=lambda access: access.value)
@mark.parametrize(("rows", "warpgroups"), [(256, 1), (256, 2), (512, 2)])
def test_blocks_of_rows_are_side_by_side(access: AccessShape, rows: int, warpgroups: int):
    """Each warpgroup has all columns of whole blocks, as it has those of 128 rows."""
    layout = tensor_memory_accumulator((rows, 32))
    assert layout.columns == 32 * rows // 128
    addresses = tensor_memory_addresses((rows, 32))
    registers = tensor_memory_registers(layout, access, warpgroups)
    assert registers.is_surjective and registers.replication == 1
    blocks = rows // 128 // warpgroups
    for warp, lane, register in np.ndindex(4 * warpgroups, 32, registers.registers):
        row, column = registers.coordinate(register, lane, warp)
        block, lane_of_row = divmod(row, 128)
        assert block // blocks == warp // 4 and lane_of_row // 32 == warp % 4
        expected = lane_of_row << 16 | 32 * block + column
        assert layout.address(32 * row + column) == expected == addresses(row + rows * column)


def test_what_tensor_memory_cannot_hold_is_refused():
    with raises(LayoutError, match="64 rows or a power of two of at least 128, got 32"):
        tensor_memory_accumulator((32, 64))
    with raises(LayoutError, match="64 rows or a power of two of at least 128, got 192"):
        tensor_memory_accumulator((192, 64))
    with raises(LayoutError, match="tensor memory has 512 columns, but the accumulator needs 1024"):
        tensor_memory_accumulator((128, 1024))
    with raises(LayoutError, match="tensor memory has 512 columns, but the accumulator needs 1024"):
        tensor_memory_accumulator((256, 512))
    # All columns are just enough.
    for shape in ((64, 512), (128, 512), (256, 256)):
        assert tensor_memory_accumulator(shape).shape == shape
    with raises(LayoutError, match="access 32x32b reaches lanes that hold no element"):
        tensor_memory_registers(tensor_memory_accumulator((64, 64)), AccessShape.LANES_32_BITS_32)
    with raises(LayoutError, match="is too small"):
        tensor_memory_registers(tensor_memory_accumulator((128, 4)), AccessShape.LANES_16_BITS_256)


@mark.parametrize("access", OPERAND_A_ACCESSES, ids=lambda access: access.value)
def test_operand_a_of_two_blocks_of_rows(access: AccessShape):
    layout = tensor_memory_operand_a((256, 64), access, warpgroups=2)
    columns = columns_of_operand_a(layout)
    assert columns is not None and columns.shape == (256, 32) and tile_columns(columns.shape) == 64
    assert {
        layout.element(0, lane, warp) // 64 // 128 for lane in range(32) for warp in (4, 7)
    } == {1}


@mark.parametrize("warpgroups", [1, 2])
@mark.parametrize("access", OPERAND_A_ACCESSES, ids=lambda access: access.value)
def test_operand_a_has_pairs_of_neighbours_where_an_accumulator_is_loaded(
    access: AccessShape, warpgroups: int
):
    """Two registers of a thread go to one column, without an exchange between threads."""
    layout = tensor_memory_operand_a((128, 64), access, warpgroups)
    loaded = tensor_memory_registers(tensor_memory_accumulator((128, 64)), access, warpgroups)
    for warp in range(4 * warpgroups):
        for lane in range(32):
            held = [layout.element(register, lane, warp) for register in range(layout.registers)]
            assert all(
                second == first + 1 for first, second in zip(held[::2], held[1::2], strict=True)
            )
            # A warp stores lanes of its own quarter.
            assert {element // 64 // 32 for element in held} == {warp % 4}
    if access is AccessShape.LANES_32_BITS_32:
        assert layout == loaded
    columns = columns_of_operand_a(layout)
    assert columns is not None and columns.shape == (128, 32)
    assert columns == tensor_memory_registers(
        tensor_memory_accumulator((128, 32)), OPERAND_A_ACCESSES[access], warpgroups
    )


def test_what_is_no_operand_a():
    with raises(
        LayoutError, match="no tcgen05 access stores an operand A of 64 rows and 64 columns"
    ):
        tensor_memory_operand_a((64, 64), AccessShape.LANES_32_BITS_32)
    with raises(LayoutError, match="an operand A of 128 rows and 64 columns"):
        tensor_memory_operand_a((128, 64), AccessShape.LANES_16_BITS_64)
    with raises(LayoutError, match="an operand A of 128 rows and 1 columns"):
        tensor_memory_operand_a((128, 1), AccessShape.LANES_32_BITS_32)
    accumulator = tensor_memory_accumulator((128, 64))
    for access in (AccessShape.LANES_16_BITS_64, AccessShape.LANES_16_BITS_128):
        assert columns_of_operand_a(tensor_memory_registers(accumulator, access)) is None


@mark.parametrize("rows", [32, 64, 128])
@mark.parametrize("blocks", [1, 2, 3, 4, 5, 8, 12, 16])
def test_scales_that_threads_store_have_a_byte_for_each_block(rows: int, blocks: int):
    """A column has 32 lanes of four bytes; none is shared by two groups of rows (PTX ISA, block
    scaling of tcgen05.mma)."""
    columns = ScaleColumns.of_registers(rows, blocks)
    assert 4 * columns.words >= blocks > 4 * (columns.words - 1)
    assert 32 * columns.groups == rows
    assert columns.total == columns.words * columns.groups
