"""Two products in a loop, one of the other, with bulk copies: the shape of attention, in small.

    scores = w x a(j); outputs = -outputs + f16(scores) x b(j)

All numbers are small integers, so that every order of the sums gives the same.
"""

import io
import re

import numpy as np

from tests.unit.transforms.dot_loops import A_TILE, STEPS, SUM, TILE, kernel, load
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools

ATOM = "{atom = #nv_tileas<atom wgmma_f16_f16_f32>}"
HALF = f"tensor<{TILE}x{TILE}xf16>"
FIRST = re.sub(
    "%a_(buffer|started)", r"%w_\1", load("a", "%none", "%none").replace("%a_tile", "%w")
)
"""The load of w."""


def chained(count: int = STEPS, *, is_known: bool = True) -> str:
    """The kernel, with so many iterations, which passes may know or not; w is a(0)."""
    added = 0 if is_known else 1
    bound = f"%n = arith.constant {count - added} : index"
    if not is_known:
        bound = f"{bound.replace('%n', '%fewer')}\n  %n = arith.addi %fewer, %one : index"
    return kernel(f"""{FIRST}
  %minus = arith.constant dense<-1.0> : {SUM}
  {bound}
  %total = scf.for %k = %none to %n step %one iter_args(%acc = %zero) -> ({SUM}) {{
    %at = arith.muli %k, %tile : index{load("a", "%none", "%at")}
    %scores_started = nv_tileas.async.dot %w, %a_tile, %zero {ATOM} : {A_TILE}, {A_TILE}, {SUM} -> !async.value<{SUM}>
    %scores = nv_tileas.async.future_wait %scores_started : !async.value<{SUM}> -> {SUM}
    %weights = nv_tileaa.fp_to_fp %scores : {SUM} to {HALF}
    %scaled = nv_tileaa.mulf %acc, %minus : {SUM}{load("b", "%at", "%none")}
    %started = nv_tileas.async.dot %weights, %b_tile, %scaled {ATOM} : {HALF}, {A_TILE}, {SUM} -> !async.value<{SUM}>
    %sum = nv_tileas.async.future_wait %started : !async.value<{SUM}> -> {SUM}
    scf.yield %sum : {SUM}
  }}""")


def run(text: str, order: MemoryOrder | None = None, count: int = STEPS) -> tuple[Array, Array]:
    """What a kernel leaves in c, and what it should."""
    rng = np.random.default_rng(1)
    depth = STEPS * TILE
    a, b = (
        rng.integers(-2, 3, shape).astype(np.float16) for shape in ((TILE, depth), (depth, TILE))
    )
    c = np.zeros((TILE, TILE), np.float32)
    launch(tools.parse(text), "k", (1, 1, 1), [a, b, c], output=io.StringIO(), memory_order=order)
    expected = np.zeros_like(c)
    for j in range(count):
        part = slice(j * TILE, (j + 1) * TILE)
        scores = a[:, :TILE].astype(np.float32) @ a[:, part].astype(np.float32)
        expected = scores @ b[part].astype(np.float32) - expected
    return c, expected
