"""Permuting, reshaping, concatenating, cutting and filling tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ct


@kernel
def permute_3d(a: Any, out: Any) -> None:
    x = ct.load(a, index=(ct.bid(0), 0, 0), shape=(4, 8, 16))
    ct.store(out, index=(0, ct.bid(0), 0), tile=ct.permute(x, (2, 0, 1)))


def permute_3d_reference(a: Array, _out: Array) -> list[Expected]:
    return [Expected(np.ascontiguousarray(a.transpose(2, 0, 1)))]


def permute_3d_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    a = rng.integers(-100, 100, (4 * count, 8, 16)).astype(np.int16)
    return [a, np.zeros((16, 4 * count, 8), np.int16)]


@kernel
def cat_extract(a: Any, b: Any, out: Any, parts: Any) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i, 0), shape=(8, 16))
    y = ct.load(b, index=(i, 0), shape=(8, 16))
    both = ct.cat((x, y), 1)
    ct.store(out, index=(i, 0), tile=both)
    quarter = ct.extract(both, (i % 2, 2), (4, 8))
    corner = ct.extract(ct.reshape(both, (16, 16)), (3, 1), (4, 8))
    ct.store(parts, index=(i, 0), tile=ct.cat((quarter, corner), 0))


def cat_extract_reference(a: Array, b: Array, out: Array, parts: Array) -> list[Expected]:
    whole, pieces = np.concatenate([a, b], axis=1), np.zeros_like(parts)
    for i in range(len(a) // 8):
        both = whole[8 * i : 8 * i + 8]
        half = i % 2
        pieces[8 * i : 8 * i + 4] = both[4 * half : 4 * half + 4, 16:24]
        pieces[8 * i + 4 : 8 * i + 8] = both.reshape(16, 16)[12:16, 8:16]
    return [Expected(whole), Expected(pieces)]


def cat_extract_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    a, b = rng.standard_normal((2, 8 * count, 16)).astype(np.float32)
    return [a, b, np.zeros((8 * count, 32), np.float32), np.zeros((8 * count, 8), np.float32)]


@kernel
def broadcast_outer(a: Any, b: Any, out: Any) -> None:
    i, j = ct.bid(0), ct.bid(1)
    x = ct.load(a, index=(i,), shape=(16,), padding_mode=ct.PaddingMode.ZERO)
    y = ct.load(b, index=(j,), shape=(64,), padding_mode=ct.PaddingMode.ZERO)
    column = ct.expand_dims(x, 1)
    outer = column * ct.expand_dims(y, 0) + ct.broadcast_to(column, (16, 64))
    ct.store(out, index=(i, j), tile=outer + ct.full((16, 64), 3, dtype=ct.int32))


def broadcast_outer_reference(a: Array, b: Array, _out: Array) -> list[Expected]:
    return [Expected(a[:, None] * b[None, :] + a[:, None] + np.int32(3))]


def broadcast_outer_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    a = rng.integers(-1000, 1000, rows).astype(np.int32)
    b = rng.integers(-1000, 1000, columns).astype(np.int32)
    return [a, b, np.zeros((rows, columns), np.int32)]


CASES = (
    KernelCase(
        name="permute_3d",
        kernel=permute_3d,
        parameters=(array(ct.int16, 3),) * 2,
        problems=((1,), (3,)),
        arguments=permute_3d_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=permute_3d_reference,
        outputs=(1,),
    ),
    KernelCase(
        name="cat_extract",
        kernel=cat_extract,
        parameters=(array(ct.float32, 2),) * 4,
        problems=((1,), (4,)),
        arguments=cat_extract_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=cat_extract_reference,
        outputs=(2, 3),
    ),
    KernelCase(
        name="broadcast_outer",
        kernel=broadcast_outer,
        parameters=(array(ct.int32), array(ct.int32), array(ct.int32, 2)),
        problems=((16, 64), (20, 100)),
        arguments=broadcast_outer_arguments,
        grid=lambda problem: (-(-problem[0] // 16), -(-problem[1] // 64), 1),
        reference=broadcast_outer_reference,
        outputs=(2,),
    ),
)
