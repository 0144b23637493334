"""Conversions of one vector to every type, and back."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.number_formats import round_to_tf32
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles

ROWS = 8


@kernel
def conversions(a: Any, half: Any, word: Any, wide: Any, out: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    h = ct.astype(x, ct.float16)
    n = ct.astype(x, ct.int32)
    d = ct.astype(n, ct.int64) * 1000003
    ct.store(half, index=(i,), tile=h)
    ct.store(word, index=(i,), tile=n)
    ct.store(wide, index=(i,), tile=d)
    ct.store(out, index=(0, i), tile=ct.reshape(ct.astype(h, ct.float32), (1, tile)))
    b = ct.astype(ct.astype(x, ct.bfloat16), ct.float32)
    ct.store(out, index=(1, i), tile=ct.reshape(b, (1, tile)))
    t = ct.astype(ct.astype(x, ct.tfloat32), ct.float32)
    ct.store(out, index=(2, i), tile=ct.reshape(t, (1, tile)))
    e = ct.astype(ct.astype(x, ct.float8_e4m3fn), ct.float32)
    ct.store(out, index=(3, i), tile=ct.reshape(e, (1, tile)))
    f = ct.astype(ct.astype(x, ct.float8_e5m2), ct.float32)
    ct.store(out, index=(4, i), tile=ct.reshape(f, (1, tile)))
    ct.store(out, index=(5, i), tile=ct.reshape(ct.astype(d, ct.float32), (1, tile)))
    s = ct.astype(ct.astype(n, ct.int8), ct.float32)
    ct.store(out, index=(6, i), tile=ct.reshape(s, (1, tile)))
    u = ct.astype(ct.bitcast(n, ct.uint32), ct.float32)
    ct.store(out, index=(7, i), tile=ct.reshape(u, (1, tile)))


def reference(a: Array, half: Array, word: Array, wide: Array, out: Array) -> list[Expected]:
    n = np.trunc(a).astype(np.int32)
    d = n.astype(np.int64) * 1000003
    rows = [
        a.astype(np.float16),
        a.astype(ml_dtypes.bfloat16),
        round_to_tf32(a),
        a.astype(ml_dtypes.float8_e4m3fn),
        a.astype(ml_dtypes.float8_e5m2),
        d.astype(np.float32),
        n.astype(np.int8),
        n.view(np.uint32),
    ]
    outputs = (a.astype(np.float16), n, d, np.stack([r.astype(np.float32) for r in rows]))
    return [Expected(output) for output in outputs]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (length,) = problem
    return [
        rng.uniform(-200, 200, length).astype(np.float32),
        np.zeros(length, np.float16),
        np.zeros(length, np.int32),
        np.zeros(length, np.int64),
        np.zeros((ROWS, length), np.float32),
    ]


CASES = (
    KernelCase(
        name="conversions",
        kernel=conversions,
        parameters=(
            array(ct.float32),
            array(ct.float16),
            array(ct.int32),
            array(ct.int64),
            array(ct.float32, 2),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=_arguments,
        grid=short_tiles,
        reference=reference,
        outputs=(1, 2, 3, 4),
    ),
)
