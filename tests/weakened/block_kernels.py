"""Kernels as text for sites of control flow, of MMAs and of shared memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.unit.road.agreement import shaped, whole_tiles
from tests.unit.road.matrix_units import test_scaled_matrix
from tests.unit.transforms.convert_tileas_to_llvm import (
    pipeline_kernels,
    test_asynchronous_work,
    test_convolution,
)
from tests.unit.transforms.convert_tileas_to_llvm.control import test_mutexes, test_program_ids
from tests.unit.transforms.convert_tileas_to_llvm.global_memory import test_async_copies
from tests.unit.transforms.convert_tileas_to_llvm.shared_memory import (
    test_layout_conversions,
    test_pipelines,
    test_staging_buffers,
)
from tests.weakened.global_kernels import Text, of_tiles
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.testing import tools

# Mutexes, pipelines and MMAs.


def _under_a_mutex() -> Text:
    kernel, from_zero = test_mutexes.KERNELS["two agents"]
    # Each agent doubles what is there in each iteration; it is one at first.
    out = from_zero + 2 ** (2 * test_mutexes.ROUNDS)
    return of_tiles(kernel, np.full((64, 32), out, np.float32))


def _of_copies_and_stores() -> Text:
    by_copies = test_async_copies.PIPELINES["ahead, sm_90a"]
    return of_tiles(test_async_copies.half_by_stores(by_copies), pipeline_kernels.expected())


def _overwritten_operand() -> Text:
    """An operand in shared memory is overwritten while its MMA is in flight."""
    asynchronous, tile = test_asynchronous_work, pipeline_kernels.TILE
    a, b, sums = pipeline_kernels.SHARED, asynchronous.OPERAND_B, asynchronous.SUMS
    work = f"!async.value<{sums}>"
    kernel = pipeline_kernels.Kernel(
        f"""
    {asynchronous.load("x", "a")}
    {asynchronous.load("y", "b")}
    %part = nv_tileas.extract_slice %y[0, 0][32, 32][1, 1] : {tile} to {asynchronous.SQUARE}
    %buffer = nv_tileas.alloc_tensor : {a}
    %full = nv_tileas.copy %x into %buffer : {tile} into {a} -> {a}
    %other = nv_tileas.convert_layout %part : {asynchronous.SQUARE} -> {b}
    %none = arith.constant dense<0.0> : {sums}
    %started = nv_tileas.async.dot %full, %other, %none {{atom = #nv_tileas<atom wgmma_tf32_tf32_f32>}} : {a}, {b}, {sums} -> {work}
    %again = nv_tileas.copy %zero into %buffer : {tile} into {a} -> {a}
    %done = nv_tileas.async.future_wait %started : {work} -> {sums}
    %total = nv_tileas.convert_layout %done : {sums} -> {tile}
    {pipeline_kernels.STORE}
    """,
        maps=(),
    )
    arrays = pipeline_kernels.problem()
    return of_tiles(kernel, arrays["a"][:, :32] @ arrays["b"][:32, :32])


# Tile blocks that are taken over.


def _read_by_a_warp() -> str:
    """One agent whose warp meets before it reads an answer, and not before it asks for the next."""
    text = test_program_ids.AGENTS.replace("2x4xi32", "1x4xi32").replace("= 2 : i32", "= 1 : i32")
    read = test_program_ids.READ.format("%answer")
    assert text.index(read) < text.rindex(read)
    return text.replace(read, f"nv_tileas.barrier warp\n{read}", 1)


def _taken_over(body: str, ctas: int = 1) -> Text:
    """All CTAs of a cluster do what its tile block is to do."""
    grid = 3, 2, 2
    arguments, sums = test_program_ids.problem(grid)
    cluster = ", nv_tileaa.cluster_shape = array<i32: 2, 1>" if ctas > 1 else ""
    module = test_program_ids.module(body, attributes=f"num_ctas = {ctas}>{cluster}")
    return Text(
        tools.to_text(module),
        "sm_100a",
        (tools.TO_LLVM,),
        lambda: [array.copy() for array in arguments],
        {1: ctas * sums},
        blocks=grid,
    )


# Tiles through scratch memory.


def _convolution() -> Text:
    """A convolution whose operands go through in four pairs of windows."""
    case = test_convolution.WHOLE_TILES[0]
    return Text(
        tools.to_text(case.module()),
        "sm_90a",
        (lambda module: test_convolution.in_windows(module, 4),),
        case.arguments,
        {2: test_convolution.convolved(case).astype(np.float32)},
    )


def _in_windows() -> Text:
    """A slice at a dynamic index, of a tile that goes through in two windows."""
    whole, start = np.arange(1024, dtype=np.float32), np.full(1, 3, np.int32)
    body = "%y0 = extract %x0[%x1] : tile<1024xf32> -> tile<64xf32>"
    return Text(
        whole_tiles(body, [whole, start[0]], [("f32", (64,))]),
        "sm_90a",
        (
            test_staging_buffers.FROM_CUDA_TILE,
            lambda module: test_staging_buffers.divide(module, 2),
            test_staging_buffers.ALLOCATED,
        ),
        lambda: [whole, start, np.zeros(64, np.float32)],
        {2: whole[192:256]},
    )


def _within_a_warp() -> Text:
    """A transposition by one warp."""
    layouts = blocked((32, 32), 4, 1), blocked((32, 32), 4, 1, order=(0, 1))
    data = np.arange(1024, dtype=np.float32)
    text = test_layout_conversions.kernel(*layouts, "f32")
    return Text(text, "sm_90a", (tools.TO_LLVM,), lambda: [data, np.zeros_like(data)], {1: data})


# Block scales in registers.


def _scales_of_threads() -> Text:
    """Threads store scales to tensor memory: there are fewer columns than it has lanes, and no
    sums, for whose stores they would wait, too."""
    m, n, k, draw = 128, 16, 64, np.random.default_rng(0)
    number, scale = test_scaled_matrix.E4M3, test_scaled_matrix.E8M0
    shapes = (m, k), (k, n), (m, n), (m, k // 32), (k // 32, n)
    a, b = (test_scaled_matrix.numbers(shape, number, draw) for shape in shapes[:2])
    s, t = (test_scaled_matrix.scales(shape, scale, draw) for shape in shapes[3:])
    types = map(shaped, shapes, (number, number, "f32", scale, scale))
    inputs = [a, b, s, t]
    body = f"""
    %sums = constant <f32: 0.0> : {shaped((m, n), "f32")}
    %y0 = mmaf_scaled %x0, %x1, %sums, %x2, %x3 : {", ".join(types)}
    """
    x, y, u, v = (each.astype(np.float64) for each in (a, b, s, t))
    scaled = (x * np.repeat(u, 32, -1)) @ (y * np.repeat(v, 32, -2))
    return Text(
        whole_tiles(body, inputs, [("f32", (m, n))]),
        "sm_100a",
        ("tileir-pipeline{gpu=sm_100a}",),
        lambda: [*(each.ravel() for each in inputs), np.zeros(m * n, np.float32)],
        {4: scaled.ravel()},
    )


# Barriers that programs of `nv_tileas` may have.

NUMBERS = "tensor<128xi32, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>"
PLACES = NUMBERS.replace("i32", "!nv_tileaa.ptr<i32>", 1)


def _across(scope: str, ctas: int, other: list[int]) -> Text:
    """Each of `ctas` blocks stores what another thread loads behind a barrier: that of `other`."""
    count = 128 * ctas
    cluster = f", nv_tileaa.cluster_shape = array<i32: {ctas}, 1>" if ctas > 1 else ""
    text = f"""
    builtin.module attributes {{nv_tileaa.target_spec = "sm_90a"}} {{
    nv_tileaa.func @k(%first: !nv_tileaa.ptr<i32>, %second: !nv_tileaa.ptr<i32>) attributes {{
        nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = {ctas}>{cluster}}} {{
      %own = arith.constant dense<{list(range(128))}> : {NUMBERS}
      %other = arith.constant dense<{other}> : {NUMBERS}
      %cta = nv_tileaa.get_cta_id 0 : i32
      %size = arith.constant 128 : i32
      %base = arith.muli %cta, %size : i32
      %bases = nv_tileaa.splat %base : i32 -> {NUMBERS}
      %mask = arith.constant dense<{count - 1}> : {NUMBERS}
      %at = nv_tileaa.addi %own, %bases : {NUMBERS}
      %turned = nv_tileaa.addi %other, %bases : {NUMBERS}
      %from = arith.andi %turned, %mask : {NUMBERS}
      %firsts = nv_tileaa.splat %first : !nv_tileaa.ptr<i32> -> {PLACES}
      %seconds = nv_tileaa.splat %second : !nv_tileaa.ptr<i32> -> {PLACES}
      %stored = nv_tileaa.addptr %firsts, %at : {PLACES}, {NUMBERS}
      %loaded = nv_tileaa.addptr %firsts, %from : {PLACES}, {NUMBERS}
      %results = nv_tileaa.addptr %seconds, %at : {PLACES}, {NUMBERS}
      nv_tileas.store weak %stored, %at {{atom = #nv_tileas<atom stg_32>}} : {PLACES}, {NUMBERS}
      nv_tileas.barrier {scope}
      %x = nv_tileas.load weak %loaded {{atom = #nv_tileas<atom ldg_32>}} : {PLACES} -> {NUMBERS}
      nv_tileas.store weak %results, %x {{atom = #nv_tileas<atom stg_32>}} : {PLACES}, {NUMBERS}
      nv_tileaa.return
    }}
    }}"""
    expected = (np.tile(other, ctas) + np.repeat(np.arange(ctas) * 128, 128)) % count

    return Text(
        text,
        "sm_90a",
        (tools.TO_LLVM,),
        lambda: [np.zeros(count, np.int32), np.zeros(count, np.int32)],
        {1: expected},
    )


KERNELS: Mapping[str, Text] = {
    "mutex": _under_a_mutex(),
    "stages in a loop": of_tiles(test_pipelines.created_in_a_loop(2), pipeline_kernels.expected()),
    "stages of copies and stores": _of_copies_and_stores(),
    "overwritten operand": _overwritten_operand(),
    "blocks taken over by a warp": _taken_over(_read_by_a_warp()),
    "blocks taken over": _taken_over(test_program_ids.LOOPS["asks ahead"]),
    "blocks taken over by a pair": _taken_over(test_program_ids.LOOPS["asks at the end"], 2),
    "convolution in windows": _convolution(),
    "slice in windows": _in_windows(),
    "transposition by a warp": _within_a_warp(),
    "scales of threads": _scales_of_threads(),
    "barrier of a warp": _across("warp", 1, [n ^ 31 for n in range(128)]),
    "barrier of a cluster": _across("cluster", 2, [n + 128 for n in range(128)]),
}
"""By name; each shows a weaker form that others do not."""
