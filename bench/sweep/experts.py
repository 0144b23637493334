"""Mixtures of experts: rows of tokens, gathered by number, times the weights of their expert."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
import numpy as np

from bench.sweep.kinds import (
    ELEMENTS,
    FLAG,
    MMA,
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
from tileir_xdsl.testing.kernels.problems import cdiv

EXPERTS = 3
RESULTS = {"e4m3": "f16", "e5m2": "bf16"}


def axes(gpu: str) -> Axes:
    eight_bit = tuple(RESULTS) if gpu in WITH_EIGHT_BIT_FLOATS else ()
    return {
        "tokens": (16, 32, 64, 128),
        "n": (32, 64, 128, 256),
        "k": (32, 64, 128),
        "type": ("f16", "bf16", *eight_bit),
        "form": ("blocks", "offsets"),
        "transposed": FLAG,
        "gated": FLAG,
    }


def _function(tile: tuple[int, int, int], form: str, transposed: bool, gated: bool) -> Any:
    tokens, columns, depth = tile
    zero = ct.PaddingMode.ZERO

    def weights_of(w: Any, expert: Any, k: Any, j: Any) -> Any:
        if transposed:
            y = ct.load(w, index=(expert, j, k), shape=(1, columns, depth), padding_mode=zero)
            return ct.transpose(ct.reshape(y, (columns, depth)))
        else:
            y = ct.load(w, index=(expert, k, j), shape=(1, depth, columns), padding_mode=zero)
            return ct.reshape(y, (depth, columns))

    def multiply(x: Any, w: Any, gates: Any, out: Any, rows: Any, expert: Any, j: Any) -> None:
        """Tokens of no row, which a negative number says, are neither read nor written."""
        taken, deep = ct.expand_dims(rows, 1), ct.arange(depth, dtype=ct.int32)
        acc = ct.zeros((tokens, columns), dtype=ct.float32)
        steps: Any = ct.cdiv(x.shape[1], depth)
        for k in range(steps):
            a = ct.gather(x, (taken, ct.expand_dims(k * depth + deep, 0)), padding_value=0)
            acc = ct.mma(a, weights_of(w, expert, k, j), acc)
        if gated:
            acc = acc * ct.expand_dims(ct.gather(gates, rows, padding_value=0), 1)
        at = ct.expand_dims(j * columns + ct.arange(columns, dtype=ct.int32), 0)
        ct.scatter(out, (taken, at), ct.astype(acc, out.dtype))

    @kernel
    def of_blocks(x: Any, w: Any, order: Any, places: Any, gates: Any, out: Any) -> None:
        """`places` has the expert of each block of tokens."""
        i = ct.bid(0)
        expert: Any = ct.load(places, index=(i,), shape=()).item()
        rows = ct.load(order, index=(i,), shape=(tokens,))
        multiply(x, w, gates, out, rows, expert, ct.bid(1))

    @kernel
    def of_offsets(x: Any, w: Any, order: Any, places: Any, gates: Any, out: Any) -> None:
        """`places` has where the tokens of each expert begin in `order`, and where they end."""
        expert = ct.bid(0)
        first: Any = ct.load(places, index=(expert,), shape=()).item()
        end: Any = ct.load(places, index=(expert + 1,), shape=()).item()
        for start in range(first, end, tokens):
            at = start + ct.arange(tokens, dtype=ct.int32)
            rows = ct.gather(order, at, mask=at < end, padding_value=-1)
            multiply(x, w, gates, out, rows, expert, ct.bid(1))

    return of_blocks if form == "blocks" else of_offsets


def make(values: Values) -> Generated:
    tokens, n, k = (number(values, axis) for axis in ("tokens", "n", "k"))
    type_, form = str(values["type"]), str(values["form"])
    transposed, gated = flag(values, "transposed"), flag(values, "gated")
    element, result = ELEMENTS[type_], ELEMENTS[RESULTS.get(type_, type_)]
    count, size_n, size_k = tokens + 16, n + 16, 2 * k + 16
    # The first expert has a block and a part of one, the second nothing, the last one the rest.
    lengths = (tokens + 5, 0, count - tokens - 5)
    assert len(lengths) == EXPERTS
    blocks = sum(cdiv(length, tokens) for length in lengths)

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        numbers = rng.permutation(count).astype(np.int32)
        places = np.cumsum((0, *lengths)).astype(np.int32)
        if form == "blocks":
            order: list[Array] = []
            experts: list[int] = []
            for expert, first in enumerate(places[:-1]):
                for start in range(first, places[expert + 1], tokens):
                    part = numbers[start : min(start + tokens, places[expert + 1])]
                    order.append(np.pad(part, (0, tokens - len(part)), constant_values=-1))
                    experts.append(expert)
            numbers, places = np.concatenate(order), np.array(experts, np.int32)
        shape = (size_n, size_k) if transposed else (size_k, size_n)
        return [
            random_array((count, size_k), element, rng),
            random_array((EXPERTS, *shape), element, rng),
            numbers,
            places,
            rng.uniform(0, 1, count).astype(np.float32),
            np.zeros((count, size_n), result.numpy),
        ]

    def reference(
        x: Array, w: Array, order: Array, places: Array, gates: Array, out: Array
    ) -> list[Expected]:
        value, size = np.zeros(out.shape), np.zeros(out.shape)
        if form == "blocks":
            parts = [order[i * tokens : (i + 1) * tokens] for i in range(len(places))]
            groups = [(int(e), part[part >= 0]) for e, part in zip(places, parts, strict=True)]
        else:
            groups = [(e, order[places[e] : places[e + 1]]) for e in range(EXPERTS)]
        for expert, rows in groups:
            a, b = x[rows].astype(np.float64), w[expert].astype(np.float64)
            b = b.T if transposed else b
            gate = gates[rows, None].astype(np.float64) if gated else 1.0
            value[rows], size[rows] = a @ b * gate, np.abs(a) @ np.abs(b) * gate
        return [within_roundings(value, size, out.dtype, 64, np.float32)]

    matrix, indices = argument(element, 2), array(ct.int32)
    parameters = [matrix, argument(element, 3), indices, indices, array(ct.float32)]
    parameters.append(argument(result, 2))
    function = _function((tokens, n, k), form, transposed, gated)
    grid = (blocks if form == "blocks" else EXPERTS, cdiv(size_n, n), 1)
    return Generated(
        case(f"experts_{form}", function, parameters, arguments, grid, reference, (5,)),
        tokens * n * k / MMA,
        "mma",
        1 if form == "blocks" else 2,
    )


KIND = Kind("experts", 1, axes, make)
