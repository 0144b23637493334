"""Every row of `bench.matrix_units`, for every target: right, and machine code without a remark.

`python -m pytest -m soak tests/unit/road/matrix_units/test_matrix_rows.py` runs all of them, the tests
without soaking one for each target.
"""

import zlib
from functools import cache

import numpy as np
import pytest

from bench.matrix_kernels import SCALED_CASES, SCALED_FORMATS
from bench.matrix_units import ALL_CASES, TILE_IR_GPUS, compiled, is_taken, of_ptx
from tests.unit.road.zoo import Lowered, run
from tileir_xdsl.testing.kernels import KernelCase, Problem

ROWS = [(gpu, name) for gpu in TILE_IR_GPUS for name in ALL_CASES if is_taken(name, gpu)]

QUICK = (
    ("sm_80", "product_128x128x64"),
    ("sm_90a", "product_f8_128x128x128"),
    ("sm_100a", "mxfp8_ordered_128x128x128"),
    ("sm_120a", "product_f8_256x128x128"),
)

EVERY_ROW = [row if row in QUICK else pytest.param(*row, marks=pytest.mark.soak) for row in ROWS]


@cache
def kernel_of(gpu: str, name: str) -> Lowered:
    """The last module of a row, and its PTX."""
    lowered, _ = compiled(ALL_CASES[name], gpu)
    assert lowered.ptx is not None
    return Lowered(lowered.module, lowered.ptx)


def drawn_problem(case: KernelCase, rng: np.random.Generator) -> Problem:
    """A problem that ends within tiles in all extents that a kernel leaves open."""
    *sizes, last = case.problems[0]
    if len(sizes) == 1:  # Heads, and the length of attention.
        return (*sizes, 16 * int(rng.integers(1, last // 16 + 1)))
    m, n = sizes
    # Rows of operands of four bits have half as many bytes, and of scales one for each block.
    step = 2 * SCALED_FORMATS[case.name.split("_")[0]].block if case.name in SCALED_CASES else 16
    m, n = (16 * int(rng.integers(1, extent // 16 + 2)) for extent in (m, n))
    return m - int(rng.integers(16)), n, step * int(rng.integers(1, last // step + 1))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("gpu", "name"), EVERY_ROW)
def test_a_row_is_right_and_clean(gpu: str, name: str):
    """Late and with races looked for; the assembler remarks on nothing, and nothing is spilled."""
    case, kernel = ALL_CASES[name], kernel_of(gpu, name)
    rng = np.random.default_rng(zlib.crc32(f"{gpu} {name}".encode()))
    problem = drawn_problem(case, rng)
    run(case, kernel, problem, case.grid(problem), late=True, races=True)
    measured = of_ptx(kernel.ptx, gpu)
    assert measured.remarks == 0
    assert measured.spilled == 0
