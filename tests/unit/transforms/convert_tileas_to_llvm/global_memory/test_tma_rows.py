"""Bulk copies of rows, gathered and scattered, in every mode of the emulator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileas_to_llvm.pipeline_kernels import MODES
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.interpreters.numerics import Array
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools

GPU = "sm_100a"
ROWS, COLUMNS = 16, 64
HEIGHT, WIDTH = 40, 96
PIPE = "nv_tileas.async.pipeline"
PRODUCER, CONSUMER = f"!{PIPE}.producer_token", f"!{PIPE}.consumer_token"
OBJECT = f"!nv_tileaa.memref<{HEIGHT}x{WIDTH}xf32, strides = [{WIDTH}, 1]>"
VIEW = f"!nv_tileaa.tiled_view<1x32xf32, {OBJECT}>"
SWIZZLED = "#nv_tileas.memory<smem, <(16, (32, 2)), (32, (1, 512)), swizzle<3, 4, 3>>>"
SHARED, STAGE = f"tensor<16x64xf32, {SWIZZLED}>", f"tile<16x64xf32, {SWIZZLED}>"
STAGES = "tensor<2x16x64xf32, #nv_tileas.memory<smem>>"
ITERATOR = f"!{PIPE}.iterator<{STAGE}>"
TILE = "tensor<16x64xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 512), 4, 128, 0)>>"
READ = "tensor<16x64xf32, #nv_tileas.layout<((4, 2), 32, 4, 1), ((1, 128), 4, 256, 0)>>"
NUMBERS = "tensor<16xi32, #nv_tileas.layout<(1, (16, 2), 4, 1), (0, (1, 0), 0, 0)>>"

GATHERED = (9, -1, 3, 20, 3, 0, 39, 40, 1, 2, 100, 7, 8, 6, 5, 4)
SCATTERED = (8, 1, 16, 2, -1, 40, 0, 3, 7, 5, 39, 11, 12, 10, 9, 4)
"""Row numbers, some of rows that the object has not."""


def gather(buffer: str, rows: str, column: str = "%n32") -> str:
    """Starts to load rows, from a column on."""
    return (
        f"%load = nv_tileas.async.gather_tma_load %map_in, {buffer}[{column}], {rows}, %m "
        f"{{atom = #nv_tileas<atom tma_gather4_2d>}} : !nv_tileas.tma_desc, {SHARED}, index, "
        f"{NUMBERS}, !nv_tileaa.mem_token -> !async.value<{STAGE}>\n"
    )


def scatter(buffer: str, column: str = "%n32") -> str:
    """Stores rows, from a column on."""
    return (
        f"%store = nv_tileas.async.scatter_tma_store %map_out, {buffer}[{column}], %scattered "
        f"{{atom = #nv_tileas<atom tma_scatter4_2d>}} : !nv_tileas.tma_desc, {SHARED}, index, "
        f"{NUMBERS} -> !nv_tileas.async_token\n"
    )


WAIT = f"%tile = nv_tileas.async.future_wait %load : !async.value<{STAGE}> -> {STAGE}\n"
WAIT_FOR_STORE = "nv_tileas.async.wait %store : !nv_tileas.async_token\n"
BUFFER = f"%buffer = nv_tileas.alloc_tensor : {SHARED}\n"
ADD = f"""
    %x = nv_tileas.convert_layout %tile : {SHARED} -> {TILE}
    %sum = nv_tileaa.addf %acc, %x : {TILE}
"""
STORE_TOTAL = f"""
    %staged = nv_tileas.alloc_tensor : {SHARED}
    %filled = nv_tileas.copy %total into %staged : {TILE} into {SHARED} -> {SHARED}
    {scatter("%filled")} {WAIT_FOR_STORE}
"""
ROWS_OF_STEP = f"""
      %number = arith.index_cast %k : index to i32
      %step = nv_tileaa.splat %number : i32 -> {NUMBERS}
      %rows = arith.addi %gathered, %step : {NUMBERS}
"""
LOOP = f"""
    %total = scf.for %k = %n0 to %n3 step %n1 iter_args(%acc = %zero) -> ({TILE}) {{
      {ROWS_OF_STEP} {BUFFER} {gather("%buffer", "%rows")} {WAIT} {ADD}
      scf.yield %sum : {TILE}
    }}
    {STORE_TOTAL}
"""
PIPELINE = f"""
    %buffers = nv_tileas.alloc_tensor : {STAGES}
    %prod, %cons = {PIPE}.create_pipeline %buffers {{numStages = 2 : i32, producerGroupId = 0 : i8, consumerGroupId = 1 : i8, sharedMem = true, dynamic = false}} : {STAGES} -> {PRODUCER}, {CONSUMER}
    %pi = {PIPE}.create_iterator %prod : {PRODUCER} -> {ITERATOR}
    %ci = {PIPE}.create_iterator %cons : {CONSUMER} -> {ITERATOR}
    %total, %p9, %c9, %pi9, %ci9 = scf.for %k = %n0 to %n3 step %n1 iter_args(%acc = %zero, %p = %prod, %c = %cons, %i = %pi, %j = %ci) -> ({TILE}, {PRODUCER}, {CONSUMER}, {ITERATOR}, {ITERATOR}) {{
      {ROWS_OF_STEP}
      %produced, %done = {PIPE}.produce_one_async %p, %i {{producer_types = [{STAGE}]}} : ({PRODUCER}, {ITERATOR}) -> {PRODUCER}, !nv_tileas.async_token {{
      ^bb0(%stage: {STAGE}):
        {gather("%stage", "%rows")}
        {PIPE}.yield %stage : {STAGE}
      }}
      %waited = {PIPE}.consumer_wait %c, %j {{consumer_idx = 0 : i32}} : {CONSUMER}, {ITERATOR} -> {CONSUMER}
      %read, %tile = {PIPE}.consumer_read %waited {{consumer_idx = 0 : i32}} : {CONSUMER} -> {CONSUMER}, {STAGE}
      {ADD}
      %released = {PIPE}.consumer_release %read : {CONSUMER} -> {CONSUMER}
      %i1 = {PIPE}.inc_iter %i : {ITERATOR} -> {ITERATOR}
      %j1 = {PIPE}.inc_iter %j : {ITERATOR} -> {ITERATOR}
      scf.yield %sum, %produced, %released, %i1, %j1 : {TILE}, {PRODUCER}, {CONSUMER}, {ITERATOR}, {ITERATOR}
    }}
    {STORE_TOTAL}
"""


OVERWRITE = f"""
    {BUFFER}
    %threes = arith.constant dense<3.0> : {TILE}
    %written = nv_tileas.copy %threes into %buffer : {TILE} into {SHARED} -> {SHARED}
    %acc = nv_tileas.convert_layout %written : {SHARED} -> {READ}
    %other = nv_tileas.convert_layout %acc : {READ} -> {TILE}
    {gather("%buffer", "%gathered")} {WAIT}
    %x = nv_tileas.convert_layout %tile : {SHARED} -> {TILE}
    %total = nv_tileaa.addf %other, %x : {TILE}
    {STORE_TOTAL}
"""
"""Threads write a buffer, others read it, and then rows are loaded into it."""


def _view(name: str) -> str:
    return (
        f"%{name}_ref = nv_tileaa.make_memref %{name}_ptr : !nv_tileaa.ptr<f32> -> {OBJECT}\n"
        f"%{name} = nv_tileaa.block_tile %{name}_ref {{tileSizes = array<i64: 1, 32>, "
        f"dimGroups = [[0 : i64], [1 : i64]]}} : {OBJECT} -> {VIEW}\n"
    )


def _map(name: str, atom: str, number: int) -> str:
    return _view(name) + (
        f"%map_{name} = nv_tileas.make_tiled_tma_desc %{name}[%n1, %n32] {{atom = "
        f"#nv_tileas<atom {atom}>, tmaIdx = {number} : i32, "
        f"swizzle_mode = #nv_tileas.swizzle_mode<128B>}} : "
        f"{VIEW}, index, index -> !nv_tileas.tma_desc\n"
    )


def problem() -> dict[str, Array]:
    """Small integers, `[40, 96]`, and zeros for the result."""
    rng = np.random.default_rng(1)
    given = rng.integers(-4, 5, (HEIGHT, WIDTH)).astype(np.float32)
    return {"in": given, "out": np.zeros_like(given)}


@dataclass(frozen=True)
class Kernel:
    """A kernel that gathers rows of one object, and scatters rows of another."""

    body: str
    gpu: str = GPU

    def text(self, *, maps_are_arguments: bool) -> str:
        """The kernel before or after its tensor maps have become arguments."""
        parameters = [f"%{name}_ptr: !nv_tileaa.ptr<f32>" for name in ("in", "out")]
        maps = _map("in", "tma_gather4_2d", 0) + _map("out", "tma_scatter4_2d", 1)
        if maps_are_arguments:
            parameters += [f"%map_{name}: !nv_tileas.tma_desc" for name in ("in", "out")]
            maps = ""
        constants = "".join(f"%n{n} = arith.constant {n} : index\n" for n in (0, 1, 3, 32, 64))
        return f"""
        builtin.module attributes {{nv_tileaa.target_spec = "{self.gpu}"}} {{
        nv_tileaa.func @k({", ".join(parameters)})
            attributes {{nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
        {constants} {maps}
        %m = nv_tileaa.create_mem_token : !nv_tileaa.mem_token
        %zero = arith.constant dense<0.0> : {TILE}
        %gathered = arith.constant dense<{list(GATHERED)}> : {NUMBERS}
        %scattered = arith.constant dense<{list(SCATTERED)}> : {NUMBERS}
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
        """What the kernel computes in the interpreter."""
        arrays = problem()
        module = tools.parse(self.text(maps_are_arguments=False))
        interpreters.launch(module, "k", (1, 1, 1), list(arrays.values()))
        return arrays["out"]

    def run_ptx(self, **modes: Any) -> Array:
        """The same by PTX in the emulator."""
        arrays = problem()
        maps = [emulator.TensorMap(array, (1, 32), 128) for array in arrays.values()]
        emulator.load(self.ptx).launch(
            "k",
            (1, 1, 1),
            [*arrays.values(), *maps],
            dynamic_shared=dynamic_shared_memory(self.lowered, "k"),
            **modes,
        )
        return arrays["out"]


def gathered(rows: Sequence[int], column: int) -> Array:
    """Rows of the given object from a column on; zeros where it has none."""
    given = problem()["in"]
    tile = np.zeros((ROWS, COLUMNS), np.float32)
    width = min(COLUMNS, WIDTH - column)
    for place, row in enumerate(rows):
        if 0 <= row < HEIGHT:
            tile[place, :width] = given[row, column : column + width]
    return tile


def scattered(tile: Array, column: int) -> Array:
    """The result with the rows of a tile in it."""
    out = problem()["out"]
    width = min(COLUMNS, WIDTH - column)
    for place, row in enumerate(SCATTERED):
        if 0 <= row < HEIGHT:
            out[row, column : column + width] = tile[place, :width]
    return out


ONE_TILE = BUFFER + gather("%buffer", "%gathered") + WAIT + scatter("%tile")


def column_of_type(type: str, number: int) -> Kernel:
    """The kernel of one tile, with its column as a constant of a type."""
    body = ONE_TILE.replace("[%n32]", "[%column]").replace(", index, ", f", {type}, ")
    return Kernel(f"%column = arith.constant {number} : {type}\n{body}")


SUM = sum(gathered([row + step for row in GATHERED], 32) for step in range(3))

KERNELS: Mapping[str, tuple[Kernel, Array]] = {
    "once": (
        Kernel(ONE_TILE),
        scattered(gathered(GATHERED, 32), 32),
    ),
    "a column of 16 bits": (column_of_type("i16", 32), scattered(gathered(GATHERED, 32), 32)),
    "the low bits of a column": (
        column_of_type("i64", (1 << 32) + 32),
        scattered(gathered(GATHERED, 32), 32),
    ),
    "past the last column": (
        Kernel(
            f"{BUFFER} {gather('%buffer', '%gathered', '%n64')} {WAIT}"
            f"{scatter('%tile', '%n64')} {WAIT_FOR_STORE}"
        ),
        scattered(gathered(GATHERED, 64), 64),
    ),
    "over what threads have written and read": (
        Kernel(OVERWRITE),
        scattered(gathered(GATHERED, 32) + 3, 32),
    ),
    "in a loop": (Kernel(LOOP), scattered(np.asarray(SUM), 32)),
    "in a pipeline": (Kernel(PIPELINE), scattered(np.asarray(SUM), 32)),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("modes", MODES.values(), ids=list(MODES))
@pytest.mark.parametrize(("kernel", "result"), KERNELS.values(), ids=list(KERNELS))
def test_the_result_is_right(kernel: Kernel, result: Array, modes: Mapping[str, Any]):
    np.testing.assert_array_equal(kernel.run_ptx(**modes), result)


@pytest.mark.parametrize(("kernel", "result"), KERNELS.values(), ids=list(KERNELS))
def test_the_interpreter_agrees(kernel: Kernel, result: Array):
    np.testing.assert_array_equal(kernel.run_interpreter(), result)


@pytest.mark.parametrize(("kernel", "_"), KERNELS.values(), ids=list(KERNELS))
def test_ptxas_takes_it(kernel: Kernel, _: Array):
    assemble(kernel.ptx, kernel.gpu)


def test_a_launch_makes_the_tensor_maps():
    kernel, result = KERNELS["once"]
    module = tools.parse(kernel.text(maps_are_arguments=False))
    module = tools.run_passes(module, f"tileas-attach-tma-desc-args,{tools.TO_LLVM}")
    arrays = problem()
    arguments = with_tensor_maps(module, "k", list(arrays.values()))
    shared = dynamic_shared_memory(module, "k")
    emulator.load(emit(module, GPU)).launch("k", (1, 1, 1), arguments, dynamic_shared=shared)
    np.testing.assert_array_equal(arrays["out"], result)


@pytest.mark.parametrize("gpu", ["sm_100", "sm_120"])
def test_more_targets_gather(gpu: str):
    kernel = Kernel(BUFFER + gather("%buffer", "%gathered") + WAIT, gpu)
    assemble(kernel.ptx, gpu)


def test_fewer_targets_scatter():
    with pytest.raises(PassFailedException) as failure:
        _ = Kernel(KERNELS["once"][0].body, "sm_120a").lowered
    expected = "'nv_tileas.async.scatter_tma_store' is not available on sm_120a: it needs sm_100a"
    assert str(failure.value) == expected


ONCE = KERNELS["once"][0].text(maps_are_arguments=True)
COLUMNS_FIRST = "#nv_tileas.memory<smem, <(16, 64), (1, 16)>>"
FEW_ROWS = ONCE.replace("16x64", "2x64").replace(
    "(16, (32, 2)), (32, (1, 512))", "(2, (32, 2)), (32, (1, 64))"
)
FAULTS: Mapping[str, tuple[str, str]] = {
    "a target without them": (
        ONCE.replace(GPU, "sm_90a"),
        "'nv_tileas.async.gather_tma_load' is not available on sm_90a: it needs sm_100",
    ),
    "columns one behind the other": (
        ONCE.replace(SWIZZLED, COLUMNS_FIRST),
        "'nv_tileas.async.gather_tma_load' op expects a matrix of contiguous rows",
    ),
    "two rows": (
        FEW_ROWS,
        "'nv_tileas.async.gather_tma_load' op expects the rows of a box to be a multiple of 4, but got 2",
    ),
    "numbers for other rows": (
        ONCE.replace("16x64", "8x64").replace(
            "(16, (32, 2)), (32, (1, 512))", "(8, (32, 2)), (32, (1, 256))"
        ),
        "'nv_tileas.async.gather_tma_load' op expects 8 row numbers, got 16",
    ),
    "rows of 16 bytes": (
        ONCE.replace("16x64", "16x4").replace(
            "<(16, (32, 2)), (32, (1, 512)), swizzle<3, 4, 3>>", "<(16, 4), (4, 1)>"
        ),
        "'nv_tileas.async.gather_tma_load' op expects 4 rows of a box to take a multiple of 128 bytes",
    ),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=list(FAULTS))
def test_what_cannot_be_copied(text: str, message: str):
    # The tile in registers is nobody's here.
    text = "".join(line for line in text.splitlines(keepends=True) if "%zero" not in line)
    with pytest.raises(PassFailedException) as failure:
        tools.run_passes(tools.parse(text), tools.TO_LLVM)
    assert message in str(failure.value)
