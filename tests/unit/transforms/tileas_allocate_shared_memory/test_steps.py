"""Exchanges through scratch memory in steps: how many is written on ops, and the conversion obeys."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i32
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import PassFailedException

from tests.unit.transforms.convert_tileas_to_llvm.shared_memory.test_layout_conversions import (
    TYPES,
    kernel,
)
from tileir_xdsl import emulator
from tileir_xdsl.backend.ptx import emit
from tileir_xdsl.dialects.nv_tileas import ConvertLayoutOp
from tileir_xdsl.dialects.nv_tileas.allocations import SCRATCH, STEPS, allocation_of, steps_of
from tileir_xdsl.layout.constructors import blocked
from tileir_xdsl.layout.linear import LinearLayout
from tileir_xdsl.testing.tools import DECIDED, TO_LLVM, parse, run_passes

PASS = "tileas-materialize-convert-layout,tileas-allocate-shared-memory"
ROWS, COLUMNS = blocked((64, 64), 4, 4), blocked((64, 64), 8, 4, order=(0, 1))
LARGE = blocked((256, 256), 4, 8), blocked((256, 256), 4, 8, order=(0, 1))


def conversion(module: ModuleOp) -> Operation:
    (op,) = (op for op in module.walk() if isinstance(op, ConvertLayoutOp))
    return op


def bytes_of(op: Operation) -> int:
    allocation = allocation_of(op, SCRATCH)
    assert allocation is not None
    return allocation.size.data


def allocated(
    source: LinearLayout, target: LinearLayout, element: str, steps: Attribute | None = None
) -> ModuleOp:
    """A conversion with its scratch memory, and with steps that somebody has written."""
    module = parse(kernel(source, target, element))
    if steps is not None:
        conversion(module).attributes[STEPS] = steps
    return run_passes(module, PASS)


def numbers(*steps: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, list(steps))


def test_one_step_where_there_is_room():
    op = conversion(allocated(ROWS, COLUMNS, "f32"))
    assert (steps_of(op), bytes_of(op)) == (None, 64 * 64 * 4)


@pytest.mark.parametrize(("element", "steps"), [("f16", None), ("f32", (2,)), ("f64", (4,))])
def test_the_fewest_steps_that_fit(element: str, steps: tuple[int, ...] | None, tmp_path: Path):
    report = tmp_path / "report.txt"
    module = run_passes(
        parse(kernel(*LARGE, element)), f'{PASS}{{explain="{report}"}}', verify=False
    )
    op = conversion(module)
    assert steps_of(op) == steps
    assert bytes_of(op) == 256 * 256 * 2
    told = "" if steps is None else f"steps:\n      - {steps[0]}\n"
    assert (told or "scratch memory") in report.read_text()
    assert ("steps" in report.read_text()) == (steps is not None)
    # The pass can be run again.
    again = conversion(run_passes(module, PASS))
    assert (steps_of(again), bytes_of(again)) == (steps, 256 * 256 * 2)


WIDER = blocked((128, 128), 4, 4), blocked((128, 128), 8, 4, order=(0, 1))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("layouts", "element", "steps"),
    [
        # Elements are halved: their threads tell all of them apart.
        ((ROWS, COLUMNS), "f16", 2),
        ((ROWS, COLUMNS), "f32", 4),
        ((ROWS, COLUMNS), "f64", 1),
        ((ROWS, COLUMNS), "f64", 8),
        # Registers are divided, and then elements too.
        (WIDER, "i8", 2),
        (WIDER, "f32", 2),
        (WIDER, "f32", 4),
        (WIDER, "f64", 16),
    ],
)
def test_steps_that_are_written_are_taken(
    layouts: tuple[LinearLayout, LinearLayout], element: str, steps: int
):
    module = allocated(*layouts, element, numbers(steps))
    (size, type) = (layouts[0].size, TYPES[element])
    assert bytes_of(conversion(module)) == size * np.dtype(type).itemsize // steps
    ptx = emit(run_passes(module, TO_LLVM))
    # One barrier before the loads of each step, and one before its stores but for the first.
    assert ptx.count("bar.sync") == 2 * steps - 1
    data = np.arange(size).astype(type)
    result = np.zeros_like(data)
    emulator.load(ptx).launch("k", (1, 1, 1), [data, result], dynamic_shared=100_000, races=True)
    np.testing.assert_array_equal(result, data)


def test_without_them_the_conversion_decides_nothing():
    module = run_passes(allocated(*LARGE, "f64"), DECIDED)
    del conversion(module).attributes[STEPS]
    with pytest.raises(PassFailedException, match="has 131072 bytes of shared memory, but needs"):
        run_passes(module, "convert-tileas-to-llvm")


@pytest.mark.parametrize(
    ("steps", "error"),
    [
        (numbers(3), "expects nv_tileas.steps to be a non-empty i32 array of powers of two"),
        (i32, "expects nv_tileas.steps to be a non-empty i32 array of powers of two"),
        (
            numbers(2, 2),
            "op expects 1 numbers of steps, one for each exchange or staged tile, but got 2",
        ),
        (numbers(1 << 12), "for one byte of each element"),
    ],
)
def test_what_is_refused(steps: Attribute, error: str):
    with pytest.raises(PassFailedException, match=error):
        allocated(ROWS, COLUMNS, "f32", steps)
