"""What some elements of the results of timed problems must be, in doubles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.pack.runner.formats import Array, as_doubles, as_singles
from bench.pack.runner.memory import Filled

SAMPLED_ROWS, SAMPLED_COLUMNS = 6, 64

FOUR_BIT_VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
"""What each code of f4E2M1 means (OCP microscaling formats)."""


@dataclass(frozen=True)
class Segment:
    """Neighbouring elements of an output, from number `start` on."""

    start: int
    expected: Array
    output: int = 0
    """The number of the output, where a problem has several."""


Arrays = Sequence[Filled]
Reference = Callable[[Arrays, dict[str, Any], np.random.Generator], list[Segment]]


def _values(array: Filled, indices: Array) -> Array:
    return as_doubles(array.take(indices), array.dtype)


def _block(array: Filled, rows: Array, columns: Array) -> Array:
    """Rows and columns of a matrix, the last two dimensions of an array."""
    return _values(array, rows[:, None].astype(np.int64) * array.shape[-1] + columns[None])


def _rows(count: int, random: np.random.Generator, sampled: int = SAMPLED_ROWS) -> Array:
    """The first row, the last, and some between."""
    return np.unique([0, count - 1, *random.integers(0, count, sampled - 2)])


def matmul(arrays: Arrays, settings: dict[str, Any], random: np.random.Generator) -> list[Segment]:
    """`c = a b`, or of b transposed."""
    a, b, c = arrays
    m, n = c.shape
    k = a.shape[1]
    start = int(random.integers(0, n - SAMPLED_COLUMNS + 1))
    steps, columns = np.arange(k), start + np.arange(SAMPLED_COLUMNS)
    right = _block(b, columns, steps).T if settings["transposed"] else _block(b, steps, columns)
    rows = _rows(m, random)
    found = _block(a, rows, steps) @ right
    return [Segment(int(row) * n + start, found[i]) for i, row in enumerate(rows)]


def _four_bit_values(bytes_: Array) -> Array:
    """Floats of four bits, two in each byte along the last dimension, the lower half first."""
    halves = np.stack([bytes_ & 15, bytes_ >> 4], axis=-1)
    return FOUR_BIT_VALUES[halves.reshape(*bytes_.shape[:-1], -1)]


def _scaled(operand: Filled, scales: Filled, rows: Array, settings: dict[str, Any]) -> Array:
    """Rows of a matrix times their block scales."""
    octets, block = np.arange(operand.shape[1]), settings["block"]
    if settings["packed"]:
        at = rows[:, None].astype(np.int64) * operand.shape[1] + octets
        values = _four_bit_values(operand.take(at))
    else:
        values = _block(operand, rows, octets)
    number = np.arange(values.shape[1] // block)
    if settings["ordered"]:
        # Of 128 rows and four blocks together, row r is in line r % 32, words of r // 32.
        group = (rows // 128)[:, None].astype(np.int64) * scales.shape[1] + number // 4
        line, word = (rows % 32)[:, None], (rows % 128 // 32)[:, None]
        factors = _values(scales, ((group * 32 + line) * 4 + word) * 4 + number % 4)
    else:
        factors = _block(scales, rows, number)
    return values * np.repeat(factors, block, axis=1)


def scaled_matmul(
    arrays: Arrays, settings: dict[str, Any], random: np.random.Generator
) -> list[Segment]:
    """`c = a b` of b transposed, with a scale for each block of a row of either."""
    a, a_scales, b, b_scales, c = arrays
    m, n = c.shape
    start = int(random.integers(0, n - SAMPLED_COLUMNS + 1))
    columns, rows = start + np.arange(SAMPLED_COLUMNS), _rows(m, random)
    right = _scaled(b, b_scales, columns, settings)
    found = _scaled(a, a_scales, rows, settings) @ right.T
    return [Segment(int(row) * n + start, found[i]) for i, row in enumerate(rows)]


def grouped_matmul(
    arrays: Arrays, settings: dict[str, Any], random: np.random.Generator
) -> list[Segment]:
    """`c = a b`, with the matrix b of the expert of each tile of rows."""
    a, b, experts, c = arrays
    (m, n), k = c.shape, a.shape[1]
    start = int(random.integers(0, n - SAMPLED_COLUMNS + 1))
    steps, columns = np.arange(k), start + np.arange(SAMPLED_COLUMNS)
    found: list[Segment] = []
    for row in _rows(m, random):
        expert = int(experts.run(int(row) // settings["rows"], 1)[0])
        right = _block(b, expert * k + steps, columns)
        found.append(Segment(int(row) * n + start, _row(a, int(row)) @ right))
    return found


def _row(array: Filled, number: int) -> Array:
    """A row along the last dimension."""
    width = array.shape[-1]
    return as_doubles(array.run(number * width, width), array.dtype)


def _head(array: Filled, number: int) -> Array:
    """The rows of a head, in single precision."""
    _, length, width = array.shape
    stored = array.run(number * length * width, length * width)
    return as_singles(stored, array.dtype).reshape(length, width)


def attention(
    arrays: Arrays, settings: dict[str, Any], random: np.random.Generator
) -> list[Segment]:
    """Softmax of scaled scores times values, for rows of the first head and the last one."""
    q, k, v, _ = arrays
    heads, length, depth = q.shape
    found: list[Segment] = []
    for head in {0, heads - 1}:
        keys, values = _head(k, head), _head(v, head)
        for row in _rows(length, random, 3):
            count = int(row) + 1 if settings["causal"] else length
            number = head * length + int(row)
            scores = keys[:count] @ _row(q, number).astype(np.float32) * settings["scale"]
            weights = np.exp2(scores - scores.max())
            result = weights @ values[:count] / weights.sum()
            found.append(Segment(number * depth, result.astype(np.float64)))
    return found


# Attention, backward. All heads have the same numbers, so that logarithms are of one head.

LOG_2 = 0.6931471805599453


def _attention_logs(arrays: Sequence[Filled | None], settings: dict[str, Any]) -> Array:
    """The logarithm to base two of the sum of each query's weights."""
    scores = _scores(arrays, settings)
    highest = scores.max(axis=1, keepdims=True)
    return (highest + np.log2(np.exp2(scores - highest).sum(axis=1, keepdims=True))).reshape(-1)


def _scores(arrays: Sequence[Filled | None], settings: dict[str, Any]) -> Array:
    """Of all queries and keys of a head, to base two."""
    q, k = (_head(each, 0) for each in arrays[:2] if each is not None)
    scores = q @ k.T * np.float32(settings["scale"])
    if settings["causal"]:
        scores[~np.tri(len(scores), dtype=np.bool_)] = -np.inf
    return scores


def _attention_out(arrays: Sequence[Filled | None], settings: dict[str, Any]) -> Array:
    """What attention computes of a head."""
    scores = _scores(arrays, settings)
    weights = np.exp2(scores - scores.max(axis=1, keepdims=True))
    values = arrays[2]
    assert values is not None
    return (weights @ _head(values, 0) / weights.sum(axis=1, keepdims=True)).reshape(-1)


DERIVED: dict[str, Callable[[Sequence[Filled | None], dict[str, Any]], Array]] = {
    "attention_logs": _attention_logs,
    "attention_out": _attention_out,
}
"""Contents of arrays that follow from those of others."""


def attention_backward(
    arrays: Arrays, settings: dict[str, Any], random: np.random.Generator
) -> list[Segment]:
    """Gradients of queries, keys and values, for rows of the last head."""
    q, k, v, out, d_out, log = arrays[:6]
    heads, length, depth = q.shape
    causal, scale = settings["causal"], settings["scale"]
    queries, keys, values, outs, d_outs = (_head(each, heads - 1) for each in (q, k, v, out, d_out))
    logs = as_singles(log.run((heads - 1) * length, length), log.dtype)
    delta = (outs * d_outs).sum(axis=1)
    # The gradient of a query that sees one key is zero but for roundings.
    low = length // 4 if causal else 0
    rows = low + _rows(length - low, random, 4)
    first, places = (heads - 1) * length, np.arange(length)

    def parts(i: Array, j: Array) -> tuple[Array, Array]:
        """Weights and gradients of scores, of some queries and some keys."""
        weights = np.exp2(queries[i] @ keys[j].T * np.float32(scale) - logs[i, None])
        weights[causal & (places[j][None] > places[i][:, None])] = 0
        return weights, weights * (d_outs[i] @ values[j].T - delta[i, None])

    _, of_queries = parts(rows, places)
    weights, of_keys = parts(places, rows)
    slope = scale * LOG_2
    results = (of_queries @ keys * slope, of_keys.T @ queries * slope, weights.T @ d_outs)
    return [
        Segment((first + int(row)) * depth, result[i].astype(np.float64), number)
        for number, result in enumerate(results)
        for i, row in enumerate(rows)
    ]


def _by_row(
    function: Callable[..., Array],
) -> Callable[[Arrays, dict[str, Any], np.random.Generator], list[Segment]]:
    """A function of rows of the first array, and of all of the arrays between it and the last."""

    def reference(
        arrays: Arrays, settings: dict[str, Any], random: np.random.Generator
    ) -> list[Segment]:
        x, *others = arrays[: settings["inputs"]]
        whole = [_values(each, np.arange(int(np.prod(each.shape)))) for each in others]
        found: list[Segment] = []
        for row in _rows(x.shape[0], random):
            values = _row(x, int(row))
            result = np.atleast_1d(function(values, *whole, row=int(row)))
            found.append(Segment(int(row) * len(result), result))
        return found

    return reference


def _softmax(x: Array, row: int) -> Array:
    e = np.exp(x - x.max())
    return e / e.sum()


def _layer_norm(x: Array, weight: Array, bias: Array, row: int) -> Array:
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weight + bias


def _rope(x: Array, cosines: Array, sines: Array, row: int) -> Array:
    half = len(x) // 2
    rows = len(cosines) // half
    c, s = (each.reshape(rows, half)[row % rows] for each in (cosines, sines))
    return np.concatenate([x[:half] * c - x[half:] * s, x[half:] * c + x[:half] * s])


def _cross_entropy(x: Array, labels: Array, row: int) -> Array:
    return np.log(np.exp(x - x.max()).sum()) + x.max() - x[int(labels[row])]


def transpose(
    arrays: Arrays, settings: dict[str, Any], random: np.random.Generator
) -> list[Segment]:
    """Rows of the result are columns."""
    x, out = arrays
    n, m = out.shape
    columns = np.arange(m)
    return [
        Segment(int(row) * m, _block(x, columns, np.array([row]))[:, 0]) for row in _rows(n, random)
    ]


def gather(arrays: Arrays, settings: dict[str, Any], random: np.random.Generator) -> list[Segment]:
    """Rows of a table, by an array of their numbers."""
    table, indices, out = arrays
    rows = _rows(out.shape[0], random)
    taken = indices.take(rows)
    return [
        Segment(int(row) * out.shape[1], _row(table, int(number)))
        for row, number in zip(rows, taken, strict=True)
    ]


def _same(x: Array, row: int) -> Array:
    return x


def _sum(x: Array, row: int) -> Array:
    return x.sum()


REFERENCES: dict[str, Reference] = {
    "matmul": matmul,
    "scaled_matmul": scaled_matmul,
    "grouped_matmul": grouped_matmul,
    "attention": attention,
    "attention_backward": attention_backward,
    "transpose": transpose,
    "gather": gather,
    "copy": _by_row(_same),
    "softmax": _by_row(_softmax),
    "layer_norm": _by_row(_layer_norm),
    "rope": _by_row(_rope),
    "cross_entropy": _by_row(_cross_entropy),
    "row_sum": _by_row(_sum),
}
