"""Fences order what a block has stored before a flag with what another one loads after it."""

import numpy as np
import pytest

from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools

PASSES = f"tileas-assign-load-store-layouts,{tools.TO_LLVM}"
POINTER, TOKEN = "!nv_tileaa.ptr<i32>", "!nv_tileaa.mem_token"


def kernel(fence: str) -> str:
    """Block 0 stores a number, and then a flag, for which block 1 waits."""
    return f"""
    nv_tileaa.func @k(%data: {POINTER}, %flag: {POINTER}, %out: {POINTER}) attributes {{
        nv_tileaa.compute_capability = "sm_90a",
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %five = arith.constant 5 : i32
      %block = nv_tileaa.get_program_id 0 : i32
      %is_first = arith.cmpi eq, %block, %zero : i32
      scf.if %is_first {{
        %stored = nv_tileas.store weak %data, %five : {POINTER}, i32 -> {TOKEN}
        {fence}
        %set = nv_tileas.store relaxed gpu %flag, %one token = %stored : {POINTER}, i32 -> {TOKEN}
      }} else {{
        %start = nv_tileaa.create_mem_token : {TOKEN}
        %seen = scf.while (%before = %start) : ({TOKEN}) -> {TOKEN} {{
          %value, %read = nv_tileas.load relaxed gpu %flag token = %before : {POINTER} -> i32, {TOKEN}
          %is_unset = arith.cmpi eq, %value, %zero : i32
          scf.condition(%is_unset) %read : {TOKEN}
        }} do {{
        ^bb0(%again: {TOKEN}):
          scf.yield %again : {TOKEN}
        }}
        {fence}
        %found, %loaded = nv_tileas.load weak %data token = %seen : {POINTER} -> i32, {TOKEN}
        %last = nv_tileas.store weak %out, %found token = %loaded : {POINTER}, i32 -> {TOKEN}
      }}
      nv_tileaa.return
    }}"""


def passed_on(fence: str) -> int:
    data, flag, out = (np.zeros(1, np.int32) for _ in range(3))
    module = tools.run_passes(tools.parse(kernel(fence)), PASSES)
    loaded = emulator.load(emit(module, "sm_90a"))
    loaded.launch("k", (2, 1, 1), [data, flag, out], races=True)
    return int(out[0])


@pytest.mark.parametrize("scope", ["gpu", "sys"])
def test_a_number_is_passed_on(scope: str):
    assert passed_on(f"nv_tileas.fence acq_rel {scope}") == 5


@pytest.mark.parametrize("fence", ["", "nv_tileas.fence acq_rel tl_blk"])
def test_no_order_without_a_fence_that_reaches_the_other_block(fence: str):
    with pytest.raises(emulator.EmulatorError, match=r"no release and acquire at \.gpu scope"):
        passed_on(fence)
