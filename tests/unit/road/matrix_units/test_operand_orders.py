"""Dots of operands that lie along either dimension, are permuted or not, and have few columns."""

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from tests.unit.road.zoo import lower
from tileir_xdsl import emulator
from tileir_xdsl.runtime.arrays import Argument, as_argument
from tileir_xdsl.runtime.binding import bind_arguments
from tileir_xdsl.runtime.kernels import find_kernel
from tileir_xdsl.runtime.launching import dynamic_shared_memory, with_tensor_maps
from tileir_xdsl.testing import tools

GPUS = ("sm_80", "sm_90a", "sm_100a", "sm_120a")
ROWS, DEPTH, STEPS = 64, 64, 3
LOOP = """
cuda_tile.module @m {
  entry @k(%xa: tile<ptr<ELEMENT>>, %xb: tile<ptr<ELEMENT>>, %pc: tile<ptr<SUM>>) {
    %pa = assume div_by<16>, %xa : tile<ptr<ELEMENT>>
    %pb = assume div_by<16>, %xb : tile<ptr<ELEMENT>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %end = constant <i32: 3> : tile<i32>
    %none = constant <SUM: 0> : tile<64xCOLUMNSxSUM>
    %ta = make_tensor_view %pa, shape = [64, 192], strides = [192, 1] : tensor_view<64x192xELEMENT, strides=[192,1]>
    %tb = make_tensor_view %pb, shape = [192, COLUMNS], strides = [COLUMNS, 1] : tensor_view<192xCOLUMNSxELEMENT, strides=[COLUMNS,1]>
    %tc = make_tensor_view %pc, shape = [64, COLUMNS], strides = [COLUMNS, 1] : tensor_view<64xCOLUMNSxSUM, strides=[COLUMNS,1]>
    %va = make_partition_view %ta : partition_view<tile=(64x64), tensor_view<64x192xELEMENT, strides=[192,1]>, dim_map=[MAP]>
    %vb = make_partition_view %tb : partition_view<tile=(64xCOLUMNS), tensor_view<192xCOLUMNSxELEMENT, strides=[COLUMNS,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(64xCOLUMNS), tensor_view<64xCOLUMNSxSUM, strides=[COLUMNS,1]>>
    %sum = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<64xCOLUMNSxSUM>) {
      %a, %t0 = load_view_tko weak %va[PLACE] : partition_view<tile=(64x64), tensor_view<64x192xELEMENT, strides=[192,1]>, dim_map=[MAP]>, tile<i32> -> tile<64x64xELEMENT>, token
      %p = permute %a [PERMUTED] : tile<64x64xELEMENT> -> tile<64x64xELEMENT>
      %b, %t1 = load_view_tko weak %vb[%i, %zero] : partition_view<tile=(64xCOLUMNS), tensor_view<192xCOLUMNSxELEMENT, strides=[COLUMNS,1]>>, tile<i32> -> tile<64xCOLUMNSxELEMENT>, token
      %next = MMA : tile<64x64xELEMENT>, tile<64xCOLUMNSxELEMENT>, tile<64xCOLUMNSxSUM>
      continue %next : tile<64xCOLUMNSxSUM>
    }
    %t2 = store_view_tko weak %sum, %vc[%zero, %zero] : tile<64xCOLUMNSxSUM>, partition_view<tile=(64xCOLUMNS), tensor_view<64xCOLUMNSxSUM, strides=[COLUMNS,1]>>, tile<i32> -> token
    return
  }
}
"""

FORMS = {
    "f16": (np.dtype(np.float16), "f32", "mmaf %p, %b, %acc"),
    "bf16": (np.dtype(ml_dtypes.bfloat16), "f32", "mmaf %p, %b, %acc"),
    "i8": (np.dtype(np.int8), "i32", "mmai %p, %b, %acc signed signed"),
    "f8E4M3FN": (np.dtype(ml_dtypes.float8_e4m3fn), "f32", "mmaf %p, %b, %acc"),
}
"""The element type, that of the accumulator, and the op."""


def program(element: str, columns: int, mapped: str, permuted: str) -> str:
    """A dot in a loop along K, of A by a view of a dimension map, permuted."""
    _, accumulator, mma = FORMS[element]
    replaced = {
        "ELEMENT": element,
        "COLUMNS": str(columns),
        "SUM": accumulator,
        "MAP": mapped,
        "PERMUTED": permuted,
        # The second dimension of the array is that along which tiles follow each other.
        "PLACE": "%zero, %i" if mapped == "0, 1" else "%i, %zero",
        "MMA": mma,
    }
    text = LOOP
    for name, value in replaced.items():
        text = text.replace(name, value)
    return text.replace(
        ": 0> : tile<64x", ": 0.0> : tile<64x" if accumulator == "f32" else ": 0> : tile<64x"
    )


def check(text: str, gpu: str, element: str, columns: int, *, transposed: bool) -> None:
    """Runs a program late, with races looked for, and compares it with numpy."""
    numpy_type, accumulator, _ = FORMS[element]
    rng = np.random.default_rng(9)
    a = rng.integers(-3, 4, (ROWS, DEPTH * STEPS)).astype(numpy_type)
    b = rng.integers(-3, 4, (DEPTH * STEPS, columns)).astype(numpy_type)
    c = np.zeros((ROWS, columns), np.float32 if accumulator == "f32" else np.int32)
    tiles = a.astype(np.float64).reshape(ROWS, STEPS, DEPTH).transpose(1, 0, 2)
    parts = b.astype(np.float64).reshape(STEPS, DEPTH, columns)
    expected = sum(
        (tile.T if transposed else tile) @ part for tile, part in zip(tiles, parts, strict=True)
    )
    kernel = find_kernel(tools.parse(text), "k", "m")
    values = bind_arguments(kernel, [Argument(None, as_argument(each, "k")) for each in (a, b, c)])
    lowered = lower(tools.parse(text), gpu)
    emulator.load(lowered.ptx).launch(
        "k",
        (1, 1, 1),
        with_tensor_maps(lowered.module, "k", values),
        dynamic_shared=dynamic_shared_memory(lowered.module, "k"),
        late=True,
        races=True,
    )
    assert np.array_equal(c, expected)


ORDERS = tuple(product(("0, 1", "1, 0"), repeat=2))


@pytest.mark.one_in(16)
@pytest.mark.parametrize(
    ("gpu", "element", "columns", "order"),
    tuple(product(GPUS, tuple(FORMS), (8, 16, 64), ORDERS)),
)
def test_values(gpu: str, element: str, columns: int, order: tuple[str, str]):
    """An operand that is copied to another order is not awaited together with one loaded later."""
    if gpu == "sm_80" and element == "f8E4M3FN":
        element = "i8"
    text = program(element, columns, *order)
    transposed = (order[0] == "1, 0") != (order[1] == "1, 0")
    check(text, gpu, element, columns, transposed=transposed)
