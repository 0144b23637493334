"""Atomic reductions of tiles of views by TMA: the PTX computes what numpy does, in every mode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from tests.unit.road.accesses.both_ends import assert_instructions, run_at_both_ends
from tests.unit.road.agreement import DTYPES, Array
from tileir_xdsl.transforms.tileas_assign_load_store_layouts.assign_layouts import (
    PREFER_TMA_VARIABLE,
)

HEIGHT, WIDTH, PITCH = 24, 72, 80
"""Elements of the object, and between its rows: no multiples of a tile."""
BLOCKS = 3

REDUCE = "cp.reduce.async.bulk.tensor.2d.global.shared::cta"

UPDATES: Mapping[str, Any] = {
    "add": np.add,
    "addf": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "umax": np.maximum,
    "umin": np.minimum,
    "max": np.maximum,
    "min": np.minimum,
}


@dataclass(frozen=True)
class Reduction:
    """Every tile block combines each tile of a matrix with those of a result."""

    mode: str = "addf"
    element: str = "f32"
    tile: tuple[int, int] = (16, 32)
    in_loop: bool = False
    """Whether one tile block goes over all columns."""
    is_computed: bool = False
    """Whether it combines what it has computed: twice each element."""
    then_copies: bool = False
    """Whether the one tile block copies the sums afterwards, to where it has read."""

    @property
    def dtype(self) -> np.dtype[np.generic]:
        dtype = DTYPES[self.element]
        return np.dtype(f"u{dtype.itemsize}") if self.mode.startswith("u") else dtype

    @property
    def text(self) -> str:
        """The kernel as `cuda_tile`."""
        element, (rows, columns) = self.element, self.tile
        tensor = f"tensor_view<?x?x{element}, strides=[?,1]>"
        view = f"partition_view<tile=({rows}x{columns}), {tensor}>"
        padded = f"partition_view<tile=({rows}x{columns}), padding_value = zero, {tensor}>"
        tile = f"tile<{rows}x{columns}x{element}>"
        add = "addf" if element.startswith(("f", "b")) else "addi"
        value = "%y" if self.is_computed else "%x"
        again = (
            f"""
            %again, %t3 = load_view_tko weak %out_view[%i, %j] token = %t2 : {view}, tile<i32> -> {tile}, token
            %t4 = store_view_tko weak %again, %in_view[%i, %j] token = %t3 : {tile}, {padded}, tile<i32> -> token
            """
            if self.then_copies
            else ""
        )
        body = f"""
            %x, %t1 = load_view_tko weak %in_view[%i, %j] token = %0 : {padded}, tile<i32> -> {tile}, token
            {f"%y = {add} %x, %x : {tile}" if self.is_computed else ""}
            %t2 = atomic_red_view_tko relaxed device %out_view[%i, %j], {self.mode}, {value} token = %t1 : {tile}, {view}, tile<i32> -> token
            {again}
        """
        if self.in_loop:
            body = f"for %j in (%none to %steps, step %one) : tile<i32> {{ {body} continue }}"
            first = "%k, %i, %z = get_tile_block_id : tile<i32>"
        else:
            first = "%k, %i, %j = get_tile_block_id : tile<i32>"
        views = "".join(
            f"""
            %{name}_base = assume div_by<16>, %{name} : tile<ptr<{element}>>
            %{name}_object = make_tensor_view %{name}_base, shape = [%m, %n], strides = [%pitch, 1] : tile<i32> -> {tensor}
            %{name}_view = make_partition_view %{name}_object : {type}
            """
            for name, type in (("in", padded), ("out", view))
        )
        return f"""
        cuda_tile.module @m {{
          entry @k(%in: tile<ptr<{element}>>, %out: tile<ptr<{element}>>,
                   %m: tile<i32>, %n: tile<i32>, %s: tile<i32>) {{
          %0 = make_token : token
          %pitch = assume div_by<16>, %s : tile<i32>
          %none = constant <i32: 0> : tile<i32>
          %one = constant <i32: 1> : tile<i32>
          %steps = constant <i32: {-(-WIDTH // columns)}> : tile<i32>
          {first}
          {views} {body}
          return
          }}
        }}
        """

    @property
    def grid(self) -> tuple[int, int, int]:
        rows, columns = self.tile
        blocks = 1 if self.then_copies else BLOCKS
        return blocks, -(-HEIGHT // rows), 1 if self.in_loop else -(-WIDTH // columns)

    def arguments(self) -> list[Any]:
        """Small integers, of which every sum is exact."""
        rng = np.random.default_rng(5)
        low = 0 if self.dtype.kind == "u" else -9
        given, result = (
            rng.integers(low, 10, (HEIGHT, PITCH)).astype(self.dtype) for _ in range(2)
        )
        return [given, result, HEIGHT, WIDTH, PITCH]

    def expected(self) -> tuple[Array, Array]:
        """Both objects after the kernel, by numpy."""
        given, result, *_ = self.arguments()
        inside = (slice(None), slice(0, WIDTH))
        value = given[inside] + given[inside] if self.is_computed else given[inside]
        for _ in range(self.grid[0]):
            result[inside] = UPDATES[self.mode](result[inside], value)
        if self.then_copies:
            given[inside] = result[inside]
        return given, result

    def check(self, gpu: str, instructions: Sequence[str], absent: Sequence[str] = ()) -> None:
        """Compiles the kernel, looks for instructions, and runs it at both ends."""
        expected = self.expected()
        ptx = run_at_both_ends(
            self.text,
            gpu,
            self.grid,
            self.arguments,
            lambda arguments: np.testing.assert_array_equal(arguments[:2], expected),
        )
        assert_instructions(ptx, instructions, absent)


@pytest.fixture
def prefer_tma(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PREFER_TMA_VARIABLE, "1")


TAKEN = [
    ("addf", "f32"),
    ("addf", "f16"),
    ("addf", "bf16"),
    ("addf", "f64"),
    *((mode, element) for mode in ("add", "and", "or", "xor") for element in ("i32", "i64")),
    *((mode, element) for mode in ("umax", "umin") for element in ("i32", "i64")),
]


@pytest.mark.one_in(8)
@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize(("mode", "element"), TAKEN)
def test_what_tma_does_atomically(mode: str, element: str):
    Reduction(mode, element).check("sm_90a", [REDUCE])


@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize("reduction", [Reduction("max", "i32"), Reduction("min", "i64")])
def test_what_threads_do(reduction: Reduction):
    reduction.check("sm_90a", ["red"], [REDUCE])


@pytest.mark.one_in(5)
@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize("gpu", ["sm_90a", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize("is_computed", [False, True])
def test_loops_and_registers(gpu: str, in_loop: bool, is_computed: bool):
    Reduction(in_loop=in_loop, is_computed=is_computed).check(gpu, [REDUCE])


@pytest.mark.usefixtures("prefer_tma")
@pytest.mark.parametrize("in_loop", [False, True])
def test_what_comes_afterwards_waits(in_loop: bool):
    Reduction(in_loop=in_loop, then_copies=True).check("sm_90a", [REDUCE])


def test_targets_without_it():
    Reduction().check("sm_80", [], [REDUCE])


def test_large_tiles_cost_less_by_tma():
    reduction = Reduction(tile=(64, 64), is_computed=True)
    reduction.check("sm_100a", [REDUCE])
    replace(reduction, tile=(16, 32)).check("sm_100a", ["red"], [REDUCE])
