"""Attention, backward: the gradients of keys and values, and those of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cuda.tile as ct
import numpy as np
from cuda.tile.compilation import ScalarConstraint

from bench.sweep.attention import CAP, LOG2_E, weights_of
from bench.sweep.kinds import (
    ELEMENTS,
    FLAG,
    MMA,
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

LOG_2 = 0.6931471805599453


def axes(_gpu: str) -> Axes:
    return {
        "of": ("keys", "queries"),
        "queries": (16, 32, 64, 128),
        "keys": (16, 32, 64, 128),
        "head": (32, 64, 128, 256),
        "type": ("f16", "bf16"),
        "causal": FLAG,
        "group": (1, 2),
        "capped": FLAG,
        "scores_transposed": FLAG,
    }


def _function(
    of_keys: bool,
    queries: int,
    keys: int,
    depth: int,
    causal: bool,
    group: int,
    capped: bool,
    transposed: bool,
) -> Any:
    """The kernel; with `transposed` it computes scores with keys as rows."""
    zero = ct.PaddingMode.ZERO

    def load(x: Any, head: Any, block: Any, rows: Any) -> Any:
        tile = ct.load(x, index=(head, block, 0), shape=(1, rows, depth), padding_mode=zero)
        return ct.reshape(tile, (rows, depth))

    def dots(query: Any, key: Any) -> Any:
        """Scores of queries and keys."""
        if transposed:
            return ct.mma(key, ct.transpose(query), ct.zeros((keys, queries), dtype=ct.float32))
        else:
            return ct.mma(query, ct.transpose(key), ct.zeros((queries, keys), dtype=ct.float32))

    def along(x: Any, head: Any, block: Any) -> Any:
        """One number for each query, as wide as scores along the other axis."""
        row = ct.load(x, index=(head, block), shape=(1, queries), padding_mode=zero)
        if transposed:
            return row
        else:
            return ct.reshape(row, (queries, 1))

    def gradients(
        query: Any, key: Any, value: Any, d_out: Any, log: Any, delta: Any,
        i: Any, j: Any, length: Any, offset: Any, scale: Any,
    ) -> Any:  # fmt: skip
        """Weights, and gradients of scores, for a tile of queries and one of keys."""
        score = dots(query, key) * scale
        bent: Any = score
        if capped:
            bent = ct.tanh(score)
            score = bent * CAP
        numbers = j * keys + ct.arange(keys, dtype=ct.int32)
        positions = i * queries + ct.arange(queries, dtype=ct.int32) + offset
        if transposed:
            columns, rows = ct.expand_dims(numbers, 1), ct.expand_dims(positions, 0)
        else:
            columns, rows = ct.expand_dims(numbers, 0), ct.expand_dims(positions, 1)
        allowed = (columns < length) & (rows < length)
        if causal:
            allowed = allowed & (columns <= rows)
        weight = ct.where(allowed, ct.exp2(score - log), 0.0)
        d_score = weight * (dots(d_out, value) - delta)
        if capped:
            d_score = d_score * (1.0 - bent * bent) * CAP
        return weight, d_score

    def by_queries(x: Any) -> Any:
        """With queries as rows."""
        if transposed:
            return ct.transpose(x)
        else:
            return x

    def by_keys(x: Any) -> Any:
        if transposed:
            return x
        else:
            return ct.transpose(x)

    @kernel
    def gradient_of_keys(
        q: Any, k: Any, v: Any, d_out: Any, log: Any, delta: Any, d_k: Any, d_v: Any,
        length: int, scale: float,
    ) -> None:  # fmt: skip
        block, source = ct.bid(0), ct.bid(1)
        key, value = load(k, source, block, keys), load(v, source, block, keys)
        offset = length - q.shape[1]
        sum_k = ct.zeros((keys, depth), dtype=ct.float32)
        sum_v = ct.zeros((keys, depth), dtype=ct.float32)
        for head in range(source * group, source * group + group):
            steps: Any = ct.cdiv(q.shape[1], queries)
            for i in range(steps):
                query, out = load(q, head, i, queries), load(d_out, head, i, queries)
                weight, d_score = gradients(
                    query, key, value, out, along(log, head, i), along(delta, head, i),
                    i, block, length, offset, scale,
                )  # fmt: skip
                sum_v = ct.mma(by_keys(ct.astype(weight, q.dtype)), out, sum_v)
                sum_k = ct.mma(by_keys(ct.astype(d_score, q.dtype)), query, sum_k)
        d_key = ct.astype(sum_k * (scale * LOG_2), d_k.dtype)
        ct.store(d_k, index=(source, block, 0), tile=ct.reshape(d_key, (1, keys, depth)))
        d_value = ct.astype(sum_v, d_v.dtype)
        ct.store(d_v, index=(source, block, 0), tile=ct.reshape(d_value, (1, keys, depth)))

    @kernel
    def gradient_of_queries(
        q: Any, k: Any, v: Any, d_out: Any, log: Any, delta: Any, d_q: Any,
        length: int, scale: float,
    ) -> None:  # fmt: skip
        block, head = ct.bid(0), ct.bid(1)
        source = head // group
        query, out = load(q, head, block, queries), load(d_out, head, block, queries)
        logs, deltas = along(log, head, block), along(delta, head, block)
        offset = length - q.shape[1]
        total = ct.zeros((queries, depth), dtype=ct.float32)
        steps: Any = ct.cdiv(length, keys)
        if causal:
            steps = ct.minimum(steps, ct.cdiv((block + 1) * queries + offset, keys))
        for step in range(steps):
            key, value = load(k, source, step, keys), load(v, source, step, keys)
            _, d_score = gradients(
                query, key, value, out, logs, deltas, block, step, length, offset, scale
            )
            total = ct.mma(by_queries(ct.astype(d_score, q.dtype)), key, total)
        result = ct.astype(total * (scale * LOG_2), d_q.dtype)
        ct.store(d_q, index=(head, block, 0), tile=ct.reshape(result, (1, queries, depth)))

    return gradient_of_keys if of_keys else gradient_of_queries


def make(values: Values) -> Generated:
    queries, keys, depth, group = (
        number(values, axis) for axis in ("queries", "keys", "head", "group")
    )
    of_keys, element = values["of"] == "keys", ELEMENTS[str(values["type"])]
    causal, capped = flag(values, "causal"), flag(values, "capped")
    rows, length, heads = queries + 16, 16 + max(keys, queries), group
    scale = float(np.float32(LOG2_E / depth**0.5))

    def forward(q: Array, k: Array) -> tuple[Array, Array, Array]:
        """Weights, logarithms of their sums, and what a gradient of scores is multiplied by."""
        score = q @ np.repeat(k, group, 0).transpose(0, 2, 1)
        weight, log = weights_of(score, scale, causal, capped, None)
        slope = (1 - np.tanh(score * scale) ** 2) * CAP if capped else np.ones_like(score)
        return weight, log, slope

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        q, d_out = (random_array((heads, rows, depth), element, rng) for _ in range(2))
        k, v = (random_array((1, length, depth), element, rng) for _ in range(2))
        weight, log, _ = forward(q.astype(np.float64), k.astype(np.float64))
        out = weight @ np.repeat(v.astype(np.float64), group, 0)
        delta = (out * d_out.astype(np.float64)).sum(axis=2)
        results = [np.zeros_like(k), np.zeros_like(v)] if of_keys else [np.zeros_like(q)]
        sums = [log.astype(np.float32), delta.astype(np.float32)]
        return [q, k, v, d_out, *sums, *results, length, scale]

    def reference(
        q: Array, k: Array, v: Array, d_out: Array, _log: Array, delta: Array, *_results: Any
    ) -> list[Expected]:
        q, k, v, d_out = (x.astype(np.float64) for x in (q, k, v, d_out))
        weight, _sums, slope = forward(q, k)
        d_weight = d_out @ np.repeat(v, group, 0).transpose(0, 2, 1)
        middle = delta.astype(np.float64)[:, :, None]
        factor = weight * slope * scale * LOG_2
        d_score, size = factor * (d_weight - middle), factor * (np.abs(d_weight) + np.abs(middle))

        def close(value: Array, size: Array) -> Expected:
            # Weights and gradients of scores are rounded before the last dots.
            return within_roundings(value, size, element.numpy, 4, element.numpy)

        if not of_keys:
            k = np.repeat(k, group, 0)
            return [close(d_score @ k, size @ np.abs(k))]

        def of_head(x: Array, y: Array) -> Array:
            return (x.transpose(0, 2, 1) @ y).sum(axis=0, keepdims=True)

        return [
            close(of_head(d_score, q), of_head(size, np.abs(q))),
            close(of_head(weight, d_out), of_head(weight, np.abs(d_out))),
        ]

    function = _function(
        of_keys, queries, keys, depth, causal, group, capped, flag(values, "scores_transposed")
    )
    tensor, per_row = argument(element, 3), array(ct.float32, 2)
    parameters = [*[tensor] * 4, per_row, per_row, *[tensor] * (2 if of_keys else 1)]
    parameters += [ScalarConstraint(ct.int32), ScalarConstraint(ct.float32)]
    grid = (cdiv(length, keys), 1, 1) if of_keys else (cdiv(rows, queries), heads, 1)
    name = f"gradient_of_{values['of']}"
    outputs = (6, 7) if of_keys else (6,)
    return Generated(
        case(name, function, parameters, arguments, grid, reference, outputs),
        queries * keys * depth * (4 if of_keys else 3) / MMA,
        "mma",
        2 if of_keys else 1,
    )


KIND = Kind("attention_backward", 11, axes, make)
