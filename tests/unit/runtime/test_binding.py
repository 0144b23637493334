"""Kernels as a launch sees them."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tileir_xdsl.runtime.arrays import Argument
from tileir_xdsl.runtime.binding import bind_arguments, default_arguments
from tileir_xdsl.runtime.errors import InputError
from tileir_xdsl.runtime.kernels import (
    Kernel,
    Parameter,
    find_kernel,
)
from tileir_xdsl.runtime.reader import new_context, read_text

TWO = """
entry @f(%a: tile<ptr<bf16>>, %n: tile<i64>, %x: tile<f32>) { }
entry @g() { }
"""


def kernel(*parameters: str) -> Kernel:
    """A kernel of parameters such as `i32` and `*f32`."""
    return Kernel(
        "k", tuple(Parameter(p.lstrip("*"), p.startswith("*")) for p in parameters), "f:1:1"
    )


def bind(parameter: str, value: Any) -> Any:
    (bound,) = bind_arguments(kernel(parameter), [Argument(None, value)])
    return bound


def test_find_kernel():
    module = read_text(new_context(), TWO, "file")
    assert find_kernel(module, "g", "file") == Kernel("g", (), "file:3:1")
    found = find_kernel(module, "f", "file")
    assert str(found) == "f(ptr<bf16>, i64, f32)"
    with pytest.raises(InputError, match="choose one of the kernels 'f', 'g' by --kernel"):
        find_kernel(module, None, "file")


def test_no_kernel():
    module = read_text(new_context(), '"test.op"() : () -> ()', "file")
    with pytest.raises(InputError, match=r"^file: error: there is no kernel in the file"):
        find_kernel(module, None, "file")


@pytest.mark.parametrize(
    ("parameter", "value", "bound"),
    [
        ("i32", 7, np.int32(7)),
        ("i32", 2**32 - 1, np.int32(-1)),
        ("i64", -(2**63), np.int64(-(2**63))),
        ("i8", 255, np.int8(-1)),
        ("i1", 1, np.bool_(True)),
        ("f32", 1, np.float32(1)),
        ("f64", 0.1, np.float64(0.1)),
        ("bf16", 1.0, ml_dtypes.bfloat16(1)),
    ],
)
def test_numbers(parameter: str, value: float, bound: np.generic):
    actual = bind(parameter, value)
    assert type(actual) is type(bound)
    assert actual == bound


def test_arrays_are_not_copied():
    array = np.zeros(4, np.float32)
    assert bind("*f32", array) is array
    unsigned = np.zeros(4, np.uint32)
    bind("*i32", unsigned)[0] = -1
    assert unsigned[0] == 2**32 - 1


def test_untyped_arrays_take_the_type_of_their_parameter():
    bits = np.array([1.5, 2.5], ml_dtypes.bfloat16)
    bound = bind("*bf16", bits.view("V2"))
    assert bound.dtype == bits.dtype
    assert bound.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(("parameter", "value"), [("i1", 2), ("i8", 256), ("i8", -129)])
def test_numbers_that_do_not_fit(parameter: str, value: int):
    with pytest.raises(InputError, match=f"argument 0 of 'k': {value} is not a number of type"):
        bind(parameter, value)


def defaults(*parameters: str) -> list[Any]:
    return default_arguments(kernel(*parameters), np.random.default_rng(0))


def test_default_arrays_are_row_major():
    a, n, s, b, m0, m1, s0, s1, x = defaults(
        "*f32", "i32", "i32", "*i64", "i64", "i64", "i64", "i64", "*f16"
    )
    assert (a.shape, a.dtype, n, s) == ((1000,), np.float32, 1000, 1)
    assert (b.shape, b.dtype) == ((m0, m1), np.int64)
    assert (m0, m1, s0, s1) == (32, 32, 32, 1)
    assert {type(value) for value in (m0, m1, s0, s1)} == {np.int64}
    assert x.shape == (1000,)


def test_default_numbers():
    (value,) = defaults("f32")
    assert (value.dtype, value.shape) == (np.float32, ())


@pytest.mark.parametrize("parameters", [("*f32", "i32"), ("*f32", "i32", "i32", "i32")])
def test_unclear_defaults(parameters: tuple[str, ...]):
    with pytest.raises(InputError, match=r"^f:1:1: error: sizes and strides .*: pass --arg$"):
        defaults(*parameters)
