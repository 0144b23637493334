"""A step of a Fourier transform: 16-point transforms as products with a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ct

POINTS, ROWS = 16, 16


@kernel
def fft_step(x: Any, roots: Any, twiddles: Any, out: Any) -> None:
    i = ct.bid(0)
    shape = (1, 16, 16)
    re = ct.reshape(ct.load(x, index=(0, i, 0), shape=shape), (16, 16))
    im = ct.reshape(ct.load(x, index=(1, i, 0), shape=shape), (16, 16))
    c = ct.reshape(ct.load(roots, index=(0, 0, 0), shape=shape), (16, 16))
    s = ct.reshape(ct.load(roots, index=(1, 0, 0), shape=shape), (16, 16))
    real = ct.matmul(re, c) - ct.matmul(im, s)
    imaginary = ct.matmul(re, s) + ct.matmul(im, c)
    tr = ct.reshape(ct.load(twiddles, index=(0, 0, 0), shape=shape), (16, 16))
    ti = ct.reshape(ct.load(twiddles, index=(1, 0, 0), shape=shape), (16, 16))
    ct.store(out, index=(0, i, 0), tile=ct.reshape(real * tr - imaginary * ti, shape))
    ct.store(out, index=(1, i, 0), tile=ct.reshape(real * ti + imaginary * tr, shape))


def reference(x: Array, roots: Array, twiddles: Array, out: Array) -> list[Expected]:
    z = x[0].astype(np.complex128) + 1j * x[1]
    z = z @ (roots[0].astype(np.complex128) + 1j * roots[1])
    rows = len(z) // ROWS
    z = z * np.tile(twiddles[0].astype(np.complex128) + 1j * twiddles[1], (rows, 1))
    size = (np.abs(x[0]) + np.abs(x[1])).sum(axis=1, keepdims=True)
    sizes = np.broadcast_to(4.0 * size, z.shape)
    values = np.stack([z.real, z.imag])
    return [within_roundings(values, np.stack([sizes, sizes]), out.dtype, 16, np.float32)]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    x = rng.standard_normal((2, ROWS * count, POINTS)).astype(np.float32)
    k = np.arange(POINTS)
    angle = -2 * np.pi * np.outer(k, k) / POINTS
    turn = -2 * np.pi * np.outer(np.arange(ROWS), k) / (ROWS * POINTS)
    roots = np.stack([np.cos(angle), np.sin(angle)]).astype(np.float32)
    twiddles = np.stack([np.cos(turn), np.sin(turn)]).astype(np.float32)
    return [x, roots, twiddles, np.zeros_like(x)]


CASES = (
    KernelCase(
        name="fft_step",
        kernel=fft_step,
        parameters=(array(ct.float32, 3),) * 4,
        problems=((1,), (3,)),
        arguments=_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reference,
        outputs=(3,),
    ),
)
