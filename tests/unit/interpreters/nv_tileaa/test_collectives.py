"""Reductions and scans."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import evaluate

VALUES = ("4x8xi32", np.random.default_rng(2).integers(-9, 9, (4, 8)).astype(np.int32))
SUM = """{
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    nv_tileaa.yield %c : i32
  }"""


@pytest.mark.parametrize("axis, shape", ((0, "8"), (1, "4")))
def test_reduce(axis: int, shape: str) -> None:
    body = f"%out0 = nv_tileaa.reduce %in0 {{axis = {axis} : i32}} : tensor<4x8xi32> "
    (result,) = evaluate(body + f"-> tensor<{shape}xi32> {SUM}", [VALUES], [f"{shape}xi32"])
    assert (result == VALUES[1].sum(axis)).all()


def test_reduce_to_a_scalar() -> None:
    row = ("8xi32", VALUES[1][0])
    body = f"%out0 = nv_tileaa.reduce %in0 {{axis = 0 : i32}} : tensor<8xi32> -> i32 {SUM}"
    (result,) = evaluate(body, [row], ["i32"])
    assert result.item() == row[1].sum()


def test_reduce_of_pairs_keeps_the_order() -> None:
    # The affine maps x -> p x + q, applied one after the other, do not commute.
    p, q = (np.random.default_rng(i).integers(-3, 4, 8).astype(np.int32) for i in range(2))
    body = """
      %out0, %out1 = nv_tileaa.reduce %in0, %in1 {axis = 0 : i32}
        : tensor<8xi32>, tensor<8xi32> -> i32, i32 {
      ^bb0(%p: i32, %r: i32, %q: i32, %s: i32):
        %pr = arith.muli %p, %r : i32
        %qr = arith.muli %q, %r : i32
        %t = arith.addi %qr, %s : i32
        nv_tileaa.yield %pr, %t : i32, i32
      }
    """
    slope, shift = evaluate(body, [("8xi32", p), ("8xi32", q)], ["i32", "i32"])
    x = 5
    for a, b in zip(p.tolist(), q.tolist(), strict=True):
        x = a * x + b
    assert slope.item() * 5 + shift.item() == x


@pytest.mark.parametrize("reverse", (False, True))
def test_scan(reverse: bool) -> None:
    attributes = "axis = 1 : i32, inclusive = true" + ", reverse = true" * reverse
    body = f"%out0 = nv_tileaa.scan %in0 {{{attributes}}} : tensor<4x8xi32> -> tensor<4x8xi32>"
    (result,) = evaluate(f"{body} {SUM}", [VALUES], ["4x8xi32"])
    step = -1 if reverse else 1
    assert (result == VALUES[1][:, ::step].cumsum(axis=1)[:, ::step]).all()
