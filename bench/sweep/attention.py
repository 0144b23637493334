"""Attention, forward: heads of any width, latent ones, causal, grouped, capped, paged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cuda.tile as ct
import numpy as np
from cuda.tile.compilation import ScalarConstraint

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

LOG2_E = 1.4426950408889634
LATENT, ROTATED = 512, 64
"""A latent head: its first 512 of 576 columns are the values, too."""
CAP = 8.0
SPARE_PAGES = 2


def axes(_gpu: str) -> Axes:
    return {
        "queries": (1, 16, 64, 128, 256),
        "keys": (16, 32, 64, 128),
        "head": (32, 64, 128, 256, "latent"),
        "type": ("f16", "bf16"),
        "causal": FLAG,
        "group": (1, 4),
        "capped": FLAG,
        "paged": FLAG,
        "log_sum_exp": FLAG,
        "sinks": FLAG,
    }


@dataclass(frozen=True)
class _Shape:
    queries: int
    keys: int
    depth: int
    rotated: int
    """Columns of queries and keys that values lack; 0 for heads that are not latent."""
    group: int


def _function(
    shape: _Shape, causal: bool, capped: bool, paged: bool, with_log: bool, with_sinks: bool
) -> Any:
    queries, keys, depth, group = shape.queries, shape.keys, shape.depth, shape.group
    rotated = shape.rotated
    latent = rotated > 0
    # The tile of the columns that values lack, counted in tiles of their width.
    last = depth // rotated if latent else 0
    zero = ct.PaddingMode.ZERO

    def load(x: Any, table: Any, head: Any, step: Any, column: Any, width: Any) -> Any:
        """A tile of keys or values."""
        if paged:
            page: Any = ct.load(table, index=(step,), shape=()).item()
            tile = ct.load(
                x, index=(page, head, 0, column), shape=(1, 1, keys, width), padding_mode=zero
            )
        else:
            tile = ct.load(x, index=(head, step, column), shape=(1, keys, width), padding_mode=zero)
        return ct.reshape(tile, (keys, width))

    @kernel
    def attention(
        q: Any,
        k: Any,
        v: Any,
        out: Any,
        log: Any,
        sinks: Any,
        table: Any,
        length: int,
        scale: float,
    ) -> None:
        block, head = ct.bid(0), ct.bid(1)
        source = head // group
        query = ct.reshape(
            ct.load(q, index=(head, block, 0), shape=(1, queries, depth), padding_mode=zero),
            (queries, depth),
        )
        other_query = query
        if latent:
            other_query = ct.reshape(
                ct.load(
                    q, index=(head, block, last), shape=(1, queries, rotated), padding_mode=zero
                ),
                (queries, rotated),
            )
        # The last query sees all keys.
        first = block * queries + length - q.shape[1]
        rows = ct.expand_dims(first + ct.arange(queries, dtype=ct.int32), 1)
        acc = ct.zeros((queries, depth), dtype=ct.float32)
        if with_sinks:
            sink = ct.reshape(ct.load(sinks, index=(head,), shape=(1,)), (1, 1))
            largest = ct.broadcast_to(sink, (queries, 1))
            total = ct.full((queries, 1), 1.0, dtype=ct.float32)
        else:
            largest = ct.full((queries, 1), -1e30, dtype=ct.float32)
            total = ct.zeros((queries, 1), dtype=ct.float32)
        steps: Any = ct.cdiv(length, keys)
        if causal:
            steps = ct.minimum(steps, ct.cdiv(first + queries, keys))
        for step in range(steps):
            key = load(k, table, source, step, 0, depth)
            score = ct.zeros((queries, keys), dtype=ct.float32)
            score = ct.mma(query, ct.transpose(key), score)
            if latent:
                other_key = load(k, table, source, step, last, rotated)
                score = ct.mma(other_query, ct.transpose(other_key), score)
            score = score * scale
            if capped:
                score = ct.tanh(score) * CAP
            columns = ct.expand_dims(step * keys + ct.arange(keys, dtype=ct.int32), 0)
            allowed = columns < length
            if causal:
                allowed = allowed & (columns <= rows)
            score = ct.where(allowed, score, -1e30)
            higher = ct.maximum(largest, ct.max(score, 1, keepdims=True))
            weight = ct.exp2(score - higher)
            shrink = ct.exp2(largest - higher)
            total = total * shrink + ct.sum(weight, 1, keepdims=True)

            value = key if latent else load(v, table, source, step, 0, depth)
            acc = ct.mma(ct.astype(weight, v.dtype), value, acc * shrink)
            largest = higher
        result = ct.reshape(ct.astype(acc / total, out.dtype), (1, queries, depth))
        ct.store(out, index=(head, block, 0), tile=result)
        if with_log:
            sums = ct.reshape(largest + ct.log2(total), (1, queries))
            ct.store(log, index=(head, block), tile=sums)

    return attention


def weights_of(
    score: Array, scale: float, causal: bool, capped: bool, sinks: Array | None
) -> tuple[Array, Array]:
    """Weights of keys, and the binary logarithms of their sums, from the dots of heads."""
    score = score * scale
    if capped:
        score = np.tanh(score) * CAP
    if causal:
        rows, columns = score.shape[1:]
        i, j = np.indices((rows, columns))
        score = np.where(j <= i + columns - rows, score, -np.inf)
    largest = score.max(axis=2, keepdims=True)
    weight = np.exp2(score - largest)
    total = weight.sum(axis=2, keepdims=True)
    if sinks is not None:
        total = total + np.exp2(sinks[:, None, None].astype(np.float64) - largest)
    return weight / total, (largest + np.log2(total))[:, :, 0]


def make(values: Values) -> Generated:
    queries, keys, group = (number(values, axis) for axis in ("queries", "keys", "group"))
    latent = values["head"] == "latent"
    depth, rotated = (LATENT, ROTATED) if latent else (number(values, "head"), 0)
    causal, capped, paged, with_log, with_sinks = (
        flag(values, axis) for axis in ("causal", "capped", "paged", "log_sum_exp", "sinks")
    )
    element, width = ELEMENTS[str(values["type"])], depth + rotated
    rows, heads = queries + 1, group
    # Every query sees a key.
    length = max(2 * keys, queries) + 16
    steps = cdiv(length, keys)
    # What tanh bends must not be small: so the cap is felt.
    scale = LOG2_E / width**0.5

    def arguments(rng: np.random.Generator) -> Sequence[Argument]:
        def stored(width: int) -> Array:
            shape = (steps + SPARE_PAGES, 1, keys, width) if paged else (1, length, width)
            return random_array(shape, element, rng)

        k = stored(width)
        return [
            random_array((heads, rows, width), element, rng),
            k,
            k[..., :depth] if latent else stored(depth),
            np.zeros((heads, rows, depth), element.numpy),
            np.zeros((heads, rows), np.float32),
            rng.standard_normal(heads).astype(np.float32),
            rng.permutation(steps + SPARE_PAGES)[:steps].astype(np.int32),
            length,
            float(np.float32(scale)),
        ]

    def reference(
        q: Array,
        k: Array,
        v: Array,
        out: Array,
        log: Array,
        sinks: Array,
        table: Array,
        length: int,
        scale: float,
    ) -> list[Expected]:
        if paged:
            k, v = (x[table, 0].reshape(1, -1, x.shape[-1])[:, :length] for x in (k, v))
        q, k, v = (x.astype(np.float64) for x in (q, k, v))
        score = q @ np.repeat(k, group, 0).transpose(0, 2, 1)
        weight, sums = weights_of(score, scale, causal, capped, sinks if with_sinks else None)
        v = np.repeat(v, group, 0)
        value, size = weight @ v, weight @ np.abs(v)
        # Weights are rounded before the second dot.
        expected = [within_roundings(value, size, out.dtype, 4, element.numpy)]
        if with_log:
            expected.append(within_roundings(sums, np.abs(sums) + CAP, np.float32, 64, np.float32))
        return expected

    function = _function(
        _Shape(queries, keys, depth, rotated, group), causal, capped, paged, with_log, with_sinks
    )
    stored = argument(element, 4 if paged else 3)
    parameters = [
        argument(element, 3),
        stored,
        stored,
        argument(element, 3),
        array(ct.float32, 2),
        array(ct.float32),
        array(ct.int32),
        ScalarConstraint(ct.int32),
        ScalarConstraint(ct.float32),
    ]
    grid, outputs = (cdiv(rows, queries), heads, 1), (3, 4) if with_log else (3,)
    return Generated(
        case("attention", function, parameters, arguments, grid, reference, outputs),
        queries * keys * (width + depth) / MMA,
        "mma",
        1,
    )


KIND = Kind("attention", 22, axes, make)
