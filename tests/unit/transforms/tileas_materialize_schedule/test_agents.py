"""A kernel in two agents computes the same; what loads need stays with them."""

import json
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.dot_loops import (
    A_TILE,
    LOOP,
    NESTED,
    OBJECTS,
    ORDERS,
    SUM,
    TILE,
    TWO_USERS,
    kernel,
    load,
    run,
)
from tileir_xdsl.diagnostics import REMARKS_ATTRIBUTE
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.tileas_materialize_schedule import agents

KERNELS = {"loop": LOOP, "nested": NESTED, "two users": TWO_USERS}


def scheduled(loop: str, stages: int = 4, options: str = "") -> ModuleOp:
    passes = f"tileas-materialize-async{{num-stages={stages}}},tileas-materialize-schedule{options}"
    return tools.run_passes(tools.parse(kernel(loop)), passes)


def switch_of(module: ModuleOp) -> nv_tileas.AgentSwitchOp:
    (switch,) = (op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp))
    return switch


@pytest.mark.one_in(3)
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
@pytest.mark.parametrize("stages", (1, 2, 4))
@pytest.mark.parametrize("name", KERNELS)
def test_it_computes_the_same(name: str, stages: int, order: MemoryOrder | None):
    found, expected = run(str(scheduled(KERNELS[name], stages)), order)
    np.testing.assert_array_equal(found, expected)


def test_each_agent_has_what_it_needs():
    switch = switch_of(scheduled(NESTED))
    compute, produce = ({op.name for op in body.walk()} for body in switch.bodies)
    loads = {"nv_tileas.async.pipeline.produce_one_async", "nv_tileas.async.tiled_tma_load"}
    sums = {
        "nv_tileas.async.dot",
        "nv_tileas.tiled_store",
        "nv_tileas.async.pipeline.consumer_wait",
    }
    assert loads <= produce and not loads & compute
    assert sums <= compute and not sums & produce


def test_warps():
    """Which warps these are is decided by `optimize-execution-unit-mapping`."""
    switch = switch_of(scheduled(LOOP))
    assert list(switch.agent_warps or ()) == [4, 1]
    assert switch.first_warps is None and switch.agent_registers is None


@pytest.mark.parametrize("strategy", ("none", "unspecialize"))
def test_other_strategies_make_no_agents(strategy: str):
    text = str(scheduled(LOOP, 4, f"{{pipeline-strategy={strategy}}}"))
    assert "agent_switch" not in text


def test_an_unknown_strategy():
    with pytest.raises(PassFailedException, match="pipeline-strategy must be one of none, "):
        scheduled(LOOP, 4, "{pipeline-strategy=fast}")


def test_loads_that_need_what_was_stored_stay_with_the_rest():
    """The order of memory would be lost between agents."""
    stored = LOOP.replace(
        f"scf.yield %sum : {SUM}",
        "%after = nv_tileas.tiled_store weak %sum, %c[%none, %none] token = %before : "
        "tensor<16x16xf32>, !nv_tileaa.tiled_view<16x16xf32, !nv_tileaa.memref<16x16xf32, "
        f"strides = [16, 1]>>[index, index] -> !nv_tileaa.mem_token\nscf.yield %sum, %after : {SUM}, !nv_tileaa.mem_token",
    )
    stored = (
        stored.replace("%total =", "%total, %last =")
        .replace("iter_args(%acc = %zero)", "iter_args(%acc = %zero, %before = %m)")
        .replace(f"-> ({SUM}) {{", f"-> ({SUM}, !nv_tileaa.mem_token) {{")
        .replace("%none], %m {", "%none], %before {")
        .replace("%at], %m {", "%at], %before {")
    )
    module = scheduled(stored)
    assert not any(isinstance(op, nv_tileas.AgentSwitchOp) for op in module.walk())


def by_threads(loop: str) -> str:
    """A loop whose threads copy B, where it was a bulk copy."""
    view = f"!nv_tileaa.tiled_view<{TILE}x{TILE}xf16, {OBJECTS['b']}>"
    copied = f"""
    %b_tile, %b_token = nv_tileas.tiled_load weak %b[%k, %none] token = %m {{atom = #nv_tileas<atom ldgsts_128>}} : {view}[index, index] -> {A_TILE}, !nv_tileaa.mem_token"""
    bulk = load("b", "%at", "%none")
    assert bulk in loop
    return loop.replace(bulk, copied)


def test_one_load_by_all_threads_keeps_all_in_one_agent():
    """The other one is a bulk copy; the warp that issues such alone would copy a part."""
    mixed = by_threads(TWO_USERS)
    module = scheduled(mixed)
    text = str(module)
    assert text.count("produce_one") == 2
    assert not any(isinstance(op, nv_tileas.AgentSwitchOp) for op in module.walk())
    found, expected = run(text)
    np.testing.assert_array_equal(found, expected)


def test_in_flight_in_one_agent():
    """Loads are ahead by one iteration less, as one stage more is in use."""
    passes = (
        "tileas-materialize-async{num-stages=3},"
        "tileas-materialize-schedule{pipeline-strategy=unspecialize},tileas-unspecialized-pipeline"
    )
    text = str(tools.run_passes(tools.parse(kernel(LOOP)), passes))
    found, expected = run(text)
    np.testing.assert_array_equal(found, expected)
    assert text.count("produce_one_async") == 2


BYTES_OF_B = 2 * TILE * TILE


@pytest.mark.parametrize(("most", "has_agents"), [(BYTES_OF_B, True), (BYTES_OF_B - 1, False)])
def test_a_warp_copies_a_little_next_to_bulk_copies(
    most: int, has_agents: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(agents, "MOST_COPIED_BYTES", most)
    module = scheduled(by_threads(LOOP))
    assert any(isinstance(op, nv_tileas.AgentSwitchOp) for op in module.walk()) == has_agents
    for order in ORDERS:
        found, expected = run(str(module), order)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("option", [None, "none", "unspecialize", "warp-specialize"])
@pytest.mark.parametrize("asked", [None, "unspecialize", "warp-specialize"])
def test_what_a_kernel_asks_for_comes_before_the_option(
    asked: str | None, option: str | None, tmp_path: Path
):
    """But for `none`, with which the pass does nothing."""
    path = tmp_path / "agents.json"
    text = kernel(LOOP)
    if asked is not None:
        attribute = f'{{nv_tileas.pipeline_strategy = "{asked}", nv_tileaa.kernel_spec'
        text = text.replace("{nv_tileaa.kernel_spec", attribute, 1)
    given = "" if option is None else f"pipeline-strategy={option} "
    options = f'{{{given}explain="{path}"}}'
    passes = f"tileas-materialize-async,tileas-materialize-schedule{options}"
    module = tools.run_passes(tools.parse(text), passes)
    expected = option != "none" and (asked or option or "warp-specialize") == "warp-specialize"
    assert any(isinstance(op, nv_tileas.AgentSwitchOp) for op in module.walk()) == expected
    reported = json.loads(path.read_text())["functions"]
    assert reported == ({} if option == "none" else {"k": [{"agents": 1 + expected}]})
    assert REMARKS_ATTRIBUTE not in module.attributes


@pytest.mark.parametrize("option", ["", "{pipeline-strategy=warp-specialize}"])
def test_agents_that_are_not_had_have_a_remark_where_they_were_asked_for(option: str):
    remarks = scheduled(by_threads(TWO_USERS), 4, option).attributes.get(REMARKS_ATTRIBUTE)
    assert ("not all loads are bulk copies" in str(remarks)) == bool(option)
