"""Prints values of every type, by C format and like Python, in the first block only."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ct


@kernel
def print_formats(x: Any, out: Any) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(4,))
    whole = ct.astype(value, ct.int32)
    if i == 0:
        ct.printf("%d blocks\n", ct.num_blocks(0))
        ct.printf("%5d|%-5d|%+d|%05d\n", whole, whole, whole, whole)
        ct.printf("%x %o %u\n", whole, whole, whole)
        ct.printf("%f %8.3f %e %g 100%%\n", value, value, value, value)
        ct.print("halves:", ct.astype(value, ct.float16), "long:", ct.astype(whole, ct.int64))
        ct.print(f"small={ct.astype(whole, ct.int8)} positive={value > 0.0}", sep="", end=";\n")
    ct.store(out, index=(i,), tile=whole)


def reference(x: Array, out: Array) -> list[Expected]:
    return [Expected(x.astype(out.dtype))]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = (rng.integers(-400, 400, 4 * problem[0]) / 4).astype(np.float32)
    return [x, np.zeros(x.shape, np.int32)]


CASES = (
    KernelCase(
        name="print_formats",
        kernel=print_formats,
        parameters=(array(ct.float32), array(ct.int32)),
        problems=((1,), (3,)),
        arguments=_arguments,
        grid=lambda problem: (problem[0], 1, 1),
        reference=reference,
        outputs=(1,),
    ),
)
