"""Matrix fragments against the formulas of the PTX ISA, for every register, lane and warp.

In every formula g = lane / 4, t = lane % 4, and ``i`` counts elements of one instruction in the
order of the operand's registers, the lower element of a packed register first.
"""

from collections.abc import Callable

from pytest import mark, raises

from tileir_xdsl.layout.constructors import (
    matrices,
    mma_accumulator,
    mma_operand_a,
    mma_operand_b,
    wgmma_accumulator,
    wgmma_operand_a,
)
from tileir_xdsl.layout.cute import Layout, LayoutError
from tileir_xdsl.layout.fragments import (
    TENSOR_MEMORY_SCALES_A,
    TENSOR_MEMORY_SCALES_B,
    scales_a,
    scales_b,
    tile,
)
from tileir_xdsl.layout.linear import LinearLayout

Formula = Callable[[int, int, int], tuple[int, int]]


def check(layout: LinearLayout, formula: Formula) -> None:
    """``formula(i, lane, warp)`` is the coordinate of every place."""
    assert layout.lanes == 32
    for warp in range(layout.warps):
        for lane in range(32):
            for register in range(layout.registers):
                expected = formula(register, lane, warp)
                assert layout.coordinate(register, lane, warp) == expected
    assert layout.is_surjective


def split(lane: int) -> tuple[int, int]:
    return lane // 4, lane % 4


# The operand tables of mma.sync: (element bits, K, formula of A, formula of B).
def a_16bit(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    word = i // 2
    return g + 8 * (word & 1), 2 * t + i % 2 + 8 * (word >> 1)


def b_16bit(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    return 2 * t + i % 2 + 8 * (i // 2), g


def a_8bit(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    word = i // 4
    return g + 8 * (word & 1), 4 * t + i % 4 + 16 * (word >> 1)


def b_8bit(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    return 4 * t + i % 4 + 16 * (i // 4), g


def a_4bit(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    word = i // 8
    return g + 8 * (word & 1), 8 * t + i % 8 + 32 * (word >> 1)


def b_4bit(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    return 8 * t + i % 8 + 32 * (i // 8), g


def a_wide(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    return g + 8 * (i & 1), t + 4 * (i >> 1)


def b_wide(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    return t + 4 * i, g


@mark.parametrize(
    ("bits", "k", "a", "b"),
    [
        (16, 16, a_16bit, b_16bit),
        (16, 8, a_16bit, b_16bit),
        (8, 32, a_8bit, b_8bit),
        (8, 16, a_8bit, b_8bit),
        (4, 64, a_4bit, b_4bit),
        (32, 8, a_wide, b_wide),
        (32, 4, a_wide, b_wide),
        (64, 16, a_wide, b_wide),
        (64, 8, a_wide, b_wide),
        (64, 4, a_wide, b_wide),
    ],
)
def test_mma_operands_of_one_instruction(bits: int, k: int, a: Formula, b: Formula):
    check(mma_operand_a((16, k), (1, 1), bits), a)
    check(mma_operand_b((k, 8), (1, 1), bits), b)


def accumulator(i: int, lane: int, warp: int) -> tuple[int, int]:
    g, t = split(lane)
    return g + 8 * (i >> 1), 2 * t + (i & 1)


def test_mma_accumulator_of_one_instruction():
    check(mma_accumulator((16, 8), (1, 1)), accumulator)


def test_f64_instruction_with_eight_rows():
    check(mma_accumulator((8, 8), (1, 1), rows=8), accumulator)
    check(mma_operand_a((8, 4), (1, 1), 64, rows=8), lambda i, lane, warp: split(lane))
    check(mma_operand_b((4, 8), (1, 1), 64), lambda i, lane, warp: (lane % 4, lane // 4))


def test_mma_over_warps_splits_the_tile_in_contiguous_parts():
    def expected(i: int, lane: int, warp: int) -> tuple[int, int]:
        row, column = accumulator(i % 4, lane, warp)
        # Registers repeat the instruction along N (4 times), then along M (twice).
        return (
            row + 16 * (i // 16) + 32 * (warp % 2),
            column + 8 * (i // 4 % 4) + 32 * (warp // 2),
        )

    check(mma_accumulator((64, 128), (2, 4)), expected)


def test_mma_operands_over_warps_repeat_what_the_other_dimension_splits():
    def expected_a(i: int, lane: int, warp: int) -> tuple[int, int]:
        row, column = a_16bit(i % 8, lane, warp)
        return row + 16 * (i // 16) + 32 * (warp % 2), column + 16 * (i // 8 % 2)

    def expected_b(i: int, lane: int, warp: int) -> tuple[int, int]:
        row, column = b_16bit(i % 4, lane, warp)
        return row + 16 * (i // 4 % 2), column + 8 * (i // 8) + 32 * (warp // 2)

    a = mma_operand_a((64, 32), (2, 4), 16)
    check(a, expected_a)
    assert a.replicated_warps == 0b110
    b = mma_operand_b((32, 128), (2, 4), 16)
    check(b, expected_b)
    assert b.replicated_warps == 0b001


@mark.parametrize("n", [8, 16, 64, 256])
def test_wgmma_accumulator(n: int):
    def expected(i: int, lane: int, warp: int) -> tuple[int, int]:
        g, t = split(lane)
        return 16 * warp + g + 8 * (i >> 1 & 1), 8 * (i >> 2) + 2 * t + (i & 1)

    layout = wgmma_accumulator((64, n), (1, 1))
    check(layout, expected)
    columns = (2, 2, n // 8) if n > 8 else (2, 2)
    strides = (1, 8 * n, 8) if n > 8 else (1, 8 * n)
    cute = Layout((columns, (4, 8), 4, 1), (strides, (2, n), 16 * n, 0))
    assert layout == LinearLayout.from_cute(cute, (64, n))


@mark.parametrize(("bits", "k", "part"), [(16, 16, a_16bit), (8, 32, a_8bit), (32, 8, a_wide)])
def test_wgmma_operand_a_in_registers(bits: int, k: int, part: Formula):
    def expected(i: int, lane: int, warp: int) -> tuple[int, int]:
        row, column = part(i, lane, warp)
        return row + 16 * warp, column

    check(wgmma_operand_a((64, k), (1, 1), bits), expected)


def test_a_16_bit_accumulator_is_the_next_operand_a_without_movement():
    accumulator = wgmma_accumulator((64, 128), (1, 1))
    operand = wgmma_operand_a((64, 128), (1, 1), 16)
    assert accumulator == operand


def test_wgmma_over_warpgroups_splits_rows_and_columns():
    def expected(i: int, lane: int, warp: int) -> tuple[int, int]:
        # Registers repeat the instruction of 8 columns along N (4 times), then along M (twice).
        row, column = accumulator(i % 4, lane, warp)
        return (
            row + 16 * (warp % 4) + 64 * (i // 16) + 128 * (warp // 4 % 2),
            column + 8 * (i // 4 % 4) + 32 * (warp // 8),
        )

    check(wgmma_accumulator((256, 64), (2, 2)), expected)


def test_wgmma_operand_a_over_warpgroups_repeats_what_the_columns_split():
    def expected(i: int, lane: int, warp: int) -> tuple[int, int]:
        row, column = a_16bit(i % 8, lane, warp)
        return row + 16 * (warp % 4) + 64 * (warp // 4 % 2), column + 16 * (i // 8)

    operand = wgmma_operand_a((128, 32), (2, 2), 16)
    check(operand, expected)
    assert operand.replicated_warps == 0b1000


@mark.parametrize("count", [1, 2, 4])
def test_ldmatrix_registers(count: int):
    def rows(i: int, lane: int, warp: int) -> tuple[int, int]:
        return 8 * (i // 2) + lane // 4, 2 * (lane % 4) + i % 2

    def columns(i: int, lane: int, warp: int) -> tuple[int, int]:
        return 8 * (i // 2) + 2 * (lane % 4) + i % 2, lane // 4

    check(matrices(count), rows)
    check(matrices(count, transposed=True), columns)


@mark.parametrize("count", [1, 2])
def test_ldmatrix_transposes_bytes(count: int):
    def columns(i: int, lane: int, warp: int) -> tuple[int, int]:
        return 16 * (i // 8) + 4 * (lane % 4) + i % 4, lane // 4 + 8 * (i // 4 % 2)

    check(matrices(count, 8, transposed=True), columns)


@mark.parametrize("count", [1, 2, 4])
def test_stmatrix_transposes_the_bytes_of_an_accumulator(count: int):
    def columns(i: int, lane: int, warp: int) -> tuple[int, int]:
        m, n = accumulator(i % 4, lane, warp)
        return 8 * (i // 4) + n, m

    check(matrices(count, 8, transposed=True, stored=True), columns)
    assert matrices(count, transposed=True, stored=True) == matrices(count, transposed=True)


def test_ldmatrix_moves_16_byte_rows_of_any_element():
    assert matrices(4, 8).shape == (32, 16)
    assert matrices(4, 8).coordinate(register=3, lane=7) == (1, 15)
    assert matrices(2, 32).shape == (16, 4)
    assert matrices(2, 32).coordinate(register=1, lane=7) == (9, 3)


@mark.parametrize("rows", [16, 32, 64])
def test_scales_of_a(rows: int):
    """The lane of every four that holds a row, counted from the thread that is named."""

    def formula(i: int, lane: int, warp: int) -> tuple[int, int]:
        g, t = split(lane)
        thread = t // 2 if rows > 16 else 0
        return g + 8 * (t % 2) + 16 * thread + 32 * (i // 4), i % 4

    check(tile(scales_a(rows), (rows, 4)), formula)


@mark.parametrize("columns", [8, 16, 32, 64])
def test_scales_of_b(columns: int):
    def formula(i: int, lane: int, warp: int) -> tuple[int, int]:
        g, t = split(lane)
        return i % 4, g + 8 * (t % max(1, min(columns, 32) // 8)) + 32 * (i // 4)

    check(tile(scales_b(columns), (4, columns), order=(0, 1)), formula)


def test_scales_on_their_way_to_tensor_memory():
    """Lane `r` of every warp has row (column) `32 i + r`, the blocks along K first."""

    def of_a(i: int, lane: int, warp: int) -> tuple[int, int]:
        return lane + 32 * (i // 8), i % 8

    def of_b(i: int, lane: int, warp: int) -> tuple[int, int]:
        column, block = of_a(i, lane, warp)
        return block, column

    check(tile(TENSOR_MEMORY_SCALES_A, (128, 8), ((None, 4),)), of_a)
    check(tile(TENSOR_MEMORY_SCALES_B, (8, 64), ((None, 4),), order=(0, 1)), of_b)


def test_leading_dimensions_are_repeated_in_registers():
    layout = mma_accumulator((4, 16, 16), (1, 1))
    assert layout.register[-2:] == (256, 512)
    assert layout.coordinate(register=1 << 4, lane=1) == (2, 0, 2)


def test_what_does_not_fit_is_refused():
    with raises(LayoutError, match="extent 16 is too small for 2 parts of at least 16"):
        mma_accumulator((16, 64), (2, 1))
    with raises(LayoutError, match="extent 32 is too small for 1 parts of at least 64"):
        wgmma_accumulator((32, 64), (1, 1))
    with raises(LayoutError, match="needs at least two dimensions"):
        mma_accumulator((64,), (1, 1))
    with raises(LayoutError, match="move 1, 2 or 4 matrices, got 3"):
        matrices(3)
    with raises(
        LayoutError, match="only matrices of 8- or 16-bit elements can be transposed, got 32-bit"
    ):
        matrices(4, 32, transposed=True)
    with raises(LayoutError, match="a warp addresses at most 32 rows, got 4 matrices of 16 rows"):
        matrices(4, 8, transposed=True)
