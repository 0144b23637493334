"""What units ops occupy, as the PTX that they become says."""

import math
import re
from itertools import permutations

import pytest

from tests.unit.interpreters.evaluation import Tile
from tests.unit.interpreters.nv_tileaa.evaluation import program
from tileir_xdsl.analysis.scheduling.occupancy import occupancy_of
from tileir_xdsl.runtime.lowering import lower
from tileir_xdsl.targets import get_target
from tileir_xdsl.targets.throughput import Resource, throughput_of
from tileir_xdsl.testing import tools

GPU, TILE = "sm_100a", Tile("128xf32")
ARITHMETIC = ("math.absf", "math.floor", "nv_tileaa.cos", "nv_tileaa.sin")
"""Functions that are computed with multiplications and additions alone."""
FUNCTIONS = (
    *("math.exp", "math.exp2", "math.rsqrt", "math.tanh"),
    *("nv_tileaa.exp", "nv_tileaa.exp2", "nv_tileaa.rsqrt", "nv_tileaa.tanh"),
    *("nv_tileaa.sqrt rounding<approx>", "nv_tileaa.tanh rounding<approx>"),
)
# PTX ISA, "Floating Point Instructions": approximations, which a unit of their own computes.
SPECIAL = re.compile(r"\b(?:cos|ex2|lg2|rcp|rsqrt|sin|sqrt|tanh)\.approx\b")


@pytest.mark.parametrize("function", [*ARITHMETIC, *FUNCTIONS])
def test_approximations_are_those_of_the_special_unit(function: str):
    name, _, modifier = function.partition(" ")
    text = program(f"%out0 = {name} %in0 {modifier} : tensor<128xf32>", [TILE], [TILE])
    module = tools.parse(text)
    (op,) = (op for op in module.walk() if op.name == name)
    resource = occupancy_of(op, throughput_of(get_target(GPU))).resource
    ptx = lower(tools.context(), module, "ptx", gpu=GPU, file="k.mlir").ptx
    assert ptx is not None
    assert bool(SPECIAL.search(ptx)) == (function in FUNCTIONS)
    assert (resource is Resource.SPECIAL) == (function in FUNCTIONS)


@pytest.mark.parametrize(("m", "n", "k"), tuple(permutations((16, 32, 64))))
@pytest.mark.parametrize(("element", "rate"), [("f16", 1), ("f8E4M3FN", 2), ("f32", 0.5)])
def test_cycles_of_a_dot(m: int, n: int, k: int, element: str, rate: float):
    """Operands of half the width are multiplied at twice the rate."""
    a, b, c = (
        f"tensor<{m}x{k}x{element}>",
        f"tensor<{k}x{n}x{element}>",
        f"tensor<{m}x{n}xf32>",
    )
    module = tools.parse(f"""builtin.module {{
      %a, %b, %c = "test.op"() : () -> ({a}, {b}, {c})
      %d = nv_tileas.dot %a, %b, %c : {a}, {b}, {c} -> {c}
    }}""")
    (op,) = (op for op in module.walk() if op.name == "nv_tileas.dot")
    rates = throughput_of(get_target(GPU))
    found = occupancy_of(op, rates)
    assert found.resource is Resource.MATRIX
    assert found.cycles == math.ceil(m * n * k / (rate * rates.mma_macs_of_16_bits))
