"""Matrix transposition, by permuting a tile or by loading it with swapped dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

TILE = 32


@kernel
def transpose(a: Any, out: Any, tile: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    x = ct.load(a, index=(i, j), shape=(tile, tile), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(j, i), tile=ct.transpose(x))


@kernel
def transpose_by_order(a: Any, out: Any, tile: ct.Constant[int]) -> None:
    i, j = ct.bid(0), ct.bid(1)
    x = ct.load(a, index=(j, i), shape=(tile, tile), order=(1, 0), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(j, i), tile=x)


def reference(a: Array, _out: Array) -> list[Expected]:
    return [Expected(np.ascontiguousarray(a.T))]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    a = rng.standard_normal((rows, columns)).astype(np.float16)
    return [a, np.zeros((columns, rows), np.float16)]


def _grid(problem: Problem) -> tuple[int, int, int]:
    return cdiv(problem[0], TILE), cdiv(problem[1], TILE), 1


def _case(name: str, function: Any) -> KernelCase:
    return KernelCase(
        name=name,
        kernel=function,
        parameters=(*(array(ct.float16, 2),) * 2, ConstantConstraint(TILE)),
        problems=((32, 32), (1, 65), (50, 70)),
        arguments=_arguments,
        grid=_grid,
        reference=reference,
        outputs=(1,),
    )


CASES = (_case("transpose", transpose), _case("transpose_by_order", transpose_by_order))
