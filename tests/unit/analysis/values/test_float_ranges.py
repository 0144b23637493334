"""Ranges of floats by the ops that make them."""

import math

import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.analysis.values.test_divisibility import value_called
from tileir_xdsl.analysis.values.float_ranges import (
    FloatRange,
    FloatRanges,
)
from tileir_xdsl.testing import tools

VALUES = """
%x, %n, %h = "test.op"() : () -> (tensor<8xf32>, i32, f16)
%b = "test.op"() : () -> i8
%half = arith.constant 0.5 : f32
%one = arith.constant dense<1.0> : tensor<8xf32>
%minus = arith.constant dense<-2.5> : tensor<8xf32>
%mixed = arith.constant dense<[0.0, -3.0, 0.25, 0.0]> : tensor<4xf32>
%nan = arith.constant 0x7FC00000 : f32
%small = arith.constant dense<1.0e-9> : tensor<8xf32>
%huge = arith.constant dense<3.0e38> : tensor<8xf32>
%size = arith.sitofp %n : i32 to f32
%count = arith.uitofp %b : i8 to f64
%in_half = arith.sitofp %n : i32 to f16
%sizes = nv_tileaa.splat %size : f32 -> tensor<8xf32>
%power = math.exp %x : tensor<8xf32>
%sigmoid = arith.addf %power, %one : tensor<8xf32>
%twice = arith.addf %sigmoid, %sigmoid : tensor<8xf32>
%shifted = arith.addf %sigmoid, %minus : tensor<8xf32>
%rounded = arith.addf %one, %small : tensor<8xf32>
%above = arith.addf %huge, %huge : tensor<8xf32>
%square = arith.mulf %x, %x : tensor<8xf32>
%product = arith.mulf %x, %one : tensor<8xf32>
%root = math.sqrt %x : tensor<8xf32>
%cosh = math.cosh %x : tensor<8xf32>
"""

INFINITY = math.inf
RANGES = {
    "x": FloatRange(),
    "half": FloatRange(0.5, 0.5, 0.5),
    "one": FloatRange(1, 1, 1),
    "mixed": FloatRange(-3, 0.25, 0.25),
    "nan": FloatRange(),
    "size": FloatRange(-(2.0**31), 2.0**31, 1),
    "sizes": FloatRange(-(2.0**31), 2.0**31, 1),
    "count": FloatRange(0, 256, 1),
    "in_half": FloatRange(),
    "power": FloatRange(0, INFINITY, 0),
    "sigmoid": FloatRange(1, INFINITY, 1),
    "twice": FloatRange(2, INFINITY, 2),
    "shifted": FloatRange(-1.5, INFINITY, 0),
    "rounded": FloatRange(),
    "above": FloatRange(),
    "square": FloatRange(0, INFINITY, 0),
    "product": FloatRange(),
    "root": FloatRange(0, INFINITY, 0),
    "cosh": FloatRange(1, INFINITY, 1),
}


@pytest.fixture(scope="module")
def module() -> ModuleOp:
    return tools.parse(VALUES)


@pytest.mark.parametrize("name", RANGES)
def test_ranges(name: str, module: ModuleOp):
    assert FloatRanges().of(value_called(module, name)) == RANGES[name]


def test_largest_magnitude():
    assert FloatRange(-3, 2, 0).most == 3
    assert FloatRange().most == INFINITY
