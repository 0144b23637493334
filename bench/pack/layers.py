"""Problems of the layers of models: the dots of experts, and attention backward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cuda.tile as ct
from cuda.tile.compilation import ScalarConstraint

from bench.attention_gradients import key_gradients, query_gradients, row_deltas
from bench.grouped_kernels import grouped_matmul
from bench.pack.problem import NORMAL, Problem, Step, array_of, case_of, constants
from tileir_xdsl.testing.kernels.attention import LOG2_E
from tileir_xdsl.testing.kernels.case import array
from tileir_xdsl.testing.kernels.problems import cdiv

EXPERTS = 8
GROUPED_TILE = (128, 256, 64)
GROUPED_SIZES = {"16384": (16384, 4096, 4096), "4096": (4096, 4096, 4096)}
"""Rows of all experts, columns, and the extent of the sum."""

GRADIENT_TILE = (64, 64)
"""Queries and keys of a step of attention backward."""

DEPTH, ROWS, LENGTH = 128, 1 << 17, 4096


def grouped_problem(name: str, size: tuple[int, int, int], second_half: bool) -> Problem:
    """Tiles of rows times the matrices of their experts, which come in order."""
    m, n, k = size
    rows, columns, _ = GROUPED_TILE
    matrix, matrices = (array_of(ct.bfloat16, rank) for rank in (2, 3))
    family = "matmul_grouped"
    parameters = [matrix, matrices, array(ct.int32), matrix, *constants(*GROUPED_TILE)]
    return Problem(
        f"{family}_{name}",
        family,
        case_of(family, grouped_matmul, parameters),
        (
            ("bfloat16", (m, k), NORMAL),
            ("bfloat16", (EXPERTS, k, n), NORMAL),
            ("int32", (cdiv(m, rows),), {"sorted": EXPERTS}),
            ("bfloat16", (m, n), {}),
        ),
        (3,),
        (cdiv(m, rows), cdiv(n, columns), 1),
        2.0 * m * n * k,
        "FLOP",
        "grouped_matmul",
        0.02,
        {"rows": rows},
        tile=GROUPED_TILE,
        second_half=second_half,
    )


def backward_problem(causal: bool) -> Problem:
    """The gradients of queries, keys and values; all heads have the same numbers."""
    heads, shape = ROWS // LENGTH, (ROWS // LENGTH, LENGTH, DEPTH)
    queries, keys = GRADIENT_TILE
    scale = LOG2_E / DEPTH**0.5
    head: Mapping[str, Any] = {**NORMAL, "period": LENGTH * DEPTH}
    tensor, numbers, factor = array_of(ct.bfloat16, 3), array_of(ct.float32, 2), ScalarConstraint
    tile = constants(queries, keys, DEPTH, causal)
    inputs = [tensor] * 4 + [numbers] * 2
    of_keys = [*inputs, tensor, tensor, factor(ct.float32), *tile]
    of_queries = [*inputs, tensor, factor(ct.float32), *tile]
    deltas = [tensor, tensor, numbers, *constants(queries, DEPTH)]
    family = f"attention_backward{'_causal' * causal}"
    values, per_row = ("bfloat16", shape), ("float32", shape[:2])
    return Problem(
        f"{family}_{LENGTH}",
        family,
        case_of(f"{family}_deltas", row_deltas, deltas),
        (
            *((*values, head) for _ in "qkv"),
            (*values, {"derived": "attention_out"}),
            (*values, head),
            (*per_row, {"derived": "attention_logs"}),
            *((*values, {}) for _ in "qkv"),
            (*per_row, {}),
        ),
        (6, 7, 8),
        (LENGTH // queries, heads, 1),
        10.0 * heads * LENGTH**2 * DEPTH / (2 if causal else 1),
        "FLOP",
        "attention_backward",
        0.03,
        {"causal": causal, "scale": scale, "queries": queries, "keys": keys},
        second_half=causal,
        takes=(3, 4, 9),
        then=(
            Step(
                case_of(f"{family}_keys", key_gradients, of_keys),
                (LENGTH // keys, heads, 1),
                (0, 1, 2, 4, 5, 9, 7, 8),
                (scale,),
            ),
            Step(
                case_of(f"{family}_queries", query_gradients, of_queries),
                (LENGTH // queries, heads, 1),
                (0, 1, 2, 4, 5, 9, 6),
                (scale,),
            ),
        ),
    )


def layer_problems() -> list[Problem]:
    """Grouped dots, and attention backward."""
    grouped = [
        grouped_problem(name, size, number > 0)
        for number, (name, size) in enumerate(GROUPED_SIZES.items())
    ]
    return [*grouped, *map(backward_problem, (False, True))]
