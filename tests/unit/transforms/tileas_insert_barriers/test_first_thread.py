"""Stores of one element, which the first thread does in its own order."""

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

COUNT = 5
ONE = "tensor_view<?xf32, strides=[1]>"
KERNEL = f"""
cuda_tile.module @m {{ entry @k(%a: tile<ptr<f32>>, %b: tile<ptr<f32>>, %n: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %t0 = make_token : token
  %ta = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> {ONE}
  %va = make_partition_view %ta : partition_view<tile=(1), {ONE}>
  %first = constant <f32: 1.0> : tile<1xf32>
  %then = constant <f32: 2.0> : tile<f32>
  %last = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%t = %t0) -> (token) {{
    %t1 = store_view_tko weak %first, %va[%k] token = %t : tile<1xf32>, partition_view<tile=(1), {ONE}>, tile<i32> -> token
    %p = offset %b, %k : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %t2 = store_ptr_tko weak %p, %then token = %t1 : tile<ptr<f32>>, tile<f32> -> token
    OTHER
    continue %t2 : token
  }}
  return
}} }}
"""
LOAD = """%x, %t3 = load_ptr_tko weak %p token = %t2 : tile<ptr<f32>> -> tile<f32>, token
    %y = addf %x, %then rounding<nearest_even> : tile<f32>
    %t4 = store_ptr_tko weak %p, %y token = %t3 : tile<ptr<f32>>, tile<f32> -> token"""


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
@pytest.mark.parametrize(("other", "barriers", "value"), [("", 0, 2), (LOAD, 2, 4)])
def test_threads_meet_only_where_others_load(gpu: str, other: str, barriers: int, value: int):
    """Both arrays are one, of which the second store of an element is the last."""
    text = KERNEL.replace("OTHER", other)
    ptx = lower(tools.context(), tools.parse(text), "ptx", gpu=gpu, file="k.mlir").ptx
    assert ptx is not None and ptx.count("bar.sync") == barriers
    array = np.zeros(COUNT, np.float32)
    emulator.load(ptx).launch("k", (1, 1, 1), [array, array, COUNT], late=True, races=True)
    assert (array == value).all()
