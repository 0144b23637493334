"""Launches made from the types of a kernel's parameters."""

import numpy as np
import pytest
from xdsl.ir import Attribute

from tileir_xdsl.checking.inputs import PLAIN_ELEMENTS, PLAIN_INTEGERS, LaunchInput, launch_inputs
from tileir_xdsl.checking.observation import emulate, interpret
from tileir_xdsl.dialects.cuda_tile import EntryOp
from tileir_xdsl.testing import tools

SCALAR = """
cuda_tile.module @m {
  entry @k(%p: tile<ptr<f64>>, %x: tile<ELEMENT>) {
    %y = ftof %x : tile<ELEMENT> -> tile<f64>
    %t = store_ptr_tko weak %p, %y : tile<ptr<f64>>, tile<f64> -> token
  }
}
"""


def _types(parameters: str) -> list[Attribute]:
    module = tools.parse(f"cuda_tile.module @m {{ entry @k({parameters}) {{ }} }}")
    entry = next(op for op in module.walk() if isinstance(op, EntryOp))
    return list(entry.body.block.arg_types)


def _inputs(parameters: str, count: int = 10) -> list[LaunchInput]:
    return list(launch_inputs(_types(parameters), count))


def test_integers_after_a_pointer_are_sizes_and_strides():
    matrix = "%p: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %s: tile<i32>, %t: tile<i32>"
    for launch_input in _inputs(matrix):
        array, rows, columns, stride, step = launch_input.arguments
        assert isinstance(array, np.ndarray)
        assert (rows, columns, stride, step) == (rows, rows, columns, 1)
        assert array.size == int(rows) * int(rows)
        assert array.dtype == np.float32


def test_other_parameters():
    for launch_input in _inputs("%n: tile<i64>, %p: tile<ptr<i8>>, %x: tile<f16>, %c: tile<i1>"):
        number, array, x, c = launch_input.arguments
        assert number in PLAIN_INTEGERS
        assert isinstance(array, np.ndarray)
        assert array.shape == (PLAIN_ELEMENTS,)
        assert np.asarray(x).dtype == np.float16 and c in (0, 1)


@pytest.mark.parametrize("element", ["f8E4M3FN", "f8E5M2", "f16", "bf16", "tf32", "f32"])
def test_a_float_is_one_number_to_the_interpreter_and_to_ptx(element: str):
    text = SCALAR.replace("ELEMENT", element)
    module = tools.parse(text)
    compiled = tools.run_passes(tools.parse(text), "tileir-pipeline{gpu=sm_90a}")
    for launch_input in launch_inputs(_types(f"%p: tile<ptr<f64>>, %x: tile<{element}>"), 5):
        expected = interpret(module, "k", launch_input).arrays[0]
        assert expected[0] == float(launch_input.arguments[1])
        assert np.array_equal(expected, emulate(compiled, "k", launch_input).arrays[0])


def test_every_element_type_has_arrays():
    elements = [
        "i1",
        "i8",
        "i16",
        "i32",
        "i64",
        "f16",
        "bf16",
        "f32",
        "f64",
        "tf32",
        "f8E4M3FN",
        "f8E5M2",
        "f8E8M0FNU",
    ]
    parameters = ", ".join(f"%{e}: tile<ptr<{e}>>" for e in elements)
    for launch_input in _inputs(parameters, 2):
        assert all(isinstance(a, np.ndarray) for a in launch_input.arguments)


def test_launches_vary_and_repeat():
    parameters = "%p: tile<ptr<i32>>, %m: tile<i32>, %s: tile<i32>"
    first, second = _inputs(parameters), _inputs(parameters)
    assert repr(first) == repr(second)
    assert len({(i.grid, i.arguments[1]) for i in first}) == len(first)
    lows = [int(np.min(i.arguments[0])) for i in first]
    assert min(lows) == -(2**31) and -100 <= lows[0] < 0 <= max(lows)


def test_a_launch_works_on_copies():
    (launch_input,) = _inputs("%p: tile<ptr<i32>>, %n: tile<i32>, %m: tile<i32>", 1)
    array, *_ = launch_input.copy_arguments()
    assert isinstance(array, np.ndarray)
    array += 1
    assert not np.array_equal(array, np.asarray(launch_input.arguments[0]))
