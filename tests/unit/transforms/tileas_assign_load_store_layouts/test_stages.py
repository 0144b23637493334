"""Stages of pipelines: one memory for all names of a value, and the same results as before."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileaa_to_tileas.test_agents import (
    LOOP,
    ORDERS,
    SQUARES,
    agents,
    kernel,
    total,
)
from tileir_xdsl.analysis.layouts.candidates import NO_COMMON_MEMORY
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools

PASS = "tileas-assign-load-store-layouts"
PRODUCER = "!nv_tileas.async.pipeline.producer_token"
CONSUMER = "!nv_tileas.async.pipeline.consumer_token"
ITERATOR = "!nv_tileas.async.pipeline.iterator"


def assigned(body: str) -> ModuleOp:
    module = tools.run_passes(tools.parse(kernel(body)), f"convert-tileaa-to-tileas,{PASS}")
    tools.roundtrip(tools.to_text(module))
    return module


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("stages", [1, 3])
def test_agents_compute_the_same(stages: int, order: MemoryOrder):
    module = assigned(agents(LOOP, total("%c0"), stages=stages))
    out = np.full(10, -1, np.int32)
    launch(module, "k", (1, 1, 1), [out], memory_order=order)
    assert out[0] == SQUARES


def test_the_value_is_a_buffer_under_all_its_names():
    tools.check(
        tools.to_text(assigned(agents(LOOP, total("%c0")))),
        """
        // CHECK: create_iterator {{.*}}iterator<i32, tile<4xi32, #nv_tileas.memory<smem, <4, 1>>>>
        // CHECK: produce_one {{.*}} {producer_types = [i32, tile<4xi32, #nv_tileas.memory<smem, <4, 1>>>]}
        // CHECK-NEXT: ^bb0(%{{.*}} : i32, %[[B:.*]] : tile<4xi32, #nv_tileas.memory<smem, <4, 1>>>):
        // CHECK: %[[T:.*]] = nv_tileaa.splat %i : i32 -> tensor<4xi32, #nv_tileas.layout<
        // CHECK-NEXT: nv_tileas.copy %[[T]] into %[[B]] : {{.*}} into tensor<4xi32, #nv_tileas.memory<smem, <4, 1>>>
        // CHECK-NEXT: nv_tileas.async.pipeline.yield %i, %[[B]] :
        // CHECK: consume_one
        // CHECK-NEXT: ^bb0(%[[ARG:.*]] : i32, %[[A:.*]] : tile<4xi32, #nv_tileas.memory<smem, <4, 1>>>):
        // CHECK-NEXT: %[[R:.*]] = nv_tileas.convert_layout %[[A]] : {{.*}} -> tensor<4xi32, #nv_tileas.layout<
        // CHECK-NEXT: nv_tileas.async.pipeline.yield %[[ARG]], %[[R]] :
        """,
    )


def stages(
    buffer: str, element: str, filled: str = "", used: str = "", target: str = "sm_90a"
) -> ModuleOp:
    """A pipeline of two 64 x 64 tiles; what fills a stage, and what takes `%tile` from it."""
    tile = f"tile<64x64x{element}>"
    give = "%put" if filled else "%stage"
    return tools.parse(
        f"""
    builtin.module attributes {{nv_tileaa.target_spec = "{target}"}} {{
    nv_tileaa.func @k() attributes
        {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %x, %acc = "test.op"() : () -> (tensor<64x64x{element}>, tensor<64x64xf32>)
      {buffer}
      %p, %c = nv_tileas.async.pipeline.create_pipeline %buffer
        {{numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8}}
        : BUFFER -> {PRODUCER}, {CONSUMER}
      %i = nv_tileas.async.pipeline.create_iterator %p : {PRODUCER} -> {ITERATOR}<{tile}>
      %p1 = nv_tileas.async.pipeline.produce_one %p, %i {{producer_types = [{tile}]}}
          : ({PRODUCER}, {ITERATOR}<{tile}>) -> {PRODUCER} {{
        ^bb0(%stage : {tile}):
        {filled}
        nv_tileas.async.pipeline.yield {give} : {tile}
      }}
      %c1 = nv_tileas.async.pipeline.consume_one %c, %i
          {{consumer_idx = 0 : i32, consumer_types = [{tile}]}}
          : ({CONSUMER}, {ITERATOR}<{tile}>) -> {CONSUMER} {{
        ^bb0(%tile : {tile}):
        {used}
        nv_tileas.async.pipeline.yield %tile : {tile}
      }}
      nv_tileaa.return
    }}
    }}
    """.replace("BUFFER", buffer.rpartition(": ")[2].removeprefix("() -> "))
    )


SHARED = "%buffer = nv_tileas.alloc_tensor : tensor<2x64x64xf16, #nv_tileas.memory<smem>>"
TENSOR = "%buffer = nv_tileas.alloc_tensor : tensor<2x64x64xf16, #nv_tileas.memory<tmem>>"
REGISTERS = "%buffer = nv_tileas.alloc_tensor : tensor<2x64x64xf16, #nv_tileas.memory<rmem>>"
OPEN = '%buffer = "test.op"() : () -> !nv_tileaa.tiled_view<2x64x64xf16>'
FILL = "%put = nv_tileaa.addf %x, %x : tensor<64x64xf16>"
DOT = """
    %d = nv_tileas.dot %OPERANDS, %acc {atom = #nv_tileas<atom ATOM>}
        : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32> -> tile<64x64xf32>
    "test.op"(%d) : (tensor<64x64xf32>) -> ()
"""


def dot(operands: str, atom: str) -> str:
    return DOT.replace("%OPERANDS", operands).replace("ATOM", atom)


def test_a_warpgroup_takes_its_operand_from_the_stage():
    module = stages(SHARED, "f16", FILL, dot("%x, %tile", "wgmma_f16_f16_f32"))
    tools.run_passes(module, PASS)
    tools.check(
        tools.to_text(module),
        """
        // CHECK: consume_one
        // CHECK-NEXT: ^bb0(%[[T:.*]] : tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>):
        // CHECK: nv_tileas.dot %x, %[[T]], %
        """,
    )


def test_a_warp_takes_its_operand_by_a_conversion():
    module = stages(SHARED, "f16", FILL, dot("%tile, %x", "mma_f16_f16_f32"))
    tools.run_passes(module, PASS)
    tools.check(
        tools.to_text(module),
        """
        // CHECK: ^bb0(%[[T:.*]] : tile<64x64xf16, #nv_tileas.memory<smem, {{.*}}>>):
        // CHECK: ^bb0(%[[T:.*]] : tile<64x64xf16, #nv_tileas.memory<smem, {{.*}}>>):
        // CHECK: %[[A:.*]] = nv_tileas.convert_layout %[[T]] : {{.*}} -> tensor<64x64xf16, #nv_tileas.layout<((2, 2, 8{{.*}}
        // CHECK: nv_tileas.dot %[[A]], %{{.*}}, %acc {
        """,
    )


def test_storage_that_is_open_goes_to_shared_memory_and_views_follow():
    used = """
    %view = nv_tileas.view %tile : tensor<64x64xf16> to tensor<4096xf16>
    %sum = nv_tileaa.addf %view, %view : tensor<4096xf16>
    "test.op"(%sum) : (tensor<4096xf16>) -> ()
    """
    module = tools.run_passes(stages(OPEN, "f16", FILL, used), PASS)
    tools.check(
        tools.to_text(module),
        """
        // CHECK: nv_tileas.view %{{.*}} to tensor<4096xf16, #nv_tileas.memory<smem>>
        // CHECK: nv_tileaa.addf {{.*}} : tensor<4096xf16, #nv_tileas.layout<
        """,
    )


@pytest.mark.parametrize(
    ("buffer", "filled", "used", "target"),
    [
        pytest.param(TENSOR, FILL, "", "sm_90a", id="no allocation of tensor memory"),
        pytest.param(
            TENSOR, FILL, dot("%x, %tile", "wgmma_f16_f16_f32"), "sm_100a", id="operand B"
        ),
        pytest.param(REGISTERS, FILL, "", "sm_90a", id="registers"),
    ],
)
def test_no_common_memory(buffer: str, filled: str, used: str, target: str):
    module = stages(buffer, "f16", filled, used, target)
    with pytest.raises(PassFailedException) as caught:
        tools.run_passes(module, PASS)
    message = " can not find common memKind among pipeline alias group\n"
    assert str(caught.value).encode() == message.encode() == NO_COMMON_MEMORY.encode()
    notes = "\n".join(caught.value.__notes__)
    assert "nv_tileas.async.pipeline.create_pipeline" in notes
    assert "offers memories" in notes
