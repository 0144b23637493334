"""The grouped matrix product of a mixture of experts: each tile of tokens has its own weights."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tileir_xdsl.testing.kernels.agreement import Array, Expected, within_roundings
from tileir_xdsl.testing.kernels.case import Argument, KernelCase, Problem, array, kernel
from tileir_xdsl.testing.kernels.cutile import ConstantConstraint, ct

TOKENS, INNER, OUTER, EXPERTS = 16, 64, 32, 3


@kernel
def mixture_of_experts(
    x: Any,
    weights: Any,
    order: Any,
    experts: Any,
    gates: Any,
    out: Any,
    tokens: ct.Constant[int],
    inner: ct.Constant[int],
    outer: ct.Constant[int],
) -> None:
    group = ct.bid(0)
    expert: Any = ct.load(experts, index=(group,), shape=()).item()
    # A negative token number is padding: nothing is read or written for it.
    rows = ct.load(order, index=(group,), shape=(tokens,))
    depth = ct.arange(inner, dtype=ct.int32)
    taken = ct.gather(x, (ct.expand_dims(rows, 1), ct.expand_dims(depth, 0)))
    w = ct.load(weights, index=(expert, 0, 0), shape=(1, inner, outer))
    acc = ct.zeros((tokens, outer), dtype=ct.float32)
    acc = ct.mma(taken, ct.reshape(w, (inner, outer)), acc)
    gate = ct.gather(gates, rows)
    acc = acc * ct.expand_dims(gate, 1)
    columns = ct.expand_dims(ct.arange(outer, dtype=ct.int32), 0)
    ct.scatter(out, (ct.expand_dims(rows, 1), columns), ct.astype(acc, out.dtype))


def reference(
    x: Array, weights: Array, order: Array, experts: Array, gates: Array, out: Array
) -> list[Expected]:
    values, sizes = out.astype(np.float64), np.zeros(out.shape)
    for group, expert in enumerate(experts):
        rows = order[group * TOKENS : (group + 1) * TOKENS]
        rows = rows[rows >= 0]
        tokens, w = x[rows].astype(np.float64), weights[expert].astype(np.float64)
        gate = gates[rows, None].astype(np.float64)
        values[rows] = tokens @ w * gate
        sizes[rows] = np.abs(tokens) @ np.abs(w) * np.abs(gate)
    return [within_roundings(values, sizes, out.dtype, 32, np.float32)]


def _arguments(problem: Problem, rng: np.random.Generator) -> list[Argument]:
    (count,) = problem
    chosen = rng.integers(0, EXPERTS, count)
    order: list[int] = []
    experts: list[int] = []
    for expert in range(EXPERTS):
        members = np.flatnonzero(chosen == expert).tolist()
        for start in range(0, len(members), TOKENS):
            part = members[start : start + TOKENS]
            order += [*part, *[-1] * (TOKENS - len(part))]
            experts.append(expert)
    # As many groups as the grid has, whatever the draw: the rest hold padding only.
    groups = _groups(problem)
    order += [-1] * (TOKENS * groups - len(order))
    experts += [0] * (groups - len(experts))
    return [
        rng.standard_normal((count, INNER)).astype(ml_dtypes.bfloat16),
        rng.standard_normal((EXPERTS, INNER, OUTER)).astype(ml_dtypes.bfloat16),
        np.array(order, np.int32),
        np.array(experts, np.int32),
        rng.uniform(0, 1, count).astype(np.float32),
        np.zeros((count, OUTER), ml_dtypes.bfloat16),
    ]


def _groups(problem: Problem) -> int:
    return problem[0] // TOKENS + EXPERTS


CASES = (
    KernelCase(
        name="mixture_of_experts",
        kernel=mixture_of_experts,
        parameters=(
            array(ct.bfloat16, 2),
            array(ct.bfloat16, 3),
            array(ct.int32),
            array(ct.int32),
            array(ct.float32),
            array(ct.bfloat16, 2),
            ConstantConstraint(TOKENS),
            ConstantConstraint(INNER),
            ConstantConstraint(OUTER),
        ),
        problems=((1,), (50,)),
        arguments=_arguments,
        grid=lambda problem: (_groups(problem), 1, 1),
        reference=reference,
        outputs=(5,),
    ),
)
