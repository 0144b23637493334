"""After the pass no tile in registers crosses into an agent, and programs compute the same."""

import json
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.interpreters.nv_tileas import kernels
from tests.unit.tools import REPOSITORY
from tileir_xdsl.analysis.layouts.groups import is_tile
from tileir_xdsl.checking.dominance import verify_dominance
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.interpreters import launch
from tileir_xdsl.interpreters.memory_order import MemoryOrder
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.tileas_programs import generate
from tileir_xdsl.testing.tileas_programs.comparison import compare
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_resolve_agent_boundary.boundaries import (
    Transfer,
    boundary_values_of,
    captured_values,
)

PASS = "tileas-resolve-agent-boundary"
SWITCH = "nv_tileas.async.pipeline.agent_switch"
YIELD = "nv_tileas.async.pipeline.yield\n"
TILE = "tensor<128xf32>"
BUFFER = "tensor<128xf32, #nv_tileas.memory<smem>>"
LAYOUT = "#nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>"
OTHER = "#nv_tileas.layout<(4, 32, 1, 1), (1, 4, 0, 0)>"


def _function(body: str) -> ModuleOp:
    text = f"nv_tileaa.func @f(%flag: i1, %n: i32, %i: index) {{\n{body}\nnv_tileaa.return\n}}"
    return tools.parse(text, allow_unregistered=True)


def _after(body: str) -> str:
    return tools.to_text(tools.run_passes(_function(body), PASS))


def _make(type_: str = TILE) -> str:
    return f'%t = "make"() : () -> {type_}\n'


def _use(value: str, type_: str = TILE) -> str:
    return f'"use"({value}) : ({type_}) -> ()\n'


def _agents(*bodies: str, isolated: bool = False) -> str:
    attributes = "num_agents_per_group = 1 : i32" + (", isolated = true" if isolated else "")
    regions = ", ".join(f"{{\n{body}{YIELD}}}" for body in bodies)
    return f"{SWITCH} {{{attributes}}} {regions}\n"


def _tiles_that_cross(module: ModuleOp) -> int:
    return sum(
        is_tile(value)
        for op in module.walk()
        if isinstance(op, nv_tileas.AgentSwitchOp)
        for value in (*op.inputs, *captured_values(op))
    )


def test_no_tile_of_a_random_program_crosses():
    crossed = 0
    for seed in range(100):
        module = generate(seed).module.clone()
        before = _tiles_that_cross(module)
        if before:
            crossed += 1
            tools.run_passes(module, PASS)
            assert _tiles_that_cross(module) == 0, f"seed {seed}"
            compare(generate(seed), [PASS])
    assert crossed > 10


SCHEDULED = ("attention_warpgroup", "persistent_matmul_warpgroup", "matmul_f16_warpgroup")


@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a"])
@pytest.mark.parametrize("name", SCHEDULED)
def test_after_the_schedule_nothing_goes_through_memory(name: str, gpu: str):
    """So that the stages of pipelines, which have all memory that is left, may keep it."""
    path = REPOSITORY / "tileir_xdsl" / "testing" / "kernels" / "divisible" / f"{name}.mlir"
    module, runs = tools.parse(path.read_text("utf-8")), 0
    for module_pass in passes(gpu):
        resolves = module_pass.name == PASS
        switches = [op for op in module.walk() if isinstance(op, nv_tileas.AgentSwitchOp)]
        buffers = _buffers(module)
        if resolves and switches:
            crossing = [value for op in switches for value in boundary_values_of(op)]
            assert Transfer.SHARED_MEMORY not in {value.transfer for value in crossing}
            runs += 1
        module_pass.apply(tools.context(), module)
        if resolves:
            assert _buffers(module) == buffers
        if runs:
            break
    assert runs == 1


def _buffers(module: ModuleOp) -> int:
    return sum(isinstance(op, nv_tileas.AllocTensorOp) for op in module.walk())


def test_a_captured_tile_is_filled_once_and_read_by_those_that_use_it():
    after = _after(_make() + _agents(_use("%t"), "", _use("%t") + _use("%t")))
    tools.check(
        after,
        f"""
// CHECK:      %t = "make"()
// CHECK-NEXT: %[[B:.*]] = nv_tileas.alloc_tensor : {BUFFER}
// CHECK-NEXT: %{{{{.*}}}} = nv_tileas.copy %t into %[[B]] : {TILE} into {BUFFER} -> {BUFFER}
// CHECK-NEXT: {SWITCH}
// CHECK-NEXT:   %[[X:.*]] = nv_tileas.copy %[[B]] : {BUFFER} -> {TILE}
// CHECK-NEXT:   "use"(%[[X]])
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
// CHECK-NEXT: }}, {{
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
// CHECK-NEXT: }}, {{
// CHECK-NEXT:   %[[Y:.*]] = nv_tileas.copy %[[B]] : {BUFFER} -> {TILE}
// CHECK-NEXT:   "use"(%[[Y]])
// CHECK-NEXT:   "use"(%[[Y]])
""",
    )


def test_what_is_added_is_where_the_switch_is():
    text = _make() + _agents(_use("%t")).rstrip() + ' loc("kernel.py":7:1)\n'
    module = tools.run_passes(_function(text), PASS)
    added = (nv_tileas.AllocTensorOp, nv_tileas.CopyOp)
    locations = [str(op.location) for op in module.walk() if isinstance(op, added)]
    assert locations == ['loc("kernel.py":7:1)'] * 3


def test_each_layout_that_an_agent_wants_is_read_once():
    tile, wanted = f"tensor<128xf32, {LAYOUT}>", f"tensor<128xf32, {OTHER}>"
    body = (
        f"%a = nv_tileas.convert_layout %t : {tile} -> {wanted}\n"
        f"%b = nv_tileas.convert_layout %t : {tile} -> {wanted}\n"
        f"{_use('%a', wanted)}{_use('%b', wanted)}{_use('%t', tile)}"
    )
    tools.check(
        _after(_make(tile) + _agents(body)),
        f"""
// CHECK:      {SWITCH}
// CHECK-NEXT:   %[[A:.*]] = nv_tileas.copy %[[B:.*]] {{atom = #nv_tileas<atom lds_128>}} : {BUFFER} -> {wanted}
// CHECK-NEXT:   %[[T:.*]] = nv_tileas.copy %[[B]] {{atom = #nv_tileas<atom lds_32>}} : {BUFFER} -> {tile}
// CHECK-NEXT:   "use"(%[[A]])
// CHECK-NEXT:   "use"(%[[A]])
// CHECK-NEXT:   "use"(%[[T]])
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
""",
    )


IN_PLACE = {
    "a scalar": "i32",
    "a pointer": "!nv_tileaa.ptr<f32>",
    "a buffer": BUFFER,
    "a view": "!nv_tileaa.tiled_view<8xf32, !nv_tileaa.memref<48xf32, strides = [1]>>",
    "a pipeline": "!nv_tileas.async.pipeline.producer_token",
    "a memory token": "!nv_tileaa.mem_token",
}


@pytest.mark.parametrize("type_", IN_PLACE.values(), ids=IN_PLACE)
def test_what_agents_can_use_stays(type_: str):
    body = _make(type_) + _agents(_use("%t", type_))
    assert _after(body) == tools.to_text(_function(body))


def test_cheap_tiles_are_computed_again():
    index = "tensor<128xi32>"
    body = (
        f"%c0 = arith.constant 0 : i32\n%c128 = arith.constant 128 : i32\n"
        f"%r = nv_tileaa.make_range %c0, %c128 : i32 -> {index}\n"
        f"%s = nv_tileaa.splat %n : i32 -> {index}\n%t = arith.addi %r, %s : {index}\n"
    )
    tools.check(
        _after(body + _agents(_use("%t", index))),
        f"""
// CHECK:      {SWITCH}
// CHECK-NEXT:   %[[R:.*]] = nv_tileaa.make_range %c0, %c128 :
// CHECK-NEXT:   %[[S:.*]] = nv_tileaa.splat %n
// CHECK-NEXT:   %[[T:.*]] = arith.addi %[[R]], %[[S]] : {index}
// CHECK-NEXT:   "use"(%[[T]])
""",
    )


@pytest.mark.parametrize(
    ("element", "op"),
    [
        ("f32", "arith.divf %s, %s : {0}"),
        ("i32", "arith.sitofp %s : {0} to tensor<128xf32>"),
        ("f32", "nv_tileaa.mulf %s, %s : {0}"),
    ],
)
def test_computations_on_floats_are_not_repeated(element: str, op: str):
    """They may be divisions or conversions: of several agents each gets the result by memory."""
    tile, result = f"tensor<128x{element}>", TILE
    value = {"f32": "%f", "i32": "%n"}[element]
    body = (
        f"%f = arith.constant 1.0 : f32\n%s = nv_tileaa.splat {value} : {element} -> {tile}\n"
        f"%t = {op.format(tile)}\n"
    )
    after = _after(body + _agents(_use("%t", result), _use("%t", result)))
    assert after.count(op.partition(" ")[0]) == 1
    assert "nv_tileas.alloc_tensor" in after


def test_long_computations_are_not_repeated():
    index = "tensor<128xi32>"
    steps = "".join(f"%{k + 1} = arith.addi %{k}, %{k} : {index}\n" for k in range(8))
    body = f"%0 = nv_tileaa.splat %n : i32 -> {index}\n{steps}"
    after = _after(body + _agents(_use("%8", index), _use("%8", index)))
    assert "nv_tileas.alloc_tensor" in after
    assert after.count("arith.addi") == 8


def test_what_one_agent_alone_uses_is_computed_there_where_it_is_used_first():
    steps = "".join(f"%{k + 1} = nv_tileaa.mulf %{k}, %{k} : {TILE}\n" for k in range(12))
    constants = f"%c = arith.constant 1.0 : f32\n%0 = nv_tileaa.splat %c : f32 -> {TILE}\n"
    other = "%s = nv_tileaa.splat %n : i32 -> tensor<128xi32>\n"
    loop = "scf.for %k = %i to %i step %i {\n" + _use("%12") + "}\n"
    agent = '"before"() : () -> ()\n' + _use("%s", "tensor<128xi32>") + loop + _use("%0")
    tools.check(
        _after(constants + other + steps + _agents(agent, "")),
        f"""
// CHECK:      %c = arith.constant
// CHECK-NEXT: {SWITCH}
// CHECK-NEXT:   "before"()
// CHECK-NEXT:   %s = nv_tileaa.splat %n
// CHECK-NEXT:   "use"(%s)
// CHECK-NEXT:   %[[Z:.*]] = nv_tileaa.splat %c
// CHECK-COUNT-12: nv_tileaa.mulf
// CHECK-NEXT:   scf.for
// CHECK-NEXT:     "use"
// CHECK-NEXT:   }}
// CHECK-NEXT:   "use"(%[[Z]])
// CHECK-NEXT:   nv_tileas.async.pipeline.yield
""",
    )


def test_what_is_made_of_a_tile_in_memory_crosses_itself():
    tile, added = f"%u = nv_tileaa.addf %t, %t : {TILE}\n", _agents(_use("%u"))
    assert _after(_make() + tile + added).count("nv_tileas.alloc_tensor") == 1
    # Two tiles and no sum would take two buffers.
    pair = _make() + _make().replace("%t", "%v") + tile.replace("%t, %t", "%t, %v") + added
    assert _after(pair).count("nv_tileas.alloc_tensor") == 1


def test_what_is_used_before_the_switch_too_stays_there():
    tile = "%s = nv_tileaa.splat %n : i32 -> tensor<128xi32>\n" + _use("%s", "tensor<128xi32>")
    after = _after(tile + _agents(_use("%s", "tensor<128xi32>")))
    assert after.count("nv_tileaa.splat") == 2


def test_what_a_computation_that_stays_uses_stays_before_it():
    """A sum that needs a tile of both agents is where it was, and so is its other operand."""
    body = (
        _make()
        + f"%k = arith.constant dense<1.0> : {TILE}\n%l = nv_tileaa.mulf %k, %k : {TILE}\n"
        + f"%s = nv_tileaa.addf %t, %l : {TILE}\n"
        + _agents(_use("%s") + _use("%t"), _use("%t"))
    )
    module = tools.run_passes(_function(body), PASS)
    verify_dominance(module)
    assert _tiles_that_cross(module) == 0
    (total,) = (op for op in module.walk() if isinstance(op, nv_tileaa.AddFOp))
    assert not isinstance(total.parent_op(), nv_tileas.AgentSwitchOp)


def test_isolated_agents_get_all_as_operands():
    body = (
        "%c = arith.constant dense<1.0> : tensor<128xf32>\n"
        f"%s = nv_tileaa.splat %n : i32 -> tensor<128xi32>\n{_make()}"
        f"{SWITCH} %c, %s, %t {{num_agents_per_group = 1 : i32, isolated = true}} : "
        f"({TILE}, tensor<128xi32>, {TILE}) {{\n^bb0(%x: {TILE}, %y: tensor<128xi32>, %z: {TILE}):\n"
        f"{_use('%x')}{_use('%y', 'tensor<128xi32>')}{_use('%z')}{YIELD}}}\n"
    )
    tools.check(
        _after(body),
        f"""
// CHECK:      {SWITCH} %[[B:.*]], %n {{num_agents_per_group = 1 : i32, isolated = true}} :
// CHECK-NEXT: ^bb0(%[[A:.*]]: {BUFFER.replace("tensor", "tile")}, %[[N:.*]]: i32):
""",
    )


@pytest.mark.parametrize("order", kernels.ORDERS, ids=lambda order: type(order).__name__)
def test_a_tile_that_is_given_twice_goes_through_one_buffer(order: MemoryOrder):
    """Every argument that stands for it becomes that buffer, between others that stay."""
    tile = "tensor<4x8xf32>"
    shared = "tile<4x8xf32, #nv_tileas.memory<smem>>"
    body = (
        f"%t = nv_tileas.tiled_load weak %in[%c1, %c0] : {kernels.VIEW}[index, index] -> {tile}\n"
        f"{SWITCH} %t, %c1, %t {{num_agents_per_group = 1 : i32}} : ({tile}, index, {tile}) {{\n"
        f"^bb0(%x: {tile}, %n: index, %y: {tile}):\n"
        f"%d = nv_tileaa.addf %x, %y : {tile}\n"
        f"nv_tileas.tiled_store weak %d, %out[%n, %c0] : {tile}, {kernels.VIEW}[index, index]\n"
        f"{YIELD}}}, {{\n^bb0(%x2: {tile}, %n2: index, %y2: {tile}):\n"
        f"nv_tileas.tiled_store weak %y2, %out[%c0, %c0] : {tile}, {kernels.VIEW}[index, index]\n"
        f"{YIELD}}}\n"
    )
    module = tools.run_passes(tools.parse(kernels.kernel(body)), PASS)
    assert _buffers(module) == 1 and _tiles_that_cross(module) == 0
    text = tools.to_text(module)
    assert text.count(f"({shared}, index, {shared})") == 1
    data = np.arange(128, dtype=np.float32).reshape(16, 8)
    out = np.zeros_like(data)
    launch(module, "k", (1, 1, 1), [data, out], memory_order=order)
    np.testing.assert_array_equal(out[4:8], 2 * data[4:8])
    np.testing.assert_array_equal(out[:4], data[4:8])


def test_a_cheap_tile_that_is_given_twice_is_no_operand_any_more():
    index = "tensor<128xi32>"
    body = (
        f"%s = nv_tileaa.splat %n : i32 -> {index}\n"
        f"{SWITCH} %s, %n, %s {{num_agents_per_group = 1 : i32}} : ({index}, i32, {index}) {{\n"
        f"^bb0(%x: {index}, %m: i32, %y: {index}):\n"
        f"{_use('%x', index)}{_use('%y', index)}{_use('%m', 'i32')}{YIELD}}}\n"
    )
    tools.check(
        _after(body),
        f"""
// CHECK:      {SWITCH} %n {{num_agents_per_group = 1 : i32}} : (i32)
// CHECK-NEXT: ^bb0(%[[M:.*]] : i32):
// CHECK-NEXT:   %[[S:.*]] = nv_tileaa.splat %n
// CHECK-NEXT:   "use"(%[[S]])
// CHECK-NEXT:   "use"(%[[S]])
// CHECK-NEXT:   "use"(%[[M]])
""",
    )


def test_a_value_that_is_being_computed_is_waited_for():
    payload = f"!async.value<{TILE}>"
    after = _after(_make(payload) + _agents(_use("%t", payload)))
    tools.check(
        after,
        f"""
// CHECK:      %[[W:.*]] = nv_tileas.async.future_wait %t
// CHECK:      nv_tileas.copy %[[W]] into
// CHECK:      {SWITCH}
// CHECK-NEXT:   %[[X:.*]] = nv_tileas.copy
// CHECK-NEXT:   %[[Y:.*]] = nv_tileas.async.to_async %[[X]] :
// CHECK-NEXT:   "use"(%[[Y]])
""",
    )


@pytest.mark.parametrize("order", kernels.ORDERS, ids=lambda order: type(order).__name__)
def test_agents_get_what_was_there_before_them(order: MemoryOrder):
    """Every iteration of a loop transfers another tile, to agents that run before the next one."""
    body = (
        "scf.for %k = %c0 to %c3 step %c1 {\n"
        f"%t = nv_tileas.tiled_load weak %in[%k, %c0] : {kernels.VIEW}[index, index] -> tensor<4x8xf32>\n"
        + _agents(
            "%d = nv_tileaa.addf %t, %t : tensor<4x8xf32>\n"
            f"nv_tileas.tiled_store weak %d, %out[%k, %c0] : tensor<4x8xf32>, {kernels.VIEW}[index, index]\n",
            "",
        )
        + "}\n"
    )
    data = np.arange(128, dtype=np.float32).reshape(16, 8)
    out = np.zeros_like(data)
    module = tools.run_passes(tools.parse(kernels.kernel(body)), PASS)
    launch(module, "k", (1, 1, 1), [data, out], memory_order=order)
    np.testing.assert_array_equal(out[:12], 2 * data[:12])


def test_the_report_tells_how_each_value_crosses(tmp_path: Path):
    index = "tensor<128xi32>"
    splats = "".join(f"%{name} = nv_tileaa.splat %n : i32 -> {index}\n" for name in "su")
    body = f"{splats}{_make()}" + _agents(
        _use("%t") + _use("%s", index) + _use("%u", index) + _use("%n", "i32"), _use("%s", index)
    )
    file = tmp_path / "report.json"
    tools.run_passes(_function(body), f'{PASS}{{explain="{file}"}}')
    assert json.loads(file.read_text()) == {
        "pass": PASS,
        "functions": {
            "f": [
                {
                    "agents": f"#3 {SWITCH}",
                    "boundary values": [
                        {
                            "value": "%t",
                            "type": TILE,
                            "transfer": "through shared memory",
                            "bytes": 512,
                        },
                        {
                            "value": "%s",
                            "type": "tensor<128xi32>",
                            "transfer": "computed again",
                            "ops": "#0 nv_tileaa.splat %s",
                        },
                        {
                            "value": "%u",
                            "type": "tensor<128xi32>",
                            "transfer": "computed there",
                            "ops": "#1 nv_tileaa.splat %u",
                        },
                        {"value": "%n", "type": "i32", "transfer": "consumed in place"},
                    ],
                }
            ]
        },
    }
