"""Which tiles come from an instruction for dots, element by element."""

from tileir_xdsl.analysis.layouts.accumulators import is_mma_accumulator
from tileir_xdsl.testing import tools

A, C = "tensor<64x64xf16>", "tensor<64x64xf32>"
PROGRAM = f"""
nv_tileaa.func @f(%n: i32) {{
  %a, %x = "test.op"() : () -> ({A}, {C})
  %dot = nv_tileas.dot %a, %a, %x {{atom = #nv_tileas<atom mma_f16_f16_f32>}} : {A}, {A}, {C} -> {C}
  %multiply_adds = nv_tileas.dot %a, %a, %x : {A}, {A}, {C} -> {C}
  %negated = arith.negf %dot : {C}
  %mixed = nv_tileaa.addf %x, %negated : {C}
  %twice = nv_tileaa.addf %x, %x : {C}
  %in_loop = scf.for %i = %n to %n step %n iter_args(%acc = %x) -> ({C}) : i32 {{
    %next = nv_tileas.dot %a, %a, %acc {{atom = #nv_tileas<atom mma_f16_f16_f32>}} : {A}, {A}, {C} -> {C}
    scf.yield %next : {C}
  }}
  %total = scf.for %i = %n to %n step %n iter_args(%sum = %dot) -> ({C}) : i32 {{
    %more = nv_tileaa.addf %sum, %x : {C}
    scf.yield %more : {C}
  }}
  %scaled = arith.negf %in_loop : {C}
  nv_tileaa.return
}}
"""


def test_tiles():
    module = tools.parse(PROGRAM)
    found = {
        result.name_hint
        for op in module.walk()
        for result in op.results
        if is_mma_accumulator(result)
    }
    assert found == {"dot", "negated", "mixed", "in_loop", "next", "scaled"}
