"""The measured kernels: cuTile functions, their Tile IR in `bench/kernels/cpu`, and their meaning.

`python -m bench.cpu.kernels` writes the Tile IR anew, where cuTile is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct
from tileir_xdsl.testing.kernels.generate import text
from tileir_xdsl.testing.kernels.problems import cdiv

FOLDER = Path(__file__).parents[1] / "kernels" / "cpu"

VECTOR = 4096
"""Elements of a tile of one dimension."""
COLUMNS = 1024
"""Elements of a row."""
HEADS, HALF = 8, 64
"""Heads of a token, and half of the elements of one, which are rotated together."""
EPSILON = 1e-5
LOG2_E = 1.4426950408889634


@kernel
def add(x: Any, y: Any, out: Any, size: ct.Constant[int]) -> None:
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(size,), padding_mode=ct.PaddingMode.ZERO)
    b = ct.load(y, index=(i,), shape=(size,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i,), tile=a + b)


@kernel
def gelu(x: Any, out: Any, size: ct.Constant[int]) -> None:
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(size,), padding_mode=ct.PaddingMode.ZERO)
    inner = 0.7978845608028654 * (a + 0.044715 * a * a * a)
    ct.store(out, index=(i,), tile=0.5 * a * (1.0 + ct.tanh(inner)))


@kernel
def softmax(x: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    power = ct.exp(row - ct.max(row, 1, keepdims=True))
    ct.store(out, index=(i, 0), tile=power / ct.sum(power, 1, keepdims=True))


@kernel
def layer_norm(x: Any, weight: Any, bias: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.ZERO)
    centred = row - ct.sum(row, 1, keepdims=True) * (1.0 / columns)
    variance = ct.sum(centred * centred, 1, keepdims=True) * (1.0 / columns)
    w = ct.load(weight, index=(0,), shape=(columns,))
    b = ct.load(bias, index=(0,), shape=(columns,))
    scaled = centred * ct.rsqrt(variance + 1e-5)
    ct.store(out, index=(i, 0), tile=scaled * ct.expand_dims(w, 0) + ct.expand_dims(b, 0))


@kernel
def rope(
    x: Any, cosine: Any, sine: Any, out: Any, heads: ct.Constant[int], half: ct.Constant[int]
) -> None:
    i = ct.bid(0)
    first = ct.load(x, index=(i, 0, 0), shape=(1, heads, half))
    second = ct.load(x, index=(i, 0, 1), shape=(1, heads, half))
    c = ct.expand_dims(ct.load(cosine, index=(i, 0), shape=(1, half)), 1)
    s = ct.expand_dims(ct.load(sine, index=(i, 0), shape=(1, half)), 1)
    ct.store(out, index=(i, 0, 0), tile=first * c - second * s)
    ct.store(out, index=(i, 0, 1), tile=second * c + first * s)


@kernel
def cross_entropy(x: Any, target: Any, out: Any, columns: ct.Constant[int]) -> None:
    i = ct.bid(0)
    row = ct.load(x, index=(i, 0), shape=(1, columns), padding_mode=ct.PaddingMode.NEG_INF)
    largest = ct.max(row, 1, keepdims=True)
    total = ct.sum(ct.exp(row - largest), 1, keepdims=True)
    wanted = ct.expand_dims(ct.load(target, index=(i,), shape=(1,)), 1)
    number = ct.expand_dims(ct.arange(columns, dtype=ct.int32), 0)
    chosen = ct.sum(ct.where(number == wanted, row, 0.0), 1, keepdims=True)
    ct.store(out, index=(i,), tile=ct.reshape(ct.log(total) + largest - chosen, (1,)))


@kernel
def matmul(
    a: Any,
    b: Any,
    out: Any,
    rows: ct.Constant[int],
    columns: ct.Constant[int],
    steps: ct.Constant[int],
    first_transposed: ct.Constant[bool],
    second_transposed: ct.Constant[bool],
) -> None:
    j, i = ct.bid(0), ct.bid(1)
    length = a.shape[0] if first_transposed else a.shape[1]
    zero = ct.PaddingMode.ZERO
    acc = ct.zeros((rows, columns), dtype=ct.float32)
    count: Any = ct.cdiv(length, steps)
    for k in range(count):
        if first_transposed:
            x = ct.load(a, index=(k, i), shape=(steps, rows), padding_mode=zero)
            x = ct.transpose(x)
        else:
            x = ct.load(a, index=(i, k), shape=(rows, steps), padding_mode=zero)
        if second_transposed:
            y = ct.load(b, index=(j, k), shape=(columns, steps), padding_mode=zero)
            y = ct.transpose(y)
        else:
            y = ct.load(b, index=(k, j), shape=(steps, columns), padding_mode=zero)
        acc = ct.mma(x, y, acc)
    ct.store(out, index=(i, j), tile=acc)


@kernel
def attention(
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    queries: ct.Constant[int],
    keys: ct.Constant[int],
    depth: ct.Constant[int],
) -> None:
    block, head = ct.bid(0), ct.bid(1)
    query = ct.reshape(
        ct.load(q, index=(head, block, 0), shape=(1, queries, depth)), (queries, depth)
    )
    query = query * (LOG2_E * depth**-0.5)
    largest = ct.full((queries, 1), -1e30, dtype=ct.float32)
    total = ct.zeros((queries, 1), dtype=ct.float32)
    acc = ct.zeros((queries, depth), dtype=ct.float32)
    count: Any = ct.cdiv(k.shape[1], keys)
    for step in range(count):
        key = ct.reshape(ct.load(k, index=(head, step, 0), shape=(1, keys, depth)), (keys, depth))
        zeros = ct.zeros((queries, keys), dtype=ct.float32)
        score = ct.mma(query, ct.transpose(key), zeros)
        higher = ct.maximum(largest, ct.max(score, 1, keepdims=True))
        weight = ct.exp2(score - higher)
        shrink = ct.exp2(largest - higher)
        total = total * shrink + ct.sum(weight, 1, keepdims=True)
        value = ct.reshape(ct.load(v, index=(head, step, 0), shape=(1, keys, depth)), (keys, depth))
        acc = ct.mma(weight, value, acc * shrink)
        largest = higher
    ct.store(out, index=(head, block, 0), tile=ct.reshape(acc / total, (1, queries, depth)))


# Meanings.


def _sum(x: Array, y: Array, out: Array) -> list[Expected]:
    return [Expected(x + y)]


def _gelu(x: Array, out: Array) -> list[Expected]:
    a = x.astype(np.float64)
    values = 0.5 * a * (1 + np.tanh(0.7978845608028654 * (a + 0.044715 * a**3)))
    return [within_roundings(values, np.abs(a), np.float32, 16, np.float32)]


def _softmax(x: Array, out: Array) -> list[Expected]:
    power = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    values = power / power.sum(axis=1, keepdims=True)
    return [within_roundings(values, values, np.float32, 64, np.float32)]


def _layer_norm(x: Array, weight: Array, bias: Array, out: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + EPSILON)
    values = (wide - mean) * scale * weight + bias
    magnitude = (np.abs(wide) + np.abs(mean)) * scale * np.abs(weight) + np.abs(bias)
    return [within_roundings(values, magnitude, np.float32, 64, np.float32)]


def _rope(x: Array, cosine: Array, sine: Array, out: Array) -> list[Expected]:
    first, second = np.split(x.astype(np.float64), 2, axis=2)
    c, s = cosine[:, None].astype(np.float64), sine[:, None].astype(np.float64)
    values = np.concatenate((first * c - second * s, second * c + first * s), axis=2)
    magnitude = np.concatenate((np.abs(first) + np.abs(second),) * 2, axis=2)
    return [within_roundings(values, magnitude, np.float32, 4, np.float32)]


def _cross_entropy(x: Array, target: Array, out: Array) -> list[Expected]:
    wide = x.astype(np.float64)
    largest = wide.max(axis=1, keepdims=True)
    total = np.log(np.exp(wide - largest).sum(axis=1)) + largest[:, 0]
    values = total - wide[np.arange(len(wide)), target]
    return [within_roundings(values, np.abs(total) + 4, np.float32, 64, np.float32)]


def _matmul(first_transposed: bool, second_transposed: bool) -> Any:
    def meaning(a: Array, b: Array, out: Array) -> list[Expected]:
        x = (a.T if first_transposed else a).astype(np.float64)
        y = (b.T if second_transposed else b).astype(np.float64)
        return [within_roundings(x @ y, np.abs(x) @ np.abs(y), np.float32, 64, np.float32)]

    return meaning


def _attention(q: Array, k: Array, v: Array, out: Array) -> list[Expected]:
    x, y, z = (each.astype(np.float64) for each in (q, k, v))
    score = x @ y.transpose(0, 2, 1) * q.shape[2] ** -0.5
    weight = np.exp(score - score.max(axis=2, keepdims=True))
    weight /= weight.sum(axis=2, keepdims=True)
    return [within_roundings(weight @ z, weight @ np.abs(z), np.float32, 64, np.float32)]


# Cases. A problem of one size is a number of elements, or of rows; one of three is (m, n, k).


def _normal(rng: np.random.Generator, *shape: int) -> Array:
    return rng.standard_normal(shape, dtype=np.float32)


def _case(
    name: str,
    function: Any,
    parameters: Sequence[Any],
    arguments: Callable[[Problem, np.random.Generator], list[Argument]],
    grid: Callable[[Problem], tuple[int, int, int]],
    reference: Callable[..., Sequence[Expected]],
    problems: tuple[Problem, ...],
) -> KernelCase:
    return KernelCase(
        name=name,
        kernel=function,
        parameters=tuple(parameters),
        problems=problems,
        arguments=arguments,
        grid=grid,
        reference=reference,
        outputs=(sum(not isinstance(p, ConstantConstraint) for p in parameters) - 1,),
        folder=FOLDER,
    )


def _f32(rank: int) -> Any:
    return array(ct.float32, rank)


def _rows(problem: Problem) -> tuple[int, int, int]:
    return problem[0], 1, 1


def _vectors(problem: Problem) -> tuple[int, int, int]:
    return cdiv(problem[0], VECTOR), 1, 1


def _rope_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (tokens,) = problem
    angle = rng.uniform(0, 6, (tokens, HALF)).astype(np.float32)
    x = _normal(rng, tokens, HEADS, 2 * HALF)
    return [x, np.cos(angle), np.sin(angle), np.zeros_like(x)]


def _cross_entropy_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (rows,) = problem
    targets = rng.integers(0, COLUMNS, rows).astype(np.int32)
    return [_normal(rng, rows, COLUMNS), targets, np.zeros(rows, np.float32)]


def _layer_norm_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    x = _normal(rng, problem[0], COLUMNS)
    return [x, _normal(rng, COLUMNS), _normal(rng, COLUMNS), np.zeros_like(x)]


def _matmul_case(
    name: str, tile: tuple[int, int, int], transposed: tuple[bool, bool] = (False, False)
) -> KernelCase:
    def arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
        m, n, k = problem
        a = _normal(rng, *((k, m) if transposed[0] else (m, k)))
        b = _normal(rng, *((n, k) if transposed[1] else (k, n)))
        return [a, b, np.zeros((m, n), np.float32)]

    constants = [ConstantConstraint(value) for value in (*tile, *transposed)]
    return _case(
        name,
        matmul,
        [_f32(2)] * 3 + constants,
        arguments,
        lambda problem: (cdiv(problem[1], tile[1]), cdiv(problem[0], tile[0]), 1),
        _matmul(*transposed),
        ((200, 136, 72), (130, 60, 30)),
    )


QUERIES, KEYS, DEPTH = 64, 64, 64


def _attention_arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    heads, length = problem
    q, k, v = _normal(rng, 3, heads, length, DEPTH)
    return [q, k, v, np.zeros_like(q)]


CASES = {
    case.name: case
    for case in (
        _case(
            "add",
            add,
            [_f32(1)] * 3 + [ConstantConstraint(VECTOR)],
            lambda problem, rng: [
                *(_normal(rng, problem[0]) for _ in range(2)),
                np.zeros(problem[0], np.float32),
            ],
            _vectors,
            _sum,
            ((5000,),),
        ),
        _case(
            "gelu",
            gelu,
            [_f32(1)] * 2 + [ConstantConstraint(VECTOR)],
            lambda problem, rng: [_normal(rng, problem[0]), np.zeros(problem[0], np.float32)],
            _vectors,
            _gelu,
            ((5000,),),
        ),
        _case(
            "softmax",
            softmax,
            [_f32(2)] * 2 + [ConstantConstraint(COLUMNS)],
            lambda problem, rng: [
                _normal(rng, problem[0], COLUMNS),
                np.zeros((problem[0], COLUMNS), np.float32),
            ],
            _rows,
            _softmax,
            ((3,),),
        ),
        _case(
            "layer_norm",
            layer_norm,
            [_f32(2), _f32(1), _f32(1), _f32(2), ConstantConstraint(COLUMNS)],
            _layer_norm_arguments,
            _rows,
            _layer_norm,
            ((3,),),
        ),
        _case(
            "rope",
            rope,
            [
                _f32(3),
                _f32(2),
                _f32(2),
                _f32(3),
                ConstantConstraint(HEADS),
                ConstantConstraint(HALF),
            ],
            _rope_arguments,
            _rows,
            _rope,
            ((3,),),
        ),
        _case(
            "cross_entropy",
            cross_entropy,
            [_f32(2), array(ct.int32, 1), _f32(1), ConstantConstraint(COLUMNS)],
            _cross_entropy_arguments,
            _rows,
            _cross_entropy,
            ((3,),),
        ),
        _matmul_case("matmul", (128, 128, 64)),
        _matmul_case("matmul_small_tiles", (64, 64, 64)),
        _matmul_case("matmul_first_transposed", (128, 128, 64), (True, False)),
        _matmul_case("matmul_second_transposed", (128, 128, 64), (False, True)),
        _case(
            "attention",
            attention,
            [_f32(3)] * 4 + [ConstantConstraint(n) for n in (QUERIES, KEYS, DEPTH)],
            _attention_arguments,
            lambda problem: (problem[1] // QUERIES, problem[0], 1),
            _attention,
            ((2, 128),),
        ),
    )
}
"""By name; the problems are small ones for tests."""


def main() -> None:
    """Writes the Tile IR of all kernels."""
    FOLDER.mkdir(exist_ok=True)
    for case in CASES.values():
        case.text_path.write_text(text(case), "utf-8")


if __name__ == "__main__":
    main()
