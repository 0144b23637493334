"""What some elements of the results of timed problems must be, in doubles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.pack.runner.formats import Array, as_doubles
from bench.pack.runner.memory import Filled

SAMPLED_ROWS, SAMPLED_COLUMNS = 6, 64

FOUR_BIT_VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
"""What each code of f4E2M1 means (OCP microscaling formats)."""


@dataclass(frozen=True)
class Segment:
    """Neighbouring elements of an output, from number `start` on."""

    start: int
    expected: Array


Arrays = Sequence[Filled]
Reference = Callable[[Arrays, dict[str, Any], np.random.Generator], list[Segment]]


def _values(array: Filled, indices: Array) -> Array:
    return as_doubles(array.take(indices), array.dtype)


def _block(array: Filled, rows: Array, columns: Array) -> Array:
    """Rows and columns of a matrix, the last two dimensions of an array."""
    return _values(array, rows[:, None].astype(np.int64) * array.shape[-1] + columns[None])


def _rows(count: int, random: np.random.Generator) -> Array:
    """The first row, the last, and some between."""
    return np.unique([0, count - 1, *random.integers(0, count, SAMPLED_ROWS - 2)])


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


def attention(
    arrays: Arrays, settings: dict[str, Any], random: np.random.Generator
) -> list[Segment]:
    """Softmax of scaled scores times values."""
    q, k, v, _ = arrays
    heads, length, depth = q.shape
    found: list[Segment] = []
    for number in _rows(heads * length, random):
        head, row = divmod(int(number), length)
        keys = row + 1 if settings["causal"] else length
        of_head = head * length + np.arange(keys)
        every = np.arange(depth)
        query = _block(q, np.array([number]), every)[0]
        scores = _block(k, of_head, every) @ query * settings["scale"]
        weights = np.exp2(scores - scores.max())
        result = weights @ _block(v, of_head, every) / weights.sum()
        found.append(Segment(int(number) * depth, result))
    return found


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
            values = _block(x, np.array([row]), np.arange(x.shape[1]))[0]
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
    width = np.arange(out.shape[1])
    return [
        Segment(int(row) * out.shape[1], _block(table, np.array([number]), width)[0])
        for row, number in zip(rows, taken, strict=True)
    ]


def _same(x: Array, row: int) -> Array:
    return x


def _sum(x: Array, row: int) -> Array:
    return x.sum()


REFERENCES: dict[str, Reference] = {
    "matmul": matmul,
    "scaled_matmul": scaled_matmul,
    "attention": attention,
    "transpose": transpose,
    "gather": gather,
    "copy": _by_row(_same),
    "softmax": _by_row(_softmax),
    "layer_norm": _by_row(_layer_norm),
    "rope": _by_row(_rope),
    "cross_entropy": _by_row(_cross_entropy),
    "row_sum": _by_row(_sum),
}
