"""Taking over tile blocks: PTX and the interpreter agree in all modes, and mistakes are found."""

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.emulator.types import Array
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

ID, TOKEN = "!nv_tileaa.program_id", "!nv_tileaa.mem_token"
FUTURE = f"!async.value<{ID}>"
POINTER = "!nv_tileaa.ptr<i32>"
TILE = "tensor<128xi32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>"
POINTERS = TILE.replace("i32", POINTER, 1)

# What a tile block %p does: to its place of %out it adds the sum of its row of %in.
WORK = f"""
    %x = nv_tileaa.get_program_id 0 of %p : i32
    %y = nv_tileaa.get_program_id 1 of %p : i32
    %z = nv_tileaa.get_program_id 2 of %p : i32
    %nx = nv_tileaa.get_num_programs 0 : i32
    %ny = nv_tileaa.get_num_programs 1 : i32
    %planes = arith.muli %z, %ny : i32
    %rows = arith.addi %planes, %y : i32
    %before = arith.muli %rows, %nx : i32
    %number = arith.addi %before, %x : i32
    %start = arith.muli %number, %n128 : i32
    %end = arith.addi %start, %n128 : i32
    %range = nv_tileaa.make_range %start, %end : i32 -> {TILE}
    %base = nv_tileaa.splat %in : {POINTER} -> {POINTERS}
    %places = nv_tileaa.addptr %base, %range : {POINTERS}, {TILE}
    %row, %loaded = nv_tileas.load weak %places {{atom = #nv_tileas<atom ldg_32>}} : {POINTERS} -> {TILE}, {TOKEN}
    %sum = nv_tileas.reduce %row {{axis = 0 : i32}} : {TILE} -> i32 {{
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      nv_tileas.yield %c : i32
    }}
    %place = nv_tileaa.addptr %out, %number : {POINTER}, i32
    %old, %added = nv_tileaa.atomic_rmw relaxed gpu add %place, %sum : {POINTER}, i32 -> i32, {TOKEN}
"""
CANCEL = f"%next = nv_tileas.cancel_next_program_id : {ID}"
ASK = f"%asked = nv_tileas.async.cancel_next_program_id : {FUTURE}"
ANSWER = f"%next = nv_tileas.async.future_wait %asked : {FUTURE} -> {ID}"
BUFFER = "tensor<4xi32, #nv_tileas.memory<smem>>"
ALLOCATE = f"%buffer = nv_tileas.alloc_tensor : {BUFFER}"
ASK_INTO = f"%asked = nv_tileas.async.cancel_next_program_id into {{}} of {BUFFER} : !async.value<{BUFFER}>"
READ = f"%next = nv_tileas.read_program_id {{}} : {BUFFER} -> {ID}"
VALID = "%valid = nv_tileaa.is_valid_program_id %{} : i1"


def loop(work: str) -> str:
    """Goes on as long as there are tile blocks; `work` gives %next for %p."""
    return f"""
    %last = scf.while (%q = %own) : ({ID}) -> {ID} {{
      {VALID.format("q")}
      scf.condition(%valid) %q : {ID}
    }} do {{
    ^bb0(%p: {ID}):
      {work}
      scf.yield %next : {ID}
    }}
    """


PIPE = "nv_tileas.async.pipeline"
PRODUCER, CONSUMER = f"!{PIPE}.producer_token", f"!{PIPE}.consumer_token"
STAGE = "tile<4xi32, #nv_tileas.memory<smem>>"
ITERATOR = f"!{PIPE}.iterator<{STAGE}>"


READ_STAGE = f"""
        {WORK}
        %w = {PIPE}.consumer_wait %readers, %j {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
        %r, %answer = {PIPE}.consumer_read %w {{consumer_idx = 0 : i32}} : {CONSUMER} -> {CONSUMER}, {STAGE}
        {READ.format("%answer")}
        %released = {PIPE}.consumer_release %r : {CONSUMER} -> {CONSUMER}
        %j2 = {PIPE}.inc_iter %j : {ITERATOR} -> {ITERATOR}
    """


def agent(body: str, iterator: str) -> str:
    """A loop over tile blocks that carries an iterator; `body` gives %next and the one after."""
    types = f"{ID}, {ITERATOR}"
    return f"""
      %lasts:2 = scf.while (%q = %own, %{iterator}1 = %{iterator}0) : ({types}) -> ({types}) {{
        {VALID.format("q")}
        scf.condition(%valid) %q, %{iterator}1 : {types}
      }} do {{
      ^bb0(%p: {ID}, %{iterator}: {ITERATOR}):
        {body}
        scf.yield %next, %{iterator}2 : {types}
      }}
      {PIPE}.yield
    """


FILL_STAGE = f"""
        %token, %done, %answer = {PIPE}.produce_one_async %asks, %i {{producer_types = [{STAGE}]}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER}, !nv_tileas.async_token, {STAGE} {{
        ^bb0(%stage: {STAGE}):
          {ASK_INTO.format("%stage")}
          {PIPE}.yield %stage : {STAGE}
        }}
        %i2 = {PIPE}.inc_iter %i : {ITERATOR} -> {ITERATOR}
        nv_tileas.async.wait %done : !nv_tileas.async_token
        {READ.format("%answer")}
"""

AGENTS = f"""
    %buffer = nv_tileas.alloc_tensor : tensor<2x4xi32, #nv_tileas.memory<smem>>
    %asks, %readers = {PIPE}.create_pipeline %buffer {{numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8}} : tensor<2x4xi32, #nv_tileas.memory<smem>> -> {PRODUCER}, {CONSUMER}
    %i0 = {PIPE}.create_iterator %asks : {PRODUCER} -> {ITERATOR}
    %j0 = {PIPE}.create_iterator %readers : {CONSUMER} -> {ITERATOR}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32, num_warps = array<i32: 1, 4>, warp_id = array<i32: 4, 0>}} {{
      {agent(FILL_STAGE, "i")}
    }}, {{
      {agent(READ_STAGE, "j")}
    }}
"""
"""One agent asks and is a tile block ahead of the other, which works; both read the answers."""


LOOPS: dict[str, str] = {
    "asks at the end": loop(WORK + CANCEL),
    "asks ahead": loop(ASK + WORK + ANSWER),
    "works, then tests": f"""
    %last = scf.while (%p = %own) : ({ID}) -> {ID} {{
      {WORK}
      {CANCEL}
      {VALID.format("next")}
      scf.condition(%valid) %next : {ID}
    }} do {{
    ^bb0(%q: {ID}):
      scf.yield %q : {ID}
    }}
    """,
    "carries a request": f"""
    %first = nv_tileas.async.cancel_next_program_id : {FUTURE}
    %lasts:2 = scf.while (%q = %own, %f = %first) : ({ID}, {FUTURE}) -> ({ID}, {FUTURE}) {{
      {VALID.format("q")}
      scf.condition(%valid) %q, %f : {ID}, {FUTURE}
    }} do {{
    ^bb0(%p: {ID}, %asked: {FUTURE}):
      {WORK}
      {ANSWER}
      {VALID.format("next")}
      %following = scf.if %valid -> ({FUTURE}) {{
        %more = nv_tileas.async.cancel_next_program_id : {FUTURE}
        scf.yield %more : {FUTURE}
      }} else {{
        scf.yield %asked : {FUTURE}
      }}
      scf.yield %next, %following : {ID}, {FUTURE}
    }}
    """,
    "answers in a buffer": ALLOCATE
    + loop(
        ASK_INTO.format("%buffer")
        + WORK
        + f"%full = nv_tileas.async.future_wait %asked : !async.value<{BUFFER}> -> {BUFFER}"
        + READ.format("%full")
    ),
    "agents": AGENTS,
    "once": f"""
    %p = nv_tileaa.current_program_id : {ID}
    {WORK}
    """,
}


def module(body: str, gpu: str = "sm_100a", attributes: str = "num_ctas = 1>") -> ModuleOp:
    return tools.parse(f"""
builtin.module attributes {{nv_tileaa.target_spec = "{gpu}"}} {{
  nv_tileaa.func @k(%in: {POINTER}, %out: {POINTER})
      attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, {attributes}}} {{
    %n128 = arith.constant 128 : i32
    %own = nv_tileaa.current_program_id : {ID}
    {body}
    nv_tileaa.return
  }}
}}
""")


def lowered(body: str, gpu: str = "sm_100a", attributes: str = "num_ctas = 1>") -> ModuleOp:
    return tools.run_passes(module(body, gpu, attributes), tools.TO_LLVM)


@cache
def ptx(name: str) -> str:
    return emit(lowered(LOOPS[name]))


def problem(grid: tuple[int, ...], seed: int = 0) -> tuple[list[Array], Array]:
    """Arguments for a grid, and the sums that belong there."""
    rows = np.random.default_rng(seed).integers(-99, 99, (*grid[::-1], 128)).astype(np.int32)
    return [rows, np.zeros(grid[::-1], np.int32)], rows.sum(axis=-1)


MODES: tuple[dict[str, Any], ...] = (
    {},
    {"late": True, "races": True},
    *({"late": True, "races": True, "warp_seed": seed} for seed in range(2)),
    {"resident_blocks": 1},
    {"resident_blocks": 100},
)


@pytest.mark.one_in(4, "asks at the end")
@pytest.mark.parametrize("name", LOOPS)
def test_values(name: str) -> None:
    grid = (3, 2, 2)
    arguments, expected = problem(grid)
    interpreters.launch(module(LOOPS[name]), "k", grid, arguments)
    np.testing.assert_array_equal(arguments[1], expected)
    loaded = emulator.load(ptx(name))
    for mode in MODES:
        arguments, expected = problem(grid)
        statistics = loaded.launch("k", grid, arguments, **mode)
        np.testing.assert_array_equal(arguments[1], expected)
        takes_over = name != "once" and mode.get("resident_blocks") != 100
        assert (statistics.canceled_blocks > 0) == takes_over


def test_random_grids() -> None:
    random = np.random.default_rng(1)
    loaded = emulator.load(ptx("asks ahead"))
    for seed in range(4):
        x, y, z = (int(extent) for extent in random.integers(1, 5, 3))
        arguments, expected = problem((x, y, z), seed)
        loaded.launch("k", (x, y, z), arguments, late=True, warp_seed=seed)
        np.testing.assert_array_equal(arguments[1], expected)


@pytest.mark.parametrize("gpu", ["sm_100", "sm_100a", "sm_120a"])
def test_ptxas_accepts_loops(gpu: str) -> None:
    for name, body in LOOPS.items():
        found = assemble(emit(lowered(body, gpu)), gpu)
        assert not found.kernels["k"].spill_stores, name


BUGS: dict[str, tuple[str, str]] = {
    "the answer is not waited for": (
        r"(\$L\d+):\n\tmbarrier\.try_wait[^\n]*\n\t@!%p\d+ bra \1;\n",
        "",
    ),
    "the next answer comes while this one is read": (
        r"\tfence\.proxy\.async[^\n]*\n\tbar\.sync 0;\n",
        "",
    ),
    "the barrier object is not set up": (r"\t@%p\d+ mbarrier\.init[^\n]*\n", ""),
    "no bytes are expected": (r"\t@%p\d+ mbarrier\.expect_tx[^\n]*\n", ""),
    "too many bytes are expected": (r"(mbarrier\.expect_tx[^\n]*), 16;", r"\1, 32;"),
    "one arrival too many is expected": (r"(mbarrier\.init[^\n]*), 128;", r"\1, 129;"),
    "every thread asks": (r"\t@%p\d+ (clusterlaunchcontrol\.try_cancel)", r"\t\1"),
    "coordinates of nothing are read": (
        r"(query_cancel\.is_canceled[^\n]*\n)\t@%p\d+ bra \$L\d+;\n(?:\tmov[^\n]*\n)*"
        r"\tbra\.uni \$L\d+;\n",
        r"\1",
    ),
    "the loop goes on without a tile block": (r"\t@!%p\d+ bra \$L\d+;\n(\tfence)", r"\1"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_seeded_bug_is_found(bug: str) -> None:
    pattern, replacement = BUGS[bug]
    text, count = re.subn(pattern, replacement, ptx("asks ahead"))
    assert count == 1
    loaded = emulator.load(text)
    with pytest.raises((EmulatorError, AssertionError)):
        for mode in MODES:
            arguments, expected = problem((3, 2, 2))
            loaded.launch("k", (3, 2, 2), arguments, **mode)
            np.testing.assert_array_equal(arguments[1], expected)


@pytest.mark.parametrize("name", ["asks at the end", "asks ahead"])
def test_targets_that_start_all_blocks_by_themselves(name: str) -> None:
    with pytest.raises(PassFailedException) as caught:
        lowered(LOOPS[name], "sm_90a")
    op = "async.cancel_next_program_id" if name == "asks ahead" else "cancel_next_program_id"
    assert str(caught.value) == f"'nv_tileas.{op}' op is not available on sm_90a: it needs sm_100"


@pytest.mark.parametrize("none", ["to_async %own", "create_none"])
def test_what_is_there_is_no_request(none: str) -> None:
    value = {
        "to_async %own": f"nv_tileas.async.to_async %own : {ID} -> {FUTURE}",
        "create_none": f"nv_tileas.create_none : {FUTURE}",
    }[none]
    with pytest.raises(PassFailedException, match=r"program.id"):
        lowered(f"%asked = {value}\n{ANSWER}")


def test_targets_that_do_not_tell_all_blocks_of_a_cluster() -> None:
    message = "is not available on sm_100 in clusters: it needs sm_100a"
    with pytest.raises(PassFailedException, match=message):
        lowered(
            LOOPS["asks at the end"],
            "sm_100",
            attributes="num_ctas = 2>, nv_tileaa.cluster_shape = array<i32: 1, 2>",
        )


def test_a_request_is_a_place_and_a_phase() -> None:
    """Threads that wait know the phase by their own arrival; one of them asks."""
    tools.check(
        tools.to_text(lowered(LOOPS["carries a request"])),
        """
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(16 : i32) : i32
// CHECK-DAG: %[[THREADS:.*]] = llvm.mlir.constant(128 : i32) : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[THREADS]] : !llvm.ptr<3>, i32
// CHECK: nvvm.barrier
// CHECK: nvvm.elect.sync
// CHECK: nvvm.mbarrier.expect_tx %[[OBJECT:.*]], %[[BYTES]] : !llvm.ptr<3>, i32
// CHECK-NEXT: nvvm.clusterlaunchcontrol.try.cancel %[[PLACE:.*]], %[[OBJECT]]
// CHECK: %[[STATE:.*]] = nvvm.mbarrier.arrive %[[OBJECT]] : !llvm.ptr<3> -> i64
// CHECK: llvm.br ^[[TEST:.*]](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[PLACE]], %[[STATE]] :
// CHECK: nvvm.mbarrier.try_wait %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<3>, i64, i32 -> i1
// CHECK: %[[ANSWER:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK-NEXT: %[[VALID:.*]] = nvvm.clusterlaunchcontrol.query.cancel query = is_canceled, %[[ANSWER]] : i1
// CHECK-NEXT: llvm.cond_br %[[VALID]]
// CHECK: nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_x, %[[ANSWER]] : i32
// CHECK: nvvm.clusterlaunchcontrol.query.cancel query = get_first_cta_id_z, %[[ANSWER]] : i32
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT: nvvm.barrier
// CHECK: nvvm.clusterlaunchcontrol.try.cancel
""",
    )
