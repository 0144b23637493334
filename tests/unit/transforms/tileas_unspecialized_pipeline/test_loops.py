"""Loads are started ahead of time, and the program computes the same."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from tests.unit.transforms.dot_loops import (
    LOOP,
    LOOPS,
    NESTED,
    ORDERS,
    ROUNDS,
    STEPS,
    SUM,
    TWO_USERS,
    kernel,
    run,
)
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.interpreters.accesses import Access, Token
from tileir_xdsl.interpreters.memory_order import MemoryOrder, ProgramOrder
from tileir_xdsl.testing import tools

CARRIED = (
    LOOP.replace("%total =", "%total, %end =")
    .replace("iter_args(%acc = %zero)", "iter_args(%acc = %zero, %at = %none)")
    .replace(f"-> ({SUM}) {{", f"-> ({SUM}, index) {{")
    .replace("%at = arith.muli %k, %tile : index", "%next = arith.addi %at, %tile : index")
    .replace(f"scf.yield %sum : {SUM}", f"scf.yield %sum, %next : {SUM}, index")
)
"""The place of the tiles is carried instead of computed from the iteration."""

KERNELS = {**LOOPS, "two users": TWO_USERS, "carried": CARRIED}


class Counting(ProgramOrder):
    """The order of the program; counts the bulk loads."""

    def __init__(self) -> None:
        self.loads = 0

    def perform(self, access: Access, action: Callable[[], Any]) -> tuple[Any, Token]:
        self.loads += isinstance(access.op, nv_tileas.AsyncTiledTmaLoadOp)
        return super().perform(access, action)


def pipelined(loop: str, stages: int, options: str = "") -> ModuleOp:
    passes = (
        f"tileas-materialize-async{{num-stages={stages}}},tileas-unspecialized-pipeline{options}"
    )
    return tools.run_passes(tools.parse(kernel(loop)), passes)


def check_loads(text: str, passes: str) -> None:
    """Checks that a kernel computes the same after some passes, and loads as often."""
    before, after = Counting(), Counting()
    expected, _ = run(text, before)
    found, _ = run(str(tools.run_passes(tools.parse(text), passes)), after)
    np.testing.assert_array_equal(found, expected)
    assert after.loads == before.loads


@pytest.mark.one_in(8)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("stages", (1, 2, 4, 8))
@pytest.mark.parametrize("name", KERNELS)
def test_it_computes_the_same(name: str, stages: int, order: MemoryOrder | None):
    found, expected = run(str(pipelined(KERNELS[name], stages)), order)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("iterations", (0, 1, 2, 3, STEPS))
def test_fewer_iterations_than_stages(iterations: int):
    """Loads start for iterations that there are, and for no others."""
    count = f"%count = arith.constant {STEPS} : index"
    text = kernel(LOOP).replace(count, f"%count = arith.constant {iterations} : index")
    passes = "tileas-materialize-async{num-stages=4},tileas-unspecialized-pipeline"
    check_loads(text, passes)


def of_latency(text: str, name: str, latency: int) -> str:
    """A kernel whose load of a tile has a hint."""
    before, load, after = text.partition(f"%{name}_buffer[")
    return before + load + after.replace("{atom", f"{{latency = {latency} : i32, atom", 1)


@pytest.mark.parametrize(("latency_a", "latency_b"), [(1, 3), (3, 1), (2, 3)])
def test_no_load_is_further_ahead_than_its_stages(latency_a: int, latency_b: int):
    text = of_latency(of_latency(kernel(TWO_USERS), "a", latency_a), "b", latency_b)
    passes = "tileas-materialize-async{num-stages=4}"
    module = tools.run_passes(tools.parse(text), passes)
    assert {f"numStages = {1 + each}" for each in (latency_a, latency_b)} == set(
        re.findall(r"numStages = \d", str(module))
    )
    check_loads(text, f"{passes},tileas-unspecialized-pipeline")


FARTHEST = (1 << 63) - 1
BETWEEN = "".join(
    f"\n  %{name} = arith.constant {{{name}}} : index" for name in ("first", "last", "by")
) + LOOP.replace("{", "{{").replace("}", "}}").replace(
    "%none to %count step %one", "%first to %last step %by"
).replace(
    "%at = arith.muli %k,",
    "%done = arith.subi %k, %first : index\n    %at = arith.muli %done,",
)
"""The loop from `first` to `last`, which loads the tiles from the first one on."""


@pytest.mark.parametrize(
    ("first", "last", "by"),
    [
        (8, 4, 1),
        (8, 4, 3),
        (4, 4, 1),
        (1, -2, 1),
        (-2, 1, 2),
        (4, 8, 3),
        (FARTHEST, -FARTHEST, 1),
        (FARTHEST - 3, FARTHEST, 2),
    ],
)
def test_bounds_in_any_order(first: int, last: int, by: int):
    """Also where a bound less a step, or the other bound, wraps."""
    text = kernel(BETWEEN.format(first=first, last=last, by=by))
    check_loads(text, "tileas-materialize-async{num-stages=4},tileas-unspecialized-pipeline")


def test_one_stage_is_left_alone():
    assert len([op for op in pipelined(LOOP, 1).walk() if isinstance(op, scf.ForOp)]) == 1


def test_loads_stand_in_a_loop_before_and_behind_the_wait():
    text = str(pipelined(LOOP, 3))
    positions = [text.index("produce_one_async"), text.index("consumer_wait")]
    assert positions == sorted(positions)
    assert text.rindex("produce_one_async") > positions[1]
    assert text.count("produce_one_async") == 2


def test_loads_that_need_what_was_loaded_stay(tmp_path: Path):
    """The second tile is where the first one says."""
    chained = LOOP.replace(
        "%at = arith.muli %k, %tile : index",
        "%old = nv_tileas.tiled_load weak %c[%none, %none] token = %m : "
        "!nv_tileaa.tiled_view<16x16xf32, !nv_tileaa.memref<16x16xf32, strides = [16, 1]>>"
        "[index, index] -> tensor<16x16xf32>, !nv_tileaa.mem_token\n"
        '%at = "test.op"(%old) : (tensor<16x16xf32>) -> index',
    ).replace("%old =", "%old, %t =")
    report = tmp_path / "report.json"
    text = str(pipelined(chained, 4, f'{{explain="{report}"}}'))
    assert text.count("produce_one_async") == 1
    assert json.loads(report.read_text())["functions"] == {
        "k": [{"remark": "Failed to pipeline loop"}]
    }


@pytest.mark.one_in(5, "3--1-2", "3-3--1")
@pytest.mark.parametrize("rounds", (-1, 0, 1, 2))
@pytest.mark.parametrize("steps", (-1, 0, 1, 3))
@pytest.mark.parametrize("stages", (3, 4))
def test_rounds_of_any_number_of_steps(rounds: int, steps: int, stages: int):
    text = kernel(ROUNDS).replace("%two = arith.constant 2", f"%two = arith.constant {rounds}")
    text = text.replace("%half = arith.constant 3", f"%half = arith.constant {steps}")
    passes = f"tileas-materialize-async{{num-stages={stages}}},tileas-unspecialized-pipeline"
    check_loads(text, passes)


def test_loads_run_ahead_into_the_next_round(tmp_path: Path):
    """They start before both loops, and the inner one starts those of all rounds."""
    report = tmp_path / "report.json"
    module = pipelined(ROUNDS, 4, f'{{explain="{report}"}}')
    (function,) = (op for op in module.walk() if isinstance(op, nv_tileaa.FuncOp))
    first, outer = (op for op in function.body.block.ops if isinstance(op, scf.ForOp))
    (inner,) = (op for op in outer.body.block.ops if isinstance(op, scf.ForOp))
    assert [str(loop).count("produce_one_async") for loop in (first, outer, inner)] == [1, 1, 1]
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts == {"iterations ahead": 2, "into next outer iterations": True}


def test_rounds_with_bounds_of_their_own_stay(tmp_path: Path):
    report = tmp_path / "report.json"
    pipelined(NESTED, 4, f'{{explain="{report}"}}')
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts == {"iterations ahead": 2, "into next outer iterations": False}


def test_rounds_that_give_loads_more_than_integers_stay(tmp_path: Path):
    """Some of what an outer iteration computes for the loads is no integer, as tiles are none."""
    real = "%real = arith.constant 0.0 : f32\n    %first = "
    more = """%number = arith.fptoui %real : f32 to i32
      %more = arith.index_cast %number : i32 to index
      %later = arith.addi %first, %more : index
      %step = arith.addi %later,"""
    loop = ROUNDS.replace("%first = ", real).replace("%step = arith.addi %first,", more)
    report = tmp_path / "report.json"
    pipelined(loop, 4, f'{{explain="{report}"}}')
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts == {"iterations ahead": 2, "into next outer iterations": False}


PIPE = "nv_tileas.async.pipeline"
STAGE = "tile<16x16xf16, #nv_tileas.memory<smem>>"
TURN = f"""
  %once, %done = {PIPE}.produce_one_async %2, FILLED {{producer_types = [{STAGE}, {STAGE}]}} : (!{PIPE}.producer_token, ITERATOR) -> !{PIPE}.producer_token, !nv_tileas.async_token {{
  ^bb0(%x : {STAGE}, %y : {STAGE}):
    %copied = nv_tileas.async.tiled_tma_load %a_map, %x[%none, %none], %m {{atom = #nv_tileas<atom tma_load_2d>}} : !nv_tileas.tma_desc, {STAGE}, index, index, !nv_tileaa.mem_token -> !async.value<{STAGE}>
    {PIPE}.yield %x, %y : {STAGE}, {STAGE}
  }}
  %full = {PIPE}.consumer_wait %3, READ {{consumer_idx = 0 : i32}} : !{PIPE}.consumer_token, ITERATOR -> !{PIPE}.consumer_token
  %empty = {PIPE}.consumer_release %full : !{PIPE}.consumer_token -> !{PIPE}.consumer_token
  %next_filled = {PIPE}.inc_iter FILLED : ITERATOR -> ITERATOR
  %next_read = {PIPE}.inc_iter READ : ITERATOR -> ITERATOR
""".replace("ITERATOR", f"!{PIPE}.iterator<{STAGE}, {STAGE}>")
"""One more turn of the pipeline of both loops."""


def turn(filled: str, read: str) -> str:
    return TURN.replace("FILLED", filled).replace("READ", read)


@pytest.mark.parametrize("place", ["before", "behind"])
def test_rounds_stay_where_stages_are_filled_elsewhere_too(place: str, tmp_path: Path):
    """The stages are filled in turn, by the loops and by another op."""
    started = tools.run_passes(
        tools.parse(kernel(ROUNDS)), "tileas-materialize-async{num-stages=4}"
    )
    text = tools.to_text(started)
    if place == "before":
        text = text.replace("    %total, ", f"{turn('%4', '%5')}    %total, ")
        text = text.replace("%6 = %4, %7 = %5", "%6 = %next_filled, %7 = %next_read")
    else:
        store = "    nv_tileas.tiled_store weak %total"
        text = text.replace(store, turn("%total_1", "%total_2") + store)
    assert text.count("produce_one_async") == 2
    report = tmp_path / "report.json"
    check_loads(text, f'tileas-unspecialized-pipeline{{explain="{report}"}}')
    (facts,) = json.loads(report.read_text())["functions"]["k"]
    assert facts == {"iterations ahead": 2, "into next outer iterations": False}
