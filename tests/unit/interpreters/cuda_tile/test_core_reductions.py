"""Reductions and scans with functions of all kinds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.interpreters.evaluation import evaluate
from tests.unit.interpreters.test_kernels import module_of
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.listeners import LaunchListener
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments

VALUES = np.random.default_rng(1).integers(-50, 50, (4, 8, 2)).astype(np.int32)


def _aggregate(kind: str, shape: str, result: str, values: Array, body: str) -> Array:
    element = shape.split("x")[-1]
    text = f"""
      %out0 = {kind} : tile<{shape}> -> tile<{result}>
      (%a: tile<{element}>, %e: tile<{element}>) {{
        {body}
        yield %r : tile<{element}>
      }}
    """
    return evaluate(text, [(shape, values)], [result])[0]


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize(
    ("body", "identity", "function"),
    [
        ("%r = addi %e, %a : tile<i32>", 0, np.add),
        ("%r = maxi %e, %a signed : tile<i32>", -(2**31), np.maximum),
        ("%r = xori %e, %a : tile<i32>", 0, np.bitwise_xor),
    ],
)
def test_reduce(dim: int, body: str, identity: int, function: np.ufunc) -> None:
    expected = function.reduce(VALUES, axis=dim, dtype=np.int32)
    result = "x".join(map(str, expected.shape)) + "xi32"
    kind = f"reduce %in0 dim={dim} identities=[{identity} : i32]"
    assert (_aggregate(kind, "4x8x2xi32", result, VALUES, body) == expected).all()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_scan(dim: int, reverse: bool) -> None:
    kind = f"scan %in0 dim={dim} reverse={str(reverse).lower()} identities=[0 : i32]"
    actual = _aggregate(kind, "4x8x2xi32", "4x8x2xi32", VALUES, "%r = addi %e, %a : tile<i32>")
    turned = np.flip(VALUES, dim) if reverse else VALUES
    expected = np.cumsum(turned, axis=dim, dtype=np.int32)
    assert (actual == (np.flip(expected, dim) if reverse else expected)).all()


def test_a_function_that_keeps_the_order() -> None:
    # (a, e) -> e wherever e is not zero: the last nonzero so far, associative, not commutative.
    body = """
      %zero_e = constant <i32: 0> : tile<i32>
      %set = cmpi not_equal %e, %zero_e, signed : tile<i32> -> tile<i1>
      %r = select %set, %e, %a : tile<i1>, tile<i32>
    """
    values = np.array([0, 3, 0, 0, 5, 0, 7, 0], np.int32)
    last = _aggregate("reduce %in0 dim=0 identities=[0 : i32]", "8xi32", "i32", values, body)
    assert last.item() == 7
    kind = "scan %in0 dim=0 reverse=false identities=[0 : i32]"
    running = _aggregate(kind, "8xi32", "8xi32", values, body)
    assert running.tolist() == [0, 3, 3, 3, 5, 5, 7, 7]


@pytest.mark.parametrize(
    ("operands", "expected"), [("%a, %e", 7), ("%e, %a", -7), ("%a, %a", 0), ("%e, %e", 0)]
)
@pytest.mark.parametrize("kind", ["reduce", "scan"])
def test_a_function_of_one_op_has_the_operands_it_names(
    kind: str, operands: str, expected: int
) -> None:
    values = np.array([10, 3], np.int32)
    direction = " reverse=false" if kind == "scan" else ""
    text = f"{kind} %in0 dim=0{direction} identities=[0 : i32]"
    result = "2xi32" if kind == "scan" else "i32"
    found = _aggregate(text, "2xi32", result, values, f"%r = subi {operands} : tile<i32>")
    assert np.ravel(found)[-1] == expected


def test_several_operands() -> None:
    text = """
      %positions = iota : tile<8xi32>
      %out0, %out1 = reduce %in0, %positions dim=0 identities=[0xFF800000 : f32, 0 : i32]
        : tile<8xf32>, tile<8xi32> -> tile<f32>, tile<i32>
      (%a: tile<f32>, %e: tile<f32>, %j: tile<i32>, %i: tile<i32>) {
        %more = cmpf greater_than ordered %e, %a : tile<f32> -> tile<i1>
        %v = select %more, %e, %a : tile<i1>, tile<f32>
        %k = select %more, %i, %j : tile<i1>, tile<i32>
        yield %v, %k : tile<f32>, tile<i32>
      }
    """
    values = np.array([1, 5, -2, 9, 9, 3, 0, 8], np.float32)
    largest, position = evaluate(text, [("8xf32", values)], ["f32", "i32"])
    assert (largest.item(), position.item()) == (9, 3)


def test_a_function_that_is_not_elementwise() -> None:
    body = """
      %row = reshape %e : tile<i32> -> tile<1xi32>
      %back = reshape %row : tile<1xi32> -> tile<i32>
      %r = maxi %back, %a signed : tile<i32>
    """
    kind = "reduce %in0 dim=1 identities=[-2147483648 : i32]"
    actual = _aggregate(kind, "4x8x2xi32", "4x2xi32", VALUES, body)
    assert (actual == VALUES.max(axis=1)).all()


def test_float_sums_are_near_the_exact_sum() -> None:
    values = np.random.default_rng(2).standard_normal(1024).astype(np.float32)
    kind = "reduce %in0 dim=0 identities=[0.0 : f32]"
    total = _aggregate(kind, "1024xf32", "f32", values, "%r = addf %e, %a : tile<f32>")
    exact = math.fsum(map(float, values))
    assert abs(float(total) - exact) <= 10 * 2.0**-24 * float(np.abs(values).sum())


def test_one_element_is_its_own_sum() -> None:
    kind = "reduce %in0 dim=0 identities=[0 : i32]"
    value = np.array([[7, 8]], np.int32)
    actual = _aggregate(kind, "1x2xi32", "2xi32", value, "%r = addi %e, %a : tile<i32>")
    assert actual.tolist() == [7, 8]


@pytest.mark.parametrize("name", ["softmax_f32", "cumulative", "argmax_rows", "reductions"])
def test_a_launch_that_is_watched_gives_the_same(name: str) -> None:
    """Then the body of a reduction runs op by op; otherwise a single op is applied to tiles."""
    case = KERNELS[name]
    results: list[list[bytes]] = []
    for listeners in ((), (LaunchListener(),)):
        arguments = case.make_arguments(case.typical)
        module, grid = module_of(name), case.grid(case.typical)
        launch(module, name, grid, launch_arguments(arguments), listeners=listeners)
        results.append([a.tobytes() for a in arguments if isinstance(a, np.ndarray)])
    assert results[0] == results[1]
