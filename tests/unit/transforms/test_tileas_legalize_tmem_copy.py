"""`tileas-legalize-tmem-copy`: forms, diagnostics, and values before, behind and in PTX."""

import numpy as np
import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr, ModuleOp, StringAttr
from xdsl.utils.exceptions import DiagnosticException

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileas.layout import register_layout
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.tensor_memory import (
    tensor_memory_accumulator,
    tensor_memory_addresses,
)
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools

PASS = "tileas-legalize-tmem-copy"
GPU = "sm_100a"
OBJECT = "!nv_tileaa.memref<{m}x64xf32, strides = [64, 1]>"
VIEW = "!nv_tileaa.tiled_view<{m}x64xf32, {object}>"


def shared(rows: int) -> str:
    """A tile in shared memory."""
    return f"tensor<{rows}x64xf32, #nv_tileas.memory<smem>>"


def tensor(rows: int, layout: str = "") -> str:
    """A tile in tensor memory."""
    return f"tensor<{rows}x64xf32, #nv_tileas.memory<tmem{layout}>>"


def registers(rows: int, warps: int) -> str:
    """A tile in registers: four neighbours in each, as a load of global memory gives them."""
    return f"tensor<{rows}x64xf32, {register_layout(blocked((rows, 64), 4, warps))}>"


def kernel(body: str, rows: int = 128, warps: int = 4) -> str:
    """A kernel that loads `%x`, and stores `%y`; tiles in between are where the body puts them."""
    tile = registers(rows, warps)
    memref = OBJECT.format(m=rows)
    view = VIEW.format(m=rows, object=memref)
    views = "".join(
        f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<f32> -> {memref}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: {rows}, 64>, "
        f"dimGroups = [[0 : i64], [1 : i64]]}} : {memref} -> {view}\n"
        for name in ("a", "out")
    )
    body = body.format(
        r=tile, s=shared(rows), t=tensor(rows), copy="nv_tileas.copy", to="nv_tileas.convert_layout"
    )
    return f"""
    builtin.module attributes {{nv_tileaa.target_spec = "{GPU}"}} {{
    nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f32>, %out_ptr: !nv_tileaa.ptr<f32>)
        attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = {warps}, num_ctas = 1>}} {{
    %n0 = arith.constant 0 : index
    {views}
    %x = nv_tileas.tiled_load weak %a[%n0, %n0] {{atom = #nv_tileas<atom ldg_128>}} : {view}[index, index] -> {tile}
    {body}
    nv_tileas.tiled_store weak %y, %out[%n0, %n0] {{atom = #nv_tileas<atom stg_128>}} : {tile}, {view}[index, index]
    nv_tileaa.return
    }}
    }}
    """


BODIES = {
    "by conversions": """
        %t = {to} %x : {r} -> {t}
        %y = {to} %t : {t} -> {r}
    """,
    "into a tile": """
        %t0 = nv_tileas.alloc_tensor : {t}
        %t = {copy} %x into %t0 : {r} into {t} -> {t}
        %y = {copy} %t : {t} -> {r}
    """,
    "over shared memory": """
        %s = {to} %x : {r} -> {s}
        %t = {to} %s : {s} -> {t}
        %u = {to} %t : {t} -> {s}
        %y = {to} %u : {s} -> {r}
    """,
    "into shared memory": """
        %s0 = nv_tileas.alloc_tensor : {s}
        %t = {to} %x : {r} -> {t}
        %s = {copy} %t into %s0 : {t} into {s} -> {s}
        %y = {to} %s : {s} -> {r}
    """,
    "two tiles": """
        %d = nv_tileaa.addf %x, %x : {r}
        %t = {to} %x : {r} -> {t}
        %u = {to} %d : {r} -> {t}
        %v = {to} %t : {t} -> {r}
        %w = {to} %u : {t} -> {r}
        %y = nv_tileaa.subf %w, %v : {r}
    """,
    "by accesses": """
        %t = nv_tileas.alloc_tensor : {t}
        nv_tileas.tiled_store %x, %t : {r}, {t}
        %y = nv_tileas.tiled_load %t : {t} -> {r}
    """,
    "by accesses of shared memory": """
        %s = nv_tileas.alloc_tensor : {s}
        nv_tileas.tiled_store %x, %s : {r}, {s}
        %y = nv_tileas.tiled_load %s : {s} -> {r}
    """,
    "by accesses in an order": """
        %t = nv_tileas.alloc_tensor : {t}
        %0 = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
        %1 = nv_tileas.tiled_store %x, %t token = %0 : {r}, {t} -> !nv_tileaa.mem_token
        %y, %2 = nv_tileas.tiled_load %t token = %1 : {t} -> {r}, !nv_tileaa.mem_token
    """,
}
"""What gives `%y` the elements of `%x`."""


def problem(rows: int) -> tuple[Array, Array]:
    values = np.arange(rows * 64, dtype=np.float32).reshape(rows, 64)
    return values, np.zeros_like(values)


def check_ptx(module: ModuleOp, rows: int) -> None:
    """Checks that a kernel copies its values in the emulator, late and with races looked for."""
    lowered = tools.run_passes(module, tools.TO_LLVM)
    values, out = problem(rows)
    emulator.load(emit(lowered, GPU)).launch(
        "k",
        (1, 1, 1),
        [values, out],
        dynamic_shared=dynamic_shared_memory(lowered, "k"),
        late=True,
        races=True,
    )
    np.testing.assert_array_equal(out, values)


@pytest.mark.parametrize("name", BODIES)
def test_locations_are_kept(name: str):
    """Each access has the line of a move, for the debugger and the report."""
    module = tools.parse(kernel(BODIES[name]))
    places: set[LocationAttr] = set()
    for line, op in enumerate(module.walk()):
        op.location = FileLineColLoc(StringAttr("k"), IntAttr(line), IntAttr(1))
        places.add(op.location)
    assert {op.location for op in tools.run_passes(module, PASS).walk()} <= places


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("rows", "warps"), [(128, 4), (64, 4), (128, 8)])
@pytest.mark.parametrize("name", BODIES)
def test_values(name: str, rows: int, warps: int):
    """Before the pass, behind it, and in PTX."""
    module = tools.parse(kernel(BODIES[name], rows, warps))
    for passes in ("", PASS):
        if passes:
            module = tools.run_passes(module, passes)
            module.verify()
        values, out = problem(rows)
        interpreters.launch(module, "k", (1, 1, 1), [values, out])
        np.testing.assert_array_equal(out, values)
    check_ptx(module, rows)


def test_shared_memory_is_reached_through_registers():
    body = BODIES["over shared memory"]
    access = "tensor<128x64xf32, #nv_tileas.layout<(64, 32, 4, 1), (1, 64, 2048, 0)>>"
    tools.check(
        tools.to_text(tools.run_passes(tools.parse(kernel(body)), PASS)),
        f"""
        // CHECK: %[[READ:.*]] = nv_tileas.convert_layout %s : {shared(128)} -> {access}
        // CHECK-NEXT: %[[BUFFER:.*]] = nv_tileas.alloc_tensor : {tensor(128)}
        // CHECK-NEXT: %t = nv_tileas.copy %[[READ]] into %[[BUFFER]] {{atom = #nv_tileas<atom tmem_store_32x32b_x64>}} : {access} into {tensor(128)} -> {tensor(128)}
        // CHECK-NEXT: %[[COPY:.*]] = nv_tileas.copy %t {{atom = #nv_tileas<atom tmem_load_32x32b_x64>}} : {tensor(128)} -> {access}
        // CHECK-NEXT: %u = nv_tileas.convert_layout %[[COPY]] : {access} -> {shared(128)}
        """,
    )


def test_layouts_of_an_access_stay():
    """No conversion stands between a tile and an access that fills its registers."""
    access = "tensor<128x64xf32, #nv_tileas.layout<(64, 32, 4, 1), (1, 64, 2048, 0)>>"
    body = f"""
        %z = {{to}} %x : {{r}} -> {access}
        %t = {{to}} %z : {access} -> {{t}}
        %u = {{to}} %t : {{t}} -> {access}
        %y = {{to}} %u : {access} -> {{r}}
    """
    text = tools.to_text(tools.run_passes(tools.parse(kernel(body)), PASS))
    assert text.count("convert_layout") == 2 and text.count("atom tmem_") == 2


def test_other_copies_stay():
    body = """
        %s0 = nv_tileas.alloc_tensor : {s}
        %s = {copy} %x into %s0 : {r} into {s} -> {s}
        %y = {to} %s : {s} -> {r}
    """
    module = tools.parse(kernel(body))
    assert tools.to_text(tools.run_passes(module.clone(), PASS)) == tools.to_text(module)


STRANGE = ", <(128, 64), (1, 128)>"

FAILURES = {
    "failed to infer register layout from tmem layout": f"""
        %t = nv_tileas.alloc_tensor : {tensor(128, STRANGE)}
        %y = {{to}} %t : {tensor(128, STRANGE)} -> {{r}}
    """,
    "failed to infer source layout from tmem layout": f"""
        %t = {{to}} %x : {{r}} -> {tensor(128, STRANGE)}
        %y = {{to}} %t : {tensor(128, STRANGE)} -> {{r}}
    """,
}


@pytest.mark.parametrize("message", FAILURES)
def test_layouts_that_no_access_reaches(message: str):
    module = tools.parse(kernel(FAILURES[message]))
    with pytest.raises(DiagnosticException, match=message):
        tools.run_passes(module, PASS)


@pytest.mark.parametrize("warps", (1, 2))
@pytest.mark.parametrize("rows", (64, 128))
def test_less_than_a_warpgroup_reaches_only_some_lanes(warps: int, rows: int):
    position = tensor(rows)
    body = f"%t = nv_tileas.alloc_tensor : {position}\n%y = {{to}} %t : {position} -> {{r}}"
    with pytest.raises(DiagnosticException, match="infer register layout from tmem layout"):
        tools.run_passes(tools.parse(kernel(body, rows, warps)), PASS)


@pytest.mark.parametrize("rows", (64, 128))
def test_the_layout_may_be_written_out(rows: int):
    addresses = tensor_memory_addresses((rows, 64))
    places = tensor_memory_accumulator((rows, 64))
    for row, column in ((0, 0), (17, 5), (rows - 1, 63)):
        assert addresses((row, column)) == places.address(64 * row + column)
    layout = "<((16, 4), 64), ((65536, 2097152), 1)>" if rows == 64 else "<(128, 64), (65536, 1)>"
    given = tensor(rows, f", {layout}")
    body = f"%t = {{to}} %x : {{r}} -> {given}\n%y = {{to}} %t : {given} -> {{r}}"
    assert "tmem_load" in tools.to_text(tools.run_passes(tools.parse(kernel(body, rows)), PASS))


IN_AGENTS = """
    nv_tileas.async.pipeline.agent_switch {{num_agents_per_group = 1 : i32, isolated = false,
      num_warps = array<i32: 8, 4>, warp_id = array<i32: 0, 8>, agent_strides = array<i32: 8, 4>}} {{
    {body}
    nv_tileas.async.pipeline.yield
    }}, {{
    nv_tileas.async.pipeline.yield
    }}
"""


@pytest.mark.parametrize("name", BODIES)
def test_the_warps_of_an_agent_divide_the_tile(name: str):
    """Not those that the kernel was planned with."""
    before, start, rest = kernel(BODIES[name], warps=8).partition("%x = ")
    body, end, after = rest.partition("nv_tileaa.return")
    text = before + IN_AGENTS.format(body=start + body) + end + after
    module = tools.run_passes(tools.parse(text.replace("num_warps = 8,", "num_warps = 4,")), PASS)
    assert "<(64, 32, 4, 1)" not in tools.to_text(module)
    check_ptx(module, 128)
