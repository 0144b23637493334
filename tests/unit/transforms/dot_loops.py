"""A product of matrices in a loop, with bulk copies of its factors: what scheduling starts from."""

import io

import numpy as np

from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import LateOrder, MemoryOrder, RandomOrder
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.testing import tools

ORDERS: tuple[MemoryOrder | None, ...] = (None, LateOrder(), RandomOrder(1))

TILE = 16
A_TILE = f"tensor<{TILE}x{TILE}xf16, #nv_tileas.memory<smem>>"
SUM = f"tensor<{TILE}x{TILE}xf32>"
STEPS = 6
OBJECTS = {
    "a": f"!nv_tileaa.memref<{TILE}x{STEPS * TILE}xf16, strides = [{STEPS * TILE}, 1]>",
    "b": f"!nv_tileaa.memref<{STEPS * TILE}x{TILE}xf16, strides = [{TILE}, 1]>",
    "c": f"!nv_tileaa.memref<{TILE}x{TILE}xf32, strides = [{TILE}, 1]>",
}


def _view(name: str, element: str) -> str:
    memref = OBJECTS[name]
    return f"""
  %{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<{element}> -> {memref}
  %{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: {TILE}, {TILE}>, dimGroups = [[0 : i64], [1 : i64]]}} : {memref} -> !nv_tileaa.tiled_view<{TILE}x{TILE}x{element}, {memref}>"""


def _map(name: str) -> str:
    return f"""
  %{name}_map = nv_tileas.make_tiled_tma_desc %{name}[%tile, %tile] {{atom = #nv_tileas<atom tma_load_2d>}} : !nv_tileaa.tiled_view<{TILE}x{TILE}xf16, {OBJECTS[name]}>, index, index -> !nv_tileas.tma_desc"""


def load(name: str, row: str, column: str) -> str:
    """A bulk copy of a tile, and the wait for it."""
    return f"""
    %{name}_buffer = nv_tileas.alloc_tensor : {A_TILE}
    %{name}_started = nv_tileas.async.tiled_tma_load %{name}_map, %{name}_buffer[{row}, {column}], %m {{atom = #nv_tileas<atom tma_load_2d>}} : !nv_tileas.tma_desc, {A_TILE}, index, index, !nv_tileaa.mem_token -> !async.value<{A_TILE}>
    %{name}_tile = nv_tileas.async.future_wait %{name}_started : !async.value<{A_TILE}> -> {A_TILE}"""


DOT = f"""
    %started = nv_tileas.async.dot %a_tile, %b_tile, %acc {{atom = #nv_tileas<atom wgmma_f16_f16_f32>}} : {A_TILE}, {A_TILE}, {SUM} -> !async.value<{SUM}>
    %sum = nv_tileas.async.future_wait %started : !async.value<{SUM}> -> {SUM}"""

LOOP = f"""
  %total = scf.for %k = %none to %count step %one iter_args(%acc = %zero) -> ({SUM}) {{
    %at = arith.muli %k, %tile : index{load("a", "%none", "%at")}{load("b", "%at", "%none")}{DOT}
    scf.yield %sum : {SUM}
  }}"""

ROUND = f"""
    %half = arith.constant 3 : index
    %first = arith.muli %i, %half : index
    %last = arith.addi %first, %half : index
    %inner = scf.for %k = %first to %last step %one iter_args(%acc = %outer) -> ({SUM}) {{
      %at = arith.muli %k, %tile : index{load("a", "%none", "%at")}{load("b", "%at", "%none")}{DOT}
      scf.yield %sum : {SUM}
    }}"""
"""Three steps of round %i, which go on with the sum %outer."""

NESTED = f"""
  %total = scf.for %i = %none to %two step %one iter_args(%outer = %zero) -> ({SUM}) {{{ROUND}
    scf.yield %inner : {SUM}
  }}"""

ROUNDS = f"""
  %half = arith.constant 3 : index
  %total = scf.for %i = %none to %two step %one iter_args(%outer = %zero) -> ({SUM}) {{
    %first = arith.muli %i, %half : index
    %inner = scf.for %k = %none to %half step %one iter_args(%acc = %outer) -> ({SUM}) {{
      %step = arith.addi %first, %k : index
      %at = arith.muli %step, %tile : index{load("a", "%none", "%at")}{load("b", "%at", "%none")}{DOT}
      scf.yield %sum : {SUM}
    }}
    scf.yield %inner : {SUM}
  }}"""

REPEATED = f"""
  %ended, %total = scf.while (%i = %none, %outer = %zero) : (index, {SUM}) -> (index, {SUM}) {{
    %more = arith.cmpi ult, %i, %two : index
    scf.condition(%more) %i, %outer : index, {SUM}
  }} do {{
  ^bb0(%i: index, %outer: {SUM}):{ROUND}
    %next = arith.addi %i, %one : index
    scf.yield %next, %inner : index, {SUM}
  }}"""

TESTED_AFTER = f"""
  %ended, %total = scf.while (%i = %none, %outer = %zero) : (index, {SUM}) -> (index, {SUM}) {{{ROUND}
    %more = arith.cmpi ult, %i, %one : index
    scf.condition(%more) %i, %inner : index, {SUM}
  }} do {{
  ^bb0(%i: index, %outer: {SUM}):
    %next = arith.addi %i, %one : index
    scf.yield %next, %outer : index, {SUM}
  }}"""

LOOPS = {
    "loop": LOOP,
    "nested": NESTED,
    "rounds": ROUNDS,
    "repeated": REPEATED,
    "tested behind": TESTED_AFTER,
}
"""Sums of all products, in one loop and in several."""

TWO_USERS = f"""
  %total = scf.for %k = %none to %count step %one iter_args(%acc = %zero) -> ({SUM}) {{
    %at = arith.muli %k, %tile : index{load("a", "%none", "%at")}
    %copied = nv_tileas.copy %a_tile : tensor<16x16xf16, #nv_tileas.memory<smem>> -> tensor<16x16xf16>{load("b", "%at", "%none")}{DOT.replace("%a_tile", "%copied").replace("tensor<16x16xf16, #nv_tileas.memory<smem>>,", "tensor<16x16xf16>,", 1)}
    scf.yield %sum : {SUM}
  }}"""


def kernel(loop: str = LOOP) -> str:
    """The kernel `k(a, b, c)`: c is the sum of `loop`, its result `%total`."""
    return f"""
builtin.module attributes {{nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"}} {{
nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f16>, %b_ptr: !nv_tileaa.ptr<f16>, %c_ptr: !nv_tileaa.ptr<f32>)
    attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{{_view("a", "f16")}{_view("b", "f16")}{_view("c", "f32")}
  %none = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %count = arith.constant {STEPS} : index
  %tile = arith.constant {TILE} : index
  %zero = arith.constant dense<0.0> : {SUM}
  %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token{_map("a")}{_map("b")}{loop}
  nv_tileas.tiled_store weak %total, %c[%none, %none] : {SUM}, !nv_tileaa.tiled_view<{TILE}x{TILE}xf32, {OBJECTS["c"]}>[index, index]
  nv_tileaa.return
}}
}}
"""


def persistent_kernel() -> str:
    """The kernel `k(a, b, c)`: each tile block adds its half of the products to its tile of c.

    The tile blocks go on with others of the grid.
    """
    loop = f"""
  %x = nv_tileaa.get_program_id 0 : i32
  %i = arith.index_cast %x : i32 to index
  %half = arith.constant 3 : index
  %first = arith.muli %i, %half : index
  %last = arith.addi %first, %half : index{LOOP}"""
    text = kernel(loop.replace("%none to %count", "%first to %last"))
    text = text.replace("%c[%none, %none]", "%c[%i, %none]")
    text = text.replace(OBJECTS["c"], OBJECTS["c"].replace(f"<{TILE}x", f"<{2 * TILE}x"))
    return str(tools.run_passes(tools.parse(text), "tileas-dynamic-persistent"))


def run_persistent(text: str, order: MemoryOrder | None = None) -> tuple[Array, Array]:
    """What two tile blocks of a persistent kernel leave in c, and what they should."""
    rng = np.random.default_rng(1)
    depth = STEPS * TILE
    a, b = (
        rng.integers(-4, 5, shape).astype(np.float16) for shape in ((TILE, depth), (depth, TILE))
    )
    c = np.zeros((2 * TILE, TILE), np.float32)
    launch(tools.parse(text), "k", (2, 1, 1), [a, b, c], output=io.StringIO(), memory_order=order)
    halves = zip(
        np.split(a.astype(np.float32), 2, 1), np.split(b.astype(np.float32), 2), strict=True
    )
    return c, np.concatenate([x @ y for x, y in halves])


def run(text: str, order: MemoryOrder | None = None) -> tuple[Array, Array]:
    """What a kernel leaves in c, and the product of its random matrices."""
    rng = np.random.default_rng(1)
    depth = STEPS * TILE
    a, b = (
        rng.integers(-4, 5, shape).astype(np.float16) for shape in ((TILE, depth), (depth, TILE))
    )
    c = np.zeros((TILE, TILE), np.float32)
    launch(tools.parse(text), "k", (1, 1, 1), [a, b, c], output=io.StringIO(), memory_order=order)
    return c, a.astype(np.float32) @ b.astype(np.float32)
