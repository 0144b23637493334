"""Tiles whose dimensions walk several dimensions of memory, and tiles that start at any element.

No Tile IR program has them; the kernels are written in `nv_tileaa` and `nv_tileas`.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from tests.unit.road.agreement import Array
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.pipeline_road import steps

LAYOUTS = "tileas-assign-load-store-layouts"


def run_both(text: str, arguments: Sequence[Array | int]) -> list[Array]:
    """What the kernel @k leaves in its arrays: the same in the interpreter and as PTX."""
    first, last = (
        [a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(2)
    )
    interpreters.launch(tools.parse(text), "k", (1, 1, 1), first)
    names = [step.module_pass.name for step in steps("sm_90a")]
    if "nv_tileas.tiled" in text:
        names = names[names.index(LAYOUTS) :]
    else:
        names = names[names.index("convert-tileaa-to-tileas") :]
    ptx = emit(tools.run_passes(tools.parse(text), ",".join(names)))
    emulator.load(ptx).launch("k", (1, 1, 1), last, races=True)
    for wanted, got in zip(first, last, strict=True):
        if isinstance(wanted, np.ndarray):
            assert isinstance(got, np.ndarray)
            np.testing.assert_array_equal(got, wanted)
    return [a for a in last if isinstance(a, np.ndarray)]


KERNEL = """
module attributes {{nv_tileaa.compute_capability = 90 : i32, nv_tileaa.target_spec = "sm_90a"}} {{
  nv_tileaa.func @k({parameters}) attributes {{
      nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
    {body}
    nv_tileaa.return
  }}
}}
"""

OUTPUT = "!nv_tileaa.memref<{shape}xf32, strides = [{strides}]>"


def output(shape: Sequence[int]) -> tuple[str, str]:
    """A row-major view %w of the array at %q as one tile, and its type."""
    extents = "x".join(map(str, shape))
    strides = [int(np.prod(shape[dim + 1 :])) for dim in range(len(shape))]
    memref = OUTPUT.format(shape=extents, strides=", ".join(map(str, strides)))
    view = f"!nv_tileaa.tiled_view<{extents}xf32, {memref}>"
    groups = ", ".join(f"[{dim}]" for dim in range(len(shape)))
    sizes = ", ".join(map(str, shape))
    text = f"""
    %zero = arith.constant 0 : i32
    %m = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> {memref}
    %w = nv_tileaa.block_tile %m {{tileSizes = array<i64: {sizes}>, dimGroups = [{groups}]}} : {memref} -> {view}
    """
    return text, view


@pytest.mark.one_in(5)
@pytest.mark.parametrize("sizes", [(4, 6, 8), (3, 5, 7), (1, 1, 1), (2, 16, 5), (8, 0, 8)])
@pytest.mark.parametrize(
    ("groups", "tile"),
    [
        ("[0, 1], [2]", (16, 4)),
        ("[0], [1, 2]", (2, 32)),
        ("[2, 0], [1]", (16, 8)),
        ("[0, 1, 2]", (64,)),
    ],
)
def test_a_dimension_of_a_tile_walks_several_of_memory(
    sizes: tuple[int, ...], groups: str, tile: tuple[int, ...]
):
    memref = "!nv_tileaa.memref<?x?x?xf32, strides = [?, ?, 1]>"
    extents, rank = "x".join(map(str, tile)), len(tile)
    view = f"!nv_tileaa.tiled_view<{extents}xf32, {memref}>"
    text, shown = output(tile)
    coords, types = ", ".join(["%i"] * rank), ", ".join(["i32"] * rank)
    zeros = ", ".join(["%zero"] * rank)
    body = f"""{text}
    %a = nv_tileaa.make_memref %p sizes = [%n0, %n1, %n2 : i32, i32, i32] strides = [%s0, %s1 : i32, i32] : !nv_tileaa.ptr<f32> -> {memref}
    %v = nv_tileaa.block_tile %a {{tileSizes = array<i64: {", ".join(map(str, tile))}>, dimGroups = [{groups}]}} : {memref} -> {view}
    %x, %t = nv_tileaa.tiled_load weak %v[{coords}] {{padding_value = #nv_tileaa.padding_value<neg_inf>}} : {view}[{types}] -> tensor<{extents}xf32>, !nv_tileaa.mem_token
    %u = nv_tileaa.tiled_store weak %x, %w[{zeros}] : tensor<{extents}xf32>, {shown}[{types}] -> !nv_tileaa.mem_token
    %y = nv_tileaa.addf %x, %x : tensor<{extents}xf32>
    %z = nv_tileaa.tiled_store weak %y, %v[{coords}] token = %t : tensor<{extents}xf32>, {view}[{types}] -> !nv_tileaa.mem_token
    """
    names = ("i", "n0", "n1", "n2", "s0", "s1")
    parameters = "%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>" + "".join(
        f", %{name}: i32" for name in names
    )
    kernel = KERNEL.format(parameters=parameters, body=body)
    _, middle, last = sizes
    data = np.arange(max(1, np.prod(sizes) * 2), dtype=np.float32)
    for coordinate in (0, 1):
        arguments = [data, np.zeros(tile, np.float32).ravel(), coordinate, *sizes]
        found = run_both(kernel, [*arguments, middle * (last + 1), last + 1])[1]
        if coordinate == 0 and sizes == (4, 6, 8) and rank == 1:
            plane = data[: 6 * 9].reshape(6, 9)[:, :8].ravel()
            np.testing.assert_array_equal(found[:48], plane)


@pytest.mark.parametrize("offsets", [(0, 0), (1, 3), (-3, 5), (7, -8), (100, 0)])
def test_a_tile_starts_at_any_element(offsets: tuple[int, int]):
    memref = "!nv_tileaa.memref<40x64xf32, strides = [64, 1]>"
    view = f"!nv_tileaa.tiled_view<8x16xf32, {memref}>"
    text, shown = output((8, 16))
    body = f"""{text}
    %one = arith.constant 1 : i32
    %o0 = arith.index_cast %n0 : i64 to index
    %o1 = arith.index_cast %n1 : i64 to index
    %a = nv_tileaa.make_memref %p : !nv_tileaa.ptr<f32> -> {memref}
    %v = nv_tileaa.block_tile %a {{tileSizes = array<i64: 8, 16>, dimGroups = [[0], [1]]}} : {memref} -> {view}
    %start = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
    %x, %t = nv_tileas.tiled_load weak %v[%one, %one] offset [%o0, %o1] token = %start {{padding_value = #nv_tileaa.padding_value<zero>}} : {view}[i32, i32] -> tensor<8x16xf32>, !nv_tileaa.mem_token
    nv_tileas.tiled_store weak %x, %w[%zero, %zero] : tensor<8x16xf32>, {shown}[i32, i32]
    %y = nv_tileaa.addf %x, %x : tensor<8x16xf32>
    %z = nv_tileas.tiled_store weak %y, %v[%one, %one] offset [%o0, %o1] token = %t : tensor<8x16xf32>, {view}[i32, i32] -> !nv_tileaa.mem_token
    """
    parameters = "%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>, %n0: i64, %n1: i64"
    kernel = KERNEL.format(parameters=parameters, body=body)
    data = np.arange(1, 40 * 64 + 1, dtype=np.float32)
    changed, found = run_both(kernel, [data, np.zeros(128, np.float32), *offsets])
    row, column = 8 + offsets[0], 16 + offsets[1]
    wanted = np.zeros((8, 16), np.float32)
    inside = data.reshape(40, 64)[row : row + 8, column : column + 16]
    wanted[: len(inside)] = inside if len(inside) else 0
    np.testing.assert_array_equal(found.reshape(8, 16), wanted)
    assert np.count_nonzero(changed != data) == inside.size


def test_elements_are_gathered_along_several_dimensions():
    memref = "!nv_tileaa.memref<?x6x8xf32, strides = [64, 9, 1]>"
    view = f"!nv_tileaa.tiled_view<32x4xf32, {memref}>"
    text, shown = output((32, 4))
    body = f"""{text}
    %start = arith.constant 0 : i32
    %end = arith.constant 32 : i32
    %range = nv_tileaa.make_range %start, %end : i32 -> tensor<32xi32>
    %where = arith.muli %range, %range : tensor<32xi32>
    %a = nv_tileaa.make_memref %p sizes = [%n : i32] : !nv_tileaa.ptr<f32> -> {memref}
    %v = nv_tileaa.block_tile %a {{tileSizes = array<i64: 32, 4>, dimGroups = [[0, 2], [1]]}} : {memref} -> {view}
    %x, %t = nv_tileaa.gather_load weak %v[%where, %n] {{sparse_dim = 0 : i32, padding_value = #nv_tileaa.padding_value<zero>}} : {view}[tensor<32xi32>, i32] -> tensor<32x4xf32>, !nv_tileaa.mem_token
    %u = nv_tileaa.tiled_store weak %x, %w[%zero, %zero] : tensor<32x4xf32>, {shown}[i32, i32] -> !nv_tileaa.mem_token
    """
    parameters = "%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>, %n: i32"
    kernel = KERNEL.format(parameters=parameters, body=body)
    data = np.arange(1, 3 * 64 + 1, dtype=np.float32)
    found = run_both(kernel, [data, np.zeros(128, np.float32), 3])[1].reshape(32, 4)
    wanted = np.zeros((32, 4), np.float32)
    for row in range(5):
        plane, place = divmod(row * row, 8)
        wanted[row, :3] = [data[64 * plane + 9 * line + place] for line in (3, 4, 5)]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("last", [8, 7, 5, 4])
def test_vectors_may_be_partly_inside(last: int):
    memref = "!nv_tileaa.memref<4x?x?xf32, strides = [64, 8, 1]>"
    view = f"!nv_tileaa.tiled_view<32x8xf32, {memref}>"
    text, shown = output((32, 8))
    body = f"""{text}
    %b = nv_tileaa.assume #nv_tileaa.div_by<16>, %p : !nv_tileaa.ptr<f32>
    %a = nv_tileaa.make_memref %b sizes = [%n, %l : i32, i32] : !nv_tileaa.ptr<f32> -> {memref}
    %v = nv_tileaa.block_tile %a {{tileSizes = array<i64: 32, 8>, dimGroups = [[0, 1], [2]]}} : {memref} -> {view}
    %x, %t = nv_tileaa.tiled_load weak %v[%zero, %zero] {{padding_value = #nv_tileaa.padding_value<zero>}} : {view}[i32, i32] -> tensor<32x8xf32>, !nv_tileaa.mem_token
    %u = nv_tileaa.tiled_store weak %x, %w[%zero, %zero] : tensor<32x8xf32>, {shown}[i32, i32] -> !nv_tileaa.mem_token
    %y = nv_tileaa.addf %x, %x : tensor<32x8xf32>
    %z = nv_tileaa.tiled_store weak %y, %v[%zero, %zero] token = %t : tensor<32x8xf32>, {view}[i32, i32] -> !nv_tileaa.mem_token
    """
    parameters = "%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>, %n: i32, %l: i32"
    kernel = KERNEL.format(parameters=parameters, body=body)
    data = np.arange(1, 257, dtype=np.float32)
    found = run_both(kernel, [data, np.zeros(256, np.float32), 7, last])[1].reshape(32, 8)
    wanted = np.zeros((32, 8), np.float32)
    wanted[:28, :last] = data.reshape(4, 8, 8)[:, :7].reshape(28, 8)[:, :last]
    np.testing.assert_array_equal(found, wanted)
