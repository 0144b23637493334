"""Barriers between accesses of global memory that tokens order: each that is dropped is found."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.synchronization import FencedProxy
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.on_chip import OnChipRace, OnChipRaces
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_insert_barriers import TileASInsertBarriersPass

ROWS = "#nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>"
COLUMNS = "#nv_tileas.layout<(1, 32, 4, 1), (0, 4, 1, 0)>"
COPIES = "#nv_tileas.layout<(1, (16, 2), 4, 1), (0, (1, 0), 0, 0)>"
TOKEN = "!nv_tileaa.mem_token"
MEMREF = "!nv_tileaa.memref<512xf32, strides = [1]>"
NO_BARRIER = "no barrier is between them"


def view(extent: int) -> str:
    return f"!nv_tileaa.tiled_view<{extent}xf32, {MEMREF}>"


def kernel(body: str) -> str:
    """A kernel of four warps around a body: `%v` has tiles of 128 elements, `%s` of 16.

    `%q` and `%r` are the numbers from 127 down to 0, in different threads.
    """
    return f"""
builtin.module attributes {{nv_tileaa.target_spec = "sm_90a"}} {{
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>) attributes {{nv_tileas.smem_bytes = 512 : i32,
    nv_tileas.smem_alignment = 128 : i32, nv_tileas.tmem_columns = 0 : i32,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> {MEMREF}
  %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]}}
    : {MEMREF} -> {view(128)}
  %s = nv_tileaa.block_tile %m {{tileSizes = array<i64: 16>, dimGroups = [[0 : i64]]}}
    : {MEMREF} -> {view(16)}
  %x = arith.constant dense<1.0> : tensor<128xf32, {ROWS}>
  %y = arith.constant dense<1.0> : tensor<16xf32, {COPIES}>
  %end = arith.constant 128 : i32
  %q_up = nv_tileaa.make_range %zero, %end : i32 -> tensor<128xi32, {ROWS}>
  %q_last = arith.constant dense<127> : tensor<128xi32, {ROWS}>
  %q = arith.subi %q_last, %q_up : tensor<128xi32, {ROWS}>
  %r_up = nv_tileaa.make_range %zero, %end : i32 -> tensor<128xi32, {COLUMNS}>
  %r_last = arith.constant dense<127> : tensor<128xi32, {COLUMNS}>
  %r = arith.subi %r_last, %r_up : tensor<128xi32, {COLUMNS}>
  %t = nv_tileaa.create_mem_token : {TOKEN}
  {body}
  nv_tileaa.return
}}
}}
"""


def store(result: str, token: str, place: str = "%zero") -> str:
    return (
        f"{result} = nv_tileas.tiled_store weak %x, %v[{place}] token = {token} "
        f"{{nv_tileas.layout = <(1, 32, 4, 1), (0, 1, 32, 0)>}} : tensor<128xf32, {ROWS}>, "
        f"{view(128)}[i32] -> {TOKEN}\n"
    )


def load(result: str, token: str, layout: str = COLUMNS, place: str = "%zero") -> str:
    short = layout.removeprefix("#nv_tileas.layout")
    return (
        f"%l{result[1:]}, {result} = nv_tileas.tiled_load weak %v[{place}] token = {token} "
        f"{{nv_tileas.layout = {short}}} : {view(128)}[i32] -> tensor<128xf32, {layout}>, {TOKEN}\n"
    )


def exchanged(result: str, token: str) -> str:
    """A load whose elements then change threads."""
    return load(result, token).replace("{", f"{{{scratch()}, ")


def small(kind: str, result: str, token: str) -> str:
    tile = f"tensor<16xf32, {COPIES}>"
    if kind == "store":
        return (
            f"{result} = nv_tileas.tiled_store weak %y, %s[%zero] token = {token} "
            f"{{nv_tileas.layout = {COPIES.removeprefix('#nv_tileas.layout')}}} : {tile}, "
            f"{view(16)}[i32] -> {TOKEN}\n"
        )
    return (
        f"%l{result[1:]}, {result} = nv_tileas.tiled_load weak %s[%zero] token = {token} "
        f"{{nv_tileas.layout = {COPIES.removeprefix('#nv_tileas.layout')}}} : {view(16)}[i32] -> "
        f"{tile}, {TOKEN}\n"
    )


def scratch(start: int = 0) -> str:
    return f"nv_tileas.scratch = #nv_tileas.allocation<offset = {start}, size = 512>"


def gather(result: str, token: str) -> str:
    """A load of elements 127 down to 0, whose indices change threads."""
    return (
        f"%l{result[1:]}, {result} = nv_tileas.gather_load weak %v[%r] token = {token} "
        f"{{sparse_dim = 0 : i32, {scratch()}}} : {view(128)}[tensor<128xi32, {COLUMNS}>] -> "
        f"tensor<128xf32, {ROWS}>, {TOKEN}\n"
    )


def scatter(result: str, token: str, layout: str = COLUMNS) -> str:
    """A store to elements 127 down to 0, whose indices change threads or are where they are needed."""
    rows, moved = ("%r", f", {scratch()}") if layout == COLUMNS else ("%q", "")
    return (
        f"{result} = nv_tileas.scatter_store weak %x, %v[{rows}] token = {token} "
        f"{{sparse_dim = 0 : i32{moved}}} : tensor<128xf32, {ROWS}>, "
        f"{view(128)}[tensor<128xi32, {layout}>] -> {TOKEN}\n"
    )


def loop(body: str) -> str:
    return (
        f"%d = scf.for %i = %zero to %two step %one iter_args(%c = %t) -> ({TOKEN}) : i32 {{\n"
        f"{body}scf.yield %b : {TOKEN}\n}}\n"
    )


def switch(body: str) -> str:
    return (
        "nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false, "
        "num_warps = array<i32: 4>, warp_id = array<i32: 0>, agent_strides = array<i32: 4>} "
        f"{{\n{body}nv_tileas.async.pipeline.yield\n}}\n"
    )


WHILE = (
    f"%d = scf.while (%c = %t) : ({TOKEN}) -> ({TOKEN}) {{\n{load('%a', '%c')}"
    f"%f = arith.constant false\n"
    f"scf.condition(%f) %a : {TOKEN}\n}} do {{\n^bb0(%e: {TOKEN}):\n{store('%b', '%e')}"
    f"scf.yield %b : {TOKEN}\n}}\n"
)

ORDERED: dict[str, tuple[str, tuple[str, ...]]] = {
    "others read": (store("%a", "%t") + load("%b", "%a"), ("tiled_store tiled_load",)),
    "others overwrite": (load("%a", "%t") + store("%b", "%a"), ("tiled_load tiled_store",)),
    "copies": (
        small("load", "%a", "%t") + small("store", "%b", "%a"),
        ("tiled_load tiled_store",),
    ),
    "past an access elsewhere": (
        store("%a", "%t") + load("%b", "%a", ROWS, "%one") + load("%e", "%b"),
        ("tiled_store tiled_load",),
    ),
    "joined": (
        store("%a", "%t")
        + store("%b", "%t", "%one")
        + f"%j = nv_tileaa.join_mem_token[%a, %b] : {TOKEN}\n"
        + load("%e", "%j"),
        ("tiled_store tiled_load",),
    ),
    "around a loop": (
        loop(load("%a", "%c") + store("%b", "%a")),
        ("tiled_store tiled_load", "tiled_load tiled_store"),
    ),
    "the same coordinate of another iteration": (
        "%back = arith.constant 1 : i32\n"
        + loop(
            "%k = arith.subi %back, %i : i32\n"
            + load("%a", "%c", ROWS, "%k")
            + store("%b", "%a", "%i")
        ),
        (),
    ),
    "of one arm": (
        "%n = arith.cmpi slt, %zero, %one : i32\n"
        f"%d = scf.if %n -> ({TOKEN}) {{\n{store('%a', '%t')}scf.yield %a : {TOKEN}\n}} else {{\n"
        f"scf.yield %t : {TOKEN}\n}}\n" + load("%b", "%d"),
        ("tiled_store tiled_load",),
    ),
    "a scatter, before others read": (
        scatter("%a", "%t") + load("%b", "%a", ROWS),
        ("scatter_store tiled_load",),
    ),
    "a gather, before others overwrite": (
        gather("%a", "%t") + store("%b", "%a"),
        ("gather_load tiled_store",),
    ),
    "a scatter without an exchange": (
        store("%a", "%t") + scatter("%b", "%a", ROWS),
        ("tiled_store scatter_store",),
    ),
    "into an agent": (
        store("%a", "%t") + switch(load("%b", "%a")),
        ("tiled_store tiled_load",),
    ),
}
"""Bodies, and the pairs of ops that race without each of the barriers; () where that is not said."""

UNORDERED = {
    "no token": store("%a", "%t") + load("%b", "%t"),
    "the same thread": store("%a", "%t") + load("%b", "%a", ROWS),
    "loads": load("%a", "%t") + load("%b", "%a", ROWS),
    "met in the exchange of a scatter": store("%a", "%t") + scatter("%b", "%a"),
    "met in the exchange of a gather": store("%a", "%t") + gather("%b", "%a"),
    "tiles apart": store("%a", "%t") + load("%b", "%a", place="%one"),
}


def launched(module: ModuleOp) -> list[OnChipRace]:
    found: list[OnChipRace] = []
    memory = np.zeros(512, np.float32)
    launch(module, "k", (1, 1, 1), [memory], listeners=(OnChipRaces(found.append),))
    return found


def compiled(body: str) -> ModuleOp:
    module = tools.parse(kernel(body))
    TileASInsertBarriersPass().apply(tools.context(), module)
    return module


def barriers(module: ModuleOp) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, nv_tileas.BarrierOp)]


def named(race: OnChipRace) -> str:
    names = (op.name.removeprefix("nv_tileas.") for op in (race.first, race.second))
    return " ".join(names)


@pytest.mark.parametrize("case", ORDERED)
def test_threads_meet_where_a_token_says_so_and_what_is_dropped_is_found(case: str):
    body, pairs = ORDERED[case]
    module = compiled(body)
    assert launched(module) == []
    for number, pair in enumerate(pairs):
        module = compiled(body)
        assert len(barriers(module)) == len(pairs)
        barriers(module)[number].detach()
        race, *_ = launched(module)
        assert (named(race), race.missing) == (pair, NO_BARRIER)
        assert "byte 0 of " in str(race)


@pytest.mark.parametrize("case", UNORDERED)
def test_no_barrier_where_no_other_thread_has_to_wait(case: str):
    module = compiled(UNORDERED[case])
    assert barriers(module) == []
    assert launched(module) == []


@pytest.mark.parametrize(("first", "races"), [(exchanged, 0), (load, 1)])
def test_what_was_read_before_an_exchange_is_over_after_it(
    first: Callable[[str, str], str], races: int
):
    """The barrier of the exchange is one between the load and the store; the pass adds another."""
    module = compiled(first("%a", "%t") + store("%b", "%a"))
    (barrier,) = barriers(module)
    barrier.detach()
    assert len(launched(module)) == races


def test_a_coordinate_of_another_iteration_is_another_one():
    module = compiled(ORDERED["the same coordinate of another iteration"][0])
    assert barriers(module)


def test_a_while_loop_orders_its_condition_after_its_body():
    module = compiled(WHILE)
    in_condition, in_body = barriers(module)
    assert isinstance(in_condition.next_op, nv_tileas.TiledLoadOp)
    assert isinstance(in_body.next_op, nv_tileas.TiledStoreOp)


def test_agents_are_over_before_what_follows_them():
    module = compiled(switch(store("%a", "%t")) + load("%b", "%t"))
    (barrier,) = barriers(module)
    assert isinstance(barrier.prev_op, nv_tileas.AgentSwitchOp)
    assert barriers(compiled(switch(store("%a", "%t")))) == []


BULK = """
builtin.module attributes {nv_tileaa.target_spec = "sm_90a"} {
nv_tileaa.func @k(%map: !nv_tileas.tma_desc {grid_constant}, %p: !nv_tileaa.ptr<f16>) attributes {
    nv_tileas.smem_bytes = 8208 : i32, nv_tileas.smem_alignment = 128 : i32,
    nv_tileas.tmem_columns = 0 : i32,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %i = arith.constant 0 : i32
  %x = arith.constant 1.0 : f16
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %s = nv_tileas.store weak %p, %x token = %t : !nv_tileaa.ptr<f16>, f16 -> !nv_tileaa.mem_token
  BETWEEN
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 8192>}
    : tensor<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>
  %w = nv_tileas.async.tiled_tma_load %map, %a[%i, %i], TOKEN {
    nv_tileas.smem = #nv_tileas.allocation<offset = 8192, size = 8>,
    atom = #nv_tileas<atom tma_load_2d>, tmaIdx = 0 : i32, tx_count = 8192 : i32}
    : !nv_tileas.tma_desc,
      tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>, i32, i32,
      !nv_tileaa.mem_token
    -> !async.value<tile<64x64xf16, #nv_tileas.memory<smem, <(64, 64), (64, 1), swizzle<3, 4, 3>>>>>
  nv_tileaa.return
}
}
"""


@pytest.mark.parametrize("between", ["", "nv_tileas.barrier agent"])
def test_a_bulk_copy_sees_what_threads_have_stored(between: str):
    module = tools.parse(BULK.replace("BETWEEN", between).replace("TOKEN", "%s"))
    TileASInsertBarriersPass().apply(tools.context(), module)
    (load,) = [op for op in module.walk() if isinstance(op, nv_tileas.AsyncTiledTmaLoadOp)]
    barrier = load.prev_op
    assert isinstance(barrier, nv_tileas.BarrierOp)
    assert isinstance(fence := barrier.prev_op, nv_tileas.FenceProxyOp)
    assert fence.proxy.data is FencedProxy.ASYNC
    module = tools.parse(BULK.replace("BETWEEN", between).replace("TOKEN", "%t"))
    TileASInsertBarriersPass().apply(tools.context(), module)
    assert not [op for op in module.walk() if isinstance(op, nv_tileas.FenceProxyOp)]


MULTICAST = f"""
builtin.module attributes {{nv_tileaa.target_spec = "sm_100a"}} {{
nv_tileaa.func @k(%given: !nv_tileaa.ptr<bf16, multicast>) attributes {{
    nv_tileas.smem_bytes = 1536 : i32, nv_tileas.smem_alignment = 128 : i32,
    nv_tileas.tmem_columns = 0 : i32,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  %i = arith.constant 0 : i32
  %p = nv_tileaa.assume #nv_tileaa.div_by<16>, %given : !nv_tileaa.ptr<bf16, multicast>
  %m = nv_tileaa.make_memref %p : !nv_tileaa.ptr<bf16, multicast>
    -> !nv_tileaa.memref<512xbf16, strides = [1], multicast>
  %v = nv_tileaa.block_tile %m {{tileSizes = array<i64: 128>, dimGroups = [[0 : i64]]}}
    : !nv_tileaa.memref<512xbf16, strides = [1], multicast>
    -> !nv_tileaa.tiled_view<128xbf16, !nv_tileaa.memref<512xbf16, strides = [1], multicast>>
  %x = arith.constant dense<1.0> : tensor<128xbf16, {ROWS}>
  %t = nv_tileaa.create_mem_token : {TOKEN}
  UPDATES
  nv_tileaa.return
}}
}}
"""
MULTICAST_VIEW = (
    "!nv_tileaa.tiled_view<128xbf16, !nv_tileaa.memref<512xbf16, strides = [1], multicast>>"
)


def update(kind: str, result: str, token: str, start: int) -> str:
    """An update of all devices, whose elements change threads: hardware takes them by pairs."""
    return (
        f"{result} = nv_tileaa.multimem_{kind} %x, %v[%i] token = {token} {{{scratch(start)}}} : "
        f"tensor<128xbf16, {ROWS}>, {MULTICAST_VIEW}[i32] -> {TOKEN}\n"
    )


SUM_OF_DEVICES = (
    "%l, %c = nv_tileaa.multimem_load_reduce relaxed sys add %v[%i] token = %b "
    f"{{{scratch(1024)}}} : {MULTICAST_VIEW}[i32] -> tensor<128xbf16, {ROWS}>, {TOKEN}\n"
)


@pytest.mark.parametrize("kind", ["store weak", "reduce relaxed sys add"])
def test_a_multicast_update_meets_before_its_access(kind: str):
    """Its own exchange is enough for what its token names, and not for what names its token."""
    updates = update(kind, "%a", "%t", 0) + update(kind, "%b", "%a", 512) + SUM_OF_DEVICES
    module = tools.parse(MULTICAST.replace("UPDATES", updates))
    TileASInsertBarriersPass().apply(tools.context(), module)
    (barrier,) = barriers(module)
    assert isinstance(barrier.next_op, nv_tileaa.MultimemLoadReduceOp)


GATHER_ROWS = """
builtin.module attributes {nv_tileaa.target_spec = "sm_100a"} {
nv_tileaa.func @k(%map: !nv_tileas.tma_desc {grid_constant}, %p: !nv_tileaa.ptr<f32>) attributes {
    nv_tileas.smem_bytes = 4176 : i32, nv_tileas.smem_alignment = 128 : i32,
    nv_tileas.tmem_columns = 0 : i32,
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>} {
  %i = arith.constant 0 : index
  %x = arith.constant 1.0 : f32
  %rows = arith.constant dense<3>
    : tensor<16xi32, #nv_tileas.layout<(1, (16, 2), 4, 1), (0, (1, 0), 0, 0)>>
  %t = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
  %s = nv_tileas.store weak %p, %x token = %t : !nv_tileaa.ptr<f32>, f32 -> !nv_tileaa.mem_token
  %a = nv_tileas.alloc_tensor {nv_tileas.smem = #nv_tileas.allocation<offset = 0, size = 4096>}
    : tensor<16x64xf32, BUFFER>
  %w = nv_tileas.async.gather_tma_load %map, %a[%i], %rows, %s {
    nv_tileas.scratch = #nv_tileas.allocation<offset = 4096, size = 64>,
    nv_tileas.smem = #nv_tileas.allocation<offset = 4160, size = 8>,
    atom = #nv_tileas<atom tma_gather4_2d>}
    : !nv_tileas.tma_desc, tensor<16x64xf32, BUFFER>, index,
      tensor<16xi32, #nv_tileas.layout<(1, (16, 2), 4, 1), (0, (1, 0), 0, 0)>>,
      !nv_tileaa.mem_token -> !async.value<tile<16x64xf32, BUFFER>>
  nv_tileaa.return
}
}
""".replace("BUFFER", "#nv_tileas.memory<smem, <(16, (32, 2)), (32, (1, 512)), swizzle<3, 4, 3>>>")


def test_a_gather_of_rows_meets_before_its_access():
    """What threads have stored needs the fence before it, and no barrier but its own."""
    module = tools.parse(GATHER_ROWS)
    TileASInsertBarriersPass().apply(tools.context(), module)
    (load,) = [op for op in module.walk() if isinstance(op, nv_tileas.AsyncGatherTmaLoadOp)]
    assert isinstance(fence := load.prev_op, nv_tileas.FenceProxyOp)
    assert fence.proxy.data is FencedProxy.ASYNC
    assert not barriers(module)
