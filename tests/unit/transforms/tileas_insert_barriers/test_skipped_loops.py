"""A barrier in a loop orders what comes before and after the loop only where the loop surely runs."""

import pytest

from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.testing import tools

ROW = "#nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>"
OTHER_ROW = "#nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>"
SHARED = "tensor<128xf32, #nv_tileas.memory<smem, <128, 1>>>"

KERNEL = f"""
builtin.module attributes {{nv_tileaa.target_spec = "sm_90a"}} {{
nv_tileaa.func @k(%n: i32, %c: i1) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>, nv_tileas.smem_bytes = 1024 : i32, nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32}} {{
  %x = arith.constant dense<0.0> : tensor<128xf32, {ROW}>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4 : i32
  %a = nv_tileas.alloc_tensor {{nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 512>}} : {SHARED}
  %w = nv_tileas.copy %x into %a : tensor<128xf32, {ROW}> into {SHARED} -> {SHARED}
  LOOP
  %r = nv_tileas.convert_layout %w : {SHARED} -> tensor<128xf32, {OTHER_ROW}>
  nv_tileaa.return
}}
}}
"""
FOR = "scf.for %i = %FIRST to %LAST step %one : i32 { nv_tileas.barrier agent }"
NESTED = f"scf.for %j = %zero to %four step %one : i32 {{ {FOR} }}"
WHILE_BEFORE = """
  scf.while () : () -> () {
    nv_tileas.barrier agent
    scf.condition(%c)
  } do {
    scf.yield
  }
"""
WHILE_AFTER = """
  scf.while () : () -> () {
    scf.condition(%c)
  } do {
    nv_tileas.barrier agent
    scf.yield
  }
"""


def bounds(text: str, first: str, last: str) -> str:
    return text.replace("FIRST", first).replace("LAST", last)


@pytest.mark.parametrize(
    ("loop", "barriers"),
    [
        (bounds(FOR, "zero", "four"), 1),
        (bounds(FOR, "zero", "one"), 1),
        (bounds(FOR, "zero", "n"), 2),
        (bounds(FOR, "n", "four"), 2),
        (bounds(FOR, "four", "four"), 2),
        (bounds(FOR, "four", "one"), 2),
        (bounds(NESTED, "zero", "four"), 1),
        (bounds(NESTED, "zero", "n"), 2),
        (WHILE_BEFORE, 1),
        (WHILE_AFTER, 2),
    ],
)
def test_a_loop_that_may_not_run_orders_nothing(loop: str, barriers: int):
    module = tools.run_passes(tools.parse(KERNEL.replace("LOOP", loop)), "tileas-insert-barriers")
    found = [op for op in module.walk() if isinstance(op, nv_tileas.BarrierOp)]
    assert len(found) == barriers
    if barriers == 2:
        assert isinstance(found[-1].next_op, nv_tileas.ConvertLayoutOp)
