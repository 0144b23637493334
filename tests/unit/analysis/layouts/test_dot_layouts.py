"""Layouts of products: the warps share the work, and every thread has what its C is made of."""

import itertools

import pytest

from tileir_xdsl.analysis.layouts.dot_layouts import (
    Axis,
    DotLayouts,
    DotShape,
    layouts_of_dot,
    warp_splits,
)
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.layout.shared import SharedLayout
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.mma import MMA_ATOMS


def layouts_of(
    atom: str | None, m: int, n: int, k: int, warps: int = 4, gpu: str = "sm_90a", bits: int = 16
) -> tuple[DotLayouts, ...]:
    row = None if atom is None else MMA_ATOMS[atom]
    return layouts_of_dot(DotShape((), m, n, k), row, get_target(gpu), warps, bits)


@pytest.mark.parametrize(
    ("warps", "rows", "columns", "splits"),
    [
        (4, 4, 8, [(1, 4, 1), (2, 2, 1), (4, 1, 1)]),
        (4, 1, 2, [(1, 2, 2)]),
        (4, 1, 1, [(1, 1, 4)]),
        (8, 2, 8, [(1, 8, 1), (2, 4, 1)]),
        (1, 4, 4, [(1, 1, 1)]),
    ],
)
def test_warp_splits(warps: int, rows: int, columns: int, splits: list[tuple[int, int, int]]):
    assert list(warp_splits(warps, rows, columns)) == splits


@pytest.mark.parametrize(
    ("atom", "shape", "gpu", "names"),
    [
        (
            "mma_f16_f16_f32",
            (64, 64, 32),
            "sm_80",
            ["mma_f16_f16_f32_1x4", "mma_f16_f16_f32_2x2", "mma_f16_f16_f32_4x1"],
        ),
        ("mma_f64_f64_f64", (16, 16, 16), "sm_80", ["mma_f64_f64_f64_2x2"]),
        ("wgmma_bf16_bf16_f32", (64, 64, 64), "sm_90a", ["wgmma_bf16_bf16_f32_1x1"]),
        (
            "umma_f16_f16_f32",
            (128, 64, 64),
            "sm_100a",
            [
                f"umma_f16_f16_f32_{s}"
                for s in (
                    *("32x32b", "16x64b", "16x128b", "16x256b"),
                    *("32x32b_tmem_a", "16x256b_tmem_a"),
                )
            ],
        ),
        (None, (32, 32, 32), "sm_90a", ["fma"]),
    ],
)
def test_ways(atom: str | None, shape: tuple[int, int, int], gpu: str, names: list[str]):
    found = [strategies.name for strategies in layouts_of(atom, *shape, gpu=gpu)]
    assert found == names


@pytest.mark.parametrize(
    ("atom", "shape", "gpu", "bits"),
    [
        ("mma_f16_f16_f32", (32, 32, 32), "sm_80", 16),
        ("mma_tf32_tf32_f32", (32, 16, 16), "sm_80", 32),
        ("mma_s8_s8_s32", (16, 32, 64), "sm_80", 8),
        ("mma_f64_f64_f64", (16, 16, 16), "sm_90a", 64),
        ("mma_f64_f64_f64", (16, 16, 16), "sm_80", 64),
        ("wgmma_f16_f16_f32", (64, 32, 32), "sm_90a", 16),
        # Fewer rows or columns than the instruction has: lanes hold copies.
        ("mma_f16_f16_f32", (1, 128, 64), "sm_80", 16),
        ("mma_tf32_tf32_f32", (4, 16, 16), "sm_80", 32),
        ("mma_e4m3_e5m2_f32", (64, 2, 64), "sm_89", 8),
        ("mma_f64_f64_f64", (2, 4, 16), "sm_80", 64),
        (None, (16, 32, 8), "sm_90a", 32),
    ],
)
def test_warps_have_the_rows_and_columns_of_their_accumulator(
    atom: str | None, shape: tuple[int, int, int], gpu: str, bits: int
):
    m, n, k = shape
    for strategies in layouts_of(atom, m, n, k, gpu=gpu, bits=bits):
        a, b = strategies.accepted(Axis.A)[0], strategies.accepted(Axis.B)[0]
        c = strategies.accepted(Axis.C)[0]
        assert isinstance(a, LinearLayout) and isinstance(c, LinearLayout)
        assert a.is_surjective and c.is_surjective
        for warp in range(4):
            places = itertools.product(range(c.registers), range(32))
            held = {c.coordinate(register, lane, warp) for register, lane in places}
            places = itertools.product(range(a.registers), range(32))
            rows = {a.coordinate(register, lane, warp) for register, lane in places}
            assert rows == {(row, step) for row, _ in held for step in range(k)}
            if isinstance(b, LinearLayout):
                places = itertools.product(range(b.registers), range(32))
                columns = {b.coordinate(register, lane, warp) for register, lane in places}
                assert columns == {(step, column) for _, column in held for step in range(k)}


@pytest.mark.parametrize(
    ("atom", "gpu", "rows_of_step", "bits"),
    [("mma_f16_f16_f32", "sm_80", 16, 16), ("mma_f64_f64_f64", "sm_80", 8, 64)],
)
@pytest.mark.parametrize("warps", [1, 4, 8, 16])
def test_warps_are_split_in_all_ways(atom: str, gpu: str, rows_of_step: int, bits: int, warps: int):
    """Instructions have 16 or 8 rows and 8 columns (PTX ISA, "mma"): no warp has less than one."""
    for m, n in itertools.product((8, 16, 32, 64, 128), repeat=2):
        most = max(1, m // rows_of_step), max(1, n // 8)
        powers = [1 << i for i in range(warps.bit_length())]
        fitting = [(x, y) for x in powers for y in powers if x <= most[0] and y <= most[1]]
        busy = max(x * y for x, y in fitting if x * y <= warps)
        expected = {f"{atom}_{x}x{y}" for x, y in fitting if x * y == busy}
        found = {way.name for way in layouts_of(atom, m, n, 16, warps, gpu, bits)}
        assert found == expected, (m, n)


def test_multiply_adds_need_no_other_thread():
    (strategies,) = layouts_of(None, 16, 32, 8)
    (a,), (b,), c = strategies.a, strategies.b, strategies.accumulator
    assert isinstance(a, LinearLayout) and isinstance(b, LinearLayout)
    for warp, lane in itertools.product(range(4), range(32)):
        for register in range(c.registers):
            row, column = c.coordinate(register, lane, warp)
            has_a = {a.coordinate(r, lane, warp) for r in range(a.registers)}
            has_b = {b.coordinate(r, lane, warp) for r in range(b.registers)}
            assert {(row, step) for step in range(8)} <= has_a
            assert {(step, column) for step in range(8)} <= has_b


def test_operands_in_shared_memory():
    (strategies,) = layouts_of("wgmma_f16_f16_f32", 64, 64, 64)
    registers, shared_layout = strategies.accepted(Axis.A)
    assert isinstance(registers, LinearLayout) and isinstance(shared_layout, SharedLayout)
    assert strategies.accepted(Axis.B) == (shared_layout,)
    assert shared_layout.swizzle.span == 128
    # Elements of other widths follow each other along K.
    (strategies,) = layouts_of("wgmma_e4m3_e4m3_f32", 64, 32, 128, bits=8)
    (b,) = strategies.accepted(Axis.B)
    assert isinstance(b, SharedLayout)
    assert str(b.layout) == "(128, 32):(1, 128)"


@pytest.mark.parametrize("atom", ["umma_e4m3_e5m2_f32", "umma_s8_u8_s32"])
def test_bytes_in_shared_memory_lie_either_way(atom: str):
    """tcgen05.mma takes B along N or along K, so that no thread has to move its bytes."""
    for strategies in layouts_of(atom, 128, 128, 32, bits=8):
        along_n, along_k = strategies.accepted(Axis.B)
        assert isinstance(along_n, SharedLayout) and isinstance(along_k, SharedLayout)
        assert str(along_n.layout) == "(32, 128):(128, 1)"
        assert str(along_k.layout) == "(32, 128):(1, 32)"
        (a,) = strategies.accepted(Axis.A)
        assert isinstance(a, SharedLayout)


def test_a_product_that_is_too_small_is_made_of_multiply_adds():
    assert [strategies.name for strategies in layouts_of("mma_f16_f16_f32", 16, 8, 4)] == ["fma"]
    assert [strategies.name for strategies in layouts_of("umma_f16_f16_f32", 32, 8, 16)] == ["fma"]


def test_batches_are_repeated_in_registers():
    shape = DotShape((4,), 16, 8, 16)
    (strategies,) = layouts_of_dot(shape, MMA_ATOMS["mma_f16_f16_f32"], get_target("sm_80"), 1, 16)
    assert strategies.accumulator.shape == (4, 16, 8)
    assert strategies.accumulator.registers == 16
