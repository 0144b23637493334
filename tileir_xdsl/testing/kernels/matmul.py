"""Matrix products by operand type, with one tile of the result per tile block."""

from __future__ import annotations

from typing import Any, TypedDict

import ml_dtypes
import numpy as np
from numpy.typing import DTypeLike

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.number_formats import round_to_tf32
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 32
"""Extents of the tiles of the zoo along M, N and K."""

WARPGROUP_TILE = 64
"""The extents of tiles that MMAs of a warpgroup (`wgmma`, `tcgen05.mma`) support."""


def _matmul(
    a: Any,
    b: Any,
    c: Any,
    tile: int,
    accumulator: Any,
    operand: Any = None,
    fast: bool = False,
) -> None:
    """One tile of `c = a @ b`, with the operands converted to `operand` if given."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tile, tile), dtype=accumulator)
    zero = ct.PaddingMode.ZERO
    for k in range(ct.num_tiles(a, axis=1, shape=(tile, tile))):
        x = ct.load(a, index=(i, k), shape=(tile, tile), padding_mode=zero)
        y = ct.load(b, index=(k, j), shape=(tile, tile), padding_mode=zero)
        if operand is not None:
            x, y = ct.astype(x, operand), ct.astype(y, operand)
        acc = ct.mma(x, y, acc, use_fast_acc=fast)
    ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))


@kernel
def matmul(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    _matmul(a, b, c, tile, ct.float32)


@kernel
def matmul_in_half(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    _matmul(a, b, c, tile, ct.float16)


@kernel
def matmul_in_result(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    _matmul(a, b, c, tile, c.dtype)


@kernel
def matmul_tf32(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    _matmul(a, b, c, tile, ct.float32, operand=ct.tfloat32)


@kernel
def matmul_fast(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    # For speed, some GPUs keep the sums in fewer digits.
    _matmul(a, b, c, tile, ct.float32, fast=True)


def expected_matmul(a: Array, b: Array, dtype: DTypeLike, accumulator: DTypeLike) -> Expected:
    """`a @ b`: exact for integers, otherwise with tolerance for the roundings of the sums."""
    if np.dtype(dtype).kind == "i":
        return Expected((a.astype(np.int64) @ b.astype(np.int64)).astype(dtype))
    x, y = a.astype(np.float64), b.astype(np.float64)
    return within_roundings(x @ y, np.abs(x) @ np.abs(y), dtype, 32, accumulator)


class _Sizes(TypedDict):
    """Keyword arguments of `_case`: the extent of tiles, and M, N and K."""

    tile: int
    problems: tuple[Problem, ...]


def _case(
    name: str,
    function: Any,
    operand: tuple[ct.DType, DTypeLike],
    result: tuple[ct.DType, DTypeLike],
    accumulator: DTypeLike = np.float32,
    *,
    right: tuple[ct.DType, DTypeLike] | None = None,
    since: str = "13.1",
    tile: int = TILE,
    problems: tuple[Problem, ...] = ((32, 32, 32), (64, 32, 96), (40, 50, 70)),
) -> KernelCase:
    """A case of `operand @ right`, where `right` is like `operand` unless given."""
    right = right or operand

    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        a, b = _random((m, k), operand[1], rng), _random((k, n), right[1], rng)
        return [a, b, np.zeros((m, n), result[1])]

    def reference(a: Array, b: Array, c: Array) -> list[Expected]:
        if function is matmul_tf32:
            a, b = round_to_tf32(a), round_to_tf32(b)
        return [expected_matmul(a, b, c.dtype, accumulator)]

    return KernelCase(
        name=f"matmul_{name}",
        kernel=function,
        parameters=(
            array(operand[0], 2),
            array(right[0], 2),
            array(result[0], 2),
            ConstantConstraint(tile),
        ),
        problems=problems,
        arguments=arguments,
        grid=lambda problem: (cdiv(problem[0], tile), cdiv(problem[1], tile), 1),
        reference=reference,
        outputs=(2,),
        since=since,
    )


def _random(shape: tuple[int, ...], dtype: DTypeLike, rng: np.random.Generator) -> Array:
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(np.dtype(dtype).type)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


F16, BF16 = (ct.float16, np.float16), (ct.bfloat16, ml_dtypes.bfloat16)
F32, F64 = (ct.float32, np.float32), (ct.float64, np.float64)
F8 = (ct.float8_e4m3fn, ml_dtypes.float8_e4m3fn)
F8_WIDE = (ct.float8_e5m2, ml_dtypes.float8_e5m2)
I8, U8, I32 = (ct.int8, np.int8), (ct.uint8, np.uint8), (ct.int32, np.int32)

CASES = (
    _case("f16", matmul, F16, F16),
    _case("f16_f16", matmul_in_half, F16, F16, np.float16),
    _case("bf16", matmul, BF16, BF16),
    _case("tf32", matmul_tf32, F32, F32),
    _case("f32", matmul, F32, F32),
    _case("f64", matmul_in_result, F64, F64, np.float64),
    _case("f8", matmul, F8, F32),
    _case("f8_e5m2", matmul, F8_WIDE, F32),
    _case("f8_f16", matmul_in_half, F8, F16, np.float16),
    _case("f8_fast", matmul_fast, F8, F32, np.float16, since="13.3"),
    _case("i8", matmul_in_result, I8, I32),
    _case("u8", matmul_in_result, U8, I32),
    _case("i8_u8", matmul_in_result, I8, I32, right=U8),
)

_WIDE: _Sizes = {"tile": WARPGROUP_TILE, "problems": ((72, 64, 200),)}

WARPGROUP_CASES = (
    _case("f16_warpgroup", matmul, F16, F16, **_WIDE),
    _case("f16_f16_warpgroup", matmul_in_half, F16, F16, np.float16, **_WIDE),
    _case("bf16_warpgroup", matmul, BF16, BF16, **_WIDE),
    _case("tf32_warpgroup", matmul_tf32, F32, F32, **_WIDE),
    _case("f8_warpgroup", matmul, F8, F32, **_WIDE),
    _case("i8_warpgroup", matmul_in_result, I8, I32, **_WIDE),
)
"""Products with tiles of a warpgroup; these kernels exist only with divisible strides."""
