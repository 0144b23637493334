"""Rows gathered and scattered by TMA: the PTX computes what numpy does, in every mode."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.road.accesses.both_ends import MODES, Modes, assert_instructions, run_at_both_ends
from tests.unit.road.agreement import DTYPES, Array
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects import nv_tileas
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools
from tileir_xdsl.transforms.lower_tma_load_store_to_async import LowerTMALoadStoreToAsyncPass
from tileir_xdsl.transforms.pipeline_road import passes
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

HEIGHT, WIDTH, PITCH = 40, 72, 80
"""Elements of the object, and between its rows."""

GATHER, SCATTER = "tile::gather4", "tile::scatter4"
LOADED, STORED = "cp.async.bulk.tensor.2d.shared", "cp.async.bulk.tensor.2d.global"


@dataclass(frozen=True)
class Rows:
    """A kernel that gathers rows of one object, computes, and scatters rows of another one.

    A position of None is that of the tile block: the tile is loaded or stored as one of a view.
    """

    shape: tuple[int, int] = (8, 64)
    element: str = "f16"
    index: str = "i32"
    gathered: Sequence[int] | None = field(default_factory=lambda: [9, 3, 3, 39, 0, 1, 9, 20])
    scattered: Sequence[int] | None = field(default_factory=lambda: [8, 1, 16, 2, 0, 39, 7, 5])
    columns: tuple[int, int] = (0, 0)
    """The first one that is gathered, and the first one that is scattered."""
    padding: str = "zero"
    body: str = ""
    """What is computed of `%tile`; nothing if it is empty."""
    steps: int = 0
    """How often a loop repeats it, one tile further along each row; 0 is no loop."""

    @property
    def dtype(self) -> np.dtype[np.generic]:
        return DTYPES[self.element]

    @property
    def tile(self) -> str:
        """The type of the tile."""
        return f"tile<{self.shape[0]}x{self.shape[1]}x{self.element}>"

    @property
    def numbers(self) -> str:
        """The type of the row numbers."""
        return f"tile<{self.shape[0]}x{self.index}>"

    def view(self, rows: Sequence[int] | None, padding: str) -> tuple[str, str]:
        """The name and the type of a view of an object."""
        object = f"tensor_view<?x?x{self.element}, strides=[?,1]>"
        extents = f"tile=({self.shape[0]}x{self.shape[1]}){padding}, {object}"
        if rows is None:
            return "partition", f"partition_view<{extents}>"
        return "gather_scatter", f"gather_scatter_view<{extents}, sparse_dim=0>"

    def place(self, rows: Sequence[int] | None, name: str) -> tuple[str, str]:
        """The coordinates of a tile, and their types."""
        if rows is None:
            return "%i, %number", "tile<i32>"
        return f"%{name}_rows, %{name}_column", f"{self.numbers}, tile<i32>"

    @property
    def text(self) -> str:
        """The kernel as `cuda_tile`."""
        element, (place, types) = self.element, self.place(self.gathered, "in")
        made, in_type = self.view(self.gathered, f", padding_value = {self.padding}")
        back, out_type = self.view(self.scattered, "")
        back_place, back_types = self.place(self.scattered, "out")
        work = f"""
        %tile, %t1 = load_view_tko weak %in_view[{place}] token = %0 : {in_type}, {types} -> {self.tile}, token
        {self.body}
        %t2 = store_view_tko weak {"%y" if self.body else "%tile"}, %out_view[{back_place}] token = %0 : {self.tile}, {out_type}, {back_types} -> token
        """
        advance = "".join(
            f"%{name}_column = addi %{name}_first, %ahead : tile<i32>\n" for name in ("in", "out")
        )
        work = f"""
        %ahead = muli %number, %width : tile<i32>
        {advance} {work}
        """
        if self.steps:
            work = f"""
            for %number in (%none to %steps, step %one) : tile<i32> {{ {work} continue }}
            """
        else:
            work = f"%number = constant <i32: 0> : tile<i32>\n{work}"
        objects = "".join(
            f"""
            %{name}_base = assume div_by<16>, %{name} : tile<ptr<{element}>>
            %{name}_object = make_tensor_view %{name}_base, shape = [%m, %n], strides = [%pitch, 1] : tile<i32> -> tensor_view<?x?x{element}, strides=[?,1]>
            %{name}_view = make_{kind}_view %{name}_object : {type}
            %{name}_list = assume div_by<16>, %{name}_numbers : tile<ptr<{self.index}>>
            %{name}_lists = make_tensor_view %{name}_list, shape = [{self.shape[0]}], strides = [1] : tensor_view<{self.shape[0]}x{self.index}, strides=[1]>
            %{name}_lists_view = make_partition_view %{name}_lists : partition_view<tile=({self.shape[0]}), tensor_view<{self.shape[0]}x{self.index}, strides=[1]>>
            %{name}_rows, %{name}_token = load_view_tko weak %{name}_lists_view[%i] token = %0 : partition_view<tile=({self.shape[0]}), tensor_view<{self.shape[0]}x{self.index}, strides=[1]>>, tile<i32> -> {self.numbers}, token
            """
            for name, kind, type in (("in", made, in_type), ("out", back, out_type))
        )
        return f"""
        cuda_tile.module @m {{
          entry @k(%in: tile<ptr<{element}>>, %out: tile<ptr<{element}>>,
                   %in_numbers: tile<ptr<{self.index}>>, %out_numbers: tile<ptr<{self.index}>>,
                   %m: tile<i32>, %n: tile<i32>, %s: tile<i32>,
                   %in_first: tile<i32>, %out_first: tile<i32>) {{
          %0 = make_token : token
          %pitch = assume div_by<16>, %s : tile<i32>
          %width = constant <i32: {self.shape[1]}> : tile<i32>
          %none = constant <i32: 0> : tile<i32>
          %one = constant <i32: 1> : tile<i32>
          %steps = constant <i32: {self.steps}> : tile<i32>
          %i, %j, %z = get_tile_block_id : tile<i32>
          {objects} {work}
          return
          }}
        }}
        """

    def arguments(self) -> list[Any]:
        """Random objects, the second one of other values, and the numbers of the rows."""
        rng = np.random.default_rng(7)

        def values() -> Array:
            return rng.integers(-9, 10, (HEIGHT, PITCH)).astype(np.int8).astype(self.dtype)

        def numbers(rows: Sequence[int] | None) -> Array:
            wide = np.array(rows or [0] * self.shape[0], np.int64)
            return wide.astype(DTYPES[self.index])

        lists = [numbers(self.gathered), numbers(self.scattered)]
        return [values(), values(), *lists, HEIGHT, WIDTH, PITCH, *self.columns]

    def expected(self) -> Array:
        """The second object after the kernel, by numpy."""
        given, result, *_ = self.arguments()
        height, width = self.shape
        rows = [range(height) if r is None else r for r in (self.gathered, self.scattered)]
        outside = np.nan if self.padding == "nan" else 0
        for step in range(max(1, self.steps)):
            first, last = (column + step * width for column in self.columns)
            for source, target in zip(*rows, strict=True):
                for column in range(width):
                    inside = 0 <= source < HEIGHT and first + column < WIDTH
                    value = given[source, first + column] if inside else self.dtype.type(outside)
                    if 0 <= target < HEIGHT and last + column < WIDTH:
                        result[target, last + column] = np.add(value, value) if self.body else value
        return result

    def twice(self) -> "Rows":
        """The same kernel, which stores each element added to itself."""
        add = "addi" if self.element.startswith("i") else "addf"
        return replace(self, body=f"%y = {add} %tile, %tile : {self.tile}")

    def check(
        self,
        gpu: str,
        instructions: Sequence[str],
        absent: Sequence[str] = (),
        modes: Modes = MODES,
    ) -> str:
        """Compiles the kernel, looks for instructions, runs it at both ends; returns the PTX."""
        expected = self.expected()
        ptx = run_at_both_ends(
            self.text,
            gpu,
            (1, 1, 1),
            self.arguments,
            lambda arguments: assert_same(arguments[1], expected),
            modes,
        )
        assert_instructions(ptx, instructions, absent)
        return ptx


def assert_same(found: Array, expected: Array) -> None:
    """Compares values; of NaN only that it is one."""
    np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


@pytest.fixture
def prefer_tma(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "1")


def some(count: int, seed: int) -> list[int]:
    """Different rows in any order."""
    return [int(row) for row in np.random.default_rng(seed).permutation(HEIGHT)[:count]]


ELEMENTS = ("f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2")
WIDTHS = (32, 64, 128, 256)
"""Bytes of a row: unswizzled rows and the spans of the swizzles, once and twice."""


@pytest.mark.one_in(15)
@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize("bytes", WIDTHS)
@pytest.mark.parametrize("element", ELEMENTS)
def test_elements_and_widths(element: str, bytes: int):
    shape = (8, bytes // DTYPES[element].itemsize)
    Rows(shape, element).check("sm_100a", [GATHER, SCATTER])


@pytest.mark.one_in(5)
@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize("element", ["f16", "f32", "i8", "i32"])
@pytest.mark.parametrize("count", [4, 8, 32])
def test_rows_that_threads_compute_with(element: str, count: int):
    rows = Rows((count, 32), element, gathered=some(count, 1), scattered=some(count, 2))
    rows.twice().check("sm_100a", [GATHER, SCATTER])


FAR = [39, 40, -1, 0, 2**31 - 1, -(2**31), 100, 5]
"""Rows that are and are not there: of 32 bits, unsigned ones from half of all on."""


@pytest.mark.one_in(15)
@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize(("padding", "element"), [("zero", "i32"), ("zero", "f16"), ("nan", "f32")])
@pytest.mark.parametrize("columns", [(0, 0), (3, 61), (70, 5), (90, 0), (0, 90)])
def test_outside_of_the_object(padding: str, element: str, columns: tuple[int, int]):
    scattered = [40, 3, 7, -1, 100, 39, 2, 1]
    rows = Rows((8, 32), element, "i32", FAR, scattered, columns, padding)
    rows.check("sm_100a", [GATHER, SCATTER])
    rows.twice().check("sm_100a", [GATHER, SCATTER])
    # By threads, where there are no such copies.
    rows.check("sm_90a", [], [GATHER, SCATTER])


BEYOND = [39, 2**31, 2**32, 2**32 + 3, -1, -(2**63), 2**63 - 1, 5]
"""Numbers of 64 bits of which the low bits alone would be those of a row."""


@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize(("index", "numbers"), [("i64", BEYOND), ("i8", [3, 0, 39, 1, 9, 9, 2, 5])])
def test_numbers_of_other_types(index: str, numbers: Sequence[int]):
    rows = Rows(index=index, gathered=numbers, scattered=[2, 1, 0, 3, 5, 4, 39, 38])
    # Nothing is stored to rows that are not there.
    swapped = replace(rows, gathered=rows.scattered, scattered=rows.gathered)
    for each in (rows, swapped) if index == "i64" else (rows,):
        each.check("sm_100a", [GATHER, SCATTER])
        each.check("sm_90a", [], [GATHER, SCATTER])


@pytest.mark.usefixtures("prefer_tma")
def test_equal_rows_are_scattered_twice():
    """They have the same values, so that it does not matter which of the racing copies wins."""
    numbers = [3, 3, 9, 0, 9, 9, 1, 3]
    rows = Rows(gathered=numbers, scattered=numbers)
    without_races = [mode for mode in MODES if "races" not in mode]
    rows.check("sm_100a", [GATHER, SCATTER], modes=without_races)


@pytest.mark.usefixtures("prefer_tma")
def test_from_rows_to_a_tile_and_back():
    rows = Rows(scattered=None)
    rows.check("sm_100a", [GATHER, STORED], [SCATTER])
    Rows(gathered=None).check("sm_100a", [LOADED, SCATTER], [GATHER])


@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize("is_computed", [False, True])
def test_in_a_loop(is_computed: bool):
    rows = Rows((8, 16), "f32", steps=4)
    (rows.twice() if is_computed else rows).check("sm_100a", [GATHER, SCATTER])


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize(
    ("gpu", "found", "absent"),
    [
        ("sm_90a", [], [GATHER, SCATTER]),
        ("sm_100", [GATHER], [SCATTER]),
        ("sm_100a", [GATHER, SCATTER], []),
        ("sm_120a", [GATHER], [SCATTER]),
    ],
)
def test_targets(gpu: str, found: Sequence[str], absent: Sequence[str]):
    Rows().twice().check(gpu, found, absent)


WRITTEN = """
        %r1 = iota : tile<{rows}xi32>
        %r2 = reshape %r1 : tile<{rows}xi32> -> tile<{rows}x1xi32>
        %r = broadcast %r2 : tile<{rows}x1xi32> -> {numbers}
        %c1 = iota : tile<{columns}xi32>
        %c2 = reshape %c1 : tile<{columns}xi32> -> tile<1x{columns}xi32>
        %c = broadcast %c2 : tile<1x{columns}xi32> -> {numbers}
        %p1 = reshape %pitch : tile<i32> -> tile<1x1xi32>
        %p = broadcast %p1 : tile<1x1xi32> -> {numbers}
        %begin = muli %r, %p : {numbers}
        %at = addi %begin, %c : {numbers}
        %b1 = reshape %in : tile<ptr<i32>> -> tile<1x1xptr<i32>>
        %b = broadcast %b1 : tile<1x1xptr<i32>> -> tile<{rows}x{columns}xptr<i32>>
        %places = offset %b, %at : tile<{rows}x{columns}xptr<i32>>, {numbers} -> tile<{rows}x{columns}xptr<i32>>
        %written = store_ptr_tko weak %places, %at token = %0 : tile<{rows}x{columns}xptr<i32>>, {numbers} -> token
        %last = constant <i32: {last}> : tile<{rows}xi32>
        %reversed = subi %last, %r1 : tile<{rows}xi32>
"""
"""Stores where each element is to the first rows of what is gathered, which are numbered in the
registers of all threads, the last one first.
"""


def follow_the_store(module: ModuleOp) -> None:
    """Makes the load of rows follow the store, and take their numbers from registers.

    From the first level on none does so, but it is a program of this level.
    """
    (store,) = (op for op in module.walk() if isinstance(op, nv_tileas.StoreOp))
    (load,) = (op for op in module.walk() if isinstance(op, nv_tileas.AsyncGatherTmaLoadOp))
    copy = load.rows.owner
    assert isinstance(copy, nv_tileas.CopyOp)
    load.operands[load.operands.index(load.barrier)] = store.results[0]
    load.operands[load.operands.index(load.rows)] = copy.source
    copy.detach()
    copy.erase()


@pytest.mark.usefixtures("prefer_tma")
def test_rows_that_threads_have_just_stored():
    """The threads meet inside the load; what they wrote also needs the fence between the proxies."""
    rows = Rows((8, 32), "i32", scattered=list(range(8)))
    load = "%tile, %t1 = load_view_tko weak %in_view[%"
    stores = WRITTEN.format(rows=8, columns=32, numbers=rows.tile, last=7)
    text = rows.text.replace(f"{load}in_rows", f"{stores}{load}reversed")
    module, context = tools.parse(text), tools.context()
    for module_pass in passes("sm_100a"):
        module_pass.apply(context, module)
        if isinstance(module_pass, LowerTMALoadStoreToAsyncPass):
            follow_the_store(module)
    ptx, shared = emit(module), dynamic_shared_memory(module, "k")
    expected = np.add.outer(np.arange(8)[::-1] * PITCH, np.arange(32))
    for mode in MODES:
        passed = rows.arguments()
        words = with_tensor_maps(module, "k", passed)
        emulator.load(ptx).launch("k", (1, 1, 1), words, dynamic_shared=shared, **mode)
        np.testing.assert_array_equal(passed[1][:8, :32], expected)
