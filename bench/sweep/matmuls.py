"""Matmuls: tiles, operand orders, element types, clusters, forms and epilogues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
import numpy as np
from cuda.tile.compilation import ScalarConstraint

from bench.sweep.kinds import (
    ELEMENTS,
    FLAG,
    MMA,
    WITH_CLUSTERS,
    WITH_EIGHT_BIT_FLOATS,
    Axes,
    Generated,
    Kind,
    Values,
    argument,
    case,
    flag,
    number,
    random_array,
)
from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, array, kernel
from tileir_xdsl.testing.kernels.number_formats import round_to_tf32
from tileir_xdsl.testing.kernels.problems import cdiv

EXPERTS = 3
TYPES = ("f16", "bf16", "tf32", "f32", "f64", "i8", "u8")
EIGHT_BIT_FLOATS = ("e4m3", "e5m2")
RESULTS = {"tf32": "f32", "i8": "i32", "u8": "i32", "e4m3": "f16", "e5m2": "f16"}
"""Types of results that are not those of the operands."""


def axes(gpu: str) -> Axes:
    eight_bit = EIGHT_BIT_FLOATS if gpu in WITH_EIGHT_BIT_FLOATS else ()
    return {
        "m": (16, 32, 64, 128, 256),
        "n": (16, 32, 64, 128, 256),
        "k": (16, 32, 64, 128),
        "type": (*TYPES, *eight_bit),
        "a_transposed": FLAG,
        "b_transposed": FLAG,
        "form": ("plain", "persistent", "grouped"),
        "epilogue": ("plain", "alpha_beta"),
        "ctas": (1, 2, 4) if gpu in WITH_CLUSTERS else (1,),
    }


def _function(
    tile: tuple[int, int, int],
    transposed: tuple[bool, bool],
    form: str,
    scaled: bool,
    operand: ct.DType | None,
    accumulator: ct.DType,
) -> Any:
    """`c = a @ b`, or `c = alpha * (a @ b) + beta * c`."""
    rows, columns, depth = tile
    a_transposed, b_transposed = transposed
    grouped = form == "grouped"
    zero = ct.PaddingMode.ZERO

    def left(a: Any, i: Any, k: Any) -> Any:
        if a_transposed:
            return ct.transpose(ct.load(a, index=(k, i), shape=(depth, rows), padding_mode=zero))
        else:
            return ct.load(a, index=(i, k), shape=(rows, depth), padding_mode=zero)

    def right(b: Any, expert: Any, k: Any, j: Any) -> Any:
        if b_transposed:
            if grouped:
                y = ct.load(b, index=(expert, j, k), shape=(1, columns, depth), padding_mode=zero)
                return ct.transpose(ct.reshape(y, (columns, depth)))
            else:
                return ct.transpose(
                    ct.load(b, index=(j, k), shape=(columns, depth), padding_mode=zero)
                )
        else:
            if grouped:
                y = ct.load(b, index=(expert, k, j), shape=(1, depth, columns), padding_mode=zero)
                return ct.reshape(y, (depth, columns))
            else:
                return ct.load(b, index=(k, j), shape=(depth, columns), padding_mode=zero)

    def tile_of(a: Any, b: Any, c: Any, expert: Any, alpha: Any, beta: Any, i: Any, j: Any) -> None:
        acc = ct.zeros((rows, columns), dtype=accumulator)
        steps: Any = ct.cdiv(a.shape[0 if a_transposed else 1], depth)
        for k in range(steps):
            x, y = left(a, i, k), right(b, expert, k, j)
            if operand is not None:
                x, y = ct.astype(x, operand), ct.astype(y, operand)
            acc = ct.mma(x, y, acc)
        if scaled:
            before = ct.load(c, index=(i, j), shape=(rows, columns), padding_mode=zero)
            acc = acc * alpha + ct.astype(before, accumulator) * beta
        ct.store(c, index=(i, j), tile=ct.astype(acc, c.dtype))

    @kernel
    def plain(a: Any, b: Any, c: Any, alpha: Any, beta: Any) -> None:
        tile_of(a, b, c, 0, alpha, beta, ct.bid(0), ct.bid(1))

    @kernel
    def persistent(a: Any, b: Any, c: Any, alpha: Any, beta: Any) -> None:
        high: Any = ct.cdiv(c.shape[0], rows)
        wide: Any = ct.cdiv(c.shape[1], columns)
        for position in range(ct.bid(0), high * wide, ct.num_blocks(0)):
            tile_of(a, b, c, 0, alpha, beta, position // wide, position % wide)

    @kernel
    def of_groups(a: Any, b: Any, c: Any, alpha: Any, beta: Any, experts: Any) -> None:
        i = ct.bid(0)
        expert: Any = ct.load(experts, index=(i,), shape=()).item()
        tile_of(a, b, c, expert, alpha, beta, i, ct.bid(1))

    return {"plain": plain, "persistent": persistent, "grouped": of_groups}[form]


def make(values: Values) -> Generated:
    m, n, k = (number(values, axis) for axis in "mnk")
    type_, form = str(values["type"]), str(values["form"])
    a_transposed, b_transposed = flag(values, "a_transposed"), flag(values, "b_transposed")
    scaled, is_tf32 = values["epilogue"] == "alpha_beta", type_ == "tf32"
    operand = ELEMENTS["f32" if is_tf32 else type_]
    result = ELEMENTS[RESULTS.get(type_, type_)]
    accumulator = result if type_ in ("f64", "i8", "u8") else ELEMENTS["f32"]
    grouped, persistent = form == "grouped", form == "persistent"
    size_m, size_n, size_k = m + 16, n + 16 if persistent else n, 2 * k + 16
    row_tiles, column_tiles = cdiv(size_m, m), cdiv(size_n, n)
    alpha, beta = (3, -2) if np.dtype(accumulator.numpy).kind == "i" else (0.5, -2.0)

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        a = random_array((size_k, size_m) if a_transposed else (size_m, size_k), operand, rng)
        shape = (size_n, size_k) if b_transposed else (size_k, size_n)
        b = random_array((EXPERTS, *shape) if grouped else shape, operand, rng)
        c = random_array((size_m, size_n), result, rng)
        if np.dtype(result.numpy).kind == "i":
            c %= 1000
        experts = [rng.integers(0, EXPERTS, row_tiles).astype(np.int32)] if grouped else []
        return [a, b, c, alpha, beta, *experts]

    def reference(
        a: Array, b: Array, c: Array, alpha: Any, beta: Any, experts: Array | None = None
    ) -> list[Expected]:
        a, b = a.T if a_transposed else a, np.swapaxes(b, -1, -2) if b_transposed else b
        if is_tf32:
            a, b = round_to_tf32(np.ascontiguousarray(a)), round_to_tf32(np.ascontiguousarray(b))
        wide = np.int64 if np.dtype(operand.numpy).kind in "iu" else np.float64
        x, y, before = a.astype(wide), b.astype(wide), c.astype(wide)

        def dot(x: Array, y: Array) -> Array:
            if experts is None:
                return x @ y
            tiles = [x[i * m : (i + 1) * m] @ y[expert] for i, expert in enumerate(experts)]
            return np.concatenate(tiles)

        value, size = dot(x, y), dot(np.abs(x), np.abs(y))
        if scaled:
            value, size = alpha * value + beta * before, alpha * size + np.abs(beta * before)
        if wide is np.int64:
            return [Expected(value.astype(np.int32))]
        return [within_roundings(value, size, c.dtype, 64, accumulator.numpy)]

    matrix, scalar = argument(operand, 2), ScalarConstraint(accumulator.tile)
    right = argument(operand, 3) if grouped else matrix
    function = _function(
        (m, n, k),
        (a_transposed, b_transposed),
        form,
        scaled,
        ct.tfloat32 if is_tf32 else None,
        accumulator.tile,
    )
    parameters = [matrix, right, argument(result, 2), scalar, scalar]
    if grouped:
        parameters.append(array(ct.int32))
    grid = (2, 1, 1) if persistent else (row_tiles, column_tiles, 1)
    return Generated(
        case(f"matmul_{form}", function, parameters, arguments, grid, reference, (2,)),
        m * n * k / MMA,
        "mma",
        2 if persistent else 1,
        number(values, "ctas"),
    )


KIND = Kind("matmul", 30, axes, make)
