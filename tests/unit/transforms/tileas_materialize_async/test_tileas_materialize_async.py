"""Loads into shared memory go through pipelines, and the program computes the same."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tests.unit.transforms.dot_loops import (
    DOT,
    LOOP,
    LOOPS,
    NESTED,
    ORDERS,
    SUM,
    TWO_USERS,
    kernel,
    load,
    run,
)
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools

KERNELS = {**LOOPS, "two users": TWO_USERS}


def materialized(loop: str, options: str = "") -> ModuleOp:
    return tools.run_passes(tools.parse(kernel(loop)), f"tileas-materialize-async{options}")


@pytest.mark.one_in(5)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("name", KERNELS)
def test_it_computes_the_same(name: str, order: MemoryOrder | None):
    text = str(materialized(KERNELS[name]))
    assert "produce_one_async" in text
    found, expected = run(text, order)
    np.testing.assert_array_equal(found, expected)


def test_loads_for_one_op_share_a_pipeline():
    text = str(materialized(LOOP))
    assert text.count(".create_pipeline") == 1
    assert text.count(".consumer_wait") == 1
    assert text.count(".tiled_tma_load") == 2


def test_loads_for_two_ops_have_a_pipeline_each():
    text = str(materialized(TWO_USERS))
    assert text.count(".create_pipeline") == 2
    assert text.index("nv_tileas.copy") < text.rindex(".produce_one_async")


def test_iterators_are_carried_by_all_loops_around():
    text = str(materialized(NESTED))
    loops = re.findall(r"scf\.for .*?iter_args\((.*?)\)", text)
    assert [arguments.count("=") for arguments in loops] == [3, 4]


@pytest.mark.parametrize("name", ["repeated", "tested behind"])
def test_iterators_are_carried_by_both_regions_of_a_loop(name: str):
    (loop,) = (op for op in materialized(LOOPS[name]).walk() if isinstance(op, scf.WhileOp))
    for region in loop.regions:
        types = [str(type) for type in region.block.arg_types]
        assert len(types) == 4 and all("iterator" in type for type in types[-2:])


@pytest.mark.parametrize(("options", "stages"), [("", 8), ("{num-stages=3}", 3)])
def test_number_of_stages(options: str, stages: int):
    assert f"numStages = {stages} : i32" in str(materialized(LOOP, options))


@pytest.mark.parametrize(("blocks", "stages"), [(1, 8), (26, 7), (32, 6)])
def test_blocks_share_memory(blocks: int, stages: int):
    """A stage takes 1 KiB, and 16 bytes for its mbarriers; 1 KiB of each block is reserved."""
    text = kernel(LOOP).replace("num_ctas = 1", f"num_ctas = 1, occupancy = {blocks}")
    text = text.replace('"sm_90a"', '"sm_90"')
    module = tools.run_passes(tools.parse(text), "tileas-materialize-async")
    assert f"numStages = {stages} : i32" in str(module)


@pytest.mark.parametrize(("plan", "has_pipeline"), [("registers", True), ("shared_memory", False)])
def test_conversions_without_shared_memory_leave_it_to_stages(plan: str, has_pipeline: bool):
    tile = "tensor<65536xf32, #nv_tileas.layout<((4, 128), 32, 4, 1), ((1, 512), 4, 128, 0)>>"
    conversion = (
        f"%large = arith.constant dense<0.0> : {tile}\n"
        f"%same = nv_tileas.convert_layout %large {{atom_plan = #nv_tileas.atom_plan<{plan}>}} : "
        f"{tile} -> {tile}\n"
    )
    assert ("create_pipeline" in str(materialized(conversion + LOOP))) == has_pipeline


def test_a_tile_that_leaves_the_iteration_stays():
    loop = LOOP.replace("%total =", "%total, %kept =").replace(
        "iter_args(%acc = %zero)", "iter_args(%acc = %zero, %before = %start)"
    )
    tile = "tensor<16x16xf16, #nv_tileas.memory<smem>>"
    loop = loop.replace(f"-> ({SUM}) {{", f"-> ({SUM}, {tile}) {{")
    loop = loop.replace(f"scf.yield %sum : {SUM}", f"scf.yield %sum, %a_tile : {SUM}, {tile}")
    loop = f"\n  %start = nv_tileas.alloc_tensor : {tile}" + loop
    text = str(materialized(loop))
    assert text.count(".tiled_tma_load") == 2
    assert text.count("producer_types = [tile<16x16xf16, #nv_tileas.memory<smem>>]") == 1


def test_no_memory_for_a_stage(tmp_path: Path):
    large = LOOP.replace(
        "\n  %total",
        '\n  %other = nv_tileas.alloc_tensor : tensor<115800xf16, #nv_tileas.memory<smem>>\n  "test.op"(%other) : (tensor<115800xf16, #nv_tileas.memory<smem>>) -> ()\n  %total',
        1,
    )
    report = tmp_path / "report.json"
    assert "create_pipeline" not in str(materialized(large, f'{{explain="{report}"}}'))
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts["remark"] == (
        "a stage of each pipeline needs 1040 bytes of shared memory, 848 are left on sm_90a: "
        "loads stay where they are"
    )


def test_sums_stay_in_flight():
    """The stage of an iteration is released when the next one has started its product."""
    text = str(materialized(LOOP, "{num-stages=2}"))
    order = [
        text.index(word) for word in ("nv_tileas.async.dot", "nv_tileas.async.wait ", "future_wait")
    ]
    assert order == sorted(order)
    assert text.count(".consumer_release") == 2
    assert "create_null_token" in text


def test_one_stage_is_released_at_once():
    text = str(materialized(LOOP, "{num-stages=1}"))
    assert "create_null_token" not in text
    assert text.index("future_wait") < text.index(".consumer_release")


def test_sums_that_are_looked_at_are_waited_for():
    scaled = LOOP.replace(
        f"scf.yield %sum : {SUM}",
        f"%more = nv_tileaa.addf %sum, %sum : {SUM}\nscf.yield %more : {SUM}",
    )
    assert "create_null_token" not in str(materialized(scaled))


@pytest.mark.parametrize("name", ["nested", "repeated"])
def test_loads_once_a_round_have_two_stages(name: str):
    """A tile is loaded for each run of the inner loop; `b` is, for each iteration of that."""
    loop = LOOPS[name]
    factor = load("a", "%none", "%none")
    streamed = load("a", "%none", "%at")
    assert streamed in loop
    loop = loop.replace(streamed, "").replace("%inner =", f"{factor}\n%inner =")
    module = materialized(loop)
    stages = [
        op.num_stages.value.data
        for op in module.walk()
        if isinstance(op, nv_tileas.CreatePipelineOp)
    ]
    assert sorted(stages) == [2, 8]
    for order in ORDERS:
        np.testing.assert_array_equal(run(str(module), order)[0], run(kernel(loop))[0])


@pytest.mark.parametrize(
    ("asked", "options", "stages"),
    [
        (2, "", 2),
        (5, "{num-stages=3}", 3),
        (3, "{num-stages=5}", 3),
        (100, "", 8),
        (1, "", 1),
        (0, "", 1),
    ],
)
def test_the_stages_that_a_function_asks_for_are_a_bound(asked: int, options: str, stages: int):
    attribute = f"{{nv_tileas.num_stages = {asked} : i32, nv_tileaa.kernel_spec"
    text = kernel(LOOP).replace("{nv_tileaa.kernel_spec", attribute, 1)
    module = tools.run_passes(tools.parse(text), f"tileas-materialize-async{options}")
    assert f"numStages = {stages} : i32" in str(module)


FRAGMENTS = "tensor<16x16xf16, #nv_tileas.layout<(8, 32, 1, 1), (1, 8, 0, 0)>>"


def test_operands_that_warps_read_in_steps_share_a_pipeline():
    """Each conversion stands after its load at first, where the other tile is not there yet."""
    shared, (before, after) = (
        "tensor<16x16xf16, #nv_tileas.memory<smem>>",
        LOOP.split(load("b", "%at", "%none")),
    )
    convert = "\n    %{0} = nv_tileas.convert_layout %{1}_tile : " + f"{shared} -> {FRAGMENTS}"
    dot = f"""
    %sum = nv_tileas.dot %x, %y, %acc {{atom = #nv_tileas<atom mma_f16_f16_f32>}} : {FRAGMENTS}, {FRAGMENTS}, {SUM} -> {SUM}"""
    loop = (
        before
        + convert.format("x", "a")
        + load("b", "%at", "%none")
        + convert.format("y", "b")
        + dot
        + after[after.index("\n    scf.yield") :]
    )
    text = str(materialized(loop))
    assert text.count(".create_pipeline") == 1 and text.count(".consumer_wait") == 1


TWO_SUMS = f"""
  %both:2 = scf.for %k = %none to %count step %one iter_args(%acc = %zero, %other = %zero) -> ({SUM}, {SUM}) {{
    %at = arith.muli %k, %tile : index{load("a", "%none", "%at")}{load("b", "%at", "%none")}{DOT}
    {load("a", "%none", "%at").replace("%a_buffer", "%p").replace("%a_started", "%q").replace("%a_tile", "%c_tile")}{load("b", "%at", "%none").replace("%b_buffer", "%r").replace("%b_started", "%s").replace("%b_tile", "%d_tile")}
    {DOT.replace("%started", "%begun").replace("%sum", "%next").replace("%acc", "%other").replace("%a_tile", "%c_tile").replace("%b_tile", "%d_tile")}
    scf.yield %sum, %next : {SUM}, {SUM}
  }}
  %total = nv_tileaa.addf %both#0, %both#1 : {SUM}"""


def test_stages_of_two_sums_are_released_after_the_loop():
    module = materialized(TWO_SUMS)
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert loop.parent is not None
    released = [op.token for op in loop.parent.ops if isinstance(op, nv_tileas.ConsumerReleaseOp)]
    assert len(set(released)) == 2 and set(released) <= set(loop.results)
    for order in ORDERS:
        found, expected = run(str(module), order)
        np.testing.assert_array_equal(found, 2 * expected)


@pytest.mark.parametrize("name", KERNELS)
def test_what_has_pipelines_stays(name: str):
    text = str(materialized(KERNELS[name]))
    assert str(tools.run_passes(tools.parse(text), "tileas-materialize-async")) == text
