"""What units ops occupy, as the PTX that they become says."""

import re

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
