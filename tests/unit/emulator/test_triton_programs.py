"""PTX of Triton kernels runs as numpy says."""

import io
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests import triton_programs
from tests.triton_compiler import TritonKernel, compile_triton
from tests.unit.emulator.instructions.cases import Array
from tileir_xdsl import emulator


def launch(kernel: TritonKernel, grid: tuple[int, ...], *args: emulator.Argument) -> None:
    """Runs in large groups, and each warp by itself with all that can wait put off, looking for races.

    The last two parameters of every kernel are memory for scratch and for profiling. Triton uses
    what it loads from tensor memory before it waits for it: the assembler knows these registers,
    but the manual asks for the wait, and so do late loads.
    """
    late = "tcgen05.ld" not in kernel.ptx
    program = emulator.load(kernel.ptx)
    scratch = [np.zeros(16, np.uint8)] * 2
    arrays = [arg for arg in args if isinstance(arg, np.ndarray)]
    arrays += [arg.array for arg in args if isinstance(arg, emulator.TensorMap)]
    before = [array.copy() for array in arrays]
    shared = kernel.shared
    program.launch(kernel.name, grid, [*args, *scratch], dynamic_shared=shared)
    results = [array.copy() for array in arrays]
    for array, values in zip(arrays, before, strict=True):
        array[...] = values
    everything = [*args, *scratch]
    program.launch(
        kernel.name, grid, everything, dynamic_shared=shared, warp_seed=1, late=late, races=True
    )
    for array, values in zip(arrays, results, strict=True):
        np.testing.assert_array_equal(array, values)


def random(shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def small(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Array:
    """Small numbers, whose products and sums every type can hold."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def test_vector_add():
    types = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}
    kernel = compile_triton(triton_programs.vector_add, types, {"SIZE": 256})
    x, y, out = random((500,)), random((500,))[::-1].copy(), np.zeros(500, np.float32)
    launch(kernel, (2,), x, y, out, 500)
    np.testing.assert_array_equal(out, x + y)


def test_softmax():
    types = {"x": "*fp32", "out": "*fp32", "columns": "i32"}
    kernel = compile_triton(triton_programs.softmax, types, {"SIZE": 512})
    x, out = random((3, 300)), np.zeros((3, 300), np.float32)
    launch(kernel, (3,), x, out, 300)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "i8"])
def test_transpose(dtype: str):
    kernel = compile_triton(
        triton_programs.transpose,
        {"x": f"*{dtype}", "out": f"*{dtype}"},
        {"ROWS": 32, "COLUMNS": 64},
    )
    x = small((32, 64), {"fp32": "f4", "fp16": "f2", "i8": "i1"}[dtype])
    out = np.zeros((64, 32), x.dtype)
    launch(kernel, (1,), x, out)
    np.testing.assert_array_equal(out, x.T)


def test_reductions():
    types = {"x": "*fp32", "sums": "*fp32", "places": "*i32", "scans": "*fp32"}
    kernel = compile_triton(triton_programs.reductions, types, {"ROWS": 32, "COLUMNS": 64})
    x = small((32, 64), np.float32)
    sums, places = np.zeros(64, np.float32), np.zeros(32, np.int32)
    scans = np.zeros((32, 64), np.float32)
    launch(kernel, (1,), x, sums, places, scans)
    np.testing.assert_array_equal(sums, x.sum(axis=0))
    np.testing.assert_array_equal(places, x.argmax(axis=1))
    np.testing.assert_array_equal(scans, x.cumsum(axis=1))


def test_atomics():
    types = {"x": "*i32", "total": "*i32", "bins": "*i32", "seen": "*i32", "n": "i32"}
    kernel = compile_triton(triton_programs.atomics, types, {"SIZE": 128})
    x = np.random.default_rng(0).integers(0, 100, 300, np.int32)
    total, bins, seen = np.zeros(2, np.int32), np.zeros(16, np.int32), np.zeros(1, np.int32)
    launch(kernel, (3,), x, total, bins, seen, 300)
    assert total.tolist() == [x.sum(), 0]
    assert seen[0] == x.max()
    np.testing.assert_array_equal(bins, np.bincount(x % 16, minlength=16))


def test_elementwise():
    types = {"x": "*fp32", "y": "*fp32", "out": "*fp32"}
    kernel = compile_triton(triton_programs.elementwise, types, {"SIZE": 256})
    x, y, out = random((256,)) * 5, random((256,))[::-1].copy(), np.zeros(256, np.float32)
    launch(kernel, (1,), x, y, out)
    a, b = x.astype(np.float64), y.astype(np.float64)
    c = np.where(a > b, np.sqrt(np.abs(a)), np.sin(b) * np.log1p(np.abs(b)))
    t = 1 / (1 + 0.3275911 * np.abs(b))
    tail = (1.421413741 + t * (-1.453152027 + t * 1.061405429)) * t - 0.284496736
    erf = np.sign(b) * (1 - (0.254829592 + t * tail) * t * np.exp(-(b**2)))
    c += 1 / np.sqrt(np.abs(a) + 1) + np.floor(b) + 1 / (1 + np.exp(-a)) + erf
    narrow = x.astype(ml_dtypes.bfloat16).astype(float) + y.astype(np.float16)
    integer = np.trunc(np.fmod(np.trunc(a), 7) / 2)
    np.testing.assert_allclose(out, c + narrow + integer, rtol=1e-5, atol=1e-5)


def test_random_numbers():
    kernel = compile_triton(
        triton_programs.random_numbers, {"out": "*fp32", "seed": "i32"}, {"SIZE": 256}
    )
    out = np.zeros(256, np.float32)
    launch(kernel, (1,), out, 7)
    assert out.min() >= 0 and out.max() < 1 and len(np.unique(out)) > 250


@pytest.mark.one_in(2)
@pytest.mark.parametrize("capability", [80, 100])
def test_rearrangements(capability: int):
    kernel = compile_triton(
        triton_programs.rearrangements,
        {"x": "*fp32", "out": "*fp32", "bins": "*i32"},
        {"SIZE": 256},
        capability=capability,
    )
    x = random((256,))
    out, bins = np.zeros(4 * 256 + 2, np.float32), np.zeros(16, np.int32)
    launch(kernel, (1,), x, out, bins)
    at = np.arange(256)
    narrow = x.astype(ml_dtypes.float8_e5m2).astype(np.float32)
    narrow += x.astype(ml_dtypes.bfloat16).astype(np.float32)
    expected = [np.sort(x), narrow, x[at * 7 % 256], x[::-1], [x.max(), x.argmax()]]
    np.testing.assert_array_equal(out, np.concatenate(expected))
    np.testing.assert_array_equal(bins, 16)


def test_prints():
    kernel = compile_triton(triton_programs.prints, {"x": "*fp32"}, {"SIZE": 128})
    output = io.StringIO()
    scratch = [np.zeros(16, np.uint8)] * 2
    x = np.arange(128, dtype=np.float32) / 4
    emulator.load(kernel.ptx).launch(kernel.name, (1,), [x, *scratch], output=output)
    lines = output.getvalue().splitlines()
    assert lines[5] == "pid (0, 0, 0) idx (  5) value: 1.250000"
    assert len(lines) == 128


# Element types of both factors and of the sums, the precision of `tl.dot`, and the target.
MMA_OPS: dict[str, tuple[str, Any, str, Any, str, int]] = {
    "f16": ("fp16", np.float16, "fp32", np.float32, "ieee", 80),
    "bf16": ("bf16", ml_dtypes.bfloat16, "fp32", np.float32, "ieee", 80),
    "tf32": ("fp32", np.float32, "fp32", np.float32, "tf32", 80),
    "f32 by parts": ("fp32", np.float32, "fp32", np.float32, "tf32x3", 80),
    "s8": ("i8", np.int8, "i32", np.int32, "ieee", 80),
    "e4m3": ("fp8e4nv", ml_dtypes.float8_e4m3fn, "fp32", np.float32, "ieee", 89),
    "f64": ("fp64", np.float64, "fp64", np.float64, "ieee", 80),
    "f16, warpgroup": ("fp16", np.float16, "fp32", np.float32, "ieee", 90),
    "bf16, warpgroup": ("bf16", ml_dtypes.bfloat16, "fp32", np.float32, "ieee", 90),
    "tf32, warpgroup": ("fp32", np.float32, "fp32", np.float32, "tf32", 90),
    "s8, warpgroup": ("i8", np.int8, "i32", np.int32, "ieee", 90),
    "f16, tensor memory": ("fp16", np.float16, "fp32", np.float32, "ieee", 100),
    "tf32, tensor memory": ("fp32", np.float32, "fp32", np.float32, "tf32", 100),
    "e4m3, tensor memory": ("fp8e4nv", ml_dtypes.float8_e4m3fn, "fp32", np.float32, "ieee", 100),
    "e5m2, warpgroup": ("fp8e5", ml_dtypes.float8_e5m2, "fp32", np.float32, "ieee", 90),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", MMA_OPS)
def test_gemm(name: str):
    operand, operand_dtype, sums, sums_dtype, precision, capability = MMA_OPS[name]
    types = {"a": f"*{operand}", "b": f"*{operand}", "c": f"*{sums}", "k": "i32"}
    rows = 128 if capability == 100 else 64
    constants = {"M": rows, "N": 32, "STEP": 32, "PRECISION": precision}
    kernel = compile_triton(
        triton_programs.gemm, types, constants, capability=capability, multiples=("k",)
    )
    a, b = small((128, 128), operand_dtype), small((32, 128), operand_dtype, 1)
    c = np.zeros((128, 32), sums_dtype)
    launch(kernel, (128 // rows,), a.view(np.uint8), b.view(np.uint8), c, 128)
    np.testing.assert_array_equal(c, a.astype(float) @ b.astype(float).T)
    used = {80: "mma.sync", 89: "mma.sync", 90: "wgmma", 100: "tcgen05.mma"}[capability]
    assert used in kernel.ptx
    assert "cp.async" in kernel.ptx


def test_gemm_of_a_cluster():
    types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "k": "i32"}
    constants = {"M": 128, "N": 64, "STEP": 32, "PRECISION": "ieee"}
    kernel = compile_triton(triton_programs.gemm, types, constants, ctas=2, multiples=("k",))
    a, b = small((128, 128), np.float16), small((64, 128), np.float16, 1)
    c = np.zeros((128, 64), np.float32)
    launch(kernel, (2,), a, b, c, 128)
    np.testing.assert_array_equal(c, a.astype(float) @ b.astype(float).T)
    assert ".reqnctapercluster 2" in kernel.ptx


@pytest.mark.one_in(2)
@pytest.mark.parametrize("capability", [90, 100])
def test_gemm_of_tensors(capability: int):
    rows = 128 if capability == 100 else 64
    tall, wide = f"tensordesc<fp16[{rows},64]>", "tensordesc<fp16[64,64]>"
    types = {"a": tall, "b": wide, "c": tall, "k": "i32"}
    constants = {"M": rows, "N": 64, "STEP": 64}
    function = triton_programs.gemm_of_tensors
    kernel = compile_triton(function, types, constants, capability=capability)
    a, b = small((128, 192), np.float16), small((192, 64), np.float16, 1)
    c = np.zeros((128, 64), np.float16)
    args: list[emulator.Argument] = []
    for array, (box, swizzle) in zip((a, b, c), kernel.boxes, strict=True):
        tensor_map = emulator.TensorMap(array, box, swizzle)
        args += [tensor_map, *array.shape, array.shape[1], 1]
    launch(kernel, (128 // rows, 1), *args, 192)
    np.testing.assert_array_equal(c, (a.astype(float) @ b.astype(float)).astype(np.float16))
    assert "cp.async.bulk.tensor" in kernel.ptx


@pytest.mark.one_in(3)
@pytest.mark.parametrize("capability", [80, 90, 100])
def test_attention(capability: int):
    types = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp32", "length": "i32"}
    rows = 128 if capability == 100 else 64
    constants = {"ROWS": rows, "D": 32}
    kernel = compile_triton(triton_programs.attention, types, constants, capability=capability)
    q, k, v = (random((128, 32), np.float16) * np.float16(s) for s in (0.5, 0.7, 1))
    out = np.zeros((128, 32), np.float32)
    launch(kernel, (128 // rows,), q, k, v, out, 128)
    scores = q.astype(float) @ k.astype(float).T
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = p @ v.astype(float) / p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(out, expected, rtol=5e-3, atol=5e-3)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("capability", [90, 100, 120])
@pytest.mark.parametrize("element", ["e4m3", "e2m1"])
def test_scaled_product(element: str, capability: int):
    m, n, k, packed = 128, 64, 128, 1 if element == "e4m3" else 2
    pointer = "*fp8e4nv" if element == "e4m3" else "*u8"
    types = {"a": pointer, "a_scales": "*u8", "b": pointer, "b_scales": "*u8", "c": "*fp32"}
    constants = {"M": m, "N": n, "K": k, "FORMAT": element, "PACKED": packed}
    function = triton_programs.scaled_matmul
    kernel = compile_triton(function, types, constants, capability=capability)
    dtype = ml_dtypes.float8_e4m3fn if element == "e4m3" else ml_dtypes.float4_e2m1fn
    a, b = small((m, k), dtype), small((n, k), dtype, 1)
    generator = np.random.default_rng(2)
    a_scales, b_scales = (
        generator.integers(125, 130, (extent, k // 32)).astype(np.uint8) for extent in (m, n)
    )
    left, right = (
        x.astype(float) * np.repeat(2.0 ** (scales.astype(float) - 127), 32, axis=1)
        for x, scales in ((a, a_scales), (b, b_scales))
    )
    a_bits, b_bits = (x.view(np.uint8) for x in (a, b))
    if packed == 2:
        a_bits, b_bits = (x[:, ::2] & 15 | x[:, 1::2] << 4 for x in (a_bits, b_bits))
    c = np.zeros((m, n), np.float32)
    launch(kernel, (1,), a_bits, a_scales, b_bits, b_scales, c)
    np.testing.assert_array_equal(c, left @ right.T)
    assert ("block_scale" in kernel.ptx) == (capability > 90)
