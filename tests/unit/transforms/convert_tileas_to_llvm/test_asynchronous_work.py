"""Asynchronous work that is done at once, and values of nothing: PTX and the interpreter agree."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import (
    ADD,
    CONSUMER,
    ITERATOR,
    MODES,
    OBJECT,
    PIPE,
    PRODUCER,
    REGISTERS,
    RESULT,
    SHARED,
    STAGE,
    STORE,
    TILE,
    Kernel,
    expected,
    following,
    pipeline,
    problem,
    release,
    wait,
)
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

ROWS = "#nv_tileas.layout<(16, 32, 4, 1), (1, 16, 512, 0)>"
OTHER = TILE.replace(REGISTERS, ROWS)
POINTERS, NUMBERS = (TILE.replace("f32", element) for element in ("!nv_tileaa.ptr<f32>", "i32"))
OUT = f"!nv_tileaa.tiled_view<64x32xf32, {RESULT}>"
FUTURE = f"!async.value<{TILE}>"
PART = "tensor<64x8xf32, #nv_tileas.layout<(4, (2, 16), 4, 1), (1, (4, 8), 128, 0)>>"
TOKEN, ASYNC_TOKEN = "!nv_tileaa.mem_token", "!nv_tileas.async_token"
ATOM = "{atom = #nv_tileas<atom ldg_32>}"


def load(result: str, name: str, column: str = "%n0") -> str:
    """A tile of an object, in registers."""
    return (
        f"%{result} = nv_tileas.tiled_load weak %{name}[%n0, {column}] {ATOM} : "
        f"!nv_tileaa.tiled_view<64x32xf32, {OBJECT}>[index, index] -> {TILE}\n"
    )


READ_BACK = f"""
    %other, %seen = nv_tileas.tiled_load weak %out[%n0, %n0] token = %done {ATOM} : {OUT}[index, index] -> {OTHER}, {TOKEN}
    %back = nv_tileas.convert_layout %other : {OTHER} -> {TILE}
"""
"""The result as other threads have left it."""

FOLLOWING = STORE.replace("%out[%n0, %n0]", "%out[%n0, %n0] token = %seen").strip()
LAST = f"%last = {FOLLOWING} -> {TOKEN}\n"
"""Stores `%total` behind that."""

ELEMENTS = np.arange(64 * 32).reshape(64, 32).tolist()

STORED = f"""
    {load("x", "a")}
    %base = nv_tileaa.splat %out_ptr : !nv_tileaa.ptr<f32> -> {POINTERS}
    %offsets = arith.constant dense<{ELEMENTS}> : {NUMBERS}
    %pointers = nv_tileaa.addptr %base, %offsets : {POINTERS}, {NUMBERS}
    %work = nv_tileas.async.store weak %pointers, %x token = %m {{atom = #nv_tileas<atom stg_32>}} : {POINTERS}, {TILE} -> {ASYNC_TOKEN}
    %done = nv_tileas.async.wait %work : {ASYNC_TOKEN} -> {TOKEN}
    {READ_BACK}
    %total = nv_tileaa.addf %back, %x : {TILE}
    {LAST}
"""

MODIFIED = f"""
    {load("x", "a")}
    %work = nv_tileas.async.tiled_atomic_rmw relaxed gpu %x, %out[%n0, %n0] token = %m {{rmw_mode = #nv_tileas.rmw_mode<addf>}} : {TILE}, {OUT}[index, index] -> {FUTURE}
    %done = nv_tileas.async.wait %work : {FUTURE} -> {TOKEN}
    %old = nv_tileas.async.future_wait %work : {FUTURE} -> {TILE}
    {READ_BACK}
    %total = nv_tileaa.addf %back, %old : {TILE}
    {LAST}
"""

SLICED = f"""
    {load("x", "a")}
    {load("y", "b")}
    %x_work = nv_tileas.async.to_async %x : {TILE} -> {FUTURE}
    %y_work = nv_tileas.async.to_async %y : {TILE} -> {FUTURE}
    %part = nv_tileas.async.extract_slice %x_work[0, 8][64, 8][1, 1] : {FUTURE} to !async.value<{PART}>
    %one = nv_tileas.async.insert_slice %part into %y_work[0, 16][64, 8][1, 1] : !async.value<{PART}> into {FUTURE}
    %there = nv_tileas.async.future_wait %part : !async.value<{PART}> -> {PART}
    %both = nv_tileas.async.insert_slice %there into %one[0, 0][64, 8][1, 1] : {PART} into {FUTURE}
    %total = nv_tileas.async.future_wait %both : {FUTURE} -> {TILE}
    {STORE}
"""

COPIED = f"""
    {load("x", "a")}
    {load("y", "b")}
    %x_work = nv_tileas.async.copy %x : {TILE} -> !async.value<{STAGE}>
    %x_there = nv_tileas.async.future_wait %x_work : !async.value<{STAGE}> -> {STAGE}
    %x_other = nv_tileas.convert_layout %x_there : {SHARED} -> {OTHER}
    %buffer = nv_tileas.alloc_tensor : {SHARED}
    %y_work = nv_tileas.async.copy %y into %buffer : {TILE} into {SHARED} -> {ASYNC_TOKEN}
    nv_tileas.async.wait %y_work : {ASYNC_TOKEN}
    %y_other = nv_tileas.convert_layout %buffer : {SHARED} -> {OTHER}
    %sum = nv_tileaa.subf %x_other, %y_other : {OTHER}
    %total = nv_tileas.convert_layout %sum : {OTHER} -> {TILE}
    {STORE}
"""

NOTHING = f"""
    {load("x", "a")}
    %value = nv_tileas.create_none : {FUTURE}
    %tile = nv_tileas.create_none : {TILE}
    %buffer = nv_tileas.create_none : {STAGE}
    %token = nv_tileas.create_none : {TOKEN}
    %work = nv_tileas.create_none : {ASYNC_TOKEN}
    %number = nv_tileas.create_none : i32
    nv_tileas.async.wait %work : {ASYNC_TOKEN}
    %v, %t, %held, %done, %n = scf.for %k = %n0 to %n2 step %n1 iter_args(%v0 = %value, %t0 = %tile, %b0 = %buffer, %d0 = %token, %i0 = %number) -> ({FUTURE}, {TILE}, {SHARED}, {TOKEN}, i32) {{
      %ready = nv_tileas.async.to_async %x : {TILE} -> {FUTURE}
      %stored = nv_tileas.copy %x : {TILE} -> {SHARED}
      %known = arith.constant 3 : i32
      scf.yield %ready, %x, %stored, %d0, %known : {FUTURE}, {TILE}, {SHARED}, {TOKEN}, i32
    }}
    %v_there = nv_tileas.async.future_wait %v : {FUTURE} -> {TILE}
    %b_there = nv_tileas.convert_layout %held : {SHARED} -> {TILE}
    %two = nv_tileaa.addf %v_there, %t : {TILE}
    %total = nv_tileaa.addf %two, %b_there : {TILE}
    {STORE}
"""


HALF = TILE.replace("f32", "f16")
COLUMN = "tensor<64x2xf16, #nv_tileas.layout<(1, 32, 4, 1), (0, 1, 32, 0)>>"

ONE_ELEMENT = f"""
    {load("x", "a")}
    %half = nv_tileaa.fp_to_fp %x : {TILE} to {HALF}
    %work = nv_tileas.async.to_async %half : {HALF} -> !async.value<{HALF}>
    %part = nv_tileas.async.extract_slice %work[0, 8][64, 2][1, 1] : !async.value<{HALF}> to !async.value<{COLUMN}>
    %one = nv_tileas.async.insert_slice %part into %work[0, 16][64, 2][1, 1] : !async.value<{COLUMN}> into !async.value<{HALF}>
    %there = nv_tileas.async.future_wait %one : !async.value<{HALF}> -> {HALF}
    %total = nv_tileaa.fp_to_fp %there : {HALF} to {TILE}
    {STORE}
"""


def _first(name: str) -> np.ndarray[Any, np.dtype[np.float32]]:
    return problem()[name][:, :32]


def _sliced() -> np.ndarray[Any, np.dtype[np.float32]]:
    wanted = _first("b").copy()
    wanted[:, 16:24] = wanted[:, 0:8] = _first("a")[:, 8:16]
    return wanted


def _one_element() -> np.ndarray[Any, np.dtype[np.float32]]:
    wanted = _first("a").copy()
    wanted[:, 16:18] = wanted[:, 8:10]
    return wanted


KERNELS = {
    "store": (Kernel(STORED, maps=()), 2 * _first("a")),
    "atomic modification": (Kernel(MODIFIED, maps=()), _first("a") + 2),
    "slices": (Kernel(SLICED, maps=()), _sliced()),
    "slices of one element a thread": (Kernel(ONE_ELEMENT, maps=()), _one_element()),
    "copies": (Kernel(COPIED, maps=()), _first("a") - _first("b")),
    "values of nothing": (Kernel(NOTHING, maps=()), 3 * _first("a")),
}


@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("name", KERNELS)
def test_what_is_computed(name: str, modes: Mapping[str, Any]):
    kernel, wanted = KERNELS[name]
    np.testing.assert_array_equal(kernel.run_ptx(**modes), wanted)


@pytest.mark.parametrize("name", KERNELS)
def test_the_interpreter_agrees(name: str):
    kernel, wanted = KERNELS[name]
    np.testing.assert_array_equal(kernel.run_interpreter(), wanted)


@pytest.mark.parametrize("name", KERNELS)
def test_the_assembler_takes_it(name: str):
    kernel, _ = KERNELS[name]
    assemble(kernel.ptx, kernel.gpu)


# Products of four warps.

SQUARE = "tensor<32x32xf32, #nv_tileas.layout<(8, 32, 4, 1), (1, 8, 256, 0)>>"
OPERAND_B = "tensor<32x32xf32, #nv_tileas.memory<smem, <(32, 32), (1, 32), swizzle<3, 4, 3>>>>"
OPERAND_A = TILE.replace(
    REGISTERS, "#nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((256, 4, 8), (1, 32), 512, 0)>"
)
SUMS = TILE.replace(
    REGISTERS, "#nv_tileas.layout<((2, 2, 4), (4, 8), 4, 1), ((1, 256, 8), (2, 32), 512, 0)>"
)


def dot(a: str) -> Kernel:
    """Two times the product of A and the first rows of B, which tf32 has exactly."""
    return Kernel(
        f"""
    {load("x", "a")}
    {load("y", "b")}
    %part = nv_tileas.extract_slice %y[0, 0][32, 32][1, 1] : {TILE} to {SQUARE}
    %a_operand = nv_tileas.convert_layout %x : {TILE} -> {a}
    %b_operand = nv_tileas.convert_layout %part : {SQUARE} -> {OPERAND_B}
    %none = arith.constant dense<0.0> : {SUMS}
    %once = nv_tileas.wgmma %a_operand, %b_operand, %none : {a}, {OPERAND_B}, {SUMS} -> {SUMS}
    %twice = nv_tileas.wgmma %a_operand, %b_operand, %once : {a}, {OPERAND_B}, {SUMS} -> {SUMS}
    %total = nv_tileas.convert_layout %twice : {SUMS} -> {TILE}
    {STORE}
    """,
        maps=(),
    )


MMA_OPS = {"A in shared memory": dot(SHARED), "A in registers": dot(OPERAND_A)}


@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("kernel", MMA_OPS.values(), ids=list(MMA_OPS))
def test_products(kernel: Kernel, modes: Mapping[str, Any]):
    wanted = 2 * _first("a") @ _first("b")[:32]
    np.testing.assert_array_equal(kernel.run_ptx(**modes), wanted)
    np.testing.assert_array_equal(kernel.run_interpreter(), wanted)
    assert "wgmma.mma_async.sync.aligned.m64n32k8.f32.tf32.tf32" in kernel.ptx
    assemble(kernel.ptx, kernel.gpu)


def test_product_that_no_instruction_does():
    text = MMA_OPS["A in registers"].text(maps_are_arguments=True).replace("f32", "f64")
    with pytest.raises(Exception, match="no instruction for A of f64, B of f64 and C of f64"):
        tools.run_passes(tools.parse(text), tools.TO_LLVM)


# Tiles that threads write to stages.


def written(step: str, iterator: str) -> str:
    """Fills a stage with tiles of A and B that come by registers and buffers."""
    return f"""
    %column = arith.addi {step}, %n0 : index
    {load("x_loaded", "a", "%column")}
    {load("y_loaded", "b", "%column")}
    %x_tile = nv_tileas.copy %x_loaded : {TILE} -> {SHARED}
    %y_tile = nv_tileas.copy %y_loaded : {TILE} -> {SHARED}
    %empty = {PIPE}.producer_acquire %prod, {iterator} : {PRODUCER}, {ITERATOR} -> {PRODUCER}
    %filled = {PIPE}.producer_write %empty, %x_tile, %y_tile : {PRODUCER}, {STAGE}, {STAGE} -> {PRODUCER}
    %full = {PIPE}.producer_commit %filled : {PRODUCER} -> {PRODUCER}
    """


def one_agent(stages: int, gpu: str) -> Kernel:
    """All warps write and sum."""
    return Kernel(
        f"""
    {pipeline(stages)}
    %pend, %cend, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%p = %pi, %c = %ci, %acc = %zero) -> ({ITERATOR}, {ITERATOR}, {TILE}) {{
      {written("%k", "%p")}
      {wait("%cons", "%c")} {ADD} {release("%read")}
      {following("%p", "pnext")} {following("%c", "cnext")}
      scf.yield %pnext, %cnext, %sum : {ITERATOR}, {ITERATOR}, {TILE}
    }}
    {STORE}
    """,
        gpu=gpu,
        maps=(),
    )


def written_again(kernel: Kernel) -> Kernel:
    """Every stage is written a second time, by other threads, and with the right tiles only then."""
    again = f"""%x_turned = nv_tileas.convert_layout %x_loaded : {TILE} -> {OTHER}
    %y_turned = nv_tileas.convert_layout %y_loaded : {TILE} -> {OTHER}
    %before = {PIPE}.producer_write %empty, %y_tile, %y_tile : {PRODUCER}, {STAGE}, {STAGE} -> {PRODUCER}
    %filled = {PIPE}.producer_write %before, %x_turned, %y_turned : {PRODUCER}, {OTHER}, {OTHER} -> {PRODUCER}"""
    return replace(kernel, body=re.sub(r"%filled = .*", lambda _: again, kernel.body))


def two_agents(stages: int) -> Kernel:
    """One agent writes, the other one sums."""
    return Kernel(
        f"""
    {pipeline(stages)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32, num_warps = array<i32: 4, 4>}} {{
      %end, %total = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %ci, %acc = %zero) -> ({ITERATOR}, {TILE}) {{
        {wait("%cons", "%at")} {ADD} {release("%read")} {following("%at", "next")}
        scf.yield %next, %sum : {ITERATOR}, {TILE}
      }}
      {STORE}
      {PIPE}.yield
    }}, {{
      %end = scf.for %k = %n0 to %n5 step %n1 iter_args(%at = %pi) -> ({ITERATOR}) {{
        {written("%k", "%at")} {following("%at", "next")}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}
    """,
        maps=(),
    )


PIPELINES = {
    "one agent, 1 stage": one_agent(1, "sm_90a"),
    "one agent, 2 stages, sm_80": one_agent(2, "sm_80"),
    "two agents": two_agents(2),
    "written again": written_again(one_agent(2, "sm_90a")),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize("kernel", PIPELINES.values(), ids=list(PIPELINES))
def test_pipelines(kernel: Kernel, modes: Mapping[str, Any]):
    np.testing.assert_array_equal(kernel.run_ptx(**modes), expected())


@pytest.mark.parametrize("kernel", PIPELINES.values(), ids=list(PIPELINES))
def test_the_interpreter_agrees_on_pipelines(kernel: Kernel):
    np.testing.assert_array_equal(kernel.run_interpreter(), expected())


def test_what_threads_write_for_threads_is_not_fenced():
    ptx = PIPELINES["two agents"].ptx
    assert "fence.proxy.async" not in ptx and CONSUMER in PIPELINES["two agents"].body
    assemble(ptx, "sm_90a")


def test_nothing_of_a_type_without_registers():
    text = KERNELS["slices"][0].text(maps_are_arguments=True)
    text = text.replace("%n0 =", "%wrong = nv_tileas.create_none : tuple<i32>\n%n0 =", 1)
    with pytest.raises(Exception, match="does not support elements of"):
        tools.run_passes(tools.parse(text), tools.TO_LLVM)
