"""Dots of multiply-adds, one for each element of a thread or one for two."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit import tools
from tests.unit.pipelines.agreement import evaluate, whole_tiles
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit

Array = NDArray[Any]

DEPTH = 8


def body(rows: int, columns: int) -> str:
    a, b, c = f"tile<{rows}x{DEPTH}xf32>", f"tile<{DEPTH}x{columns}xf32>", f"{rows}x{columns}xf32"
    return f"%y0 = mmaf %x0, %x1, %x2 : {a}, {b}, tile<{c}>"


def operands(rows: int, columns: int) -> list[Array]:
    rng = np.random.default_rng(rows + columns)
    a, b, c = (
        rng.standard_normal(shape).astype(np.float32)
        for shape in ((rows, DEPTH), (DEPTH, columns), (rows, columns))
    )
    # Infinity, NaN and subnormal numbers stay in the element of their row and column.
    a[0, 0], a[-1, 1], b[0, 0] = np.inf, np.nan, 2.0**-140
    return [a, b, c]


def text(rows: int, columns: int, gpu: str) -> str:
    output = [("f32", (rows, columns))]
    module = tools.parse(whole_tiles(body(rows, columns), operands(rows, columns), output))
    return emit(tools.run_passes(module, f"tileir-pipeline{{gpu={gpu}}}"), gpu)


SHAPES = [(64, 32), (32, 64), (16, 16), (8, 2), (1, 1), (2, 128)]


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_dots_of_integers_are_exact(rows: int, columns: int):
    rng = np.random.default_rng(rows * columns)
    values = [
        rng.integers(-99, 99, shape).astype(np.float32)
        for shape in ((rows, DEPTH), (DEPTH, columns), (rows, columns))
    ]
    (found,) = evaluate(body(rows, columns), values, [("f32", (rows, columns))], gpu="sm_100a")
    np.testing.assert_array_equal(found, values[0] @ values[1] + values[2])


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_pairs_are_equal_to_single_elements(rows: int, columns: int):
    """Bit by bit: each step along K is rounded once, in ascending order."""
    values, found = operands(rows, columns), list[Array]()
    for gpu in ("sm_100a", "sm_120a"):
        result = np.zeros((rows, columns), np.float32)
        emulator.load(text(rows, columns, gpu)).launch("k", (1, 1, 1), [*values, result])
        found.append(result)
    pairs, single = found
    np.testing.assert_array_equal(pairs, single)
    with np.errstate(invalid="ignore"):
        exact = values[0].astype(np.float64) @ values[1].astype(np.float64) + values[2]
    np.testing.assert_allclose(pairs, exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("gpu", "pairs"), [("sm_100a", True), ("sm_103a", True), ("sm_120a", False), ("sm_90a", False)]
)
def test_pairs_where_they_are_one_instruction(gpu: str, pairs: bool):
    rows, columns = 64, 32
    count = rows * columns * DEPTH // 128
    printed = text(rows, columns, gpu)
    assert printed.count("fma.rn.f32x2") == (count // 2 if pairs else 0)
    assert printed.count("fma.rn.f32 ") == (0 if pairs else count)
