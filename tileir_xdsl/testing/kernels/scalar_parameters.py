"""Scalar parameters of every type, and a branch on a parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.problems import SHORT_LENGTHS, SHORT_TILE, short_tiles


@kernel
def scalar_parameters(
    x: Any,
    out: Any,
    total: Any,
    half: float,
    single: float,
    double: float,
    small: int,
    wide: int,
    unsigned: int,
    negate: bool,
    tile: ct.Constant[int],
) -> None:
    i = ct.bid(0)
    value = ct.load(x, index=(i,), shape=(tile,), padding_mode=ct.PaddingMode.ZERO)
    if negate:
        value = -value
    # Powers of two: every product is exact.
    value = value * half * single
    ct.store(out, index=(i,), tile=ct.astype(value, ct.float64) * double)
    if i == 0:
        shifted: Any = ct.astype(small, ct.int64) + wide
        ct.store(total, index=(0,), tile=shifted + ct.astype(unsigned >> 31, ct.int64))


def reference(
    x: Array,
    _out: Array,
    total: Array,
    half: float,
    single: float,
    double: float,
    small: int,
    wide: int,
    unsigned: int,
    negate: bool,
) -> list[Expected]:
    factor = half * single * double * (-1 if negate else 1)
    return [
        Expected(x.astype(np.float64) * factor),
        Expected(np.full_like(total, small + wide + (unsigned >> 31))),
    ]


def _case(name: str, negate: bool) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        x = rng.standard_normal(problem).astype(np.float32)
        numbers = [0.5, 2.0**-20, 2.0**100, -7, 2**40, 2**32 - 1]
        return [x, np.zeros(problem, np.float64), np.zeros(1, np.int64), *numbers, negate]

    return KernelCase(
        name=name,
        kernel=scalar_parameters,
        parameters=(
            array(ct.float32),
            array(ct.float64),
            array(ct.int64),
            ScalarConstraint(ct.float16),
            ScalarConstraint(ct.float32),
            ScalarConstraint(ct.float64),
            ScalarConstraint(ct.int8),
            ScalarConstraint(ct.int64),
            ScalarConstraint(ct.uint32),
            ScalarConstraint(ct.bool_),
            ConstantConstraint(SHORT_TILE),
        ),
        problems=SHORT_LENGTHS,
        arguments=arguments,
        grid=short_tiles,
        reference=reference,
        outputs=(1, 2),
    )


CASES = (_case("scalar_parameters", negate=False), _case("scalar_parameters_negated", negate=True))
