"""Dots: right, exact for integers, and the same bits for every register block."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import Float64Type, FloatTF32Type, bf16, f16, f32, i8, i32
from xdsl.ir import Attribute, SSAValue

from bench.framework.jit import Array, aligned, zeros
from tests.unit.transforms.convert_tilecpu_to_llvm.jitted import Jitted
from tileir_xdsl.builders.llvm_code import LLVMCode
from tileir_xdsl.transforms.convert_tilecpu_to_llvm.dots import (
    Dot,
    RegisterBlock,
    Registers,
    emit_dot,
    register_block,
    scratch_bytes,
    why_not_lowered,
)

f64 = Float64Type()
WIDE, NARROW = Registers(64, 16, 4), Registers(32, 8, 2)
DTYPES: dict[Attribute, np.dtype[np.generic]] = {
    f16: np.dtype(np.float16),
    bf16: np.dtype(ml_dtypes.bfloat16),
    f32: np.dtype(np.float32),
    f64: np.dtype(np.float64),
    i8: np.dtype(np.int8),
    i32: np.dtype(np.int32),
}
SHAPES = [(1, 16, 64, 8), (2, 8, 16, 4), (1, 1, 32, 2), (1, 32, 1, 16), (1, 1, 1, 1)]
TYPES = [
    (f32, f32, f32),
    (f64, f64, f64),
    (f16, f16, f32),
    (bf16, bf16, f32),
    (f16, f16, f16),
    (f32, f32, f64),
    (i8, i8, i32),
]


def jitted(dot: Dot, block: RegisterBlock) -> Jitted:
    def build(code: LLVMCode, *pointers: SSAValue) -> None:
        emit_dot(code, dot, block, *pointers)

    return Jitted(4, build)


def operands(dot: Dot, seed: int = 0) -> tuple[Array, Array, Array]:
    """Tiles A, B and the accumulator, as matrices in the usual order."""
    random = np.random.default_rng(seed)

    def tile(type: Attribute, rows: int, columns: int) -> Array:
        shape, dtype = (dot.batch, rows, columns), DTYPES[type]
        if dtype.kind == "i":
            return random.integers(-128, 128, shape).astype(dtype)
        return random.standard_normal(shape).astype(dtype)

    return tile(dot.a, dot.m, dot.k), tile(dot.b, dot.k, dot.n), tile(dot.acc, dot.m, dot.n)


def run(dot: Dot, block: RegisterBlock) -> Array:
    a, b, acc = operands(dot)
    stored = [
        aligned(tile.transpose(0, 2, 1) if is_transposed else tile)
        for tile, is_transposed in zip((a, b), dot.transposed, strict=True)
    ]
    result = aligned(acc)
    jitted(dot, block)(*stored, result, zeros(max(1, scratch_bytes(dot)), np.uint8))
    return result


@pytest.mark.one_in(4)
@pytest.mark.parametrize("registers", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("types", TYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(
    shape: tuple[int, int, int, int],
    types: tuple[Attribute, Attribute, Attribute],
    registers: Registers,
):
    dot = Dot(*shape, *types)
    a, b, acc = operands(dot)
    if DTYPES[dot.acc].kind == "i":
        expected = a.astype(np.int32) @ b.astype(np.int32) + acc
        np.testing.assert_array_equal(run(dot, register_block(dot, registers)), expected)
        return
    wide = [tile.astype(np.float64) for tile in (a, b, acc)]
    expected = wide[0] @ wide[1] + wide[2]
    magnitude = np.abs(wide[0]) @ np.abs(wide[1]) + np.abs(wide[2])
    result = run(dot, register_block(dot, registers)).astype(np.float64)
    epsilon = float(ml_dtypes.finfo(DTYPES[dot.acc]).eps)
    assert (
        np.abs(result - expected) <= (dot.k if dot.acc != f16 else 2) * epsilon * magnitude
    ).all()


def test_unsigned_operands():
    dot = Dot(1, 4, 8, 4, i8, i8, i32, is_signed=(False, True))
    a, b, acc = operands(dot)
    expected = a.view(np.uint8).astype(np.int32) @ b.astype(np.int32) + acc
    np.testing.assert_array_equal(run(dot, register_block(dot, WIDE)), expected)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("panels", [False, True], ids=["rows", "panels"])
@pytest.mark.parametrize("transposed", list(product((False, True), repeat=2)), ids=str)
@pytest.mark.parametrize("types", [(f32, f32, f32), (bf16, bf16, f32)], ids=str)
def test_bits_depend_neither_on_the_block_nor_on_storage(
    types: tuple[Attribute, Attribute, Attribute], transposed: tuple[bool, bool], panels: bool
):
    dot = Dot(2, 8, 32, 16, *types)
    expected = run(dot, RegisterBlock(1, 1, 1))
    changed = replace(dot, transposed=transposed, panels=panels)
    for block in (RegisterBlock(4, 32, 16), RegisterBlock(8, 8, 4), RegisterBlock(2, 16, 8)):
        assert run(changed, block).tobytes() == expected.tobytes()


def test_each_element_is_a_chain_of_fused_operations():
    dot = Dot(1, 1, 1, 2, f32, f32, f32)
    tiny = np.float32(2.0**-30)
    a, b = np.array([[[1 + 2.0**-12, 1.0]]], np.float32), np.ones((1, 2, 1), np.float32)
    b[0, 0, 0], b[0, 1, 0] = 1 + 2.0**-12, tiny
    acc = aligned(np.full((1, 1, 1), -(1 + 2.0**-11), np.float32))
    jitted(dot, RegisterBlock(1, 1, 1))(aligned(a), aligned(b), acc, zeros(1, np.uint8))
    # Rounded by itself, the first product would lose its last bit, 2**-24.
    assert acc[0, 0, 0] == np.float32(2.0**-24) + tiny


def test_register_blocks_fill_the_accumulators():
    dot = Dot(1, 128, 128, 64, f32, f32, f32)
    assert register_block(dot, WIDE) == RegisterBlock(4, 64, 16)
    assert register_block(dot, NARROW) == RegisterBlock(4, 16, 8)
    assert register_block(Dot(1, 16, 16, 64, f32, f32, f32), WIDE) == RegisterBlock(16, 16, 16)
    assert register_block(Dot(1, 2, 1, 8, f32, f32, f32), WIDE) == RegisterBlock(2, 1, 1)


def test_scratch_memory_holds_what_is_rewritten():
    assert scratch_bytes(Dot(1, 16, 16, 16, f32, f32, f32)) == 0
    assert scratch_bytes(Dot(1, 16, 32, 8, f16, f16, f32)) == 4 * (16 * 8 + 8 * 32)
    assert scratch_bytes(Dot(1, 16, 32, 8, f32, f32, f32, transposed=(True, True))) == 4 * 8 * 32


def test_other_types_are_named():
    tf32 = FloatTF32Type()
    assert why_not_lowered(Dot(1, 8, 8, 8, f32, f32, f32)) is None
    assert why_not_lowered(Dot(1, 8, 8, 8, tf32, tf32, f32)) == "a dot of tf32 and tf32 to f32"
    assert why_not_lowered(Dot(1, 8, 8, 8, f32, f32, i32)) == "a dot of f32 and f32 to i32"
