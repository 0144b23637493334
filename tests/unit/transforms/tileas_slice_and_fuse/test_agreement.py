"""Kernels compute the same in slices: sizes, element types, operand orders, numbers of slices."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.unit.road.ladder_kernels import (
    LadderKernel,
    attention,
    collective,
    elementwise,
    layer_norm,
    matmul,
    pointwise,
    softmax,
)
from tileir_xdsl import interpreters
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.agreement import assert_agrees

KERNELS: dict[str, tuple[int, Callable[[], LadderKernel]]] = {
    **{
        f"matmul {e} {a} {o}": (1, lambda e=e, a=a, o=o: matmul(32, 16, 16, e, a, o, steps=2))
        for (e, a), o in (
            (("f16", "f32"), "nn"),
            (("bf16", "f32"), "nt"),
            (("f16", "f16"), "tn"),
            (("i8", "i32"), "tt"),
            (("f32", "f32"), "nn"),
        )
    },
    "alpha beta": (1, lambda: matmul(16, 16, 16, "f16", alpha_beta=True, steps=2)),
    "attention": (1, lambda: attention(16, 16, 16)),
    "softmax of rows": (1, lambda: softmax(8, 16)),
    "softmax of a row": (3, lambda: softmax(1, 64)),
    "softmax f16": (3, lambda: softmax(1, 64, "f16")),
    "layer norm of a row": (3, lambda: layer_norm(1, 64)),
    "elementwise": (1, lambda: elementwise((64,))),
    "elementwise of three dimensions": (1, lambda: elementwise((4, 8, 4), "i16")),
    "pointers": (1, lambda: pointwise(64, "i32")),
    **{
        f"{kind} {'x'.join(map(str, shape))} {axis} {element}": (
            1,
            lambda k=kind, s=shape, a=axis, e=element: collective(k, s, a, e),
        )
        for kind in ("reduce", "scan")
        for shape, axis, element in (
            ((64,), 0, "f32"),
            ((1, 64), 1, "i32"),
            ((16, 8), 0, "f64"),
            ((16, 8), 1, "i8"),
        )
    },
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("slices", [2, 4])
def test_slices_compute_the_same(name: str, slices: int):
    loops, make = KERNELS[name]
    case = make()
    module = tools.run_passes(tools.parse(case.text), "convert-cuda-tile-to-tileaa,canonicalize")
    tools.run_passes(module, f"tileas-slice-and-fuse{{slices={slices}}}")
    assert str(module).count("nv_tileas.slices") == loops
    results = [np.zeros(array.size, array.dtype) for array in case.expected]
    arguments = [*(array.copy().ravel() for array in case.inputs), *results]
    interpreters.launch(module, "k", (1, 1, 1), arguments)
    for wanted, found in zip(case.expected, results, strict=True):
        assert_agrees(found.reshape(wanted.shape), case.within(wanted))


COMBINED = """
cuda_tile.module @m { entry @k(%p0: tile<ptr<i32>>, %p1: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %t0 = make_tensor_view %p0, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %v0 = make_partition_view %t0 : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
  %t1 = make_tensor_view %p1, shape = [64], strides = [1] : tensor_view<64xi32, strides=[1]>
  %v1 = make_partition_view %t1 : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>
  %x, %k = load_view_tko weak %v0[%zero] : partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> tile<64xi32>, token
  %n = iota : tile<64xi32>
  %y, %z = scan %x, %n dim=0 reverse=REVERSE identities=[0 : i32, 0 : i32] : tile<64xi32>, tile<64xi32> -> tile<64xi32>, tile<64xi32>
  (%a: tile<i32>, %b: tile<i32>, %c: tile<i32>, %d: tile<i32>) {
    %s = cmpi not_equal %b, %zero, signed : tile<i32> -> tile<i1>
    %e = select %s, %b, %a : tile<i1>, tile<i32>
    %f = addi %c, %d : tile<i32>
    yield %e, %f : tile<i32>, tile<i32>
  }
  %l = reduce %x dim=0 identities=[0 : i32] : tile<64xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {
    %s = cmpi not_equal %b, %zero, signed : tile<i32> -> tile<i1>
    %e = select %s, %b, %a : tile<i1>, tile<i32>
    yield %e : tile<i32>
  }
  %l1 = reshape %l : tile<i32> -> tile<1xi32>
  %l64 = broadcast %l1 : tile<1xi32> -> tile<64xi32>
  %yz = addi %y, %z : tile<64xi32>
  %r = addi %yz, %l64 : tile<64xi32>
  %w = store_view_tko weak %r, %v1[%zero] : tile<64xi32>, partition_view<tile=(64), tensor_view<64xi32, strides=[1]>>, tile<i32> -> token
  return
} }
"""


@pytest.mark.parametrize("reverse", [False, True])
def test_scans_of_tuples_whose_order_matters(reverse: bool):
    """The last element that is not zero so far, and of all, and a running sum."""
    text = COMBINED.replace("REVERSE", str(reverse).lower())
    x = (np.random.default_rng(0).integers(0, 2, 64) * np.arange(1, 65)).astype(np.int32)
    found: list[np.ndarray] = []
    for passes in ("", ",tileas-slice-and-fuse{slices=4}"):
        module = tools.run_passes(
            tools.parse(text), f"convert-cuda-tile-to-tileaa,canonicalize{passes}"
        )
        assert ("nv_tileas.slices" in str(module)) == bool(passes)
        result = np.zeros(64, np.int32)
        interpreters.launch(module, "k", (1, 1, 1), [x.copy(), result])
        found.append(result)
    order = slice(None, None, -1) if reverse else slice(None)
    last, kept = 0, []
    for value in x[order]:
        last = value or last
        kept.append(last)
    wanted = (np.array(kept) + np.cumsum(np.arange(64)[order]))[order] + x[x != 0][-1]
    np.testing.assert_array_equal(found[0], wanted)
    np.testing.assert_array_equal(found[1], wanted)
