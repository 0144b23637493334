"""Tiles that are larger than the scratch memory of their op go through it in windows."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.agreement import shaped, whole_tiles
from tileir_xdsl import emulator
from tileir_xdsl.analysis.allocation.scratch_requests import goes_in_steps, scratch_uses
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.nv_tileas.allocations import STEPS, as_steps
from tileir_xdsl.dialects.scratch import Staging
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools

SELECTED = "tileas-assign-load-store-layouts,tileas-select-lowering"
ALLOCATED = tools.TO_LLVM.removeprefix("tileas-select-lowering,")
FROM_TILEAA = f"convert-tileaa-to-tileas,{SELECTED}"
FROM_CUDA_TILE = f"convert-cuda-tile-to-tileaa,{FROM_TILEAA}"

STAGED = (
    nv_tileaa.HistogramOp,
    nv_tileaa.PrintOp,
    nv_tileas.ExtractSliceOp,
    nv_tileas.InsertSliceOp,
)

WINDOWS = pytest.mark.parametrize("windows", [1, 2, 8])
"""A tile at once, and in parts that one register of a thread or another has."""

Array = np.ndarray[Any, Any]
Run = Callable[..., None]


def compiled(text: str, passes: str, windows: int) -> Run:
    """Compiles @k with its tile in windows; runs it in race mode."""
    module = tools.run_passes(tools.parse(text), passes)
    divide(module, windows)
    tools.run_passes(module, ALLOCATED)
    program, shared = emulator.load(emit(module)), dynamic_shared_memory(module, "k")

    def run(*arguments: Any) -> None:
        program.launch("k", (1, 1, 1), arguments, dynamic_shared=shared, races=True)

    return run


def divide(module: ModuleOp, windows: int) -> None:
    """Writes on the one op that stages a tile in how many windows the tile goes."""
    (op,) = (op for op in module.walk() if isinstance(op, STAGED))
    divided = [use for use in scratch_uses(op) if goes_in_steps(use)]
    op.attributes[STEPS] = as_steps([windows if isinstance(use, Staging) else 1 for use in divided])


@WINDOWS
@pytest.mark.parametrize(
    ("shape", "part", "element"),
    [
        ((1024,), (64,), "f32"),
        ((32, 32), (8, 16), "i8"),
        ((64, 16), (64, 4), "f64"),
        ((8, 8, 16), (4, 8, 2), "f16"),
    ],
)
def test_a_slice_at_a_dynamic_index(
    shape: tuple[int, ...], part: tuple[int, ...], element: str, windows: int
) -> None:
    dtype = {"f32": np.float32, "i8": np.int8, "f64": np.float64, "f16": np.float16}[element]
    data = (np.arange(math.prod(shape)) * 37 % 101).astype(dtype).reshape(shape)
    indices = ", ".join(f"%x{number}" for number in range(1, len(shape) + 1))
    body = f"%y0 = extract %x0[{indices}] : {shaped(shape, element)} -> {shaped(part, element)}"
    inputs = [data, *(np.zeros((), np.int32) for _ in shape)]
    run = compiled(whole_tiles(body, inputs, [(element, part)]), FROM_CUDA_TILE, windows)
    counts = [extent // wanted for extent, wanted in zip(shape, part, strict=True)]
    for block in ([0 for _ in counts], [count - 1 for count in counts]):
        found = np.zeros(part, dtype)
        run(data.ravel(), *(np.full(1, b, np.int32) for b in block), found.ravel())
        place = tuple(slice(b * p, (b + 1) * p) for b, p in zip(block, part, strict=True))
        np.testing.assert_array_equal(found, data[place])


def in_tileaa(body: str, extents: tuple[int, int], results: int) -> str:
    """@k loads %x and %y of i32 and stores %z; the index %i is its last argument.

    Arrays begin at multiples of 16 bytes, so that a thread holds neighbours.
    """
    spec = "#nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>"

    def pointers(name: str, count: int) -> str:
        tile, pointer = f"tensor<{count}xi32>", f"tensor<{count}x!nv_tileaa.ptr<i32>>"
        return f"""
        %{name}end = arith.constant {count} : i32
        %{name}range = nv_tileaa.make_range %zero, %{name}end : i32 -> {tile}
        %{name}aligned = nv_tileaa.assume #nv_tileaa.div_by<16>, %{name}p : !nv_tileaa.ptr<i32>
        %{name}first = nv_tileaa.splat %{name}aligned : !nv_tileaa.ptr<i32> -> {pointer}
        %{name}all = nv_tileaa.addptr %{name}first, %{name}range : {pointer}, {tile}
        """

    def load(name: str, count: int) -> str:
        pointer = f"tensor<{count}x!nv_tileaa.ptr<i32>>"
        return f"""{pointers(name, count)}
        %{name}, %{name}t = nv_tileaa.load weak %{name}all token = %s
          : {pointer} -> tensor<{count}xi32>, !nv_tileaa.mem_token
        """

    stored = f"tensor<{results}x!nv_tileaa.ptr<i32>>, tensor<{results}xi32>"
    return f"""
    nv_tileaa.func @k(%xp: !nv_tileaa.ptr<i32>, %yp: !nv_tileaa.ptr<i32>,
        %zp: !nv_tileaa.ptr<i32>, %i: i32) attributes {{nv_tileaa.kernel_spec = {spec}}} {{
      %zero = arith.constant 0 : i32
      %s = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
      {load("x", extents[0])} {load("y", extents[1])} {pointers("z", results)} {body}
      %zt = nv_tileaa.store weak %zall, %z token = %s : {stored} -> !nv_tileaa.mem_token
      nv_tileaa.return
    }}"""


@WINDOWS
def test_a_slice_written_at_a_dynamic_index(windows: int) -> None:
    body = """%z = nv_tileaa.insert_slice %x into %y[%i : i32]
        : tensor<64xi32>, tensor<512xi32> -> tensor<512xi32>"""
    run = compiled(in_tileaa(body, (64, 512), 512), FROM_TILEAA, windows)
    part, whole = np.arange(1000, 1064, dtype=np.int32), np.arange(512, dtype=np.int32)
    for index in (0, 3, 7):
        found, expected = np.zeros_like(whole), whole.copy()
        run(part, whole, found, index)
        expected[64 * index : 64 * (index + 1)] = part
        np.testing.assert_array_equal(found, expected)


@WINDOWS
def test_a_histogram(windows: int) -> None:
    body = "%z = nv_tileaa.histogram %x : tensor<1024xi32> -> tensor<256xi32>"
    run = compiled(in_tileaa(body, (1024, 32), 256), FROM_TILEAA, windows)
    numbers = np.random.default_rng(0).integers(-20, 300, 1024).astype(np.int32)
    found = np.zeros(256, np.int32)
    run(numbers, np.zeros(32, np.int32), found, 0)
    inside = numbers[(numbers >= 0) & (numbers < 256)]
    np.testing.assert_array_equal(found, np.bincount(inside, minlength=256))


@WINDOWS
def test_a_printed_tile(windows: int, capsys: pytest.CaptureFixture[str]) -> None:
    text = """cuda_tile.module @m { entry @k() {
      %i = iota : tile<128xi32>
      %t = reshape %i : tile<128xi32> -> tile<4x2x16xi32>
      %seven = constant <i32: 7> : tile<i32>
      print_tko "100%% of %i: %5d!\\n", %seven, %t : tile<i32>, tile<4x2x16xi32> -> token
      return } }"""
    rows = np.arange(128).reshape(4, 2, 16)
    lists = ", ".join(
        "[" + ", ".join("[" + ", ".join(f"{n:5}" for n in row) + "]" for row in part) + "]"
        for part in rows
    )
    compiled(text, FROM_CUDA_TILE, windows)()
    assert capsys.readouterr().out == f"100% of 7: [{lists}]!\n"


KIB = 1024
LARGE = {
    "extract": "%y0 = extract %x0[%x1, %x1] : tile<256x256xf32> -> tile<128x256xf32>",
    "print": 'print_tko "%f", %x0 : tile<256x256xf32> -> token '
    "%y0 = extract %x0[%zero, %zero] : tile<256x256xf32> -> tile<128x256xf32>",
}


@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("name", LARGE)
def test_tiles_of_256_kib_compile(name: str, gpu: str) -> None:
    inputs = [np.zeros((256, 256), np.float32), np.zeros((), np.int32)]
    text = whole_tiles(LARGE[name], inputs, [("f32", (128, 256))])
    module = tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}", verify=False)
    assert dynamic_shared_memory(module, "k") <= 227 * KIB
