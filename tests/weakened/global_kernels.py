"""Kernels as text for sites that reach global memory, and for those of tiles in scratch memory."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr, i32

from tests.unit.road.accesses import test_padding
from tests.unit.road.accesses.test_allocations import in_a_loop, reversing
from tests.unit.transforms.convert_tileas_to_llvm import pipeline_kernels
from tests.unit.transforms.convert_tileas_to_llvm.global_memory import (
    test_async_copies,
    test_fences,
    test_tma_copies,
    test_tma_rows,
)
from tests.unit.transforms.convert_tileas_to_llvm.shared_memory import (
    test_pipelines,
    test_staging_buffers,
)
from tests.weakened.planting import traced
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileaa, nv_tileas
from tileir_xdsl.dialects.resource_attributes import DEVICE_MAPS_ATTRIBUTE
from tileir_xdsl.dialects.target_attributes import ABI_ATTRIBUTE
from tileir_xdsl.emulator import EmulatorError
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.targets import ABI
from tileir_xdsl.testing import tools

Array = np.ndarray[Any, Any]
Step = str | Callable[[ModuleOp], object]


@dataclass(frozen=True)
class Text:
    """A kernel @k as text, the passes from there on, and what it leaves in its arguments."""

    text: str
    gpu: str
    steps: Sequence[Step]
    """Pipelines as after `xdsl-opt -p`, and changes of the module between them."""
    arguments: Callable[[], list[Any]]
    expected: Mapping[int, Array] = field(default_factory=dict[int, Array])
    """The arrays at some positions of the arguments, after the kernel."""
    printed: str = ""
    blocks: tuple[int, int, int] = (1, 1, 1)

    def lowered(self) -> ModuleOp:
        """The last module, in which each op that orders memory says by which site it was made."""
        module = tools.parse(self.text)
        with traced():
            for step in self.steps:
                if isinstance(step, str):
                    tools.run_passes(module, step)
                else:
                    step(module)
        return module

    def is_right(self, module: ModuleOp, mode: Mapping[str, Any]) -> bool:
        """Whether a module leaves and prints what is expected, without a race."""
        arguments, output = self.arguments(), io.StringIO()
        try:
            emulator.load(emit(module, self.gpu)).launch(
                "k",
                self.blocks,
                with_tensor_maps(module, "k", arguments),
                dynamic_shared=dynamic_shared_memory(module, "k"),
                step_limit=500_000,
                output=output,
                **mode,
            )
        except EmulatorError:
            return False
        same = [np.array_equal(arguments[n], wanted) for n, wanted in self.expected.items()]
        return all(same) and output.getvalue() == self.printed


def of_tiles(kernel: pipeline_kernels.Kernel, expected: Array) -> Text:
    """A kernel of `nv_tileas` with A, B, the result and tensor maps as arguments."""

    def arguments() -> list[Any]:
        arrays = pipeline_kernels.problem()
        maps = [
            emulator.TensorMap(arrays[name], (pipeline_kernels.ROWS, pipeline_kernels.COLUMNS), 128)
            for name in kernel.maps
        ]
        return [*arrays.values(), *maps]

    text = kernel.text(maps_are_arguments=True)
    return Text(text, kernel.gpu, (tools.TO_LLVM,), arguments, {2: expected})


def _of_rows(kernel: test_tma_rows.Kernel, expected: Array) -> Text:
    """A kernel of `nv_tileas` that copies rows, whose numbers are spread over the warps."""

    def arguments() -> list[Any]:
        arrays = list(test_tma_rows.problem().values())
        return [*arrays, *(emulator.TensorMap(array, (1, 32), 128) for array in arrays)]

    spread = "tensor<16xi32, #nv_tileas.layout<(1, (4, 8), 4, 1), (0, (1, 0), 4, 0)>>"
    text = kernel.text(maps_are_arguments=True).replace(test_tma_rows.NUMBERS, spread)
    return Text(text, kernel.gpu, (tools.TO_LLVM,), arguments, {1: expected})


def _fence(scope: str) -> Text:
    """A number that one block passes to another one by relaxed accesses and fences."""
    return Text(
        test_fences.kernel(f"nv_tileas.fence acq_rel {scope}"),
        "sm_90a",
        (test_fences.PASSES,),
        lambda: [np.zeros(1, np.int32) for _ in range(3)],
        {2: np.full(1, 5, np.int32)},
        blocks=(2, 1, 1),
    )


_VIEW = "!nv_tileaa.tiled_view<1xf32, !nv_tileaa.memref<1xf32, strides = [1]>>"
_ONE = "tensor<1xf32>"


def _maximum() -> Text:
    """Passes a number on by a maximum of floats, which is a loop of compare-and-swap."""
    data, token = "!nv_tileaa.ptr<i32>", "!nv_tileaa.mem_token"

    def maximum(order: str, value: str, before: str, old: str, after: str) -> str:
        return (
            f"{old}, {after} = nv_tileas.tiled_atomic_rmw {order} gpu {value}, %view[%first] "
            f"token = {before} {{rmw_mode = #nv_tileas.rmw_mode<max>}} : {_ONE}, {_VIEW}[index] "
            f"-> {_ONE}, {token}"
        )

    text = f"""
    nv_tileaa.func @k(%data: {data}, %flag: !nv_tileaa.ptr<f32>, %out: {data})
        attributes {{nv_tileaa.compute_capability = "sm_90a",
            nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
      %zero = arith.constant 0 : i32
      %first = arith.constant 0 : index
      %five = arith.constant 5 : i32
      %low = arith.constant dense<0.0> : {_ONE}
      %high = arith.constant dense<1.0> : {_ONE}
      %ref = nv_tileaa.make_memref %flag : !nv_tileaa.ptr<f32> -> !nv_tileaa.memref<1xf32, strides = [1]>
      %view = nv_tileaa.block_tile %ref {{tileSizes = array<i64: 1>, dimGroups = [[0 : i64]]}} : !nv_tileaa.memref<1xf32, strides = [1]> -> {_VIEW}
      %block = nv_tileaa.get_program_id 0 : i32
      %is_first = arith.cmpi eq, %block, %zero : i32
      scf.if %is_first {{
        %stored = nv_tileas.store weak %data, %five : {data}, i32 -> {token}
        {maximum("release", "%high", "%stored", "%before", "%set")}
      }} else {{
        %start = nv_tileaa.create_mem_token : {token}
        %seen = scf.while (%before = %start) : ({token}) -> {token} {{
          {maximum("acquire", "%low", "%before", "%old", "%read")}
          %value = nv_tileaa.extract %old : {_ONE} -> f32
          %unset = arith.constant 0.0 : f32
          %is_unset = arith.cmpf oeq, %value, %unset : f32
          scf.condition(%is_unset) %read : {token}
        }} do {{
        ^bb0(%again: {token}):
          scf.yield %again : {token}
        }}
        %found, %loaded = nv_tileas.load weak %data token = %seen : {data} -> i32, {token}
        %last = nv_tileas.store weak %out, %found token = %loaded : {data}, i32 -> {token}
      }}
      nv_tileaa.return
    }}"""
    return Text(
        text,
        "sm_90a",
        (f"tileas-assign-load-store-layouts,{tools.TO_LLVM}",),
        lambda: [np.zeros(1, np.int32), np.zeros(1, np.float32), np.zeros(1, np.int32)],
        {2: np.full(1, 5, np.int32)},
        blocks=(2, 1, 1),
    )


def _padded(tile: tuple[int, int, int]) -> Text:
    """A product of operands with infinities outside, which threads write into stages."""
    rows, columns, depth = tile
    m, n, k = rows + 6, columns + 4, 3 * depth
    whole = 2 * rows, 2 * columns
    a, b = test_padding.drawn((m, 128), "bf16"), test_padding.drawn((k, 128), "bf16")
    left, right = np.full((whole[0], k), np.inf), np.full((k, whole[1]), np.inf)
    left[:m], right[:, :n] = a[:, :k], b[:, :n]

    def arguments() -> list[Any]:
        return [
            *test_padding.described(a.copy(), m, k),
            *test_padding.described(b.copy(), k, n),
            *test_padding.described(np.zeros(whole, np.float32), *whole),
        ]

    return Text(
        test_padding.product("bf16", "pos_inf", tile),
        "sm_90a",
        ("tileir-pipeline{gpu=sm_90a}",),
        arguments,
        {8: left @ right},
        blocks=(2, 2, 1),
    )


def _histogram(bins: int, windows: int) -> Text:
    """Counts in scratch memory, of which there is as much as one window needs."""
    body = f"%z = nv_tileaa.histogram %x : tensor<1024xi32> -> tensor<{bins}xi32>"
    numbers = np.random.default_rng(0).integers(-20, bins + 20, 1024).astype(np.int32)
    inside = numbers[(numbers >= 0) & (numbers < bins)]
    return Text(
        test_staging_buffers.in_tileaa(body, (1024, 32), bins),
        "sm_90a",
        (
            test_staging_buffers.FROM_TILEAA,
            lambda module: test_staging_buffers.divide(module, windows),
            test_staging_buffers.ALLOCATED,
        ),
        lambda: [numbers.copy(), np.zeros(32, np.int32), np.zeros(bins, np.int32), 0],
        {2: np.bincount(inside, minlength=bins).astype(np.int32)},
    )


def _printed(windows: int) -> Text:
    return Text(
        """cuda_tile.module @m { entry @k() {
      %i = iota : tile<128xi32>
      print_tko "%i\\n", %i : tile<128xi32> -> token
      return } }""",
        "sm_90a",
        (
            test_staging_buffers.FROM_CUDA_TILE,
            lambda module: test_staging_buffers.divide(module, windows),
            test_staging_buffers.ALLOCATED,
        ),
        list,
        printed=f"{list(range(128))}\n",
    )


def _heap() -> Text:
    numbers = np.arange(512, dtype=np.int32)
    return Text(
        reversing("i32", 16, 512),
        "sm_90a",
        ("tileir-pipeline{gpu=sm_90a}",),
        lambda: [numbers.copy()],
        {0: numbers[::-1]},
    )


def _heap_in_a_loop() -> Text:
    return Text(
        in_a_loop(64),
        "sm_90a",
        ("tileir-pipeline{gpu=sm_90a}",),
        lambda: [np.zeros(5, np.int32), 5],
        {0: np.array([0, 2, 2, 6, 4], np.int32)},
    )


def _doubled_by_the_producer() -> Text:
    """Threads wait for copies into a stage where they start them, and rewrite what these bring."""
    shared, tile = pipeline_kernels.SHARED, pipeline_kernels.TILE
    stage = pipeline_kernels.STAGE
    doubled = f"""
      %a_done = nv_tileas.async.future_wait %a_load : !async.value<{stage}> -> {stage}
      %a_read = nv_tileas.convert_layout %a_done : {shared} -> {tile}
      %a_twice = nv_tileaa.addf %a_read, %a_read : {tile}
      %a_kept = nv_tileas.copy %a_twice into %a_stage {{atom = #nv_tileas<atom sts_128>}} : {tile} into {shared} -> {shared}
    """
    kernel = test_async_copies.PIPELINES["ahead, sm_90a"]
    end = f"{pipeline_kernels.PIPE}.yield %a_stage"
    kernel = replace(kernel, body=kernel.body.replace(end, doubled + end))
    return of_tiles(kernel, 2 * pipeline_kernels.expected())


def _device_maps(module: ModuleOp) -> None:
    """Has the kernel make its tensor maps, as one of ABI `tile` does."""
    module.attributes[ABI_ATTRIBUTE] = StringAttr(ABI.TILE.value)
    makers = [op for op in module.walk() if isinstance(op, nv_tileas.MakeTiledTmaDescOp)]
    for number, maker in enumerate(makers):
        for op in (maker, *(use.operation for use in maker.results[0].uses)):
            op.properties["tmaIdx"] = IntegerAttr(number, i32)
    for op in module.walk():
        if isinstance(op, nv_tileaa.FuncOp):
            op.attributes[DEVICE_MAPS_ATTRIBUTE] = UnitAttr()


def _one_slot(module: ModuleOp) -> None:
    for op in module.walk():
        if isinstance(op, nv_tileas.MakeDeviceTmaDescsOp):
            op.slots = IntegerAttr(1, i32)


def _slot_of_a_producer() -> Text:
    """Blocks share a slot for tensor maps, which a warp gives back that waits for no copy."""
    first_warp_loads = ", num_warps = array<i32: 4, 1>, warp_id = array<i32: 4, 0>"
    kernel = test_pipelines.specialised(2, first_warp_loads)
    return Text(
        kernel.text(maps_are_arguments=False),
        kernel.gpu,
        (_device_maps, "tileas-attach-tma-desc-args", _one_slot, tools.TO_LLVM),
        lambda: list(pipeline_kernels.problem().values()),
        {2: pipeline_kernels.expected()},
        blocks=(2, 1, 1),
    )


_TMA = ("loads in a loop", "store, then a load")

KERNELS: Mapping[str, Text] = {
    "histogram in windows": _histogram(512, 2),
    "print in windows": _printed(2),
    "heap": _heap(),
    "heap in a loop": _heap_in_a_loop(),
    "maximum of floats": _maximum(),
    "fence of the device": _fence("gpu"),
    **{f"TMA {name}": of_tiles(*test_tma_copies.KERNELS[name]) for name in _TMA},
    "rows": _of_rows(*test_tma_rows.KERNELS["once"]),
    "padded operands": _padded((128, 64, 32)),
    "slot of a producer": _slot_of_a_producer(),
    "small padded operands": _padded((64, 16, 16)),
    "copies doubled by the producer": _doubled_by_the_producer(),
    "copies alone": of_tiles(
        test_async_copies.edge(64, 32, "ldgsts_128", ""), pipeline_kernels.problem()["a"][:, :32]
    ),
}
"""By name; each shows a weaker form that others do not."""
