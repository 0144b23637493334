"""Words split into bytes and halves, and four-bit floats packed in pairs per byte."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.number_formats import pack_four_bits, unpack_four_bits
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

BLOCK = 16
"""The number of four-bit numbers that share a scale."""


@kernel
def split_words(x: Any, octets: Any, halves: Any, back: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    word = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    octet = ct.pack_to_bytes(word)
    ct.store(octets, index=(i,), tile=octet)
    ct.store(halves, index=(i,), tile=ct.unpack_from_bytes(octet, ct.int16))
    ct.store(back, index=(i,), tile=ct.unpack_from_bytes(octet, ct.float32))


def split_reference(x: Array, _octets: Array, _halves: Array, _back: Array) -> list[Expected]:
    return [Expected(x.view(np.uint8)), Expected(x.view(np.int16)), Expected(x.view(np.float32))]


def split_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    return [
        rng.integers(0, 2**32, length, np.uint32),
        np.zeros(4 * length, np.uint8),
        np.zeros(2 * length, np.int16),
        np.zeros(length, np.float32),
    ]


@kernel
def quantize_to_four_bits(x: Any, packed: Any, scales: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.reshape(ct.load(x, index=(i,), shape=(tile,)), (tile // 16, 16))
    # 6 is the largest four-bit number.
    scale = ct.max(ct.abs(row), 1, keepdims=True) / 6.0
    small = ct.astype(row / scale, ct.float4_e2m1fn)
    ct.store(packed, index=(i,), tile=ct.pack_to_bytes(small))
    ct.store(scales, index=(i,), tile=ct.reshape(scale, (tile // 16,)))


def quantize_reference(x: Array, _packed: Array, _scales: Array) -> list[Expected]:
    blocks = x.reshape(-1, BLOCK)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(6)
    return [Expected(pack_four_bits(blocks / scale)), Expected(scale.reshape(-1))]


def quantize_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    length = SHORT_TILE * problem[0]
    x = rng.standard_normal(length).astype(np.float32)
    return [x, np.zeros(length // 2, np.uint8), np.zeros(length // BLOCK, np.float32)]


@kernel
def expand_from_four_bits(packed: Any, scales: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    octet = ct.load(packed, index=(i,), shape=(tile // 2,))
    scale = ct.load(scales, index=(i,), shape=(tile // 16,))
    number = ct.astype(ct.unpack_from_bytes(octet, ct.float4_e2m1fn), ct.float32)
    wide = ct.reshape(number, (tile // 16, 16)) * ct.expand_dims(scale, 1)
    ct.store(out, index=(i,), tile=ct.reshape(wide, (tile,)))


def expand_reference(packed: Array, scales: Array, _out: Array) -> list[Expected]:
    number = unpack_four_bits(packed).astype(np.float32).reshape(-1, BLOCK)
    return [Expected((number * scales[:, None]).reshape(-1))]


def expand_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    length = SHORT_TILE * problem[0]
    packed = rng.integers(0, 256, length // 2, np.uint8)
    scales = rng.uniform(0.1, 2, length // BLOCK).astype(np.float32)
    return [packed, scales, np.zeros(length, np.float32)]


@kernel
def four_bit_matmul(a: Any, a_scales: Any, b: Any, b_scales: Any, c: Any, scale: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((32, 32), dtype=ct.float32)
    for k in range(ct.num_tiles(a, axis=1, shape=(32, 32))):
        x = ct.reshape(ct.load(a, index=(i, k), shape=(32, 32)), (1024,))
        y = ct.reshape(ct.load(b, index=(j, k), shape=(32, 32)), (1024,))
        x = ct.reshape(ct.unpack_from_bytes(x, ct.float4_e2m1fn), (32, 64))
        y = ct.reshape(ct.unpack_from_bytes(y, ct.float4_e2m1fn), (32, 64))
        x_scale = ct.load(a_scales, index=(i, k), shape=(32, 4))
        y_scale = ct.load(b_scales, index=(j, k), shape=(32, 4))
        acc = ct.mma_scaled(x, x_scale, ct.transpose(y), ct.transpose(y_scale), acc)
    ct.store(c, index=(i, j), tile=acc * ct.load(scale, index=(0,), shape=()))


def matmul_reference(
    a: Array, a_scales: Array, b: Array, b_scales: Array, c: Array, scale: Array
) -> list[Expected]:
    x, y = (
        unpack_four_bits(packed).astype(np.float64)
        * np.repeat(scales.astype(np.float64), BLOCK, axis=1)
        for packed, scales in ((a, a_scales), (b, b_scales))
    )
    product, size = x @ y.T * scale[0], np.abs(x) @ np.abs(y).T * scale[0]
    return [within_roundings(product, size, c.dtype, 32, np.float32)]


def matmul_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    m, n, k = problem
    a, b = (rng.integers(0, 256, (rows, k // 2), np.uint8) for rows in (m, n))
    a_scales, b_scales = (
        rng.uniform(0.1, 2, (rows, k // BLOCK)).astype(ml_dtypes.float8_e4m3fn) for rows in (m, n)
    )
    scale = np.array([0.125], np.float32)
    return [a, a_scales, b, b_scales, np.zeros((m, n), np.float32), scale]


CASES = (
    KernelCase(
        name="split_words",
        kernel=split_words,
        parameters=(
            array(ct.uint32),
            array(ct.uint8),
            array(ct.int16),
            array(ct.float32),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=split_arguments,
        grid=short_tiles,
        reference=split_reference,
        outputs=(1, 2, 3),
        since="13.3",
    ),
    KernelCase(
        name="quantize_to_four_bits",
        kernel=quantize_to_four_bits,
        parameters=(
            array(ct.float32),
            array(ct.uint8),
            array(ct.float32),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=((1,), (3,)),
        arguments=quantize_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=quantize_reference,
        outputs=(1, 2),
        since="13.3",
    ),
    KernelCase(
        name="expand_from_four_bits",
        kernel=expand_from_four_bits,
        parameters=(
            array(ct.uint8),
            array(ct.float32),
            array(ct.float32),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=((1,), (3,)),
        arguments=expand_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=expand_reference,
        outputs=(2,),
        since="13.3",
    ),
    KernelCase(
        name="four_bit_matmul",
        kernel=four_bit_matmul,
        parameters=(
            array(ct.uint8, 2),
            array(ct.float8_e4m3fn, 2),
            array(ct.uint8, 2),
            array(ct.float8_e4m3fn, 2),
            array(ct.float32, 2),
            array(ct.float32),
        ),
        problems=((32, 32, 64), (64, 32, 192)),
        arguments=matmul_arguments,
        grid=lambda problem: (problem[0] // 32, problem[1] // 32, 1),
        reference=matmul_reference,
        outputs=(4,),
        since="13.3",
    ),
)
