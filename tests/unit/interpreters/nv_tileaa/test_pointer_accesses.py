"""Accesses through tiles of pointers, atomics, allocations, global variables."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileaa.evaluation import evaluate
from tileir_xdsl.interpreters import InterpreterError

TOKEN = "!nv_tileaa.mem_token"
VALUES = ("8xi32", np.arange(10, 18, dtype=np.int32))
POINTERS = """
  %base = nv_tileaa.splat %p0 : !nv_tileaa.ptr<i32> -> tensor<8x!nv_tileaa.ptr<i32>>
  %pointers = nv_tileaa.addptr %base, %in1 : tensor<8x!nv_tileaa.ptr<i32>>, tensor<8xi32>
"""
TYPE = "tensor<8x!nv_tileaa.ptr<i32>>"


def _offsets(*offsets: int) -> tuple[str, np.ndarray]:
    return f"{len(offsets)}xi32", np.array(offsets, np.int32)


def test_masked_loads_and_stores() -> None:
    body = f"""{POINTERS}
      %bound = arith.constant dense<8> : tensor<8xi32>
      %mask = arith.cmpi ult, %in1, %bound : tensor<8xi32>
      %other = arith.constant dense<-5> : tensor<8xi32>
      %t0 = nv_tileaa.create_mem_token : {TOKEN}
      %out0, %t1 = nv_tileaa.load weak %pointers mask = %mask : tensor<8xi1>
        other = %other : tensor<8xi32> token = %t0 : {TYPE} -> tensor<8xi32>, {TOKEN}
      %t2 = nv_tileaa.store weak %pointers, %other mask = %mask : tensor<8xi1>
        token = %t1 : {TYPE}, tensor<8xi32> -> {TOKEN}
      %t3 = nv_tileaa.join_mem_token [%t1, %t2] : {TOKEN}
      %t4 = nv_tileaa.memory_fence_alias %t3 : {TOKEN}
      %t5 = nv_tileaa.gdc_wait %t4 : {TOKEN}
      %t6 = nv_tileaa.gdc_launch_dependents %t5 : {TOKEN}
      %all, %t7 = nv_tileaa.load weak %pointers mask = %mask : tensor<8xi1>
        token = %t6 : {TYPE} -> tensor<8xi32>, {TOKEN}
      %out1 = arith.select %mask, %all, %in1 : tensor<8xi1>, tensor<8xi32>
    """
    offsets = _offsets(3, 0, 8, -1, 7, 1 << 20, 2, 2)
    first, second = evaluate(body, [VALUES, offsets], ["8xi32", "8xi32"])
    assert first.tolist() == [13, 10, -5, -5, 17, -5, 12, 12]
    assert second.tolist() == [-5, -5, 8, -1, -5, 1 << 20, -5, -5]


def test_loads_out_of_bounds_are_refused() -> None:
    body = f"{POINTERS}%out0, %t = nv_tileaa.load weak %pointers : {TYPE} -> tensor<8xi32>, {TOKEN}"
    with pytest.raises(InterpreterError, match=r"'nv_tileaa.load' .* element \[4\] reads 4 bytes"):
        evaluate(body, [VALUES, _offsets(0, 1, 2, 3, 8, 0, 0, 0)], ["8xi32"])


@pytest.mark.parametrize(
    "mode, expected",
    (
        ("add", [10 + 1 + 2, 11 - 3]),
        ("xchg", [2, -3]),
        ("umax", [10, 2**32 - 3]),
        ("max", [10, 11]),
        ("and", [10 & 1 & 2, 11 & -3]),
    ),
)
def test_atomic_modification(mode: str, expected: list[int]) -> None:
    body = f"""{POINTERS}
      %two = arith.constant dense<2> : tensor<8xi32>
      %mask = arith.cmpi ult, %in1, %two : tensor<8xi32>
      %out0, %t = nv_tileaa.atomic_rmw relaxed gpu {mode} %pointers, %in2
        mask = %mask : tensor<8xi1> : {TYPE}, tensor<8xi32> -> tensor<8xi32>, {TOKEN}
      %all, %u = nv_tileaa.tiled_load weak %view0[%zero] token = %t
        : !nv_tileaa.tiled_view<8xi32, !nv_tileaa.memref<8xi32, strides = [1]>>[i32]
        -> tensor<8xi32>, {TOKEN}
      %out1 = arith.ori %all, %all : tensor<8xi32>
    """
    offsets, changes = _offsets(0, 0, 1, *[2] * 5), _offsets(1, 2, -3, *[99] * 5)
    old, new = evaluate(body, [VALUES, offsets, changes], ["8xi32", "8xi32"])
    assert new.view(np.uint32)[:2].tolist() == [e % 2**32 for e in expected]
    assert new[2:].tolist() == VALUES[1][2:].tolist()
    assert old[0] == 10 and old[2] == 11


def test_compare_and_swap() -> None:
    body = f"""{POINTERS}
      %out0, %t = nv_tileaa.atomic_cas acq_rel sys %pointers, %in2, %in1
        : {TYPE}, tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>, {TOKEN}
      %out1, %u = nv_tileaa.load weak %pointers token = %t : {TYPE} -> tensor<8xi32>, {TOKEN}
    """
    compared = _offsets(10, 0, 12, 0, 14, 0, 16, 0)
    old, new = evaluate(body, [VALUES, _offsets(*range(8)), compared], ["8xi32", "8xi32"])
    assert old.tolist() == VALUES[1].tolist()
    assert new.tolist() == [0, 11, 2, 13, 4, 15, 6, 17]


def test_alloca() -> None:
    body = f"""
      %p = nv_tileaa.alloca {{num_elements = 4 : i64, alignment = 16 : i64}} : !nv_tileaa.ptr<f32>
      %one = arith.constant 1 : i32
      %q = nv_tileaa.addptr %p, %one : !nv_tileaa.ptr<f32>, i32
      %x = arith.constant 2.5 : f32
      %t = nv_tileaa.store weak %q, %x : !nv_tileaa.ptr<f32>, f32 -> {TOKEN}
      %out0, %u = nv_tileaa.load weak %q token = %t : !nv_tileaa.ptr<f32> -> f32, {TOKEN}
      %out1, %v = nv_tileaa.load weak %p : !nv_tileaa.ptr<f32> -> f32, {TOKEN}
    """
    written, fresh = evaluate(body, outputs=["f32", "f32"])
    assert written.item() == 2.5 and np.isnan(fresh)


def test_global_variables() -> None:
    module = """
      nv_tileaa.global private @weights = #nv_tileaa.elements<[1.5, -2.5] : tensor<2xf32>>
      nv_tileaa.global constant @bits = #nv_tileaa.elements<7 : tensor<4xi8>>
    """
    body = f"""
      %w = nv_tileaa.get_global @weights : !nv_tileaa.ptr<f32>
      %one = arith.constant 1 : i32
      %w1 = nv_tileaa.addptr %w, %one : !nv_tileaa.ptr<f32>, i32
      %out0, %t0 = nv_tileaa.load weak %w1 : !nv_tileaa.ptr<f32> -> f32, {TOKEN}
      %b = nv_tileaa.get_global @bits : !nv_tileaa.ptr<i8>
      %b1 = nv_tileaa.addptr %b, %one : !nv_tileaa.ptr<i8>, i32
      %out1, %t1 = nv_tileaa.load weak %b1 : !nv_tileaa.ptr<i8> -> i8, {TOKEN}
    """
    weight, bits = evaluate(body, outputs=["f32", "i8"], module=module)
    assert (weight.item(), bits.item()) == (-2.5, 7)
    store = """
      %x = arith.constant 1 : i8
      %s = nv_tileaa.store weak %b, %x : !nv_tileaa.ptr<i8>, i8 -> !nv_tileaa.mem_token
    """
    with pytest.raises(InterpreterError, match="global @bits, which is read-only"):
        evaluate(body + store, outputs=["f32", "i8"], module=module)
