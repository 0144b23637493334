"""One step of heat diffusion on a plane, which gathers each point and its four neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 16


@kernel
def heat_step(x: Any, out: Any, tile: ct.Constant[int]) -> None:
    rows = ct.expand_dims(ct.bid(0) * tile + ct.arange(tile, dtype=ct.int32), 1)
    columns = ct.expand_dims(ct.bid(1) * tile + ct.arange(tile, dtype=ct.int32), 0)
    centre = ct.gather(x, (rows, columns))
    # Outside of the plane it is as warm as 20 degrees.
    vertical = ct.gather(x, (rows - 1, columns), padding_value=20)
    vertical += ct.gather(x, (rows + 1, columns), padding_value=20)
    horizontal = ct.gather(x, (rows, columns - 1), padding_value=20)
    horizontal += ct.gather(x, (rows, columns + 1), padding_value=20)
    ct.scatter(out, (rows, columns), 0.5 * centre + 0.125 * (vertical + horizontal))


def reference(x: Array, _out: Array) -> list[Expected]:
    padded = np.pad(x, 1, constant_values=np.float32(20))
    vertical = padded[:-2, 1:-1] + padded[2:, 1:-1]
    horizontal = padded[1:-1, :-2] + padded[1:-1, 2:]
    return [Expected(np.float32(0.5) * x + np.float32(0.125) * (vertical + horizontal))]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    # Multiples of an eighth: every sum is exact.
    x = (rng.integers(0, 800, problem) / 8).astype(np.float32)
    return [x, np.zeros_like(x)]


CASES = (
    KernelCase(
        name="heat_step",
        kernel=heat_step,
        parameters=(array(ct.float32, 2), array(ct.float32, 2), ConstantConstraint(TILE)),
        problems=((1, 1), (16, 16), (20, 50)),
        arguments=_arguments,
        grid=lambda problem: (cdiv(problem[0], TILE), cdiv(problem[1], TILE), 1),
        reference=reference,
        outputs=(1,),
    ),
)
