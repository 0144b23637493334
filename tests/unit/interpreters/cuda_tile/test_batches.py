"""Tile blocks that run together: they compute what they do one by one, or are refused."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.interpreters.test_kernels import module_of
from tileir_xdsl.interpreters import InterpreterError, launch
from tileir_xdsl.interpreters.arguments import Argument
from tileir_xdsl.interpreters.cuda_tile import batches
from tileir_xdsl.interpreters.grid import tile_blocks
from tileir_xdsl.interpreters.numerics import F16, F32, FloatFormat
from tileir_xdsl.interpreters.tile_operations import mma_floats
from tileir_xdsl.testing import tools
from tileir_xdsl.testing.kernels import KERNELS, launch_arguments
from tileir_xdsl.testing.programs.generator import generate

TOGETHER = (
    "argmax_rows",
    "batched_matmul",
    "elementwise_f16",
    "matmul_bf16",
    "matmul_f16",
    "reductions",
    "rms_norm",
    "softmax_f32",
    "transpose",
)
"""Kernels of the zoo whose tile blocks run together."""

KERNEL = """
cuda_tile.module @kernels {
  entry @kernel(%p: tile<ptr<i32>>, %q: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = make_token : token
    %from = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %to = offset %q, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %from token=%start : tile<ptr<i32>> -> tile<i32>, token
    BODY
    %u = store_ptr_tko weak %to, %v token=%start : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
"""

PRINT = '%w = print_tko "%d\\n", %x token=%start : tile<i32> -> token'
LOOP = """%s = for %i in (%zero to %x, step %one) : tile<i32> iter_values(%a = %zero) -> (tile<i32>) {
      %b = addi %a, %v : tile<i32>
      continue %b : tile<i32>
    }
    %w = store_ptr_tko weak %to, %s token=%start : tile<ptr<i32>>, tile<i32> -> token"""
STORES = "%w = store_ptr_tko weak %q, %x token=%start : tile<ptr<i32>>, tile<i32> -> token"


def kernel(body: str = "") -> ModuleOp:
    """A kernel that copies an element in each tile block, and does more."""
    return tools.parse(KERNEL.replace("BODY", body))


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tile blocks of each launch have run together."""
    counts: list[int] = []
    original = batches.run_batches

    def counting(*args: Any) -> int:
        counts.append(original(*args))
        return counts[-1]

    monkeypatch.setattr(sys.modules[launch.__module__], "run_batches", counting)
    return counts


def leaves(
    module: ModuleOp, grid: tuple[int, int, int], arguments: Sequence[Argument], *, together: bool
) -> tuple[list[bytes], str]:
    """The bytes of the arrays after a launch, and what it prints or why it fails."""
    output = io.StringIO()
    order = None if together else range(math.prod(grid))
    copies = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
    try:
        launch(module, None, grid, copies, order=order, output=output)
    except InterpreterError as error:
        output.write(str(error))
    return [a.tobytes() for a in copies if isinstance(a, np.ndarray)], output.getvalue()


@pytest.mark.parametrize("seed", range(1000, 1012))
def test_random_programs_compute_the_same(seed: int) -> None:
    program = generate(seed)
    arguments = program.arguments(np.random.default_rng(seed))
    grid = (3, 2, 2)
    one_by_one = leaves(program.module, grid, arguments, together=False)
    assert leaves(program.module, grid, arguments, together=True) == one_by_one


@pytest.mark.parametrize("name", TOGETHER)
def test_kernels_run_together(name: str, ran: list[int]) -> None:
    case = KERNELS[name]
    grid = case.grid(case.typical)
    arguments = launch_arguments(case.make_arguments(case.typical))
    one_by_one = leaves(module_of(name), grid, arguments, together=False)
    assert leaves(module_of(name), grid, arguments, together=True) == one_by_one
    assert ran == [math.prod(grid)]


@pytest.mark.parametrize(
    ("body", "count"),
    [("", 4), (STORES, 4), (PRINT, None), (LOOP, 0)],
    ids=["plain", "two stores", "print, which is not tried", "loop bounds differ"],
)
def test_what_forbids_it_runs_one_by_one(body: str, count: int | None, ran: list[int]) -> None:
    arguments = [np.arange(5, 9, dtype=np.int32), np.zeros(4, np.int32)]
    one_by_one = leaves(kernel(body), (4, 1, 1), arguments, together=False)
    assert leaves(kernel(body), (4, 1, 1), arguments, together=True) == one_by_one
    assert ran == ([] if count is None else [count])


@pytest.mark.parametrize("shift", [0, 1], ids=["in place", "the next element"])
def test_stores_to_what_is_loaded_run_one_by_one(shift: int, ran: list[int]) -> None:
    array = np.arange(1, 9, dtype=np.int32)
    launch(kernel(), None, (4, 1, 1), [array, array[shift:]])
    assert array.tolist() == ([1, 2, 3, 4, 5, 6, 7, 8] if not shift else [1, 1, 1, 1, 1, 6, 7, 8])
    assert ran == [0]


def test_an_error_names_its_tile_block() -> None:
    arguments = [np.arange(4, dtype=np.int32), np.zeros(2, np.int32)]
    one_by_one = leaves(kernel(), (4, 1, 1), arguments, together=False)
    assert "tile block (2, 0, 0)" in one_by_one[1]
    assert leaves(kernel(), (4, 1, 1), arguments, together=True) == one_by_one


@pytest.mark.parametrize("grid", [(1, 1, 1), (5, 1, 1), (3, 4, 2), (2, 3, 5)])
@pytest.mark.parametrize("capacity", [1, 2, 4, 7, 100])
def test_batches_are_the_tile_blocks_in_order(grid: tuple[int, int, int], capacity: int) -> None:
    found: list[tuple[int, ...]] = []
    for batch in batches.batches(grid, capacity):
        assert math.prod(batch.extents) <= capacity
        x, y, z = (range(f, f + n) for f, n in zip(batch.first, batch.extents, strict=True))
        found += [(i, j, k) for k, j, i in product(z, y, x)]
    assert found == list(tile_blocks(grid))


@pytest.mark.parametrize("fmt", [F16, F32], ids=lambda fmt: fmt.name)
def test_a_large_batch_of_dots_rounds_as_each_of_them(fmt: FloatFormat) -> None:
    random = np.random.default_rng(0)
    lhs = random.standard_normal((1, 1, 6, 128, 32)).astype(np.float16)
    rhs = random.standard_normal((1, 3, 1, 32, 64)).astype(np.float16)
    acc = random.standard_normal((3, 6, 128, 64)).astype(fmt.dtype)
    lhs[0, 0, 2, 3, 1], acc[1, 2, 5, 6] = np.inf, np.nan
    acc[1, 1, 0] = -0.0
    with np.errstate(all="ignore"):
        whole = mma_floats(lhs, rhs, acc, fmt)
        for j, i in np.ndindex(3, 6):
            alone = mma_floats(lhs[0, 0, i], rhs[0, j, 0], acc[j, i], fmt)
            assert whole[0, j, i].tobytes() == alone.tobytes()
