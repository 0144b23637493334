"""Warps and registers of agents: where they are decided, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.dot_loops import LOOP, NESTED, kernel, run
from tileir_xdsl.dialects.nv_tileaa import FuncOp
from tileir_xdsl.dialects.nv_tileas import AgentSwitchOp
from tileir_xdsl.dialects.nv_tileas.agents import WARPS_KEY
from tileir_xdsl.testing import tools

PASS = "optimize-execution-unit-mapping"
SPLIT = "tileas-materialize-async,tileas-materialize-schedule"


def scheduled(loop: str, **spec: int) -> ModuleOp:
    """A product in two agents; `spec` adds to what the kernel says of its launch."""
    text = kernel(loop)
    for name, number in spec.items():
        text = text.replace("num_ctas = 1", f"num_ctas = 1, {name} = {number}")
    return tools.run_passes(tools.parse(text), f"{SPLIT},{PASS}")


def program(body: str, functions: str = "", warps: int = 4) -> str:
    return f"""
    builtin.module attributes {{nv_tileaa.target_spec = "sm_90a"}} {{
      nv_tileaa.func @k() attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = {warps}, num_ctas = 1>}} {{
        {body}
        nv_tileaa.return
      }}
      {functions}
    }}"""


def switch(*regions: str, **numbers: str) -> str:
    attributes = "".join(f", {name} = array<i32: {n}>" for name, n in numbers.items())
    bodies = ", ".join(f"{{ {region} nv_tileas.async.pipeline.yield }}" for region in regions)
    return (
        "nv_tileas.async.pipeline.agent_switch {num_agents_per_group = 1 : i32, isolated = false"
        f"{attributes}}} {bodies}"
    )


def mapped(text: str) -> list[AgentSwitchOp]:
    module = tools.run_passes(tools.parse(text), PASS)
    return [op for op in module.walk() if isinstance(op, AgentSwitchOp)]


def units(op: AgentSwitchOp) -> tuple[object, ...]:
    return op.agent_warps, op.first_warps, op.strides


def test_a_product():
    module = scheduled(LOOP)
    (op,) = (op for op in module.walk() if isinstance(op, AgentSwitchOp))
    assert units(op) == ([4, 1], [0, 4], [4, 4])
    assert op.agent_registers == [240, 40]
    (function,) = (op for op in module.walk() if op.name == "nv_tileaa.func")
    assert function.attributes[WARPS_KEY] == IntegerAttr(8, 32)


@pytest.mark.parametrize("loop", (LOOP, NESTED))
def test_it_computes_the_same(loop: str):
    found, expected = run(str(scheduled(loop)))
    np.testing.assert_array_equal(found, expected)


def test_blocks_share_registers_if_tiles_fit():
    (op,) = (op for op in scheduled(LOOP, occupancy=2).walk() if isinstance(op, AgentSwitchOp))
    assert op.agent_registers == [216, 40]


def held(rows: int) -> str:
    """A tile of 128 columns in the registers of four warps."""
    layout = f"#nv_tileas.layout<({rows}, 32, 4, 1), (1, {rows}, {32 * rows}, 0)>"
    type = f"tensor<{rows}x128xf32, {layout}>"
    return f'%t = "test.op"() : () -> {type} "test.op"(%t) : ({type}) -> ()'


def dealt(*agents: str, blocks: int, before: str = "", warps: str = "4, 4") -> object:
    """The registers of agents, where a kernel wants several blocks on a multiprocessor."""
    text = program(before + switch(*agents, num_warps=warps))
    (op,) = mapped(text.replace("num_ctas = 1", f"num_ctas = 1, occupancy = {blocks}"))
    return op.agent_registers


@pytest.mark.parametrize(
    ("rows", "registers"),
    [
        (32, {1: 240, 2: 216, 3: 120}),
        (64, {1: 240, 2: 216, 3: 216}),
        # Those of two blocks at launch would be enough if the warps without tiles held some.
        (128, {1: 240, 2: 240, 3: 240}),
    ],
)
@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_agents_with_tiles_have_the_registers(rows: int, registers: dict[int, int], blocks: int):
    tile = held(rows)
    assert dealt(tile, "", blocks=blocks) == [registers[blocks], 40]
    assert dealt("", tile, blocks=blocks) == [40, registers[blocks]]
    # Nobody has any to give.
    assert dealt(tile, tile, blocks=blocks) is None


@pytest.mark.parametrize(("memory", "registers"), [("smem", None), ("tmem", [240, 40])])
def test_accumulators_in_tensor_memory_take_no_registers(memory: str, registers: object):
    """They are written by instructions that the agent starts; other stages have its tiles."""
    stages, tile = f"tensor<2x128x128xf32, #nv_tileas.memory<{memory}>>", "tile<128x128xf32>"
    pipe, token = "nv_tileas.async.pipeline", "!nv_tileas.async.pipeline"
    before = f"""
      %stages = nv_tileas.alloc_tensor : {stages}
      %p, %c = {pipe}.create_pipeline %stages {{numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 0 : i8}} : {stages} -> {token}.producer_token, {token}.consumer_token
      %i = {pipe}.create_iterator %p : {token}.producer_token -> {token}.iterator<{tile}>"""
    fill = f"""
      %v = nv_tileas.create_none : {tile}
      %a = {pipe}.producer_acquire %p, %i : {token}.producer_token, {token}.iterator<{tile}> -> {token}.producer_token
      %b = {pipe}.producer_write %a, %v : {token}.producer_token, {tile} -> {token}.producer_token
      %e = {pipe}.producer_commit %b : {token}.producer_token -> {token}.producer_token"""
    assert dealt(held(32), fill, before=before, blocks=1) == registers


def test_who_says_nothing_has_as_many_warps_as_the_kernel():
    (op,) = mapped(program(switch("", "", num_warps="-1, 1"), warps=8))
    assert units(op) == ([8, 1], [0, 8], [8, 4])
    (op,) = mapped(program(switch("", "")))
    assert units(op) == ([4, 4], [0, 4], [4, 4])


def test_what_was_decided_stays():
    numbers = {"num_warps": "4, 4", "warp_id": "8, 0", "max_regs": "80, 48"}
    (op,) = mapped(program(switch("", "", **numbers)))
    assert units(op) == ([4, 4], [8, 0], [4, 8])
    assert op.agent_registers == [80, 48]


def test_no_registers_where_something_follows():
    """Warps that keep few registers could not run it."""
    text = str(scheduled(LOOP)).replace(", max_regs = array<i32: 240, 40>", "")
    text = text.replace("max_regs = array<i32: 240, 40>, ", "")
    assert mapped(text)[0].agent_registers == [240, 40]
    (op,) = mapped(
        text.replace("nv_tileaa.return", "%last = arith.constant 0 : i32 nv_tileaa.return")
    )
    assert op.agent_registers is None


FUNCTION = "nv_tileaa.func @f() {{ {} nv_tileaa.return }}"
CALL = "nv_tileaa.call @f() : () -> ()"


def test_functions_have_the_warps_of_their_callers():
    inner = FUNCTION.format(switch("", num_warps="-1"))
    outer = switch(CALL, CALL, num_warps="8, 8")
    _, op = mapped(program(outer, inner))
    assert units(op) == ([8], [0], [8])


def test_a_function_that_nobody_calls_has_one_warp():
    (op,) = mapped(program("", FUNCTION.format(switch("", num_warps="-1"))))
    assert units(op) == ([1], [0], [4])


def test_callers_of_different_sizes():
    inner = FUNCTION.format(
        f"%c = arith.constant true scf.if %c {{ {switch('', num_warps='-1')} }}"
    )
    outer = switch(CALL, CALL, num_warps="8, 4")
    with pytest.raises(PassFailedException) as failure:
        mapped(program(outer, inner))
    assert failure.value.args == (
        "inconsistent numWarps in the agent switch, "
        "maybe it is called in different agents with different numWarps",
    )


def test_callers_of_different_sizes_do_not_matter_without_agents():
    (op,) = mapped(program(switch(CALL, CALL, num_warps="8, 4"), FUNCTION.format("")))
    assert units(op) == ([8, 4], [0, 8], [8, 4])


@pytest.mark.parametrize("inner", (switch("", "", num_warps="4, 1"), CALL))
def test_agents_in_an_agent_must_fit(inner: str):
    function = FUNCTION.format(switch("", "", num_warps="4, 1"))
    assert len(mapped(program(switch(inner, num_warps="8"), function))) > 1
    with pytest.raises(PassFailedException) as failure:
        mapped(program(switch(inner, num_warps="4"), function))
    assert failure.value.args == ("agent warp count exceeds module budget",)


def test_switches_one_after_the_other_share_warps():
    """A block has as many as the largest of them needs, in any order and on either path."""
    small, large = switch("", num_warps="4"), switch("", "", num_warps="8, 4")
    branch = f"%c = arith.constant true scf.if %c {{ {large} }} else {{ {small} }}"
    inner = FUNCTION.format(large)
    for body in (small + large, large + small, branch, small + CALL + small):
        module = tools.run_passes(tools.parse(program(body, inner)), PASS)
        (kernel,) = (
            op for op in module.walk() if isinstance(op, FuncOp) and op.kernel_spec is not None
        )
        assert kernel.attributes[WARPS_KEY] == IntegerAttr(12, 32)
    # As many as the agent has are enough for each of them, though not for all at once.
    mapped(program(switch(small + small, num_warps="4")))


def test_code_around_agents_has_the_warps_of_the_kernel():
    """The block is launched with these, also where agents have fewer."""
    module = tools.run_passes(tools.parse(program(switch("", num_warps="4"), warps=8)), PASS)
    (kernel,) = (op for op in module.walk() if isinstance(op, FuncOp))
    assert kernel.attributes[WARPS_KEY] == IntegerAttr(8, 32)


def test_report(tmp_path: Path):
    path = tmp_path / "agents.json"
    tools.run_passes(tools.parse(kernel(LOOP)), f'{SPLIT},{PASS}{{explain="{path}"}}')
    ((decision,),) = json.loads(path.read_text())["functions"].values()
    assert decision == {
        "warps": [4, 1],
        "first warps": [0, 4],
        "holes": 3,
        "registers": [240, 40],
    }
