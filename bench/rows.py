"""Three kernels that only move memory, written twice: for Tile IR and for Triton.

The same problem both times: a block adds 1,024 numbers, or takes one row of up to 1,024 to its
softmax or layer normalisation. Sizes and strides are multiples of 16, and both compilers know it;
exponentials and quotients are the approximations that Triton takes. The Tile IR is that of cuTile,
but the arrays share the parameters for their size: cuTile gives each its own.
`python -m bench.rows` writes it.
"""

# Triton reads the annotations of parameters, and knows none that Python has.
# pyright: reportMissingParameterType=false, reportUnknownParameterType=false

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cuda.tile as ct
import numpy as np
import triton
import triton.language as tl
from cuda.tile.compilation import ConstantConstraint, ScalarConstraint

from tests.triton_compiler import TritonKernel, compile_triton
from tileir_xdsl.testing.kernels import layer_norm as zoo_layer_norm
from tileir_xdsl.testing.kernels import softmax as zoo_softmax
from tileir_xdsl.testing.kernels.agreement import Array, Expected
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.problems import cdiv

FOLDER = Path(__file__).parent / "kernels"
SIZE = 1024
DIVISOR = 16
EPSILON = 1e-5


@kernel
def vector_add(a: Any, b: Any, c: Any, tile: ct.Constant[int]) -> None:
    i = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    x = ct.load(a, index=(i,), shape=(tile,), padding_mode=zero)
    y = ct.load(b, index=(i,), shape=(tile,), padding_mode=zero)
    ct.store(c, index=(i,), tile=x + y)


@kernel
def softmax(x: Any, out: Any, columns: ct.Constant[int]) -> None:
    """With the exponential and the quotient of Triton: approximate ones."""
    row = ct.load(x, index=(ct.bid(0), 0), shape=(1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    largest = ct.max(row, 1, keepdims=True)
    numerator = ct.exp(row - largest, rounding_mode=ct.RoundingMode.APPROX)
    total = ct.sum(numerator, 1, keepdims=True)
    quotient = ct.truediv(numerator, total, rounding_mode=ct.RoundingMode.FULL)
    ct.store(out, index=(ct.bid(0), 0), tile=quotient)


@kernel
def layer_norm(
    x: Any,
    weight: Any,
    bias: Any,
    out: Any,
    mean: Any,
    rstd: Any,
    epsilon: float,
    columns: ct.Constant[int],
) -> None:
    i = ct.bid(0)
    size, full = x.shape[1], ct.RoundingMode.FULL
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.ZERO)
    inside = ct.expand_dims(ct.arange(columns, dtype=ct.int32), 0) < size
    average = ct.truediv(ct.sum(row, 1, keepdims=True), size, rounding_mode=full)
    centred = ct.where(inside, row - average, 0.0)
    squares = ct.sum(centred * centred, 1, keepdims=True)
    scale = ct.rsqrt(ct.truediv(squares, size, rounding_mode=full) + epsilon)
    w = ct.load(weight, index=(0,), shape=(columns,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(bias, index=(0,), shape=(columns,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i, 0), tile=centred * scale * ct.expand_dims(w, 0) + b)
    ct.store(mean, index=(i,), tile=ct.reshape(average, (1,)))
    ct.store(rstd, index=(i,), tile=ct.reshape(scale, (1,)))


@triton.jit
def triton_vector_add(a, b, c, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


@triton.jit
def triton_softmax(x, out, columns, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    row = tl.program_id(0) * columns
    values = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def triton_layer_norm(x, weight, bias, out, mean, rstd, columns, epsilon, SIZE: tl.constexpr):
    i = tl.program_id(0)
    at = tl.arange(0, SIZE)
    inside = at < columns
    row = tl.load(x + i * columns + at, mask=inside, other=0.0)
    average = tl.sum(row, axis=0) / columns
    centred = tl.where(inside, row - average, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    scale = tl.math.rsqrt(variance + epsilon)
    w = tl.load(weight + at, mask=inside, other=0.0)
    b = tl.load(bias + at, mask=inside, other=0.0)
    tl.store(out + i * columns + at, centred * scale * w + b, mask=inside)
    tl.store(mean + i, average)
    tl.store(rstd + i, scale)


@dataclass(frozen=True)
class Row:
    """A kernel for both compilers; the arguments of Triton's are those that it names."""

    case: KernelCase
    triton: Any
    signature: Mapping[str, str]
    multiples: tuple[str, ...]
    same: Mapping[int, int]
    """The parameters of the Tile IR that are equal to another one."""

    @property
    def text_path(self) -> Path:
        """The Tile IR."""
        return FOLDER / f"{self.case.name}.mlir"

    def text(self) -> str:
        """What cuTile makes of it, with one parameter for all that are equal."""
        head, entry, body = re.split(r"(.*entry @.*\n)", text(self.case))

        def parameter(match: re.Match[str]) -> str:
            number = int(match[1])
            return f"%arg{self.same.get(number, number)}"

        return head + entry + re.sub(r"%arg(\d+)\b", parameter, body)

    def by_triton(self) -> TritonKernel:
        """What Triton makes of it for sm_90a."""
        constants = {"SIZE": SIZE}
        return compile_triton(self.triton, self.signature, constants, multiples=self.multiples)


def _sum_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    a, b = rng.standard_normal((2, *problem)).astype(np.float32)
    return [a, b, np.zeros_like(a)]


def _sum(a: Array, b: Array, c: Array) -> list[Expected]:
    return [Expected(a + b)]


def _softmax_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = (5 * rng.standard_normal(problem)).astype(np.float32)
    return [x, np.zeros_like(x)]


def _norm_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    rows, columns = problem
    x = rng.standard_normal(problem).astype(np.float32)
    weight, bias = rng.standard_normal((2, columns)).astype(np.float32)
    zeros = np.zeros(rows, np.float32)
    return [x, weight, bias, np.zeros_like(x), zeros, zeros.copy(), EPSILON]


_VECTOR, _MATRIX = (array(ct.float32, rank, divisible=DIVISOR) for rank in (1, 2))
_STATISTICS = array(ct.float32)
_TILE = ConstantConstraint(SIZE)

ROWS = (
    Row(
        KernelCase(
            name="row_vector_add",
            kernel=vector_add,
            parameters=(_VECTOR, _VECTOR, _VECTOR, _TILE),
            problems=((2 * SIZE,), (SIZE + 400,)),
            arguments=_sum_arguments,
            grid=lambda problem: (cdiv(problem[0], SIZE), 1, 1),
            reference=_sum,
            outputs=(2,),
        ),
        triton_vector_add,
        {"a": "*fp32", "b": "*fp32", "c": "*fp32", "n": "i32"},
        ("n",),
        {4: 1, 7: 1},
    ),
    Row(
        KernelCase(
            name="row_of_softmax",
            kernel=softmax,
            parameters=(_MATRIX, _MATRIX, _TILE),
            problems=((2, SIZE), (3, 400)),
            arguments=_softmax_arguments,
            grid=lambda problem: (problem[0], 1, 1),
            reference=zoo_softmax.reference,
            outputs=(1,),
        ),
        triton_softmax,
        {"x": "*fp32", "out": "*fp32", "columns": "i32"},
        ("columns",),
        {6: 1, 7: 2, 8: 3},
    ),
    Row(
        KernelCase(
            name="row_of_layer_norm",
            kernel=layer_norm,
            parameters=(
                _MATRIX,
                _VECTOR,
                _VECTOR,
                _MATRIX,
                _STATISTICS,
                _STATISTICS,
                ScalarConstraint(ct.float32),
                _TILE,
            ),
            problems=((2, SIZE), (3, 400)),
            arguments=_norm_arguments,
            grid=lambda problem: (problem[0], 1, 1),
            reference=zoo_layer_norm.reference,
            outputs=(3, 4, 5),
        ),
        triton_layer_norm,
        {
            "x": "*fp32",
            "weight": "*fp32",
            "bias": "*fp32",
            "out": "*fp32",
            "mean": "*fp32",
            "rstd": "*fp32",
            "columns": "i32",
            "epsilon": "fp32",
        },
        ("columns",),
        {6: 2, 9: 2, 12: 1, 13: 2, 14: 3, 17: 1, 20: 1},
    ),
)
"""The kernels."""


def main() -> None:
    """Writes the Tile IR of the kernels."""
    for row in ROWS:
        row.text_path.write_text(row.text(), "utf-8")


if __name__ == "__main__":
    main()
