"""PTX of CUDA C++ kernels runs as numpy says."""

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.cuda_compiler import compile_cuda
from tests.unit.emulator.instructions.cases import Array
from tests.unit.tools import REPOSITORY
from tileir_xdsl import emulator
from tileir_xdsl.emulator import EmulatorError

_SOURCES = REPOSITORY / "tests" / "cuda_programs"
_ARCHITECTURES = {"taking_over": "compute_100"}
"""What a source is compiled for, where it is not sm_90a."""


@cache
def module(name: str) -> emulator.Module:
    source = (_SOURCES / f"{name}.cu").read_text()
    return emulator.load(compile_cuda(source, _ARCHITECTURES.get(name, "compute_90a")))


def launch(
    source: str,
    kernel: str,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    *args: emulator.Argument,
) -> None:
    """Runs in large groups, and, looking for races, each warp by itself with all work put off."""
    program = module(source)
    arrays = [arg for arg in args if isinstance(arg, np.ndarray)]
    before = [array.copy() for array in arrays]
    program.launch(kernel, grid, args, block=block)
    results = [array.copy() for array in arrays]
    for array, values in zip(arrays, before, strict=True):
        array[...] = values
    program.launch(kernel, grid, args, block=block, warp_seed=1, late=True, races=True)
    for array, values in zip(arrays, results, strict=True):
        np.testing.assert_array_equal(array, values)


def random(shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


def small(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> Array:
    """Small numbers, whose products and sums every type can hold."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def test_vector_add():
    a, b, c = random((1000,)), random((1000,))[::-1].copy(), np.zeros(1000, np.float32)
    launch("threads", "vector_add", (2,), (128,), a, b, c, 1000)
    np.testing.assert_array_equal(c, a + b)


def test_scaled_vectors():
    a, b = random((64, 4)), np.zeros((64, 4), np.float32)
    launch("threads", "scale_vectors", (1,), (64,), a, b, np.float32(1.5))
    np.testing.assert_array_equal(b, a * np.float32(1.5))


def test_softmax():
    x, y = random((3, 300)), np.zeros((3, 300), np.float32)
    launch("threads", "softmax", (3,), (128,), x, y, 300)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(axis=1, keepdims=True), rtol=1e-5)


def test_transpose():
    x, y = random((40, 70)), np.zeros((70, 40), np.float32)
    launch("threads", "transpose", (3, 2), (32, 8), x, y, 40, 70)
    np.testing.assert_array_equal(y, x.T)


def test_sum():
    x, total, positive = small((300,), np.int32), np.zeros(1, np.int32), np.zeros(1, np.int32)
    launch("threads", "sum", (3,), (128,), x, total, positive, 300)
    assert (total[0], positive[0]) == (x.sum(), (x > 0).sum())


def test_histogram():
    x, bins = np.arange(1000).astype(np.uint8), np.zeros(256, np.uint32)
    launch("threads", "histogram", (2,), (128,), x, bins, 1000)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=256))


def test_atomics():
    x = small((64,), np.int32)
    out, total = np.array([0, 0, -1, 0, 0, 0, 0], np.int32), np.zeros(1)
    exchanged = np.ones(1, np.uint64)
    launch("threads", "atomics", (1,), (64,), x, out, total, exchanged)
    expected = [x.min(), x.max(), np.bitwise_and.reduce(x), np.bitwise_or.reduce(x)]
    expected += [np.bitwise_xor.reduce(x), 64 % 10, -x.sum()]
    np.testing.assert_array_equal(out, expected)
    assert total[0] == x.sum()
    value = 1
    for _ in range(64):
        value = (value * 3 + 1) % 2**64
    assert exchanged[0] == value


def test_a_weak_load_races_with_a_swap_that_writes():
    with pytest.raises(EmulatorError, match="race: this atomic access of global address"):
        launch("threads", "weak_guess", (1,), (64,), np.zeros(1, np.uint32))
    launch("threads", "weak_guess", (1,), (1,), np.zeros(1, np.uint32))


def test_a_weak_load_does_not_race_with_swaps_that_fail():
    x, out = np.full(1, 5, np.uint32), np.zeros(64, np.uint32)
    launch("threads", "failing_swaps", (1,), (64,), x, out)
    assert (x[0], set(out.tolist())) == (5, {10})


def test_last_block():
    x, parts, result = small((5, 32), np.float32), np.zeros(5, np.float32), np.zeros(1, np.float32)
    launch("threads", "last_block", (5,), (32,), x, parts, result)
    assert result[0] == x.sum()


def test_collatz():
    x, steps = np.arange(1, 65, dtype=np.uint32), np.zeros(64, np.uint32)
    launch("threads", "collatz", (1,), (64,), x, steps)

    def count(n: int) -> int:
        return 0 if n == 1 else 1 + count(3 * n + 1 if n % 2 else n // 2)

    assert steps.tolist() == [count(int(n)) for n in x]


def test_cases():
    x = np.linspace(-9000, 9000, 128).astype(np.float32)
    x[::2] /= 5000
    kind, y = np.arange(128, dtype=np.int32) // 2 % 11, np.zeros(128, np.float32)
    launch("threads", "cases", (1,), (128,), kind, x, y)
    wide = x.astype(np.float64)
    # Abramowitz and Stegun, 7.1.26, is exact to 1.5e-7.
    t = 1 / (1 + 0.3275911 * np.abs(wide))
    tail = (1.421413741 + t * (-1.453152027 + t * 1.061405429)) * t - 0.284496736
    erf = np.sign(wide) * (1 - (0.254829592 + t * tail) * t * np.exp(-(wide**2)))
    expected = np.choose(
        kind,
        [
            np.sin(wide),
            np.cos(wide) + 1,
            np.log1p(np.abs(wide)),
            np.sqrt(np.abs(wide)),
            np.abs(wide) ** 1.5,
            np.tanh(wide),
            np.floor(x) + np.rint(x),
            np.fmod(wide, 0.75),
            erf,
            -wide,
            -wide,
        ],
    )
    np.testing.assert_allclose(y, expected, rtol=2e-6, atol=4e-7)


def test_integers():
    generator = np.random.default_rng(0)
    a, b = generator.integers(-(2**62), 2**62, (2, 64))
    b[::2] >>= 40
    b[b == 0] = 1
    out = np.zeros((6, 64), np.int64)
    launch("threads", "integers", (1,), (64,), a, b, out)

    def low(value: int) -> int:
        return value & 0xFFFFFFFF

    def byte(i: int, selector: int) -> int:
        return (low(int(a[i])) | low(int(b[i])) << 32) >> 8 * selector & 0xFF

    for i in range(64):
        x, y = int(a[i]), int(b[i])
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        assert out[:3, i].tolist() == [quotient, x - quotient * y, x * y >> 64]
        ux, uy = x % 2**64, y % 2**64
        leading, trailing = 64 - ux.bit_length(), (uy & -uy).bit_length()
        assert out[3, i] == leading + 100 * uy.bit_count() + 10000 * trailing
        permuted = sum(byte(i, s) << 8 * p for p, s in enumerate((7, 1, 4, 2)))
        assert int(out[4, i]) % 2**64 == int(f"{ux:064b}"[::-1], 2) ^ permuted
        funnel = low((low(y) << 32 | low(x)) << i % 32 >> 32)
        signed = low(y) - (low(y) >> 31 << 32)
        tenth = abs(signed) // 10 * (1 if signed >= 0 else -1)
        assert out[5, i] == low(funnel + low(x) % 7 + tenth)


def test_calls():
    x, c = random((64,)), random((5,))
    y, z = np.zeros(64, np.float32), np.zeros(64)
    launch("threads", "calls", (1,), (64,), x, c, y, z)
    index = np.arange(64)
    sums = np.zeros(64)
    for i in index:
        for factor in c[: i % 5]:
            sums[i] = sums[i] * x[i] + factor
    calls = index % 3 != 0
    np.testing.assert_allclose(y, np.where(calls, sums + x + 1, 0), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(z, np.where(calls, 3.0, -1))


def test_sorted_rows():
    x = random((32, 8))
    expected = np.sort(x, axis=1)
    launch("threads", "sort_rows", (1,), (32,), x)
    np.testing.assert_array_equal(x, expected)


def test_halves():
    a, b = random((64,), np.float16), random((64, 2), np.float16)
    out, narrow = np.zeros((64, 2), np.float16), np.zeros((64, 2), ml_dtypes.bfloat16)
    launch("matrices", "halves", (1,), (64,), a, b, out, narrow)
    wide, v = b.astype(np.float64), a[:, None].astype(np.float64)
    v = v * wide + np.maximum(wide, v)
    v = (v + np.exp2(wide)) / wide
    v = np.where(a[:, None] < 0, -v, v)
    np.testing.assert_allclose(out, v, rtol=1e-2, atol=1e-2)
    low_high = np.stack([out[:, 0], b[:, 1]], axis=1).astype(ml_dtypes.bfloat16).astype(float)
    np.testing.assert_allclose(narrow.astype(float), low_high**2 + low_high, rtol=1e-2, atol=1e-2)


def test_eight_bits():
    x = random((64, 2)) * 100
    a, b = np.zeros((64, 2), ml_dtypes.float8_e4m3fn), np.zeros((64, 2), ml_dtypes.float8_e5m2)
    back = np.zeros((64, 2), np.float16)
    launch("matrices", "eight_bits", (1,), (64,), x, a.view(np.uint8), b.view(np.uint8), back)
    np.testing.assert_array_equal(a, x.astype(ml_dtypes.float8_e4m3fn))
    np.testing.assert_array_equal(b, x.astype(ml_dtypes.float8_e5m2))
    np.testing.assert_array_equal(back, a.astype(np.float16))


def test_wmma():
    a, b, c = small((16, 16), np.float16), small((16, 16), np.float16, 1), np.zeros((16, 16), "f4")
    launch("matrices", "wmma_f16", (1,), (32,), a, b, c)
    np.testing.assert_array_equal(c, a.astype(float) @ b.T.astype(float) + 1)
    x, y, z = small((16, 16), np.int8), small((16, 16), np.int8, 1), small((16, 16), np.int32)
    expected = 2 * (x.astype(int) @ y.astype(int) + z.T).T
    launch("matrices", "wmma_s8", (1,), (32,), x, y, z)
    np.testing.assert_array_equal(z, expected)
    s, t = small((16, 8), np.float32), small((16, 8), np.float32, 1)
    launch("matrices", "wmma_tf32", (1,), (32,), s, t, c)
    np.testing.assert_array_equal(c, s @ t.T)


MMA_OPS: dict[str, tuple[Any, int]] = {
    "mma_f16": (np.float16, 16),
    "mma_bf16": (ml_dtypes.bfloat16, 16),
    "mma_tf32": (np.float32, 8),
    "mma_s8": (np.int8, 32),
    "mma_e4m3": (ml_dtypes.float8_e4m3fn, 32),
}


@pytest.mark.parametrize("kernel", MMA_OPS)
def test_product_of_a_warp(kernel: str):
    dtype, k = MMA_OPS[kernel]
    a, b = small((16, k), dtype), small((8, k), dtype, 1)
    c = np.zeros((16, 8), np.int32 if dtype is np.int8 else np.float32)
    launch("matrices", kernel, (1,), (32,), a.view(np.uint8), b.view(np.uint8), c)
    np.testing.assert_array_equal(c, a.astype(float) @ b.T.astype(float))


def test_gemm_with_asynchronous_copies():
    a, b, c = small((64, 96), np.float16), small((64, 96), np.float16, 1), np.zeros((64, 64), "f4")
    launch("matrices", "pipelined_gemm", (1,), (128,), a, b, c, 96)
    np.testing.assert_array_equal(c, a.astype(float) @ b.T.astype(float))


def test_gemm_of_a_warpgroup_with_tensor_maps():
    a, b = small((128, 192), np.float16), small((64, 192), np.float16, 1)
    c = np.zeros((128, 64), np.float32)
    maps = emulator.TensorMap(a, (64, 64), 128), emulator.TensorMap(b, (32, 64), 128)
    launch("hopper", "gemm", (2, 2), (128,), *maps, c, 64, 192)
    np.testing.assert_array_equal(c, a.astype(float) @ b.T.astype(float))


def test_sum_of_a_cluster():
    x, out = small((8, 32), np.int32), np.zeros(8, np.int32)
    launch("clusters", "cluster_sum", (8,), (32,), x, out)
    sums = x.reshape(2, -1).sum(axis=1).repeat(4)
    np.testing.assert_array_equal(out, sums + np.tile(np.arange(4), 2) * 1000)


@pytest.mark.parametrize("architecture", ["compute_90a", "compute_100a"])
def test_instructions_of_intrinsics_are_known(architecture: str):
    loaded = emulator.load(compile_cuda((_SOURCES / "intrinsics.cu").read_text(), architecture))
    assert set(loaded.kernels) == {"integers", "numbers", "halves", "control", "small_floats"}


def test_blocks_take_over_others():
    rows, done_by = random((23, 100)), np.zeros(23, np.uint32)
    doubled = 2 * rows
    program = module("taking_over")
    for seed in (None, 3):
        found = rows.copy()
        done_by[:] = 99
        statistics = program.launch(
            "double_rows",
            (23,),
            [found, 100, done_by],
            block=(64,),
            late=True,
            races=True,
            warp_seed=seed,
        )
        np.testing.assert_array_equal(found, doubled)
        assert len(np.unique(done_by)) == 23 - statistics.canceled_blocks < 20
