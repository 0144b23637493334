"""A product whose left operand comes through a pipeline of two stages, filled by TMA.

One agent copies a 16x16 tile of A per stage, the other multiplies it with a tile of B.
"""

import io

import numpy as np
import pytest

from tests.unit.interpreters.nv_tileas.kernels import ORDERS, SHARED
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools

A = "!nv_tileaa.memref<16x64xf16, strides = [64, 1]>"
B = "!nv_tileaa.memref<64x16xf16, strides = [16, 1]>"
C = "!nv_tileaa.memref<16x16xf32, strides = [16, 1]>"
PIPE = "nv_tileas.async.pipeline"
PRODUCER = f"!{PIPE}.producer_token"
CONSUMER = f"!{PIPE}.consumer_token"
ITERATOR = f"!{PIPE}.iterator<tile<16x16xf16>>"
STAGES = f"16x16xf16, {SHARED}>"


def _view(name: str, memref: str, tile: str) -> str:
    sizes = tile.split("x")
    return (
        f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<{sizes[2]}> -> {memref}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: {sizes[0]}, {sizes[1]}>, "
        f"dimGroups = [[0 : i64], [1 : i64]]}} : {memref} -> "
        f"!nv_tileaa.tiled_view<{tile}, {memref}>"
    )


PRODUCE = f"""
      %next_token = {PIPE}.produce_one %token, %at {{producer_types = [tile<16x16xf16>]}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER} {{
      ^bb0(%stage: tile<16x16xf16>):
        %column = arith.muli %k, %n16 : index
        %copied = nv_tileas.async.tiled_tma_load %map, %stage[%n0, %column], %m {{atom = #nv_tileas<atom tma_load_2d>}} : !nv_tileas.tma_desc, tensor<16x16xf16>, index, index, !nv_tileaa.mem_token -> !async.value<tile<16x16xf16>>
        {PIPE}.yield %stage : tile<16x16xf16>
      }}
"""

CONSUME = f"""
      %next_token, %sum = {PIPE}.consume_one %token, %at {{consumer_idx = 0 : i32, consumer_types = [tile<16x16xf16>]}} : ({CONSUMER}, {ITERATOR}) -> {CONSUMER}, tile<16x16xf32> {{
      ^bb0(%a_tile: tile<16x16xf16>):
        %waited = {PIPE}.consumer_wait %token, %at {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
        %b_tile = nv_tileas.tiled_load weak %b[%k, %n0] : !nv_tileaa.tiled_view<16x16xf16, {B}>[index, index] -> tensor<16x16xf16>
        %d = nv_tileas.dot %a_tile, %b_tile, %acc {{atom = #nv_tileas<atom mma_f16_f16_f32>}} : tile<16x16xf16>, tile<16x16xf16>, tile<16x16xf32> -> tile<16x16xf32>
        %released = {PIPE}.consumer_release %waited : {CONSUMER} -> {CONSUMER}
        {PIPE}.yield %d : tile<16x16xf32>
      }}
"""


def kernel(produce: str = PRODUCE, consume: str = CONSUME, stages: int = 2) -> str:
    return f"""
nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f16>, %b_ptr: !nv_tileaa.ptr<f16>, %c_ptr: !nv_tileaa.ptr<f32>)
    attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 8, num_ctas = 1>}} {{
  {_view("a", A, "16x16xf16")}
  {_view("b", B, "16x16xf16")}
  {_view("c", C, "16x16xf32")}
  %n0 = arith.constant 0 : index
  %n1 = arith.constant 1 : index
  %n4 = arith.constant 4 : index
  %n16 = arith.constant 16 : index
  %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %map = nv_tileas.make_tiled_tma_desc %a[%n16, %n16] {{atom = #nv_tileas<atom tma_load_2d>}} : !nv_tileaa.tiled_view<16x16xf16, {A}>, index, index -> !nv_tileas.tma_desc
  %buffer = nv_tileas.alloc_tensor : tensor<{stages}x{STAGES}
  %prod, %cons = {PIPE}.create_pipeline %buffer {{numStages = {stages} : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false}} : tile<{stages}x{STAGES} -> {PRODUCER}, {CONSUMER}
  %iter = {PIPE}.create_iterator %prod : {PRODUCER} -> {ITERATOR}
  {PIPE}.agent_switch {{num_agents_per_group = 1 : i32}} {{
    %end, %last = scf.for %k = %n0 to %n4 step %n1 iter_args(%token = %prod, %at = %iter) -> ({PRODUCER}, {ITERATOR}) {{
      {produce}
      %next = {PIPE}.inc_iter %at : {ITERATOR} -> {ITERATOR}
      scf.yield %next_token, %next : {PRODUCER}, {ITERATOR}
    }}
    {PIPE}.yield
  }}, {{
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %end, %last, %r = scf.for %k = %n0 to %n4 step %n1 iter_args(%token = %cons, %at = %iter, %acc = %zero) -> ({CONSUMER}, {ITERATOR}, tensor<16x16xf32>) {{
      {consume}
      %next = {PIPE}.inc_iter %at : {ITERATOR} -> {ITERATOR}
      scf.yield %next_token, %next, %sum : {CONSUMER}, {ITERATOR}, tensor<16x16xf32>
    }}
    nv_tileas.tiled_store weak %r, %c[%n0, %n0] : tensor<16x16xf32>, !nv_tileaa.tiled_view<16x16xf32, {C}>[index, index]
    {PIPE}.yield
  }}
  nv_tileaa.return
}}
"""


def run(text: str, order: MemoryOrder | None = None) -> tuple[Array, Array]:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((16, 64), (64, 16)))
    c = np.zeros((16, 16), np.float32)
    tools.roundtrip(text)
    module = tools.parse(text)
    launch(module, "k", (1, 1, 1), [a, b, c], output=io.StringIO(), memory_order=order)
    return c, a.astype(np.float32) @ b.astype(np.float32)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("stages", [1, 2, 4])
def test_the_product_is_right(stages: int, order: MemoryOrder):
    found, expected = run(kernel(stages=stages), order)
    np.testing.assert_array_equal(found, expected)


def _error(text: str) -> str:
    with pytest.raises(InterpreterError) as raised:
        run(text)
    return str(raised.value)


STEPS = f"""
      %p1 = {PIPE}.producer_acquire %token, %at : {PRODUCER}, {ITERATOR} -> {PRODUCER}
      %column = arith.muli %k, %n16 : index
      %tile = nv_tileas.tiled_load weak %a[%n0, %k] : !nv_tileaa.tiled_view<16x16xf16, {A}>[index, index] -> tensor<16x16xf16>
      %p2 = {PIPE}.producer_write %p1, %tile : {PRODUCER}, tile<16x16xf16> -> {PRODUCER}
      %next_token = {PIPE}.producer_commit %p2 : {PRODUCER} -> {PRODUCER}
"""


def test_a_missing_commit():
    found, expected = run(kernel(STEPS))
    np.testing.assert_array_equal(found, expected)
    without = "\n".join(line for line in STEPS.splitlines() if "producer_commit" not in line)
    message = _error(kernel(without.replace("%p2 =", "%next_token =")))
    assert "acquires a stage before committing the stage of iteration 0" in message


def test_an_early_release():
    lines: list[str] = list(CONSUME.splitlines())
    (release,) = (line for line in lines if "consumer_release" in line)
    (dot,) = (line for line in lines if "nv_tileas.dot" in line)
    lines.remove(release)
    lines.insert(lines.index(dot), release)
    message = _error(kernel(consume="\n".join(lines)))
    assert "uses a value of iteration 0 after releasing its stage" in message


def test_a_wrong_stage_count():
    """A consumer that keeps one stage while it waits for the next one wants two of them."""
    keeps = CONSUME.replace(
        "%waited =",
        f"%ahead = {PIPE}.inc_iter %at : {ITERATOR} -> {ITERATOR}\n"
        f"%w = {PIPE}.consumer_wait %cons, %ahead {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}\n"
        "%waited =",
    )
    message = _error(kernel(consume=keeps, stages=1))
    assert "waits for ever: every agent waits for another" in message
    assert "stage 0 full since iteration 0, not released by consumers [1]" in message
