"""Elementary functions keep within their bounds: a smaller sample of docs/numerics.md."""

import numpy as np
import pytest

from bench.numerics import DRAWN, DTYPES, FUNCTIONS, Function, errors, measure
from tests.unit.backend.ptx.harness import GPUS, assemble
from tests.unit.transforms.convert_tileas_to_llvm.elementwise import Operation, ptx

PART = 64
"""One of how many of the numbers of the table."""


def function_id(function: Function) -> str:
    return function.operation


@pytest.mark.one_in(5)
@pytest.mark.parametrize("function", FUNCTIONS, ids=function_id)
def test_errors(function: Function):
    for element in function.elements:
        row = measure(function, element, DRAWN[element] // PART)
        assert row.error <= row.bound, row


@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_ends_of_the_range_of_f64(name: str):
    """Results are subnormal or nearly infinite there."""
    (function,) = (function for function in FUNCTIONS if function.operation == name)
    row = measure(function, "f64", 256)
    assert row.error <= row.bound, row


@pytest.mark.one_in(4, "sm_80")
@pytest.mark.parametrize("gpu", GPUS)
def test_ptxas_accepts(gpu: str):
    operations = [
        Operation(function.text(), (element,) * len(function.intervals), element)
        for function in FUNCTIONS
        for element in function.elements
    ]
    assemble(ptx(operations, gpu), gpu)


def test_tanh_of_f32_neither_divides_nor_branches():
    text = ptx([Operation("tanh %in0 : T", ("f32",), "f32")], "sm_90a")
    assert text.count("rcp.approx.ftz.f32") == text.count("ex2.approx.ftz.f32") == 2
    assert "div." not in text and "bra" not in text


@pytest.mark.parametrize(
    ("exact", "got", "error"),
    [
        (1.0, 1.0, 0.0),
        (1.0, 1.0 + 2.0**-23, 1.0),
        (1.0, 1.0 - 2.0**-24, 0.5),
        (np.inf, np.finfo(np.float32).max, 1.0),
        (0.0, -0.0, np.inf),
        (np.nan, 1.0, np.inf),
        (1.0, np.nan, np.inf),
        (np.nan, np.nan, 0.0),
        (2.0**-149, 0.0, 1.0),
    ],
)
def test_units_in_the_last_place(exact: float, got: float, error: float):
    function = Function("exp", np.positive, [(0, 1)])
    results = errors(function, [np.array([exact], np.float32)], np.array([got], np.float32))
    np.testing.assert_array_equal(results, [error])


def test_all_numbers_of_a_format_are_measured():
    (exp,) = (function for function in FUNCTIONS if function.operation == "exp")
    assert DTYPES.keys() == {*exp.elements}
    assert measure(exp, "f16", 1).samples == 1 << 16
