"""Kernels of `nv_tileas` without layouts whose stages hold what threads have computed.

A number, a flag and a tile go through a pipeline in five steps: `%k`, whether it is below 3, and
`k * A`. What comes out is summed to `out = sum(k * k * A for k in range(3))`: above that the flag
chooses zero.
"""

from __future__ import annotations

import re
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
from tileir_xdsl.transforms.convert_tileas_to_llvm import ConvertTileASToLLVMPass
from tileir_xdsl.transforms.pipeline_road import steps
from tileir_xdsl.transforms.tileas_assign_dot_layouts import TileASAssignDotLayoutsPass

PIPE = "nv_tileas.async.pipeline"
PRODUCER, CONSUMER = f"!{PIPE}.producer_token", f"!{PIPE}.consumer_token"
TILE = "tensor<16x32xf32>"
PAYLOAD = f"i32, i1, {TILE}"
TYPES = PAYLOAD.replace("tensor", "tile")
ITERATOR = f"!{PIPE}.iterator<{TYPES}>"
WORK = "!nv_tileas.async_token"
MEMREF = "!nv_tileaa.memref<16x32xf32, strides = [32, 1]>"
VIEW = f"!nv_tileaa.tiled_view<16x32xf32, {MEMREF}>"
TARGETS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
FACTOR = sum(k * k for k in range(3))


def _view(name: str) -> str:
    return (
        f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<f32> -> {MEMREF}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: 16, 32>, "
        f"dimGroups = [[0 : i64], [1 : i64]]}} : {MEMREF} -> {VIEW}\n"
    )


def pipeline(stages: int) -> str:
    """The pipeline with a buffer for each value, and an iterator for each end."""
    types = [
        f"tensor<{stages}{shape}, #nv_tileas.memory<smem>>"
        for shape in ("xi32", "xi1", "x16x32xf32")
    ]
    buffers = "".join(
        f"%b{number} = nv_tileas.alloc_tensor : {type}\n" for number, type in enumerate(types)
    )
    return f"""
    {buffers}
    %prod, %cons = {PIPE}.create_pipeline %b0, %b1, %b2 {{numStages = {stages} : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8}} : {", ".join(types)} -> {PRODUCER}, {CONSUMER}
    %pi = {PIPE}.create_iterator %prod : {PRODUCER} -> {ITERATOR}
    %ci = {PIPE}.create_iterator %cons : {CONSUMER} -> {ITERATOR}
    """


COMPUTE = f"""
    %number = arith.index_cast %k : index to i32
    %flag = arith.cmpi slt, %number, %three : i32
    %float = arith.sitofp %number : i32 to f32
    %factor = nv_tileaa.splat %float : f32 -> {TILE}
    %tile = nv_tileaa.mulf %x, %factor : {TILE}
"""
"""What a producer computes."""

SUM = f"""
    %got_float = arith.sitofp %n : i32 to f32
    %chosen = arith.select %f, %got_float, %zero : f32
    %got_factor = nv_tileaa.splat %chosen : f32 -> {TILE}
    %product = nv_tileaa.mulf %t, %got_factor : {TILE}
    %sum = nv_tileaa.addf %acc, %product : {TILE}
"""
"""What a consumer does with it."""

NEXT = f"= {PIPE}.inc_iter %at : {ITERATOR} -> {ITERATOR}\n"

IN_A_REGION = f"""
    %produced = {PIPE}.produce_one %prod, %at {{producer_types = [{TYPES}]}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER} {{
    ^bb0(%n0: i32, %f0: i1, %t0: {TILE}):
      {COMPUTE}
      {PIPE}.yield %number, %flag, %tile : {PAYLOAD}
    }}
"""

IN_FLIGHT = f"""
    %produced, %done = {PIPE}.produce_one_async %prod, %at {{producer_types = [{TYPES}]}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER}, {WORK} {{
    ^bb0(%n0: i32, %f0: i1, %t0: {TILE}):
      {COMPUTE}
      {PIPE}.yield %number, %flag, %tile : {PAYLOAD}
    }}
    nv_tileas.async.wait %done : {WORK}
"""

IN_STEPS = f"""
    {COMPUTE}
    %empty = {PIPE}.producer_acquire %prod, %at : {PRODUCER}, {ITERATOR} -> {PRODUCER}
    %filled = {PIPE}.producer_write %empty, %number, %flag, %tile : {PRODUCER}, {PAYLOAD} -> {PRODUCER}
    %full = {PIPE}.producer_commit %filled : {PRODUCER} -> {PRODUCER}
"""

PRODUCERS = {"in a region": IN_A_REGION, "in flight": IN_FLIGHT, "in steps": IN_STEPS}

CONSUMED_IN_A_REGION = f"""
    %consumed, %result = {PIPE}.consume_one %cons, %at {{consumer_idx = 0 : i32, consumer_types = [{TYPES}]}} : ({CONSUMER}, {ITERATOR}) -> {CONSUMER}, {TILE} {{
    ^bb0(%n: i32, %f: i1, %t: {TILE}):
      {SUM}
      {PIPE}.yield %sum : {TILE}
    }}
"""

CONSUMED_IN_FLIGHT = f"""
    %consumed, %read, %n, %f, %t = {PIPE}.consume_one_async %cons, %at {{consumer_idx = 0 : i32, consumer_types = [{TYPES}]}} : ({CONSUMER}, {ITERATOR}) -> {CONSUMER}, {WORK}, {PAYLOAD} {{
    ^bb0(%n0: i32, %f0: i1, %t0: {TILE}):
      {PIPE}.yield %n0, %f0, %t0 : {PAYLOAD}
    }}
    nv_tileas.async.wait %read : {WORK}
    {SUM.replace("%sum", "%result")}
"""

CONSUMED_IN_STEPS = f"""
    %waited = {PIPE}.consumer_wait %cons, %at {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
    %read, %n, %f, %t = {PIPE}.consumer_read %waited {{consumer_idx = 0 : i32}} : {CONSUMER} -> {CONSUMER}, {PAYLOAD}
    {SUM.replace("%sum", "%result")}
    %released = {PIPE}.consumer_release %read : {CONSUMER} -> {CONSUMER}
"""

CONSUMERS = {
    "in a region": CONSUMED_IN_A_REGION,
    "in flight": CONSUMED_IN_FLIGHT,
    "in steps": CONSUMED_IN_STEPS,
}

STORE = f"nv_tileas.tiled_store weak %total, %out[%c0, %c0] : {TILE}, {VIEW}[index, index]\n"


def two_agents(producer: str, consumer: str, stages: int = 2) -> str:
    """One agent computes, the other one sums."""
    return f"""
    {pipeline(stages)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32, num_warps = array<i32: 4, 4>}} {{
      %end = scf.for %k = %c0 to %c5 step %c1 iter_args(%at = %pi) -> ({ITERATOR}) {{
        {producer}
        %next {NEXT}
        scf.yield %next : {ITERATOR}
      }}
      {PIPE}.yield
    }}, {{
      %end, %total = scf.for %k = %c0 to %c5 step %c1 iter_args(%at = %ci, %acc = %zeros) -> ({ITERATOR}, {TILE}) {{
        {consumer}
        %next {NEXT}
        scf.yield %next, %result : {ITERATOR}, {TILE}
      }}
      {STORE}
      {PIPE}.yield
    }}
    """


def one_agent(producer: str, consumer: str, stages: int = 2) -> str:
    """The same warps compute and sum."""
    return f"""
    {pipeline(stages)}
    %end, %total = scf.for %k = %c0 to %c5 step %c1 iter_args(%at = %pi, %acc = %zeros) -> ({ITERATOR}, {TILE}) {{
      {producer}
      {consumer}
      %next {NEXT}
      scf.yield %next, %result : {ITERATOR}, {TILE}
    }}
    {STORE}
    """


OUTER = ("a", "out", "c0", "c1", "c5", "three", "zero", "zeros", "x", "prod", "cons")
"""What stands before the steps."""


def _unrolled(body: str, iterator: str) -> str:
    """Five steps one after the other, so that each knows which one it is."""
    text = ""
    for step in range(5):
        given = {
            "at": f"next_{step - 1}" if step else iterator,
            "acc": f"result_{step - 1}" if step else "zeros",
        }

        def renamed(match: re.Match[str], given: dict[str, str] = given, step: int = step) -> str:
            name = match[1]
            return f"%{given.get(name) or (name if name in OUTER else f'{name}_{step}')}"

        whole = f"%k = arith.constant {step} : index\n{body}\n%next {NEXT}"
        text += re.sub(r"%(\w+)", renamed, whole)
    return text


def two_unrolled_agents(producer: str, consumer: str, stages: int = 2) -> str:
    """The same agents without loops."""
    return f"""
    {pipeline(stages)}
    {PIPE}.agent_switch {{num_agents_per_group = 1 : i32, num_warps = array<i32: 4, 4>}} {{
      {_unrolled(producer, "pi")}
      {PIPE}.yield
    }}, {{
      {_unrolled(consumer, "ci")}
      {STORE.replace("%total", "%result_4")}
      {PIPE}.yield
    }}
    """


@dataclass(frozen=True)
class Kernel:
    """The text of a kernel around a body."""

    body: str
    gpu: str = "sm_90a"

    @property
    def text(self) -> str:
        """The kernel without layouts."""
        return f"""
        builtin.module attributes {{nv_tileaa.target_spec = "{self.gpu}"}} {{
        nv_tileaa.func @k(%a_ptr: !nv_tileaa.ptr<f32>, %out_ptr: !nv_tileaa.ptr<f32>)
            attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c5 = arith.constant 5 : index
        %three = arith.constant 3 : i32
        %zero = arith.constant 0.0 : f32
        %zeros = arith.constant dense<0.0> : {TILE}
        {_view("a")}
        {_view("out")}
        %x = nv_tileas.tiled_load weak %a[%c0, %c0] : {VIEW}[index, index] -> {TILE}
        {self.body}
        nv_tileaa.return
        }}
        }}
        """

    @cached_property
    def allocated(self) -> ModuleOp:
        """The kernel with layouts, memory and barriers."""
        module = tools.parse(self.text)
        passes = [step.module_pass for step in steps(self.gpu)]
        first, last = (
            next(i for i, each in enumerate(passes) if isinstance(each, kind))
            for kind in (TileASAssignDotLayoutsPass, ConvertTileASToLLVMPass)
        )
        for each in passes[first:last]:
            each.apply(tools.context(), module)
            module.verify()
        return module

    @cached_property
    def lowered(self) -> ModuleOp:
        """The kernel as `llvm` and `nvvm`."""
        return tools.run_passes(self.allocated.clone(), tools.TO_LLVM)

    @cached_property
    def ptx(self) -> str:
        """The kernel as PTX."""
        return emit(self.lowered, self.gpu)

    def run_interpreter(self, **options: Any) -> Array:
        """What the kernel computes in the interpreter."""
        arrays = problem()
        interpreters.launch(tools.parse(self.text), "k", (1, 1, 1), arrays, **options)
        return arrays[1]

    def run_ptx(self, **modes: Any) -> Array:
        """The same by PTX in the emulator."""
        arrays = problem()
        emulator.load(self.ptx).launch(
            "k",
            (1, 1, 1),
            arrays,
            dynamic_shared=dynamic_shared_memory(self.lowered, "k"),
            **modes,
        )
        return arrays[1]


def problem() -> list[Array]:
    """Small integers in A, `[16, 32]`, and ones for the result."""
    a = np.random.default_rng(1).integers(-4, 5, (16, 32)).astype(np.float32)
    return [a, np.ones((16, 32), np.float32)]


def expected() -> Array:
    """The sum of what comes out."""
    return FACTOR * problem()[0]
