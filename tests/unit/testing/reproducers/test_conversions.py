"""Failing modules become small by values whose type needs no conversion."""

from tests.unit.testing.reproducers.test_structure import small
from tileir_xdsl.testing.reproducers.conversions import without_conversions

KERNEL = """
builtin.module {{
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>, %n: i64) attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
{}
  nv_tileaa.return
}}
}}
"""

SPREAD = KERNEL.format("""
  %a = arith.constant dense<2.0> : tensor<32xf32>
  %b = nv_tileaa.view %a : tensor<32xf32> -> tensor<1x32xf32>
  %c = nv_tileaa.broadcast %b : tensor<1x32xf32> -> tensor<2x32xf32>
  %d = nv_tileaa.view %c : tensor<2x32xf32> -> tensor<64xf32>
  %e = math.absf %d : tensor<64xf32>
""")

POINTERS = KERNEL.format("""
  %a = arith.constant dense<2.0> : tensor<32xf32>
  %b = nv_tileaa.splat %p : !nv_tileaa.ptr<f32> -> tensor<32x!nv_tileaa.ptr<f32>>
  %c = nv_tileaa.store weak %b, %a : tensor<32x!nv_tileaa.ptr<f32>>, tensor<32xf32> -> !nv_tileaa.mem_token
""")

NARROWED = KERNEL.format("""
  %a = nv_tileaa.trunci %n : i64 to i32
  %b = arith.ceildivui %a, %a : i32
""")


def test_reshapes_around_a_broadcast_go_at_once():
    text = small(without_conversions, SPREAD, "math.absf")
    assert "math.absf %a : tensor<32xf32>" in text
    assert "broadcast" not in text


def test_pointers_of_a_tile_become_one_pointer():
    text = small(without_conversions, POINTERS, "nv_tileaa.store")
    assert "nv_tileaa.store weak %p, %a : !nv_tileaa.ptr<f32>, f32" in text


def test_integers_get_one_width():
    text = small(without_conversions, NARROWED, "ceildivui")
    assert "arith.ceildivui %n, %n" in text
