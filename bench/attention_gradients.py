"""Attention, backward, as three kernels: rows of the gradient of scores, then keys, then queries.

Scores are to base two: `log` has the logarithm of the sum of each query's weights, and `delta` the
dot of each row of the output and of its gradient.
"""

from __future__ import annotations

from typing import Any

import cuda.tile as ct

from tileir_xdsl.testing.kernels.case import kernel

LOG_2 = 0.6931471805599453


def _rows(x: Any, head: Any, block: Any, rows: Any, depth: Any) -> Any:
    """A tile of the rows of a head; those beyond its end are zeros."""
    zero = ct.PaddingMode.ZERO
    tile = ct.load(x, index=(head, block, 0), shape=(1, rows, depth), padding_mode=zero)
    return ct.reshape(tile, (rows, depth))


def _numbers(x: Any, head: Any, block: Any, rows: Any) -> Any:
    """A number for each row of a tile."""
    zero = ct.PaddingMode.ZERO
    return ct.load(x, index=(head, block), shape=(1, rows), padding_mode=zero)


@kernel
def row_deltas(
    out: Any, d_out: Any, delta: Any, rows: ct.Constant[int], depth: ct.Constant[int]
) -> None:
    block, head = ct.bid(0), ct.bid(1)
    x = ct.astype(_rows(out, head, block, rows, depth), ct.float32)
    y = ct.astype(_rows(d_out, head, block, rows, depth), ct.float32)
    ct.store(delta, index=(head, block), tile=ct.reshape(ct.sum(x * y, 1), (1, rows)))


@kernel
def key_gradients(
    q: Any,
    k: Any,
    v: Any,
    d_out: Any,
    log: Any,
    delta: Any,
    d_k: Any,
    d_v: Any,
    scale: float,
    queries: ct.Constant[int],
    keys: ct.Constant[int],
    depth: ct.Constant[int],
    causal: ct.Constant[bool],
) -> None:
    """Scores have keys as rows, so that weights are operand A of the last mma as they are."""
    block, head = ct.bid(0), ct.bid(1)
    key, value = _rows(k, head, block, keys, depth), _rows(v, head, block, keys, depth)
    columns = ct.expand_dims(block * keys + ct.arange(keys, dtype=ct.int32), 1)
    sum_k = ct.zeros((keys, depth), dtype=ct.float32)
    sum_v = ct.zeros((keys, depth), dtype=ct.float32)
    first: Any = 0
    if causal:
        first = block * keys // queries
    steps: Any = ct.cdiv(q.shape[1], queries)
    for step in range(first, steps):
        query = _rows(q, head, step, queries, depth)
        out = _rows(d_out, head, step, queries, depth)
        zeros = ct.zeros((keys, queries), dtype=ct.float32)
        score = ct.mma(key, ct.transpose(query), zeros) * scale
        weight = ct.exp2(score - _numbers(log, head, step, queries))
        if causal:
            rows = ct.expand_dims(step * queries + ct.arange(queries, dtype=ct.int32), 0)
            weight = ct.where(columns <= rows, weight, 0.0)
        d_weight = ct.mma(value, ct.transpose(out), zeros)
        d_score = weight * (d_weight - _numbers(delta, head, step, queries))
        sum_v = ct.mma(ct.astype(weight, q.dtype), out, sum_v)
        sum_k = ct.mma(ct.astype(d_score, q.dtype), query, sum_k)
    d_key = ct.astype(sum_k * (scale * LOG_2), d_k.dtype)
    ct.store(d_k, index=(head, block, 0), tile=ct.reshape(d_key, (1, keys, depth)))
    d_value = ct.astype(sum_v, d_v.dtype)
    ct.store(d_v, index=(head, block, 0), tile=ct.reshape(d_value, (1, keys, depth)))


@kernel
def query_gradients(
    q: Any,
    k: Any,
    v: Any,
    d_out: Any,
    log: Any,
    delta: Any,
    d_q: Any,
    scale: float,
    queries: ct.Constant[int],
    keys: ct.Constant[int],
    depth: ct.Constant[int],
    causal: ct.Constant[bool],
) -> None:
    block, head = ct.bid(0), ct.bid(1)
    query = _rows(q, head, block, queries, depth)
    out = _rows(d_out, head, block, queries, depth)
    logs = ct.reshape(_numbers(log, head, block, queries), (queries, 1))
    deltas = ct.reshape(_numbers(delta, head, block, queries), (queries, 1))
    rows = ct.expand_dims(block * queries + ct.arange(queries, dtype=ct.int32), 1)
    total = ct.zeros((queries, depth), dtype=ct.float32)
    steps: Any = ct.cdiv(k.shape[1], keys)
    if causal:
        steps = ct.minimum(steps, ct.cdiv((block + 1) * queries, keys))
    for step in range(steps):
        key, value = _rows(k, head, step, keys, depth), _rows(v, head, step, keys, depth)
        zeros = ct.zeros((queries, keys), dtype=ct.float32)
        score = ct.mma(query, ct.transpose(key), zeros) * scale
        weight = ct.exp2(score - logs)
        if causal:
            columns = ct.expand_dims(step * keys + ct.arange(keys, dtype=ct.int32), 0)
            weight = ct.where(columns <= rows, weight, 0.0)
        d_score = weight * (ct.mma(out, ct.transpose(value), zeros) - deltas)
        total = ct.mma(ct.astype(d_score, q.dtype), key, total)
    result = ct.astype(total * (scale * LOG_2), d_q.dtype)
    ct.store(d_q, index=(head, block, 0), tile=ct.reshape(result, (1, queries, depth)))
