"""Atomic operations: every mode, repeated addresses, masks, views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import evaluate
from tileir_xdsl.interpreters.numerics import ELEMENTS, Array

OLD = np.array([5, -3, 100, 7], np.int32)
ARGUMENTS = np.array([2, -9, -1, 7], np.int32)


def _pointers(element: str, indices: str = "[0, 1, 2, 3]") -> str:
    pointer = f"ptr<{element}>"
    return f"""
      %row = reshape %p0 : tile<{pointer}> -> tile<1x{pointer}>
      %rows = broadcast %row : tile<1x{pointer}> -> tile<4x{pointer}>
      %steps = constant <i32: {indices}> : tile<4xi32>
      %q = offset %rows, %steps : tile<4x{pointer}>, tile<4xi32> -> tile<4x{pointer}>
    """


def _update(mode: str, element: str, old: Array, arg: Array, **kind: Any) -> tuple[Array, Array]:
    """What one read-modify-write returns, and what it leaves in memory."""
    mask = kind.get("mask", "")
    name, type_ = (", %mask", ", tile<4xi1>") if mask else ("", "")
    body = f"""
      {_pointers(element, kind.get("indices", "[0, 1, 2, 3]"))}
      {mask}
      %old, %t = atomic_rmw_tko relaxed device %q, {mode}, %in1{name}
        : tile<4xptr<{element}>>, tile<4x{element}>{type_} -> tile<4x{element}>, token
      %now, %u = load_view_tko weak %view0[%zero] token = %t
        : partition_view<tile=(4), tensor_view<4x{element}, strides=[1]>>, tile<i32>
        -> tile<4x{element}>, token
      %out0 = reshape %old : tile<4x{element}> -> tile<4x{element}>
      %out1 = reshape %now : tile<4x{element}> -> tile<4x{element}>
    """
    tile = f"4x{element}"
    returned, left = evaluate(body, [(tile, old), (tile, arg)], [tile, tile])
    return returned, left


def _unsigned(function: np.ufunc) -> Callable[[Array, Array], Array]:
    def run(a: Array, b: Array) -> Array:
        return function(a.view(np.uint32), b.view(np.uint32)).view(np.int32)

    return run


def _second(_a: Array, b: Array) -> Array:
    return b


@pytest.mark.parametrize(
    ("mode", "function"),
    [
        ("add", np.add),
        ("and", np.bitwise_and),
        ("or", np.bitwise_or),
        ("xor", np.bitwise_xor),
        ("max", np.maximum),
        ("min", np.minimum),
        ("umax", _unsigned(np.maximum)),
        ("umin", _unsigned(np.minimum)),
        ("xchg", _second),
    ],
)
def test_modes(mode: str, function: Callable[[Any, Any], Any]) -> None:
    returned, left = _update(mode, "i32", OLD, ARGUMENTS)
    assert returned.tolist() == OLD.tolist()
    assert left.tolist() == function(OLD, ARGUMENTS).tolist()


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_floating_point_sums(element: str) -> None:
    dtype = ELEMENTS[element].dtype
    old, arg = np.array([1, 2, 3, 4.0]).astype(dtype), np.array([0.5, 1, 2, -4]).astype(dtype)
    returned, left = _update("addf", element, old, arg)
    assert returned.astype(float).tolist() == [1, 2, 3, 4]
    assert left.astype(float).tolist() == [1.5, 3, 5, 0]


def test_repeated_addresses_follow_each_other() -> None:
    returned, left = _update("add", "i32", OLD, ARGUMENTS, indices="[2, 0, 2, 2]")
    assert returned.tolist() == [100, 5, 102, 101]
    assert left.tolist() == [5 - 9, -3, 100 + 2 - 1 + 7, 7]
    returned, left = _update("xchg", "i32", OLD, ARGUMENTS, indices="[1, 1, 1, 1]")
    assert returned.tolist() == [-3, 2, -9, -1]
    assert left.tolist() == [5, 7, 100, 7]


def test_masked_elements_change_nothing() -> None:
    mask = "%mask = constant <i1: [true, false, false, true]> : tile<4xi1>"
    _, left = _update("add", "i32", OLD, ARGUMENTS, mask=mask)
    assert left.tolist() == [7, -3, 100, 14]


def test_compare_and_swap_compares_bits() -> None:
    old = np.array([0.0, 1.0, np.nan, 2.0], np.float32)
    body = f"""
      {_pointers("f32")}
      %mask = constant <i1: [true, true, true, false]> : tile<4xi1>
      %new = constant <f32: 9.0> : tile<4xf32>
      %out0, %t = atomic_cas_tko acq_rel device %q, %in1, %new, %mask
        : tile<4xptr<f32>>, tile<4xf32>, tile<4xi1> -> tile<4xf32>, token
      %out1, %u = load_view_tko weak %view0[%zero] token = %t
        : partition_view<tile=(4), tensor_view<4xf32, strides=[1]>>, tile<i32>
        -> tile<4xf32>, token
    """
    wanted = np.array([-0.0, 1.0, np.nan, 5.0], np.float32)
    returned, left = evaluate(body, [("4xf32", old), ("4xf32", wanted)], ["4xf32", "4xf32"])
    assert returned[[0, 1, 3]].tolist() == [0.0, 1.0, 5.0] and np.isnan(returned[2])
    assert left.tolist() == [0.0, 9.0, 9.0, 2.0]


def test_reduction_into_a_view_leaves_out_what_is_outside() -> None:
    tensor = "tensor_view<3xi32, strides=[1]>"
    view = f"partition_view<tile=(4), {tensor}>"
    body = f"""
      %tensor = make_tensor_view %p0, shape = [3], strides = [1] : {tensor}
      %view = make_partition_view %tensor : {view}
      %t = atomic_red_view_tko relaxed device %view[%zero], add, %in1
        : tile<4xi32>, {view}, tile<i32> -> token
      %out0, %u = load_view_tko weak %view0[%zero] token = %t
        : partition_view<tile=(4), tensor_view<4xi32, strides=[1]>>, tile<i32>
        -> tile<4xi32>, token
    """
    (left,) = evaluate(body, [("4xi32", OLD), ("4xi32", ARGUMENTS)], ["4xi32"])
    assert left.tolist() == [7, -12, 99, 7]
