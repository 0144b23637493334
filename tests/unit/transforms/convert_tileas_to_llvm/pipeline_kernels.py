"""Kernels of `nv_tileas` that sum tiles which come through pipelines.

`out = sum(A[:, k] * B[:, k])` over the steps k, in tiles of 64x32 f32: each step is one stage. The
tensor maps are made in the kernel for the interpreter, and are arguments of what is lowered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.testing import tools

ROWS, COLUMNS, STEPS = 64, 32, 5
PIPE = "nv_tileas.async.pipeline"
PRODUCER, CONSUMER = f"!{PIPE}.producer_token", f"!{PIPE}.consumer_token"
SWIZZLED = "#nv_tileas.memory<smem, <(64, 32), (32, 1), swizzle<3, 4, 3>>>"
SHARED = f"tensor<64x32xf32, {SWIZZLED}>"
STAGE = f"tile<64x32xf32, {SWIZZLED}>"
STAGES = "tensor<{stages}x64x32xf32, #nv_tileas.memory<smem>>"
ITERATOR = f"!{PIPE}.iterator<{STAGE}, {STAGE}>"
REGISTERS = "#nv_tileas.layout<((4, 4), 32, 4, 1), ((1, 512), 4, 128, 0)>"
TILE = f"tensor<64x32xf32, {REGISTERS}>"
OBJECT = "!nv_tileaa.memref<64x160xf32, strides = [160, 1]>"
RESULT = "!nv_tileaa.memref<64x32xf32, strides = [32, 1]>"


def _view(name: str, memref: str) -> str:
    return (
        f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<f32> -> {memref}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: 64, 32>, "
        f"dimGroups = [[0 : i64], [1 : i64]]}} : {memref} -> "
        f"!nv_tileaa.tiled_view<64x32xf32, {memref}>\n"
    )


def _map(name: str) -> str:
    memref, kind = (RESULT, "store") if name == "out" else (OBJECT, "load")
    return (
        f"%map_{name} = nv_tileas.make_tiled_tma_desc %{name}[%n64, %n32] "
        f"{{atom = #nv_tileas<atom tma_{kind}_2d>, swizzle_mode = #nv_tileas.swizzle_mode<128B>}} : "
        f"!nv_tileaa.tiled_view<64x32xf32, {memref}>, index, index -> !nv_tileas.tma_desc\n"
    )


def bulk_load(name: str, buffer: str, column: str = "%column") -> str:
    """Starts to load a tile of an object."""
    return (
        f"%{name}_load = nv_tileas.async.tiled_tma_load %map_{name}, {buffer}[%n0, {column}], %m "
        "{atom = #nv_tileas<atom tma_load_2d>, tx_count = 8192 : i32} : !nv_tileas.tma_desc, "
        f"{SHARED}, index, index, !nv_tileaa.mem_token -> !async.value<{STAGE}>\n"
    )


TYPES = f"producer_types = [{STAGE}, {STAGE}]"


def produce(token: str, iterator: str, step: str, result: str = "produced") -> str:
    """Fills a stage with tiles of A and B."""
    return f"""
    %{result}, %done_{result} = {PIPE}.produce_one_async {token}, {iterator} {{{TYPES}}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER}, !nv_tileas.async_token {{
    ^bb0(%a_stage: {STAGE}, %b_stage: {STAGE}):
      %column = arith.muli {step}, %n32 : index
      {bulk_load("a", "%a_stage")}
      {bulk_load("b", "%b_stage")}
      {PIPE}.yield %a_stage, %b_stage : {STAGE}, {STAGE}
    }}
    """


def wait(token: str, iterator: str) -> str:
    """Waits for a stage, and gives its tiles."""
    return f"""
    %waited = {PIPE}.consumer_wait {token}, {iterator} {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
    %read, %a_tile, %b_tile = {PIPE}.consumer_read %waited {{consumer_idx = 0 : i32}} : {CONSUMER} -> {CONSUMER}, {STAGE}, {STAGE}
    """


ADD = f"""
    %x = nv_tileas.convert_layout %a_tile : {SHARED} -> {TILE}
    %y = nv_tileas.convert_layout %b_tile : {SHARED} -> {TILE}
    %xy = nv_tileaa.mulf %x, %y : {TILE}
    %sum = nv_tileaa.addf %acc, %xy : {TILE}
"""
"""Adds the product of the tiles to the sum."""

STORE = (
    f"nv_tileas.tiled_store weak %total, %out[%n0, %n0] {{atom = #nv_tileas<atom stg_128>}} : "
    f"{TILE}, !nv_tileaa.tiled_view<64x32xf32, {RESULT}>[index, index]\n"
)


def release(token: str, result: str = "released") -> str:
    """Gives a stage back."""
    return f"%{result} = {PIPE}.consumer_release {token} : {CONSUMER} -> {CONSUMER}\n"


def following(iterator: str, result: str) -> str:
    """The turn after."""
    return f"%{result} = {PIPE}.inc_iter {iterator} : {ITERATOR} -> {ITERATOR}\n"


def pipeline(stages: int) -> str:
    """The pipeline with its buffers and two iterators."""
    buffer = STAGES.format(stages=stages)
    return f"""
    %a_buffer = nv_tileas.alloc_tensor : {buffer}
    %b_buffer = nv_tileas.alloc_tensor : {buffer}
    %prod, %cons = {PIPE}.create_pipeline %a_buffer, %b_buffer {{numStages = {stages} : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false}} : {buffer}, {buffer} -> {PRODUCER}, {CONSUMER}
    %pi = {PIPE}.create_iterator %prod : {PRODUCER} -> {ITERATOR}
    %ci = {PIPE}.create_iterator %cons : {CONSUMER} -> {ITERATOR}
    """


MODES: Mapping[str, Mapping[str, Any]] = {
    "plain": {},
    "races": {"races": True},
    "warps": {"late": True, "races": True, "warp_seed": 1},
}
"""How the emulator runs a kernel."""


@dataclass(frozen=True)
class Kernel:
    """The text of a kernel around a body, which stores `%total` by `STORE`."""

    body: str
    warps: int = 4
    gpu: str = "sm_90a"
    maps: tuple[str, ...] = ("a", "b")
    """The arrays that the kernel has tensor maps of."""

    def text(self, *, maps_are_arguments: bool) -> str:
        """The kernel before or after its tensor maps have become arguments."""
        parameters = [f"%{name}_ptr: !nv_tileaa.ptr<f32>" for name in ("a", "b", "out")]
        if maps_are_arguments:
            parameters += [f"%map_{name}: !nv_tileas.tma_desc" for name in self.maps]
        maps = "" if maps_are_arguments else "".join(map(_map, self.maps))
        constants = "".join(
            f"%n{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 3, 4, 5, 32, 64)
        )
        views = _view("a", OBJECT) + _view("b", OBJECT) + _view("out", RESULT)
        return f"""
        builtin.module attributes {{nv_tileaa.target_spec = "{self.gpu}"}} {{
        nv_tileaa.func @k({", ".join(parameters)})
            attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = {self.warps}, num_ctas = 1>}} {{
        {constants}
        {views}
        %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
        {maps}
        %zero = arith.constant dense<0.0> : {TILE}
        {self.body}
        nv_tileaa.return
        }}
        }}
        """

    @cached_property
    def lowered(self) -> ModuleOp:
        """The kernel as `llvm` and `nvvm`."""
        module = tools.parse(self.text(maps_are_arguments=True))
        return tools.run_passes(module, tools.TO_LLVM)

    @cached_property
    def ptx(self) -> str:
        """The kernel as PTX."""
        return emit(self.lowered, self.gpu)

    def run_interpreter(self) -> Array:
        """What the kernel computes of `problem()` in the interpreter."""
        arrays = problem()
        module = tools.parse(self.text(maps_are_arguments=False))
        interpreters.launch(module, "k", (1, 1, 1), list(arrays.values()))
        return arrays["out"]

    def run_ptx(self, **modes: Any) -> Array:
        """The same by PTX in the emulator."""
        arrays = problem()
        maps = [emulator.TensorMap(arrays[name], (ROWS, COLUMNS), 128) for name in self.maps]
        emulator.load(self.ptx).launch(
            "k",
            (1, 1, 1),
            [*arrays.values(), *maps],
            dynamic_shared=dynamic_shared_memory(self.lowered, "k"),
            **modes,
        )
        return arrays["out"]


def problem() -> dict[str, Array]:
    """Small integers in A and B, `[64, 160]`, and ones for the result."""
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, (ROWS, COLUMNS * STEPS)).astype(np.float32) for _ in range(2))
    return {"a": a, "b": b, "out": np.ones((ROWS, COLUMNS), np.float32)}


def expected() -> Array:
    """The sum of the products of tiles."""
    arrays = problem()
    return (arrays["a"] * arrays["b"]).reshape(ROWS, STEPS, COLUMNS).sum(axis=1)
