"""Loads into shared memory by `cp.async` become asynchronous copies with the same result."""

import numpy as np

from tests.unit.interpreters.nv_tileas.kernels import VIEW, kernel
from tileir_xdsl.interpreters import launch
from tileir_xdsl.testing import tools

PASS = "lower-ldgsts-load-to-async"
SHARED = "tensor<4x8xf32, #nv_tileas.memory<smem, <(4, 8), (8, 1)>>>"
BODY = f"""
%t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
%x, %u = nv_tileas.tiled_load weak %in[%c1, %c0] token = %t {{atom = #nv_tileas<atom ldgsts_128>, nv_tileas.layout = <(4, 8), (8, 1)>, padding_value = #nv_tileaa.padding_value<zero>}} : {VIEW}[index, index] -> {SHARED}, !nv_tileaa.mem_token
%w = nv_tileas.tiled_store weak %x, %out[%c2, %c0] token = %u {{atom = #nv_tileas<atom stg_128>}} : {SHARED}, {VIEW}[index, index] -> !nv_tileaa.mem_token
"""


def test_the_form():
    module = tools.run_passes(tools.parse(kernel(BODY)), PASS)
    tools.roundtrip(tools.to_text(module))
    tools.check(
        tools.to_text(module),
        """
// CHECK: %[[B:.*]] = nv_tileas.alloc_tensor : tensor<4x8xf32, #nv_tileas.memory<smem, <(4, 8), (8, 1)>>>
// CHECK-NEXT: %[[A:.*]] = nv_tileas.async.tiled_load weak %in[%c1, %c0] token = %t into %[[B]] {{.*}} {atom = #nv_tileas<atom ldgsts_128>, padding_value = #nv_tileaa.padding_value<zero>}
// CHECK-NEXT: %x = nv_tileas.async.future_wait %[[A]] :
// CHECK-NEXT: %u = nv_tileas.async.wait %[[A]] : {{.*}} -> !nv_tileaa.mem_token
// CHECK-NEXT: %w = nv_tileas.tiled_store weak %x, %out[%c2, %c0] token = %u {
        """,
    )


def test_the_same_elements():
    module = tools.parse(kernel(BODY))
    data = np.arange(128, dtype=np.float32).reshape(16, 8)
    outs: list[bytes] = []
    for passes in (None, PASS):
        if passes is not None:
            tools.run_passes(module, passes)
        out = np.zeros_like(data)
        launch(module, "k", (1, 1, 1), [data.copy(), out])
        outs.append(out.tobytes())
        np.testing.assert_array_equal(out[8:12], data[4:8])
    assert outs[0] == outs[1]


def test_other_loads_stay():
    plain = kernel(BODY.replace("ldgsts_128", "ldg_128"))
    assert "async" not in tools.to_text(tools.run_passes(tools.parse(plain), PASS))
    in_registers = BODY.replace(SHARED, "tensor<4x8xf32>")
    assert "async" not in tools.to_text(tools.run_passes(tools.parse(kernel(in_registers)), PASS))
    unused = BODY.replace("token = %u ", "token = %t ")
    text = tools.to_text(tools.run_passes(tools.parse(kernel(unused)), PASS))
    assert text.count("= nv_tileas.async.") == 2
