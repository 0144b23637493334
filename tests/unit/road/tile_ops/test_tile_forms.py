"""Ops on tiles that no Tile IR program has: computed elements, counts, other views of the bits."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.agreement import DTYPES, Array
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps

REST = [
    step.module_pass
    for step in steps("sm_90a")
    if step.module_pass.name not in ("convert-cuda-tile-to-tileaa", "loop-split", "fuse-fma")
]
"""The passes from nv_tileaa on; as registered they refuse a mixture of levels, as here."""


def kernel(body: str, *pointers: str) -> str:
    """A kernel with pointers %p0, %p1, ... and the coordinate %zero."""
    parameters = ", ".join(
        f"%p{n}: !nv_tileaa.ptr<{element}>" for n, element in enumerate(pointers)
    )
    return f"""
module attributes {{nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"}} {{
  nv_tileaa.func @k({parameters}) attributes {{
      nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
    %zero = arith.constant 0 : i32
    {body}
    nv_tileaa.return
  }}
}}
"""


def view(number: int, count: int, element: str) -> tuple[str, str]:
    """A view %v<n> of the array at %p<n> as one tile, and its type."""
    memref = f"!nv_tileaa.memref<{count}x{element}, strides = [1]>"
    type = f"!nv_tileaa.tiled_view<{count}x{element}, {memref}>"
    return (
        f"""
    %m{number} = nv_tileaa.make_memref %p{number} : !nv_tileaa.ptr<{element}> -> {memref}
    %v{number} = nv_tileaa.block_tile %m{number} {{tileSizes = array<i64: {count}>, dimGroups = [[0]]}} : {memref} -> {type}
    """,
        type,
    )


def load(number: int, count: int, element: str) -> str:
    """Loads the tile %x<n>."""
    text, type = view(number, count, element)
    result = f"tensor<{count}x{element}>"
    return f"{text} %x{number}, %l{number} = nv_tileaa.tiled_load weak %v{number}[%zero] : {type}[i32] -> {result}, !nv_tileaa.mem_token"


def store(number: int, count: int, element: str) -> str:
    """Stores the tile %y."""
    text, type = view(number, count, element)
    return f"{text} %s{number} = nv_tileaa.tiled_store weak %y, %v{number}[%zero] : tensor<{count}x{element}>, {type}[i32] -> !nv_tileaa.mem_token"


def lowered(text: str) -> ModuleOp:
    module, context = tools.parse(text), tools.context()
    for module_pass in REST:
        module_pass.apply(context, module)
    return module


def run_both(text: str, *arguments: Array) -> Array:
    """The last array after a run in the interpreter and as PTX, which must agree."""
    first, last = ([a.copy() for a in arguments] for _ in range(2))
    interpreters.launch(tools.parse(text), "k", (1, 1, 1), first)
    ptx = emit(lowered(text))
    emulator.load(ptx).launch("k", (1, 1, 1), last, races=True)
    np.testing.assert_array_equal(last[-1].view(np.uint8), first[-1].view(np.uint8))
    return last[-1]


@pytest.mark.parametrize(("rows", "columns"), [(8, 32), (1, 4), (64, 16)])
def test_elements_computed_from_indices(rows: int, columns: int):
    body = f"""
    %x = nv_tileaa.generate : tensor<{rows}x{columns}xi32> {{
    ^bb0(%i: i32, %j: i32):
      %c = arith.constant 100 : i32
      %r = arith.muli %i, %c : i32
      %e = arith.addi %r, %j : i32
      nv_tileaa.yield %e : i32
    }}
    %y = nv_tileaa.view %x : tensor<{rows}x{columns}xi32> -> tensor<{rows * columns}xi32>
    """
    count = rows * columns
    result = run_both(kernel(body + store(0, count, "i32"), "i32"), np.zeros(count, np.int32))
    wanted = 100 * np.arange(rows)[:, None] + np.arange(columns)
    np.testing.assert_array_equal(result, wanted.ravel())


@pytest.mark.parametrize(
    ("count", "element", "bins", "counter"),
    [(256, "i32", 32, "i32"), (16, "i8", 128, "i64"), (1024, "i16", 4, "i8"), (2, "i64", 8, "i32")],
)
def test_histograms(count: int, element: str, bins: int, counter: str):
    body = f"""{load(0, count, element)}
    %y = nv_tileaa.histogram %x0 : tensor<{count}x{element}> -> tensor<{bins}x{counter}>
    {store(1, bins, counter)}"""
    values = np.random.default_rng(3).integers(-2, bins + 3, count).astype(DTYPES[element])
    result = run_both(kernel(body, element, counter), values, np.zeros(bins, DTYPES[counter]))
    numbers = values.tolist()
    wanted = np.array([numbers.count(value) for value in range(bins)])
    np.testing.assert_array_equal(result, wanted.astype(DTYPES[counter]))


@pytest.mark.parametrize(
    ("source", "result"),
    [("i32", "f32"), ("i32", "i8"), ("f16", "i64"), ("f64", "bf16"), ("i8", "f32")],
)
def test_bits_as_elements_of_another_type(source: str, result: str):
    data = np.random.default_rng(5).integers(0, 256, 512, np.uint8).view(DTYPES[source])
    count = data.nbytes // DTYPES[result].itemsize
    body = f"""{load(0, len(data), source)}
    %y = nv_tileas.reinterpret %x0 : tensor<{len(data)}x{source}> -> tensor<{count}x{result}>
    {store(1, count, result)}"""
    found = run_both(kernel(body, source, result), data, np.zeros(count, DTYPES[result]))
    np.testing.assert_array_equal(found.view(np.uint8), data.view(np.uint8))


def test_lanes_exchange_elements():
    deal = "#nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>"
    other = "#nv_tileas.layout<(2, 32, 1, 1), (32, 1, 0, 0)>"
    pointers = f"tensor<64x!nv_tileaa.ptr<i32>, {other}>"
    body = f"""
    %end = arith.constant 64 : i32
    %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<64xi32, {deal}>
    %y = nv_tileas.shuffle %x : tensor<64xi32, {deal}> -> tensor<64xi32, {other}>
    %i = nv_tileaa.make_range %zero, %end : i32 -> tensor<64xi32, {other}>
    %b = nv_tileaa.splat %p0 : !nv_tileaa.ptr<i32> -> {pointers}
    %q = nv_tileaa.addptr %b, %i : {pointers}, tensor<64xi32, {other}>
    %t = nv_tileas.store weak %q, %y {{atom = #nv_tileas<atom stg_32>}} : {pointers}, tensor<64xi32, {other}> -> !nv_tileaa.mem_token
    """
    text = kernel(body, "i32").replace("num_warps = 4", "num_warps = 1")
    ptx = emit(tools.run_passes(tools.parse(text), tools.TO_LLVM))
    assert "shfl.sync.idx" in ptx and "shared" not in ptx
    result = np.zeros(64, np.int32)
    emulator.load(ptx).launch("k", (1, 1, 1), [result], races=True)
    np.testing.assert_array_equal(result, np.arange(64))


def test_notes_leave_values_as_they_are():
    body = f"""{load(0, 256, "i32")}
    nv_tileaa.message "before"
    %o, %l = nv_tileaa.optimization_barrier %x0, %l0 : tensor<256xi32>, !nv_tileaa.mem_token -> tensor<256xi32>, !nv_tileaa.mem_token
    %y = nv_tileaa.pragma attributes {{ocgEnterDirectives = ["nounroll"], ocgLeaveDirectives = ["unroll"]}} : tensor<256xi32> {{
      %s = arith.addi %o, %x0 : tensor<256xi32>
      nv_tileaa.yield %s : tensor<256xi32>
    }}
    {store(1, 256, "i32")}"""
    text = kernel(body, "i32", "i32")
    data = np.arange(256, dtype=np.int32)
    np.testing.assert_array_equal(run_both(text, data, np.zeros(256, np.int32)), 2 * data)
    lines = [line.strip() for line in emit(lowered(text)).splitlines()]
    first, last = lines.index('.pragma "nounroll";'), lines.index('.pragma "unroll";')
    assert any(line.startswith("add") for line in lines[first:last])


def test_lanes_exchange_addresses():
    deal = "#nv_tileas.layout<(2, 32, 1, 1), (1, 2, 0, 0)>"
    other = "#nv_tileas.layout<(2, 32, 1, 1), (32, 1, 0, 0)>"
    pointers = "tensor<64x!nv_tileaa.ptr<i32>"
    body = f"""
    %end = arith.constant 64 : i32
    %i = nv_tileaa.make_range %zero, %end : i32 -> tensor<64xi32, {deal}>
    %b = nv_tileaa.splat %p0 : !nv_tileaa.ptr<i32> -> {pointers}, {deal}>
    %q = nv_tileaa.addptr %b, %i : {pointers}, {deal}>, tensor<64xi32, {deal}>
    %r = nv_tileas.convert_layout %q {{atom_plan = #nv_tileas.atom_plan<shuffle>}} : {pointers}, {deal}> -> {pointers}, {other}>
    %x = nv_tileaa.make_range %zero, %end : i32 -> tensor<64xi32, {other}>
    %t = nv_tileas.store weak %r, %x {{atom = #nv_tileas<atom stg_32>}} : {pointers}, {other}>, tensor<64xi32, {other}> -> !nv_tileaa.mem_token
    """
    text = kernel(body, "i32").replace("num_warps = 4", "num_warps = 1")
    module = tools.run_passes(tools.parse(text), "tileas-select-lowering")
    assert "nv_tileas.shuffle" in str(module)
    ptx = emit(tools.run_passes(module, tools.TO_LLVM))
    assert "shfl.sync.idx" in ptx and "shared" not in ptx
    result = np.zeros(64, np.int32)
    emulator.load(ptx).launch("k", (1, 1, 1), [result], races=True)
    np.testing.assert_array_equal(result, np.arange(64))
