"""Tiles of the matrix behind a convolution: PTX and the interpreter load and store the same."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from tests.unit.road.agreement import DTYPES
from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_staging_buffers import (
    ALLOCATED,
    FROM_TILEAA,
)
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.analysis.allocation.scratch_requests import scratch_bytes, steps_within
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileaa
from tileir_xdsl.dialects.nv_tileas.allocations import STEPS, as_steps
from tileir_xdsl.emulator.types import Array
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.launching import dynamic_shared_memory
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.targets import TARGETS
from tileir_xdsl.testing import tools

TOKEN = "!nv_tileaa.mem_token"


@dataclass(frozen=True)
class Convolution:
    """An activation of images, spatial extents and channels, and how a filter goes over it."""

    extents: tuple[int, ...]
    filter: tuple[int, ...]
    params: tuple[tuple[int, int, int], ...]
    """Padding, stride and dilation by spatial dimension."""
    channels_last: bool = True
    rows_first: bool = True
    dynamic: bool = False
    tile: tuple[int, int] = (8, 4)
    padding: str = "{padding_value = #nv_tileaa.padding_value<neg_inf>}"

    @property
    def spatial(self) -> tuple[int, ...]:
        return self.extents[1:-1]

    @property
    def tiles(self) -> tuple[int, int]:
        """The tiles of rows and of columns, and one more of each, which is outside."""
        outputs = [
            max(0, (extent + 2 * padding - dilation * (taps - 1) - 1) // stride + 1)
            for extent, taps, (padding, stride, dilation) in zip(
                self.spatial, self.filter, self.params, strict=True
            )
        ]
        rows, columns = self.tile
        return (
            -(-self.extents[0] * prod(outputs) // rows) + 1,
            prod(self.filter) * -(-self.extents[-1] // columns) + 1,
        )

    def module(self) -> ModuleOp:
        """A kernel that copies each tile of the matrix to a row of an array."""
        rank = len(self.extents)
        order = list(range(rank)) if self.channels_last else [0, rank - 1, *range(1, rank - 1)]
        sizes = [self.extents[dim] for dim in order]
        strides = [prod(sizes[dim + 1 :]) for dim in range(rank)]
        channel = order.index(rank - 1)
        groups = [[order.index(dim) for dim in range(rank - 1)], [channel]]
        known = ["?"] * rank if self.dynamic else sizes
        shape = "x".join(map(str, known))
        shown = ["?"] * (rank - 1) + [1] if self.dynamic else strides
        memref = f"!nv_tileaa.memref<{shape}xf32, strides = [{_list(shown)}]>"
        given = constants = ""
        if self.dynamic:
            constants = "".join(
                f"%{name}{dim} = arith.constant {value} : i32\n"
                for name, values in (("size", sizes), ("stride", strides[:-1]))
                for dim, value in enumerate(values)
            )
            given = (
                f"sizes = [{_list(f'%size{d}' for d in range(rank))} : {_list(['i32'] * rank)}] "
                f"strides = [{_list(f'%stride{d}' for d in range(rank - 1))} : "
                f"{_list(['i32'] * (rank - 1))}]"
            )
        rows, columns = self.tile
        extent = (rows, columns) if self.rows_first else (columns, rows)
        coords = ("%row", "%column") if self.rows_first else ("%column", "%row")
        groups = groups if self.rows_first else groups[::-1]
        tile = f"{extent[0]}x{extent[1]}xf32"
        view = f"!nv_tileaa.tiled_view<{tile}, {memref}>"
        loaded = f"tensor<{tile}>"
        count = self.tiles[0] * self.tiles[1]
        out = f"!nv_tileaa.memref<{count * extent[0]}x{extent[1]}xf32, strides = [{extent[1]}, 1]>"
        out_view = f"!nv_tileaa.tiled_view<{tile}, {out}>"
        fields = zip(("padding", "stride", "dilation"), zip(*self.params, strict=True), strict=True)
        params = ", ".join(f"{name} = [{_list(values)}]" for name, values in fields)
        spec = "#nv_tileaa.kernel_spec<num_warps = 1, num_ctas = 1>"
        return tools.parse(f"""
builtin.module {{
nv_tileaa.func @k(%p: !nv_tileaa.ptr<f32>, %q: !nv_tileaa.ptr<f32>)
    attributes {{nv_tileaa.kernel_spec = {spec}}} {{
  {constants}
  %zero = arith.constant 0 : i32
  %row = nv_tileaa.get_program_id 0 : i32
  %column = nv_tileaa.get_program_id 1 : i32
  %rows = nv_tileaa.get_num_programs 0 : i32
  %before = arith.muli %column, %rows : i32
  %number = arith.addi %before, %row : i32
  %memref = nv_tileaa.make_memref %p {given} : !nv_tileaa.ptr<f32> -> {memref}
  %view = nv_tileaa.conv_tile %memref {{tileSizes = array<i64: {_list(extent)}>, dimGroups = {groups},
    filterSize = array<i64: {_list(self.filter)}>, channel = {channel} : i64,
    convParams = #nv_tileaa.conv_params<{params}>}} : {memref} -> {view}
  %x, %t = nv_tileaa.tiled_load weak %view[{_list(coords)}] {self.padding} : {view}[i32, i32] -> {loaded}, {TOKEN}
  %out = nv_tileaa.make_memref %q : !nv_tileaa.ptr<f32> -> {out}
  %tiles = nv_tileaa.block_tile %out {{tileSizes = array<i64: {_list(extent)}>,
    dimGroups = [[0 : i64], [1 : i64]]}} : {out} -> {out_view}
  %s = nv_tileaa.tiled_store weak %x, %tiles[%number, %zero] : {loaded}, {out_view}[i32, i32] -> {TOKEN}
  nv_tileaa.return
}}
}}
""")

    def arguments(self) -> list[Array]:
        x = np.arange(1, prod(self.extents) + 1, dtype=np.float32)
        count = self.tiles[0] * self.tiles[1] * prod(self.tile)
        return [x, np.zeros(count, np.float32)]


def _list(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


CASES = [
    *(
        Convolution((2, 4, 5, 6), (2, 1), ((p, s, d), (p, s, d)), channels_last=last, dynamic=dyn)
        for (p, s, d), last, dyn in product(
            [(0, 1, 1), (1, 2, 1), (2, 1, 2)], [True, False], [False, True]
        )
    ),
    Convolution((2, 9, 5), (3,), ((1, 2, 3),), rows_first=False),
    Convolution((1, 3, 4, 2, 8), (2, 3, 1), ((0, 1, 1), (2, 1, 2), (1, 2, 1))),
    Convolution((3, 2, 4), (5,), ((1, 1, 1),), dynamic=True),
]


def name(case: Convolution) -> str:
    return "-".join(map(str, (case.extents, case.filter, case.params)))


def test_rows_cannot_be_gathered() -> None:
    text = tools.to_text(CASES[0].module())
    text = (
        text.replace("tiled_load weak %view[%row,", "gather_load weak %view[%which,")
        .replace(" {padding_value", " {sparse_dim = 0 : i32, padding_value")
        .replace("[i32, i32] ->", "[tensor<8xi32>, i32] ->", 1)
        .replace("%before =", "%which = nv_tileaa.splat %zero : i32 -> tensor<8xi32>\n%before =")
    )
    with pytest.raises(InputError, match="cannot gather tiles of a convolution"):
        lower(tools.context(), tools.parse(text), "ptx", gpu="sm_90a", file="k.mlir")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES, ids=name)
def test_tiles(case: Convolution) -> None:
    first, last = case.arguments(), case.arguments()
    grid = (*case.tiles, 1)
    interpreters.launch(case.module(), "k", grid, first)
    lowered = lower(tools.context(), case.module(), "ptx", gpu="sm_90a", file="k.mlir")
    assert lowered.ptx is not None
    emulator.load(lowered.ptx).launch("k", grid, last)
    np.testing.assert_array_equal(first[1], last[1])
    # A filter that reaches beyond the activation has no output.
    assert (len(np.unique(first[1])) > 2) == (case.tiles[0] > 1)


# Convolutions of whole tiles.


@dataclass(frozen=True)
class WholeTiles:
    """The shapes with the channels last, and the element types."""

    activation: tuple[int, ...]
    filter: tuple[int, ...]
    output: tuple[int, ...]
    params: tuple[tuple[int, int, int], ...]
    elements: tuple[str, str] = ("f32", "f32")
    channels_first: bool = False
    largest: int = 4
    """The bound of all numbers, which are integers."""

    def module(self) -> ModuleOp:
        """A kernel that loads the three tiles, and stores the result over the accumulator."""
        elements = (self.elements[0], self.elements[0], self.elements[1])
        loads, tiles, at, types = "", list[str](), "", ""
        for index, (shape, element) in enumerate(zip(self.shapes(), elements, strict=True)):
            extents = "x".join(map(str, shape))
            strides = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
            memref = f"!nv_tileaa.memref<{extents}x{element}, strides = {strides}>"
            view = f"!nv_tileaa.tiled_view<{extents}x{element}, {memref}>"
            tiles.append(f"tensor<{extents}x{element}>")
            at = f"[{_list(['%zero'] * len(shape))}]"
            types = f"{view}[{_list(['i32'] * len(shape))}]"
            groups = [[f"{dim} : i64"] for dim in range(len(shape))]
            loads += f"""
  %m{index} = nv_tileaa.make_memref %p{index} : !nv_tileaa.ptr<{element}> -> {memref}
  %v{index} = nv_tileaa.block_tile %m{index} {{tileSizes = array<i64: {_list(shape)}>,
    dimGroups = {str(groups).replace("'", "")}}} : {memref} -> {view}
  %x{index}, %t{index} = nv_tileaa.tiled_load weak %v{index}{at} : {types} -> {tiles[-1]}, {TOKEN}
"""
        fields = zip(("padding", "stride", "dilation"), zip(*self.params, strict=True), strict=True)
        params = ", ".join(f"{name} = [{_list(values)}]" for name, values in fields)
        signs = ", ".join(f"signedness_{f} = #nv_tileaa.signedness<signed>" for f in "ab")
        order = "channels_first" if self.channels_first else "channels_last"
        pointers = ", ".join(f"%p{n}: !nv_tileaa.ptr<{e}>" for n, e in enumerate(elements))
        return tools.parse(f"""
builtin.module {{
nv_tileaa.func @k({pointers}) attributes {{
    nv_tileaa.kernel_spec = #nv_tileaa.kernel_spec<num_warps = 4, num_ctas = 1>}} {{
  %zero = arith.constant 0 : i32
  {loads}
  %y = nv_tileaa.conv_dot %x0, %x1, %x2 {{convParams = #nv_tileaa.conv_params<{params}>,
    activationLayout = #nv_tileaa.activation_layout<{order}>
    {", " + signs if "i" in self.elements[0] else ""}}} : {", ".join(tiles)}
  %s = nv_tileaa.tiled_store weak %y, %v2{at} token = %t2 : {tiles[2]}, {types} -> {TOKEN}
  nv_tileaa.return
}}
}}
""")

    def shapes(self) -> list[tuple[int, ...]]:
        """Of the activation, the filter and the accumulator."""
        shapes = (self.activation, self.filter, self.output)
        if self.channels_first:
            return [(shape[0], shape[-1], *shape[1:-1]) for shape in shapes]
        return list(shapes)

    def arguments(self) -> list[Array]:
        random = np.random.default_rng(0)
        dtypes = [DTYPES[element] for element in (self.elements[0], *self.elements)]
        return [
            random.integers(-self.largest, self.largest + 1, shape).astype(dtype)
            for shape, dtype in zip(self.shapes(), dtypes, strict=True)
        ]


WHOLE_TILES = [
    WholeTiles((2, 16, 4), (8, 4, 4), (2, 8, 8), ((3, 2, 2),)),
    WholeTiles((2, 16, 4), (8, 4, 4), (2, 8, 8), ((3, 2, 2),), channels_first=True),
    WholeTiles((1, 4, 8, 2), (4, 2, 2, 2), (1, 4, 8, 4), ((1, 1, 2), (1, 1, 2)), ("i8", "i32")),
    WholeTiles(
        (1, 4, 8, 16), (16, 2, 1, 16), (1, 2, 8, 16), ((0, 2, 1), (0, 1, 1)), ("f16", "f32")
    ),
    WholeTiles((2, 8, 8), (2, 1, 8), (2, 4, 2), ((0, 2, 1),), ("f16", "f16")),
    # Sums of more digits than the type has.
    WholeTiles((2, 8, 16), (2, 1, 16), (2, 4, 2), ((0, 2, 1),), ("f16", "f16"), largest=60),
    WholeTiles(
        (1, 2, 2, 4, 2), (2, 1, 2, 2, 2), (1, 2, 1, 2, 2), ((0, 1, 1), (0, 2, 1), (0, 2, 1))
    ),
]


@pytest.mark.parametrize("case", WHOLE_TILES, ids=lambda case: str(case.shapes()))
def test_whole_tiles(case: WholeTiles) -> None:
    first, last = case.arguments(), case.arguments()
    interpreters.launch(case.module(), "k", (1, 1, 1), first)
    lowered = lower(tools.context(), case.module(), "ptx", gpu="sm_90a", file="k.mlir")
    assert lowered.ptx is not None
    emulator.load(lowered.ptx).launch("k", (1, 1, 1), last, races=True)
    np.testing.assert_array_equal(first[2], last[2])
    assert (first[2] != case.arguments()[2]).any()


def in_windows(module: ModuleOp, steps: int) -> ModuleOp:
    """A kernel whose convolution goes through scratch memory in so many pairs of windows."""
    tools.run_passes(module, FROM_TILEAA)
    (op,) = (op for op in module.walk() if isinstance(op, nv_tileaa.ConvDotOp))
    op.attributes[STEPS] = as_steps([steps])
    return tools.run_passes(module, ALLOCATED)


def convolved(case: WholeTiles) -> Array:
    """The result by numpy, in double precision; numbers are small integers."""
    arrays = [array.astype(np.float64) for array in case.arguments()]
    if case.channels_first:
        arrays = [np.moveaxis(array, 1, -1) for array in arrays]
    activation, weights, total = arrays
    sides = [(0, 0), *((padding, padding) for padding, _, _ in case.params), (0, 0)]
    padded = np.pad(activation, sides)
    taps, axes = weights.shape[1:-1], tuple(range(1, padded.ndim - 1))
    spans = [d * (tap - 1) + 1 for tap, (_, _, d) in zip(taps, case.params, strict=True)]
    met = np.lib.stride_tricks.sliding_window_view(padded, spans, axes)
    strides = [slice(None, None, stride) for _, stride, _ in case.params]
    dilations = [slice(None, None, dilation) for _, _, dilation in case.params]
    met = met[(slice(None), *strides, slice(None), *dilations)]
    # Channels, then taps, are the last dimensions of what is met.
    last = tuple(range(len(axes) + 1, met.ndim))
    total = total + np.tensordot(met, weights, (last, (weights.ndim - 1, *axes)))
    return np.moveaxis(total, -1, 1) if case.channels_first else total


@pytest.mark.one_in(5)
@pytest.mark.parametrize("steps", [1, 2, 8])
@pytest.mark.parametrize("case", WHOLE_TILES[:3], ids=lambda case: str(case.shapes()))
def test_tiles_that_exceed_scratch_memory(case: WholeTiles, steps: int) -> None:
    module, arguments = in_windows(case.module(), steps), case.arguments()
    program, shared = emulator.load(emit(module)), dynamic_shared_memory(module, "k")
    program.launch("k", (1, 1, 1), arguments, dynamic_shared=shared, races=True)
    np.testing.assert_array_equal(arguments[2], convolved(case))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize(
    "case",
    [
        WholeTiles((1, 4096, 16), (2, 1, 16), (1, 4096, 2), ((0, 1, 1),)),
        WholeTiles((2, 4, 16), (4096, 1, 16), (2, 4, 4096), ((0, 1, 1),)),
    ],
    ids=["activation", "filter"],
)
def test_tiles_of_256_kib_compile(case: WholeTiles, gpu: str) -> None:
    lowered = lower(tools.context(), case.module(), "ptx", gpu=gpu, file="k.mlir")
    assert lowered.ptx is not None


def test_an_element_of_each_operand_must_fit() -> None:
    module = tools.run_passes(WHOLE_TILES[0].module(), FROM_TILEAA)
    (op,) = (op for op in module.walk() if isinstance(op, nv_tileaa.ConvDotOp))
    target = TARGETS["sm_90a"]
    padded, weights = 2 * 22 * 4, 8 * 4 * 4
    assert scratch_bytes(op, target, [1]) == 4 * padded + 64 + 4 * weights
    assert scratch_bytes(op, target, [1 << 15]) == 128 + 4
    with pytest.raises(PassFailedException, match="needs 132 bytes of shared memory for an elem"):
        steps_within(op, target, 131)
