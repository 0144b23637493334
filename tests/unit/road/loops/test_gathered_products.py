"""Products of gathered rows: the K loop loads them by TMA, ahead of the dots where rows are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.unit.road.agreement import DTYPES, Array
from tileir_xdsl import emulator, interpreters
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.runtime.ptxas import assemble
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels.written import WRITTEN

MODES: tuple[dict[str, Any], ...] = ({}, {"late": True}, {"races": True}, {"warp_seed": 1})
HEIGHT, DEPTH, WIDTH = 96, 192, 64
TILE, STEP = 64, 64
"""Rows and columns of the result of one step, and what of the depth it takes."""

GATHER = "tile::gather4"


@dataclass(frozen=True)
class Product:
    """`c[i] = a[rows[i]] @ b` for tiles of 64 rows, `groups` of them one after the other."""

    element: str = "f16"
    groups: int = 1
    shifted: bool = False
    """Whether each step takes other rows: those that many steps after the listed ones."""

    @property
    def result(self) -> str:
        return "i32" if self.element == "i8" else "f32"

    @property
    def text(self) -> str:
        """The kernel as `cuda_tile`."""
        element, result = self.element, self.result

        def view(name: str, rows: int, columns: int, type: str, kind: str, more: str) -> str:
            tensor = f"tensor_view<{rows}x{columns}x{type}, strides=[{columns},1]>"
            made = f"{kind}_view<tile=({TILE}x{WIDTH}), padding_value = zero, {tensor}{more}>"
            return f"""
            %{name}_base = assume div_by<16>, %{name} : tile<ptr<{type}>>
            %{name}_object = make_tensor_view %{name}_base, shape = [{rows}, {columns}], strides = [{columns}, 1] : {tensor}
            %{name}_view = make_{kind}_view %{name}_object : {made}
            """

        a = f"gather_scatter_view<tile=({TILE}x{WIDTH}), padding_value = zero, tensor_view<{HEIGHT}x{DEPTH}x{element}, strides=[{DEPTH},1]>, sparse_dim=0>"
        b = f"partition_view<tile=({TILE}x{WIDTH}), padding_value = zero, tensor_view<{DEPTH}x{WIDTH}x{element}, strides=[{WIDTH},1]>>"
        count = TILE * self.groups
        c = f"partition_view<tile=({TILE}x{WIDTH}), padding_value = zero, tensor_view<{count}x{WIDTH}x{result}, strides=[{WIDTH},1]>>"
        lists = f"partition_view<tile=({TILE}), tensor_view<{TILE * self.groups}xi32, strides=[1]>>"
        operand, sums = f"tile<{TILE}x{STEP}x{element}>", f"tile<{TILE}x{WIDTH}x{result}>"
        numbers = f"tile<{TILE}xi32>"
        mma = "mmai" if self.element == "i8" else "mmaf"
        signs = " signed signed" if self.element == "i8" else ""
        shift = (
            f"""%flat = reshape %k : tile<i32> -> tile<1xi32>
            %many = broadcast %flat : tile<1xi32> -> {numbers}
            %taken = addi %rows, %many : {numbers}"""
            if self.shifted
            else ""
        )
        zero = f"constant <{result}: {'0' if result == 'i32' else '0.0'}> : {sums}"
        step = f"""
            %rows, %t0 = load_view_tko weak %lists_view[%i] token = %0 : {lists}, tile<i32> -> {numbers}, token
            %sum = for %k in (%none to %steps, step %one) : tile<i32> iter_values(%acc = %zero) -> ({sums}) {{
              %column = muli %k, %depth : tile<i32>
              {shift}
              %x, %t1 = load_view_tko weak %a_view[{"%taken" if self.shifted else "%rows"}, %column] token = %0 : {a}, {numbers}, tile<i32> -> {operand}, token
              %y, %t2 = load_view_tko weak %b_view[%k, %none] token = %0 : {b}, tile<i32> -> {operand}, token
              %s = {mma} %x, %y, %acc{signs} : {operand}, {operand}, {sums}
              continue %s : {sums}
            }}
            %t3 = store_view_tko weak %sum, %c_view[%i, %none] token = %0 : {sums}, {c}, tile<i32> -> token
        """
        if self.groups > 1:
            step = f"for %i in (%none to %all, step %one) : tile<i32> {{ {step} continue }}"
        else:
            step = f"%i, %j, %z = get_tile_block_id : tile<i32>\n{step}"
        views = (
            view("a", HEIGHT, DEPTH, element, "gather_scatter", ", sparse_dim=0")
            + view("b", DEPTH, WIDTH, element, "partition", "")
            + view("c", count, WIDTH, result, "partition", "")
        )
        return f"""
        cuda_tile.module @m {{
          entry @k(%a: tile<ptr<{element}>>, %b: tile<ptr<{element}>>, %c: tile<ptr<{result}>>,
                   %list: tile<ptr<i32>>) {{
          %0 = make_token : token
          %none = constant <i32: 0> : tile<i32>
          %one = constant <i32: 1> : tile<i32>
          %steps = constant <i32: {DEPTH // STEP}> : tile<i32>
          %all = constant <i32: {self.groups}> : tile<i32>
          %depth = constant <i32: {STEP}> : tile<i32>
          %zero = {zero}
          {views}
          %list_base = assume div_by<16>, %list : tile<ptr<i32>>
          %lists = make_tensor_view %list_base, shape = [{count}], strides = [1] : tensor_view<{count}xi32, strides=[1]>
          %lists_view = make_partition_view %lists : {lists}
          {step}
          return
          }}
        }}
        """

    def arguments(self) -> list[Array]:
        """Small integers, and rows of which some are not there."""
        rng = np.random.default_rng(3)
        dtype, count = DTYPES[self.element], TILE * self.groups
        a, b = (
            rng.integers(-3, 4, shape).astype(np.int8).astype(dtype)
            for shape in ((HEIGHT, DEPTH), (DEPTH, WIDTH))
        )
        rows = rng.integers(-2, HEIGHT + 2, count).astype(np.int32)
        return [a, b, np.zeros((count, WIDTH), DTYPES[self.result]), rows]

    def expected(self) -> Array:
        """The result by numpy."""
        a, b, c, numbers = self.arguments()
        sums, rows = np.zeros(c.shape, np.int64), numbers.astype(np.int64)
        for step in range(DEPTH // STEP):
            taken = rows + step * self.shifted
            inside = ((taken >= 0) & (taken < HEIGHT))[:, None]
            part = slice(step * STEP, (step + 1) * STEP)
            operand = np.where(inside, a[np.clip(taken, 0, HEIGHT - 1), part].astype(np.int64), 0)
            sums += operand @ b[part].astype(np.int64)
        return sums.astype(c.dtype)

    def check(self, gpu: str, expected: Sequence[str]) -> str:
        """Compiles the kernel, looks for instructions, and runs it at both ends."""
        result, arguments = self.expected(), self.arguments()
        interpreters.launch(tools.parse(self.text), "k", (1, 1, 1), [*arguments])
        np.testing.assert_array_equal(arguments[2], result)
        module = tools.run_passes(tools.parse(self.text), f"tileir-pipeline{{gpu={gpu}}}")
        ptx = emit(module)
        for instruction in expected:
            assert instruction in ptx
        assemble(ptx, gpu)
        shared = dynamic_shared_memory(module, "k")
        for mode in MODES:
            arguments = self.arguments()
            passed = with_tensor_maps(module, "k", [*arguments])
            emulator.load(ptx).launch("k", (1, 1, 1), passed, dynamic_shared=shared, **mode)
            np.testing.assert_array_equal(arguments[2], result)
        return ptx


@pytest.mark.one_in(5)
@pytest.mark.parametrize("element", ["f16", "bf16", "i8", "f8E4M3FN"])
@pytest.mark.parametrize("gpu", ["sm_100a", "sm_120a"])
def test_rows_that_are_known_before_the_loop(gpu: str, element: str):
    Product(element).check(gpu, [GATHER])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a", "sm_120a"])
def test_rows_of_several_groups(gpu: str):
    Product(groups=3).check(gpu, [])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a", "sm_120a"])
def test_rows_that_change_in_the_loop(gpu: str):
    Product(shifted=True).check(gpu, [])


@pytest.mark.parametrize(
    ("gpu", "scatters"), [("sm_90a", False), ("sm_100a", True), ("sm_120a", False)]
)
def test_a_kernel_of_the_reference_set_copies_rows(gpu: str, scatters: bool):
    text = WRITTEN["gathered_product"].text_path.read_text()
    ptx = emit(tools.run_passes(tools.parse(text), f"tileir-pipeline{{gpu={gpu}}}"))
    assert (GATHER in ptx) == (gpu != "sm_90a")
    assert ("tile::scatter4" in ptx) == scatters
