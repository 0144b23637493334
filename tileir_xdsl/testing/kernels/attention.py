"""Forward flash attention, causal or not: a tile of queries, with a loop over keys and values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ScalarConstraint, ct
from tileir_xdsl.testing.kernels.problems import cdiv

QUERIES, KEYS, DEPTH = 32, 32, 64
LOG2_E = 1.4426950408889634


@kernel
def attention(
    q: Any,
    k: Any,
    v: Any,
    out: Any,
    scale: float,
    queries: ct.Constant[int],
    keys: ct.Constant[int],
    depth: ct.Constant[int],
    causal: ct.Constant[bool],
) -> None:
    block, head = ct.bid(0), ct.bid(1)
    length = k.shape[1]
    zero = ct.PaddingMode.ZERO
    query = ct.load(q, index=(head, block, 0), shape=(1, queries, depth), padding_mode=zero)
    query = ct.reshape(query, (queries, depth))
    rows = ct.expand_dims(block * queries + ct.arange(queries, dtype=ct.int32), 1)
    largest = ct.full((queries, 1), -1e30, dtype=ct.float32)
    total = ct.zeros((queries, 1), dtype=ct.float32)
    acc = ct.zeros((queries, depth), dtype=ct.float32)
    steps: Any = ct.cdiv(length, keys)
    if causal:
        steps = ct.minimum(steps, ct.cdiv((block + 1) * queries, keys))
    for step in range(steps):
        key = ct.load(k, index=(head, step, 0), shape=(1, keys, depth), padding_mode=zero)
        key = ct.transpose(ct.reshape(key, (keys, depth)))
        score = ct.mma(query, key, ct.zeros((queries, keys), dtype=ct.float32)) * scale
        columns = ct.expand_dims(step * keys + ct.arange(keys, dtype=ct.int32), 0)
        allowed = columns < length
        if causal:
            allowed = allowed & (columns <= rows)
        score = ct.where(allowed, score, -1e30)
        higher = ct.maximum(largest, ct.max(score, 1, keepdims=True))
        weight = ct.exp2(score - higher)
        shrink = ct.exp2(largest - higher)
        total = total * shrink + ct.sum(weight, 1, keepdims=True)
        value = ct.load(v, index=(head, step, 0), shape=(1, keys, depth), padding_mode=zero)
        value = ct.reshape(value, (keys, depth))
        acc = ct.mma(ct.astype(weight, v.dtype), value, acc * shrink)
        largest = higher
    result = ct.reshape(ct.astype(acc / total, out.dtype), (1, queries, depth))
    ct.store(out, index=(head, block, 0), tile=result)


def reference_of(causal: bool) -> Any:
    """The reference of the kernel in numpy, on its arguments without the constants."""

    def reference(q: Array, k: Array, v: Array, out: Array, scale: float) -> list[Expected]:
        x, y, z = (a.astype(np.float64) for a in (q, k, v))
        score = x @ y.transpose(0, 2, 1) * (scale / LOG2_E)
        if causal:
            later = np.triu(np.ones(score.shape[1:], np.bool_), 1)
            score = np.where(later, -np.inf, score)
        weight = np.exp(score - score.max(axis=2, keepdims=True))
        weight /= weight.sum(axis=2, keepdims=True)
        # The weights are rounded to half precision before the second product.
        return [within_roundings(weight @ z, weight @ np.abs(z), out.dtype, 4, np.float16)]

    return reference


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    heads, length = problem
    q, k, v = rng.standard_normal((3, heads, length, DEPTH)).astype(np.float16)
    return [q, k, v, np.zeros_like(q), DEPTH**-0.5 * LOG2_E]


def _case(
    name: str,
    causal: bool,
    queries: int = QUERIES,
    keys: int = KEYS,
    problems: tuple[Problem, ...] = ((1, 32), (2, 80)),
) -> KernelCase:
    return KernelCase(
        name=name,
        kernel=attention,
        parameters=(
            *(array(ct.float16, 3),) * 4,
            ScalarConstraint(ct.float32),
            ConstantConstraint(queries),
            ConstantConstraint(keys),
            ConstantConstraint(DEPTH),
            ConstantConstraint(causal),
        ),
        problems=problems,
        arguments=_arguments,
        grid=lambda problem: (cdiv(problem[1], queries), problem[0], 1),
        reference=reference_of(causal),
        outputs=(3,),
    )


CASES = (_case("attention", causal=False), _case("attention_causal", causal=True))

WARPGROUP_CASES = (
    _case("attention_warpgroup", causal=False, queries=64, keys=64, problems=((1, 144),)),
    _case("attention_causal_warpgroup", causal=True, queries=64, keys=64, problems=((1, 80),)),
)
"""Attention with tiles of a warpgroup; these kernels exist only with divisible strides."""
