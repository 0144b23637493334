"""What one thread of a tile block acquires, all others may rely on."""

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.testing import tools

COUNT = 128

KERNEL = f"""
cuda_tile.module @m {{ entry @k(%data: tile<ptr<i32>>, %flag: tile<ptr<i32>>, %out: tile<ptr<i32>>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %ones = constant <i32: 1> : tile<{COUNT}xi32>
  %none = constant <i32: 0> : tile<{COUNT}xi32>
  %line = iota : tile<{COUNT}xi32>
  %is_first = cmpi equal %line, %none, signed : tile<{COUNT}xi32> -> tile<{COUNT}xi1>
  %d1 = reshape %data : tile<ptr<i32>> -> tile<1xptr<i32>>
  %dn = broadcast %d1 : tile<1xptr<i32>> -> tile<{COUNT}xptr<i32>>
  %d = offset %dn, %line : tile<{COUNT}xptr<i32>>, tile<{COUNT}xi32> -> tile<{COUNT}xptr<i32>>
  %f1 = reshape %flag : tile<ptr<i32>> -> tile<1xptr<i32>>
  %fn = broadcast %f1 : tile<1xptr<i32>> -> tile<{COUNT}xptr<i32>>
  %f = offset %fn, %line : tile<{COUNT}xptr<i32>>, tile<{COUNT}xi32> -> tile<{COUNT}xptr<i32>>
  %o1 = reshape %out : tile<ptr<i32>> -> tile<1xptr<i32>>
  %on = broadcast %o1 : tile<1xptr<i32>> -> tile<{COUNT}xptr<i32>>
  %o = offset %on, %line : tile<{COUNT}xptr<i32>>, tile<{COUNT}xi32> -> tile<{COUNT}xptr<i32>>
  %writes = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>
  if %writes {{
    %stored = store_ptr_tko weak %d, %line : tile<{COUNT}xptr<i32>>, tile<{COUNT}xi32> -> token
    %told = store_ptr_tko release device %f, %ones, %is_first token=%stored : tile<{COUNT}xptr<i32>>, tile<{COUNT}xi32>, tile<{COUNT}xi1> -> token
  }} else {{
    %seen, %t = load_ptr_tko acquire device %f, %is_first, %none : tile<{COUNT}xptr<i32>>, tile<{COUNT}xi1>, tile<{COUNT}xi32> -> tile<{COUNT}xi32>, token
    %got, %u = load_ptr_tko weak %d token=%t : tile<{COUNT}xptr<i32>> -> tile<{COUNT}xi32>, token
    %sum = addi %got, %seen : tile<{COUNT}xi32>
    %v = store_ptr_tko weak %o, %sum : tile<{COUNT}xptr<i32>>, tile<{COUNT}xi32> -> token
  }}
  return
}} }}
"""


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a"])
def test_loads_after_an_acquire_see_what_was_released(gpu: str):
    """Only the first thread reads the flag; the second block starts when the first is over."""
    ptx = lower(tools.context(), tools.parse(KERNEL), "ptx", gpu=gpu, file="k.mlir").ptx
    assert ptx is not None
    data, flag, out = (np.zeros(COUNT, np.int32) for _ in range(3))
    for warp_seed in (None, 1, 2):
        emulator.load(ptx).launch(
            "k", (2, 1, 1), [data, flag, out], resident_blocks=1, races=True, warp_seed=warp_seed
        )
    expected = np.arange(COUNT)
    expected[0] += 1
    assert (out == expected).all()
