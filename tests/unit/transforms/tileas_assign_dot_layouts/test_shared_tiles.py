"""Tiles that a dot reads in memory, and other ops, too: values and copies of whole kernels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.road.zoo import lower
from tests.unit.transforms.tileas_assign_dot_layouts.tools import after
from tileir_xdsl import emulator
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools

DEPTH, STEPS = 144, 3
"""The last step ends within its tile."""

KERNEL = """
cuda_tile.module @m {
  entry @k(%a: tile<ptr<f16>>, %c: tile<ptr<f32>>, %d: tile<ptr<f32>>, %steps: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %a16 = assume div_by<16>, %a : tile<ptr<f16>>
    %ta = make_tensor_view %a16, shape = [1, 50, 144], strides = [7200, 144, 1] : VIEW
    %tc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : OUT
    %td = make_tensor_view %d, shape = [64, 64], strides = [64, 1] : OUT
    %va = make_partition_view %ta : PART
    %vc = make_partition_view %tc : partition_view<tile=(64x64), OUT>
    %vd = make_partition_view %td : partition_view<tile=(64x64), OUT>
    %r, %s = for %k in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %none, %sum = %none) -> (SUMS, SUMS) {
      %x, %t0 = load_view_tko weak %va[%zero, %zero, %k] : PART, tile<i32> -> tile<1x64x64xf16>, token
      %x2 = reshape %x : tile<1x64x64xf16> -> OPERAND
      %xt = permute %x2 [1, 0] : OPERAND -> OPERAND
      %next = mmaf LHS, RHS, %acc : OPERAND, OPERAND, SUMS
      OTHER
      continue %next, %other : SUMS, SUMS
    }
    %ts = store_view_tko weak %r, %vc[%zero, %zero] : SUMS, partition_view<tile=(64x64), OUT>, tile<i32> -> token
    %tu = store_view_tko weak %s, %vd[%zero, %zero] : SUMS, partition_view<tile=(64x64), OUT>, tile<i32> -> token
    return
  }
}
"""
NAMES = {
    "PART": "partition_view<tile=(1x64x64), padding_value = zero, VIEW>",
    "VIEW": "tensor_view<1x50x144xf16, strides=[7200,144,1]>",
    "OUT": "tensor_view<64x64xf32, strides=[64,1]>",
    "SUMS": "tile<64x64xf32>",
    "OPERAND": "tile<64x64xf16>",
}
ADDED = """%wide = ftof %x2 : OPERAND -> SUMS
      %other = addf %sum, %wide : SUMS"""
DOT = "%other = mmaf %xt, %x2, %sum : OPERAND, OPERAND, SUMS"
KEPT = "%other = addf %sum, %none : SUMS"
FORMS = {
    "itself": ("%x2", "%xt", KEPT),
    "two dots": ("%x2", "%xt", DOT),
    "a dot and a sum": ("%x2", "%xt", ADDED),
    "one way and a sum": ("%x2", "%x2", ADDED),
}
GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")


def program(form: str) -> str:
    """The kernel with another reader."""
    lhs, rhs, other = FORMS[form]
    text = KERNEL.replace("LHS", lhs).replace("RHS", rhs).replace("OTHER", other)
    for name, type in NAMES.items():
        text = text.replace(name, type)
    return text


def expected(form: str, a: np.ndarray) -> list[np.ndarray]:
    """The two sums over tiles of 64 rows and columns, with zeros beyond the array."""
    x = np.zeros((64, 64 * STEPS), np.float32)
    x[: a.shape[0], : a.shape[1]] = a
    tiles = [x[:, 64 * step : 64 * (step + 1)] for step in range(STEPS)]
    (lhs, rhs, other), none = FORMS[form], np.zeros((64, 64), np.float32)
    product = sum((x @ (x.T if rhs == "%xt" else x) for x in tiles), none)
    assert lhs == "%x2"
    if other == ADDED:
        return [product, sum(tiles, none)]
    return [product, none if other == KEPT else sum((x.T @ x for x in tiles), none)]


@pytest.mark.one_in(4, "two dots-sm_90a", "a dot and a sum-sm_80")
@pytest.mark.parametrize("gpu", GPUS)
@pytest.mark.parametrize("form", FORMS)
def test_values(form: str, gpu: str):
    text = program(form)
    a = np.random.default_rng(1).integers(-3, 4, (50, DEPTH)).astype(np.float16)
    found = [np.zeros((64, 64), np.float32) for _ in range(2)]
    given = [Argument(None, as_argument(value, "k")) for value in (a, *found, STEPS)]
    lowered, kernel = lower(tools.parse(text), gpu), find_kernel(tools.parse(text), "k", "m")
    # No thread loads the tile, and none stores it again.
    assert "ld.global" not in lowered.ptx and "st.shared.b16" not in lowered.ptx
    emulator.load(lowered.ptx).launch(
        "k",
        (1, 1, 1),
        with_tensor_maps(lowered.module, "k", bind_arguments(kernel, given)),
        dynamic_shared=dynamic_shared_memory(lowered.module, "k"),
        late=True,
        races=True,
    )
    for wanted, got in zip(expected(form, a), found, strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("form", FORMS)
def test_one_copy_brings_the_tile(form: str):
    module = after("tileas-assign-dot-layouts", program(form), "sm_90a")
    (load,) = (op for op in module.walk() if isinstance(op, nv_tileas.TiledLoadOp))
    (to_memory,) = (use.operation for use in load.tile.uses)
    assert isinstance(to_memory, nv_tileas.ConvertLayoutOp)
    registers = [
        op
        for op in module.walk()
        if isinstance(op, nv_tileas.ConvertLayoutOp) and op is not to_memory
    ]
    assert len(registers) == ("sum" in form)
